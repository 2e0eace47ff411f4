/* Filtered back projection. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp_files.h"
#include "ct/fbp/fbp_options.h"
#include "ct/fbp/gridrec/gridrec.h"
#include "ct/geometry/plausible.h"
#include "ct/geometry/views.h"
#include "misc/error.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/device/device.h"

int main_fbp(int argc, char *argv[]);

/** How; in the order of the option's names. */
enum method { METHOD_FBP, METHOD_GRIDREC, METHOD_HELICAL, METHOD_KATSEVICH, METHOD_HILBERT, METHOD_AUTO };
static const char method_names[] = "fbp|gridrec|helical|katsevich|hilbert|auto";

/** Options that helical methods have no use for. */
static void check_helical(const struct fbp_options *o, int method)
{
	if ((METHOD_HELICAL == method || METHOD_KATSEVICH == method) && o->short_scan >= 0)
		usage_error("--short-scan is for circular scans, not for --method helical or katsevich");

	if (METHOD_KATSEVICH == method && (0 != o->filter || o->own || !isnan(o->cutoff)))
		usage_error("--method katsevich has no ramp filter: --filter, --cutoff and --window have no "
		            "effect");
}

/** --lines and --support. */
struct hilbert_options {
	double lines; // NAN: not given
	struct opt_doubles support;
};

static struct hilbert_settings read_hilbert(
        const struct hilbert_options *o, const struct fbp_options *fo, int method)
{
	struct hilbert_settings s = {.lines = isnan(o->lines) ? 0. : o->lines};
	const int n = o->support.n;
	const double *v = o->support.v;

	if (METHOD_HILBERT != method) {
		if (!isnan(o->lines) || n > 0)
			usage_error("--%s requires --method hilbert", n > 0 ? "support" : "lines");

		return s;
	}

	if (0 != fo->filter || fo->own || !isnan(fo->cutoff) || 0 <= fo->short_scan)
		usage_error("--method hilbert has no ramp filter and no short-scan weights: --filter, "
		            "--cutoff, --window and --short-scan have no effect");

	if (n > 0 && 1 != n && 3 != n && 4 != n)
		usage_error("--support has %d values, expected R, R:X:Y or X0:X1:Y0:Y1", n);

	if (1 == n || 3 == n) {
		s.support = HILBERT_CIRCLE;

		if (!(v[0] > 0.))
			usage_error("--support: the radius is %g mm, expected more than 0", v[0]);
	}

	if (4 == n) {
		s.support = HILBERT_BOX;

		if (!(v[0] < v[1] && v[2] < v[3]))
			usage_error("--support %g:%g:%g:%g is empty, expected X0 < X1 and Y0 < Y1", v[0],
			        v[1], v[2], v[3]);
	}

	memcpy(s.place, v, (size_t)n * sizeof *v);

	return s;
}

/** Whether Fourier transforms take less time than the direct sum. In units of what that spends on a voxel and
 * a view: 240 for each sample of a line and 200 for each voxel of the slice, measured with AVX-512 and a
 * fifth added. */
static bool gridrec_is_faster(const struct fbp_files *s)
{
	const double voxels = (double)s->grid->size[0] * (double)s->grid->size[1],
	             views = (double)s->g->views;

	return voxels * views > 240. * views * (double)s->g->cols + 200. * voxels;
}

static bool takes_gridrec(const struct fbp_files *s, const struct fbp *f, int method)
{
	if (METHOD_AUTO != method)
		return METHOD_GRIDREC == method;

	return gridrec_is_faster(s) && gridrec_fits(f) && !dtype_is_complex(s->h->type);
}

static void filtered(
        const struct fbp_files *s, const struct fbp_settings *set, const struct fbp_options *fo, int method)
{
	const struct grid *v = s->grid;
	struct fbp *f = fbp_create(s->g, set, s->name);
	const bool gridrec = takes_gridrec(s, f, method);

	fbp_options_check(fo, f, s->name);
	verbose("%s", fbp_describe(f));

	if (METHOD_AUTO == method)
		verbose("--method %s", gridrec ? "gridrec" : "fbp");

	if (gridrec) {
		gridrec_check(f, s->name);
		fbp_files_gridrec(s, f);
	} else {
		device_worth((double)(s->proj->count + v->size[0] * v->size[1] * v->size[2]) * 4.,
		        20. * v->size[0] * v->size[1] * v->size[2] * s->g->views);
		tool_needs(fbp_memory(f, dtype_real(s->h->type),
		                   !cfl_is_mapped(s->proj) || s->proj->hdr.type != s->h->type),
		        0.);
		fbp_files_filtered(s, f);
	}

	fbp_free(f);
}

int main_fbp(int argc, char *argv[])
{
	struct grid_opts go = {0};
	struct opt_longs detector = {0};
	struct fbp_options fo = FBP_OPTIONS;
	struct hilbert_options ho = {.lines = NAN};
	int type = -1, method = METHOD_FBP;
	const char *geom = NULL, *in = NULL, *out = NULL, *views = NULL;

	const struct opt opts[] = {
	        OPT_CHOICE('m', "method", &method, method_names, "method (default: by the geometry)"),
	        OPT_FBP(&fo),
	        OPT_DOUBLE(0, "lines", &ho.lines, "DEG", -360, 360,
	                "hilbert: direction of the lines, from x towards y (default: 0)"),
	        OPT_DOUBLES(0, "support", &ho.support, "R[:X:Y]|X0:X1:Y0:Y1", -1e300, 1e300,
	                "hilbert: circle or box that contains the object [mm] (default: outside what all "
	                "views see)"),
	        OPT_VIEWS(&views), OPT_GRID(&go),
	        OPT_DETECTOR(&detector, "detector size, if GEOM has none (default: that of PROJ)"),
	        OPT_TYPE(&type), ARG_IN("GEOM", &geom, "geometry of the scan"),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT("VOL", &out, "attenuation (x, y, z) [1/mm]"), OPT_END};

	tool_init(&(struct tool){.name = "fbp",
	                  .group = GROUP_RECONSTRUCT,
	                  .synonyms = "fdk iradon feldkamp reconstruct reconstruction",
	                  .about = "Reconstruct by filtered backprojection (cone beam: FDK)",
	                  .details = "By default, the geometry decides the method. Parallel and fan beams "
	                             "are reconstructed by filtered back projection, and cone beams by "
	                             "Feldkamp's method. Each view is weighted by half the angular gap to "
	                             "its neighbours. For a parallel beam, angles are taken modulo 180 "
	                             "degrees. Repeated end points and golden angles are also weighted "
	                             "correctly. A short scan of a fan or cone beam covers less than 360 "
	                             "degrees. A short scan must cover at least 180 degrees plus the fan "
	                             "angle. Short scans get Silver's weights, which extend Parker's "
	                             "weights to the covered arc. Scans over 360 degrees with an offset "
	                             "detector have special weights. Views are added to the volume as "
	                             "they arrive. Memory holds the volume and one batch of views. If the "
	                             "volume is larger than memory (GANTRY_MEM), the filtered views are "
	                             "stored in a temporary file. The volume is then reconstructed slab "
	                             "by slab.\n\n"
	                             "The method gridrec reconstructs a parallel beam by Fourier "
	                             "transforms. In gridrec, the detector rows are interpolated by sinc "
	                             "functions. From about 400 columns on, gridrec is faster than the "
	                             "direct sum. With 2048 columns, gridrec is 10 times as fast. The "
	                             "method auto chooses the faster one of gridrec and fbp, and -v "
	                             "prints the choice. For helical scans, the method katsevich is "
	                             "exact. The method helical uses Feldkamp's filter within the "
	                             "Tam-Danielsson window.\n\n"
	                             "The method hilbert is for parallel or fan beams with truncated "
	                             "projections. The volume is reconstructed along parallel lines. The "
	                             "option --lines sets the direction of the lines. A line is correct "
	                             "if both its ends are outside the object but within the region that "
	                             "all views see. The object may be truncated beside the line. The "
	                             "option --support gives the extent of the object. If the region of "
	                             "--support reaches an end of a line, the line becomes 0 and a "
	                             "warning is printed. The method hilbert keeps the detector rows of "
	                             "several slices in memory. The kept rows use at most a quarter of "
	                             "the allowed memory.",
	                  .examples =
	                          "gantry fbp geom proj rec\n"
	                          "gantry fbp --filter hann --size 512:512:64 --spacing 0.25 geom proj rec\n"
	                          "gantry fbp --filter butterworth --cutoff 0.4 --order 3 geom proj rec\n"
	                          "gantry fbp --method auto --filter hann geom proj rec\n"
	                          "gantry fbp --method katsevich --size 512:512:300 helix proj rec\n"
	                          "gantry fbp --method hilbert --lines 90 --support=-40:40:-20:20 geom proj "
	                          "rec\n"
	                          "gantry project geom vol - | gantry fbp --like vol geom - rec",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	const struct fbp_settings set = fbp_options_read(&fo);

	check_helical(&fo, method);

	const struct hilbert_settings hilbert_set = read_hilbert(&ho, &fo, method);
	struct cfl *fg = cfl_open(geom);
	struct cfl *x = cfl_open(in);
	struct geom *all = geom_load(fg, &detector, x);
	long *at;

	geom_expect_source(all, fg->name);
	views_expect_line_integrals(x);
	geom_check_proj(all, fg, x);

	struct geom *g = views_geometry(views, all, geom, &at);
	struct view_choice chosen = {.at = at, .n = g->views, .views = all->views};

	chosen.in_order = !cfl_is_mapped(x) && at && views_ascend(at, g->views);

	struct grid grid;
	struct hdr h;

	grid_choose(&grid, &go, all);
	plausible_warn(all, &grid, geom, PLAUSIBLE_RECONSTRUCTS);
	hdr_copy(&h, &x->hdr);
	grid_to_header(&grid, &h);
	h.type = views_type(type, h.type);
	h.quantity = (RAMP_LAMBDA == set.filter.window) ? Q_UNKNOWN : Q_ATTENUATION;
	strcpy(h.unit, "1/mm");

	if (METHOD_HELICAL == method || METHOD_KATSEVICH == method)
		ranks_alone();

	const struct fbp_files files = {g, &grid, geom, x, &chosen, &h, out};

	if (METHOD_HILBERT == method)
		fbp_files_hilbert(&files, &hilbert_set);
	else if (METHOD_HELICAL == method || METHOD_KATSEVICH == method)
		fbp_files_helical(&files, &set, (METHOD_HELICAL == method) ? HELICAL_FDK : HELICAL_KATSEVICH);
	else
		filtered(&files, &set, &fo, method);

	hdr_free(&h);
	cfl_close(fg);
	free((double *)set.filter.own);
	geom_free(g);
	geom_free(all);
	free(at);
	leave(EXIT_DONE);
}
