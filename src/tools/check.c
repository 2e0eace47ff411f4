/** Verifies the projector for the user's own geometry. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ct/geometry/vec3.h"
#include "ct/geometry/views.h"
#include "ct/projector/check/verify.h"
#include "ct/projector/check/verify_piece.h"
#include "linops/norm.h"
#include "misc/error.h"
#include "misc/progress.h"
#include "num/device/device.h"
#include "num/device/opencl.h"
#include "num/device/selftest.h"
#include "num/stat/summary.h"

int main_check(int argc, char *argv[]);

enum { VIEWS = 24, MOST = 64, PIECE = 48, PIECE_VIEWS = 12, PIECES = 2 };

static bool say(const char *name, bool ok, const char *text)
{
	printf("%-5s %-12s %s\n", ok ? "ok" : "FAIL", name, text);
	return ok;
}

/** Runs the self-tests of all kernel families on the device in use. */
static bool check_device(enum selftest_kind kind)
{
	bool ok = true;

	for (struct selftest *t = selftest_first(kind); t; t = t->next) {
		const double start = now();
		double error;
		char why[256] = "", text[400];

		if (!selftest_applies(kind, t)) {
			printf("%-5s %-12s computed on the CPU: the device has no float64\n", "note",
			        t->name);
			continue;
		}

		const bool good = selftest_try(kind, t, &error, why, sizeof why);

		snprintf(text, sizeof text, "largest error %.1e, %.0f ms%s%s", error, 1e3 * (now() - start),
		        good ? "" : "; ", why);
		ok &= say(t->name, good, text);
	}

	return ok;
}

static bool prove(const char *name, verify_fn *fn, const struct geom *g, const struct grid *grid, int model)
{
	struct str said = {0};
	const bool passed = fn(g, grid, (enum xray_model)model, &said);
	bool ok = say(name, passed, said.data ? said.data : "");

	free(said.data);
	return ok;
}

/** Where the axes of the volume point to in the first view. */
static void print_directions(const struct geom *g)
{
	static const char *const axis = "xyz";
	double a0, b0, a, b;
	const double origin[3] = {0., 0., 0.};

	if (!verify_pixel(g, 0, origin, &a0, &b0))
		return;

	for (int d = 0; d < 3; d++) {
		double p[3] = {0., 0., 0.};

		p[d] = 1e-3;

		if (verify_pixel(g, 0, p, &a, &b))
			printf("      view 0: 1 mm along +%c at the axis moves %+.4g columns and %+.4g "
			       "rows\n",
			        axis[d], (a - a0) * 1e3, (b - b0) * 1e3);
	}
}

/** Proofs on pieces of the user's own resolution, where the case as a whole had to be made coarser. */
static bool verify_pieces(const struct geom *g, const struct grid *grid, int model)
{
	static const struct {
		const char *name;
		verify_fn *fn;
	} proofs[] = {
	        {"dot-full", verify_dot}, {"elem-full", verify_elements}, {"ref-full", verify_reference}};
	struct geom *piece[PIECES];
	struct grid block[PIECES];
	bool ok = true;

	for (int i = 0; i < PIECES; i++)
		piece[i] = verify_piece(&block[i], g, grid, PIECE_VIEWS, PIECE, 100 + 2 * i);

	if (!piece[0])
		return say("pieces", false, "no ray meets the volume");

	for (int k = 0; k < 3; k++) {
		struct str said = {0};
		bool passed = true;

		for (int i = 0; i < PIECES; i++) {
			str_add(&said, i ? "; " : "");
			passed &= proofs[k].fn(piece[i], &block[i], (enum xray_model)model, &said);
		}

		ok &= say(proofs[k].name, passed, said.data);
		free(said.data);
	}

	for (int i = 0; i < PIECES; i++)
		geom_free(piece[i]);

	return ok;
}

static bool check_values(const char *name, struct cfl *vol)
{
	struct summary s;
	char text[160];

	summarize(&s, vol);
	snprintf(text, sizeof text, "%ld NaN and %ld infinite of %ld values, from %.4Lg to %.4Lg", s.nans,
	        s.infs, s.count, s.min, s.max);
	return say(name, s.nans + s.infs == 0, text);
}

static void print_cover(const struct geom *g, const struct grid *grid)
{
	double radius, z[2];

	geom_field_of_view(g, &radius, z);
	printf("%-5s %-12s the volume %s the field of view (diameter %.4g mm, z from %.4g to %.4g mm)\n",
	        "note", "coverage", geom_grid_covers(g, grid) ? "covers" : "does not cover", 2. * radius,
	        z[0], z[1]);
}

/** Whether something of the case is left out of the coarse proofs. */
static bool merged(const struct geom *g, const struct grid *grid)
{
	const long *n = grid->size;

	return g->cols > MOST || g->rows > MOST || n[0] > MOST || n[1] > MOST || n[2] > MOST;
}

/** Whether projections have the geometry's shape. */
static bool check_shape(const struct geom *g, const struct cfl *proj)
{
	const long *n = proj->hdr.dims;
	char text[160];

	snprintf(text, sizeof text, "%s is %s, the geometry has %ld x %ld pixels in %ld views", proj->name,
	        hdr_shape(&proj->hdr), g->cols, g->rows, g->views);
	return say("shape", n[0] == g->cols && n[1] == g->rows && n[2] == g->views, text);
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** Widest gap between the angles of the views about z [degrees], modulo half a turn for a parallel beam. */
static double widest_gap(const struct geom *g)
{
	const double period = g->parallel ? M_PI : 2. * M_PI;
	double *angle = mem_alloc(g->views * sizeof(double)), widest;

	for (long k = 0; k < g->views; k++)
		angle[k] = fmod(geom_angle(g, k), period);

	qsort(angle, g->views, sizeof(double), by_value);
	widest = angle[0] + period - angle[g->views - 1];

	for (long k = 1; k < g->views; k++)
		widest = fmax(widest, angle[k] - angle[k - 1]);

	free(angle);
	return widest * 180. / M_PI;
}

/** How finely the scan sees the volume. */
static void print_sampling(const struct geom *g, const struct grid *grid)
{
	const double m = geom_magnification(g, 0), u = norm3(g->view[0].u),
	             v = norm3(g->view[0].v) *
	                 (g->stack ? m : 1.); // rows of a stack are as far apart as slices
	double radius, z[2];

	geom_field_of_view(g, &radius, z);
	printf("%-5s %-12s pixels of %.4g x %.4g mm at the axis (magnification %.4g), voxels of %.4g x %.4g "
	       "x "
	       "%.4g mm\n",
	        "note", "sampling", u / m, v / m, m, grid->spacing[0], grid->spacing[1], grid->spacing[2]);
	printf("%-5s %-12s %ld views, at most %.4g degrees apart: %.3g pixels at the edge of the field of "
	       "view\n",
	        "note", "angles", g->views, widest_gap(g), widest_gap(g) * M_PI / 180. * radius / (u / m));
}

/** The largest singular value of the whole transform: steps of first-order methods are below 2 / |A|^2. */
static void print_norm(const struct geom *g, const struct grid *grid, int model)
{
	struct linop *A = linop_xray_create(g, grid, (enum xray_model)model, DT_FLOAT32, 1, 1);
	const double norm = linop_norm(A);

	printf("%-5s %-12s |A| = %.6g mm, 1 / |A|^2 = %.6g\n", "note", "norm", norm, 1. / (norm * norm));
	linop_free(A);
}

int main_check(int argc, char *argv[])
{
	const char *geom_name = NULL, *vol_name = NULL, *proj_name = NULL, *views = NULL;
	struct grid_opts grid_opts = {0};
	struct opt_longs detector = {0};
	int model = XRAY_JOSEPH;
	bool norm = false;

	const struct opt opts[] = {OPT_MODEL(&model),
	        OPT_FLAG(0, "norm", &norm, "also bound the largest singular value of A, on the whole volume"),
	        OPT_DETECTOR(&detector, "detector size, if GEOM has none"), OPT_VIEWS(&views),
	        OPT_GRID(&grid_opts),
	        ARG_IN_OPTIONAL("GEOM", &geom_name, "geometry, 4 x 4 x views (none: check the device)"),
	        ARG_IN_OPTIONAL("VOL", &vol_name, "volume: defines the grid and is searched for NaN"),
	        ARG_IN_OPTIONAL("PROJ", &proj_name, "projections: checked for shape and NaN"), OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "check",
	                .group = GROUP_RUN,
	                .synonyms = "dottest dot-test verify validate",
	                .about = "Verify the projector for a geometry",
	                .details = "The output has one line per check. The checks use up to 24 of the "
	                           "views. Pixels and voxels are binned, so that at most 64 remain along "
	                           "an axis. The checks are:\n\n"
	                           "dot: the dot test of projection and back projection.\n"
	                           "elements: single elements of the system matrix, computed by "
	                           "projection and by back projection.\n"
	                           "reference: comparison with the definition of the projector, computed "
	                           "in float64.\n"
	                           "split: bit-identical results for other numbers of threads and "
	                           "batches. On a GPU, two runs are compared.\n"
	                           "orientation: the positions of small balls in the projections.\n"
	                           "letter: a letter F, compared with its exact line integrals.\n\n"
	                           "If pixels or voxels were binned, the first three checks are repeated "
	                           "without binning. The repeated checks are dot-full, elem-full and "
	                           "ref-full. The repeated checks use blocks of the volume, and "
	                           "projections of the blocks in random views.\n\n"
	                           "Notes describe the coverage and sampling of the scan. With --norm, a "
	                           "note gives an upper bound of the norm |A|. The norm |A| determines "
	                           "the step size of gradient methods. The option --norm needs 2 float32 "
	                           "volumes and one set of projections in memory.\n\n"
	                           "Without GEOM, the options -g and --device opencl check the device. "
	                           "The output of this check has one line for each family of kernels, and "
	                           "one line for copies. Each line gives the largest error, divided by "
	                           "the largest expected value. The exit status is 1 if a check fails.",
	                .examples = "gantry check geom\n"
	                            "gantry check geom vol\n"
	                            "gantry check --norm geom\n"
	                            "gantry check --views 0:10 geom vol proj\n"
	                            "gantry check --device opencl",
	                .opts = opts,
	        },
	        argc, argv);

	if (!geom_name) {
		if (device_used() < 0 && !opencl_used())
			usage_error("missing argument: GEOM (to check the device instead, give -g or "
			            "--device opencl)");

		leave(check_device(opencl_used() ? SELFTEST_OPENCL : SELFTEST_GPU) ? EXIT_DONE : EXIT_FAILED);
	}

	struct cfl *f = cfl_open(geom_name), *vol = vol_name ? cfl_open(vol_name) : NULL,
	           *proj = proj_name ? cfl_open(proj_name) : NULL;
	struct geom *all = geom_load(f, &detector, proj);
	struct grid grid, coarse_grid;

	if (vol)
		grid_from_header(&grid, &vol->hdr);

	struct geom *g = views_geometry(views, all, geom_name, NULL);

	if (!vol)
		grid_choose(&grid, &grid_opts, g);

	struct geom *coarse = verify_coarse(g, VIEWS, MOST);
	bool ok = true;

	tool_plan_text();
	verify_coarse_grid(&coarse_grid, &grid, MOST);
	print_cover(g, &grid);
	print_sampling(g, &grid);
	ok &= vol ? check_values("volume", vol) : true;
	ok &= proj ? check_shape(all, proj) : true;
	ok &= proj ? check_values("projections", proj) : true;
	ok &= prove("dot", verify_dot, coarse, &coarse_grid, model);
	ok &= prove("elements", verify_elements, coarse, &coarse_grid, model);
	ok &= prove("reference", verify_reference, coarse, &coarse_grid, model);
	ok &= prove("split", verify_split, coarse, &coarse_grid, model);
	ok &= prove("orientation", verify_orientation, coarse, &coarse_grid, model);
	ok &= prove("letter", verify_letter, coarse, &coarse_grid, model);
	ok &= merged(g, &grid) ? verify_pieces(g, &grid, model) : true;
	print_directions(g);

	if (norm)
		print_norm(g, &grid, model);

	cfl_close(f);

	if (vol)
		cfl_close(vol);

	if (proj)
		cfl_close(proj);

	geom_free(coarse);
	geom_free(g);
	geom_free(all);
	leave(ok ? EXIT_DONE : EXIT_FAILED);
}
