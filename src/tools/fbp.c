/* Filtered back projection. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ct/fbp/fbp_options.h"
#include "ct/fbp/gridrec.h"
#include "ct/fbp/helical.h"
#include "ct/fbp/hilbert.h"
#include "ct/geometry/plausible.h"
#include "ct/geometry/views.h"
#include "misc/file/cfl.h"
#include "ct/projector/xray.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/mapping.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "num/device/device.h"
#include "num/fft/fft.h"

int main_fbp(int argc, char *argv[]);

/** Where the views are that --views chose: of each channel and time, all of which `views` are. */
struct chosen {
	const long *at; // NULL: all of them
	long views;
	bool in_order; // as they come out of a stream
	long position; // in it
};

/** Views [k, k + n) of those chosen of channel and time c. */
static void take_views(struct chosen *o, struct cfl *x, enum dtype real, long size, long c, long k, long n,
        void *const out[2])
{
	if (!o->at) {
		views_next(x, real, size, c * o->views + k, n * size, out[0], out[1]);
		return;
	}

	for (long i = 0; i < n; i++) {
		const long place = c * o->views + o->at[k + i];
		const size_t to = (size_t)(i * size) * dtype_size(real);
		char *re = (char *)out[0] + to, *im = out[1] ? (char *)out[1] + to : NULL;

		if (!o->in_order) {
			views_at(x, real, size, place, size, re, im);
			continue;
		}

		for (; o->position < place; o->position++)
			cfl_next(x, size);

		views_next(x, real, size, place, size, re, im);
		o->position++;
	}
}

/** What a command does for every channel and time. */
struct job {
	struct fbp *f;
	const struct geom *g;
	const struct grid *grid;
	struct cfl *proj, *out;
	struct chosen chosen;
	enum dtype type;
	long slices; // in memory at a time; 0: all of them
	bool gridrec;
};

/** Bytes of a filtered view, one part. */
static long filtered(const struct job *j)
{
	return j->g->rows * fbp_cols(j->f) * (long)dtype_size(dtype_real(j->type));
}

/** Whether views are filtered on the GPU; without Fourier transforms there they come to it filtered. */
static bool filters_there(const struct job *j)
{
	return device_used() >= 0 && !j->gridrec && fft_on_device();
}

static void *room(bool there, size_t bytes)
{
	return there ? device_alloc(bytes) : mem_alloc(bytes);
}

static void release(bool there, void *p)
{
	if (there)
		device_free(p);
	else
		free(p);
}

/** All views of channel and time c, filtered batch by batch as they arrive: into `all`, one part after the
 * other for each batch, or, where that is NULL, straight into vol. */
static void filter_views(struct job *j, long c, char *all, char *vol)
{
	const enum dtype real = dtype_real(j->type);
	const int parts = dtype_is_complex(j->type) ? 2 : 1;
	const long size = j->g->cols * j->g->rows, per = fbp_batch(j->f, real), bytes = filtered(j);
	const bool there = filters_there(j);
	void *in[2] = {NULL, NULL}, *buffer = (all && !there) ? NULL : room(there, (size_t)(per * bytes));

	for (int p = 0; p < parts; p++)
		in[p] = room(there, (size_t)(per * size) * dtype_size(real));

	for (long k = 0, n; k < j->g->views; k += n) {
		n = (j->g->views - k < per) ? j->g->views - k : per;
		take_views(&j->chosen, j->proj, real, size, c, k, n, in);

		for (int p = 0; p < parts; p++) {
			char *to = all ? all + (k * parts + p * n) * bytes : NULL;
			void *q = buffer ? buffer : to;

			fbp_filter(j->f, real, q, in[p], k, n);

			if (to && q != to)
				device_copy(to, q, (size_t)(n * bytes));
			else if (!to)
				fbp_backproject(j->f, j->grid, real, vol + p * (long)dtype_size(real), parts,
				        q, k, n);
		}

		progress_update(c * j->g->views + k + n);
	}

	for (int p = 0; p < parts; p++)
		release(there, in[p]);

	release(there, buffer);
}

/** Room for so many slices that are computed on the GPU, 0; NULL where they are not. */
static char *device_room(const struct job *j, long slices)
{
	const size_t bytes = (size_t)(j->grid->size[0] * j->grid->size[1] * slices) * dtype_size(j->type);

	if (device_used() < 0)
		return NULL;

	char *p = device_alloc(bytes);

	device_fill(p, 0, bytes);
	return p;
}

/** Those voxels to where they belong. */
static void fetch(char *vol, char *there, size_t bytes)
{
	if (!there)
		return;

	device_copy(vol, there, bytes);
	device_free(there);
}

/** The batches of filtered views into one slab of the volume after the other, each of which is in memory
 * once; `first`: voxel of the file that vol begins with. */
static void slab_by_slab(const struct job *j, const char *all, char *vol, long first)
{
	const enum dtype real = dtype_real(j->type);
	const int parts = dtype_is_complex(j->type) ? 2 : 1;
	const long per = fbp_batch(j->f, real), bytes = filtered(j), nz = j->grid->size[2],
	           slice = j->grid->size[0] * j->grid->size[1];
	long last[2] = {0, 0};

	for (long z = 0; z < nz; z += j->slices) {
		const long slices[2] = {z, (nz - z < j->slices) ? nz : z + j->slices},
		           voxels = (slices[1] - z) * slice;

		const long before = z * slice * (long)dtype_size(j->type);
		const size_t room = (size_t)voxels * dtype_size(j->type);
		char *there = device_room(j, slices[1] - z), *to = there ? there - before : vol;

		for (long k = 0, n; k < j->g->views; k += n) {
			n = (j->g->views - k < per) ? j->g->views - k : per;

			for (int p = 0; p < parts; p++)
				fbp_backproject_slices(j->f, j->grid, real, to + p * (long)dtype_size(real),
				        parts, all + (k * parts + p * n) * bytes, k, n, slices);
		}

		fetch(vol + before, there, room);

		xray_expect_finite(j->type, voxels, vol + z * slice * (long)dtype_size(j->type),
		        j->proj->name, "attenuations");
		cfl_write_out(j->out, first + z * slice, voxels);
		cfl_release(j->out, first + last[0], last[1]);
		last[0] = z * slice;
		last[1] = voxels;
	}
}

/** Channel and time c into vol. */
static void reconstruct(struct job *j, long c, char *vol, long voxels)
{
	const size_t bytes = (size_t)(j->g->views * filtered(j)) * (dtype_is_complex(j->type) ? 2 : 1);

	if (j->slices == 0 && !j->gridrec) {
		const size_t room = (size_t)voxels * dtype_size(j->type);
		char *there = device_room(j, j->grid->size[2]);

		filter_views(j, c, NULL, there ? there : vol);
		fetch(vol, there, room);
		xray_expect_finite(j->type, voxels, vol, j->proj->name, "attenuations");
		return;
	}

	const int fd = file_spool((long)bytes);
	char *all = mapping_create(fd, bytes, true, "temporary file");

	close(fd);
	filter_views(j, c, all, NULL);

	if (j->gridrec) {
		gridrec(j->f, j->grid, j->type, vol, all);
		xray_expect_finite(j->type, voxels, vol, j->proj->name, "attenuations");
	} else {
		slab_by_slab(j, all, vol, c * voxels);
	}

	mapping_free(all);
}

/** Slices in memory at a time: a third of what a run may use, in whole blocks, and what the GPU holds; 0
 * where the volume fits. */
static long choose_slices(const struct fbp *f, const struct grid *grid, enum dtype type)
{
	const double slice = (double)grid->size[0] * grid->size[1] * dtype_size(type),
	             room = (double)tool_memory();
	long n = (slice * grid->size[2] <= room) ? grid->size[2] : (long)(room / 3. / slice);

	while (device_used() >= 0 && n > FBP_SLICES &&
	        fbp_device_memory(f, grid, type, n) > 0.9 * (double)device_left())
		n = n / 2;

	if (n == grid->size[2])
		return 0;

	return (n > FBP_SLICES) ? n / FBP_SLICES * FBP_SLICES : FBP_SLICES;
}

/** How; in the order of the option's names. */
enum method { METHOD_FBP, METHOD_GRIDREC, METHOD_HELICAL, METHOD_KATSEVICH, METHOD_HILBERT };
static const char method_names[] = "fbp|gridrec|helical|katsevich|hilbert";

/** What all methods share. */
struct scene {
	const struct geom *g;
	const struct grid *grid;
	const char *name; // of the geometry
	struct cfl *proj;
	struct chosen chosen;
	struct hdr *h; // of the output
	const char *out;
};

static void warn_uncovered(const struct helical *h, const struct grid *grid)
{
	const double last = (double)(grid->size[2] - 1) * grid->spacing[2],
	             ends[2] = {grid->origin[2], grid->origin[2] + last};
	double z[2];

	helical_range(h, z);

	if (fmin(ends[0], ends[1]) < z[0] - 1e-9 || fmax(ends[0], ends[1]) > z[1] + 1e-9)
		warn("the helix covers slices from z = %g to %g mm, but the volume goes from %g to %g mm",
		        z[0], z[1], fmin(ends[0], ends[1]), fmax(ends[0], ends[1]));
}

/** A helix, view by view. */
static void run_helical(struct scene *s, const struct fbp_settings *set, enum helical_method method)
{
	const long size = s->g->cols * s->g->rows,
	           voxels = s->grid->size[0] * s->grid->size[1] * s->grid->size[2],
	           volumes = s->proj->count / (size * s->chosen.views);

	cfl_expect_real(s->proj);

	struct helical *h = helical_create(s->g, method, &set->filter, s->name);

	verbose("%s", helical_describe(h));
	warn_uncovered(h, s->grid);
	tool_needs(helical_memory(s->g), 0.);

	struct cfl *y = cfl_create(s->out, s->h);
	char *vol = cfl_map_out(y);
	double *p = mem_alloc((size_t)size * sizeof *p);
	void *in[2] = {p, NULL};

	progress_start("fbp", volumes * s->g->views);

	for (long c = 0; c < volumes; c++) {
		char *part = vol + c * voxels * (long)dtype_size(s->h->type);

		for (long k = 0; k < s->g->views; k++) {
			take_views(&s->chosen, s->proj, DT_FLOAT64, size, c, k, 1, in);
			helical_view(h, p, s->grid, s->h->type, part);
			progress_update(c * s->g->views + k + 1);
		}

		helical_end(h, s->grid, s->h->type, part);
		xray_expect_finite(s->h->type, voxels, part, s->proj->name, "attenuations");
	}

	progress_end();
	free(p);
	helical_free(h);
	cfl_close(s->proj);
	cfl_close(y);
}

/** Options that helical methods have no use for. */
static void check_helical(const struct fbp_options *o, int method)
{
	if ((METHOD_HELICAL == method || METHOD_KATSEVICH == method) && o->short_scan >= 0)
		usage_error(
		        "--short-scan goes with scans on a circle, not with --method helical or katsevich");

	if (METHOD_KATSEVICH == method && (0 != o->filter || o->own || !isnan(o->cutoff)))
		usage_error("--method katsevich has no ramp, expected no --filter, --cutoff or --window");
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
			usage_error("--%s goes with --method hilbert", n > 0 ? "support" : "lines");

		return s;
	}

	if (0 != fo->filter || fo->own || !isnan(fo->cutoff) || 0 <= fo->short_scan)
		usage_error(
		        "--method hilbert has no ramp and no weights of short scans, expected no --filter, "
		        "--cutoff, --window or --short-scan");

	if (n > 0 && 1 != n && 3 != n && 4 != n)
		usage_error("--support has %d values, expected R, R:X:Y or X0:X1:Y0:Y1", n);

	if (1 == n || 3 == n) {
		s.support = HILBERT_CIRCLE;

		if (!(v[0] > 0.))
			usage_error("--support: a circle of radius %g mm, expected more than 0", v[0]);
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

/** The two rows around a slice and how much of the second it has; false where the detector has neither. */
static bool rows_of(const struct hilbert *h, long rows, long slice, long row[2], double *f)
{
	const double at = hilbert_row(h, slice);

	if (!(at > -1. && at < (double)rows))
		return false;

	row[0] = (long)floor(at);
	row[1] = row[0] + 1;
	*f = at - (double)row[0];

	if (*f < 1e-9)
		row[1] = row[0];

	return true;
}

/** Slices [z, end) of a channel and time, from one reading of the rows that they need. */
static void hilbert_slices(
        struct scene *s, struct hilbert *h, long c, long z, long end, enum dtype type, char *vol)
{
	const long cols = s->g->cols, rows = s->g->rows, views = s->g->views,
	           slice = s->grid->size[0] * s->grid->size[1];
	long row[2], lo = rows, hi = -1;
	double f;

	for (long k = z; k < end; k++)
		if (rows_of(h, rows, k, row, &f)) {
			lo = (row[0] < lo) ? row[0] : lo;
			hi = (row[1] > hi) ? row[1] : hi;
		}

	lo = (lo < 0) ? 0 : lo;
	hi = (hi > rows - 1) ? rows - 1 : hi;

	const long n = (hi >= lo) ? hi - lo + 1 : 0;
	float *in = mem_alloc((size_t)(n * cols * views) * sizeof *in);
	double *p = mem_alloc((size_t)(cols * views) * sizeof *p);

	for (long k = 0; k < views && n > 0; k++)
		views_part(s->proj, DT_FLOAT32, cols * rows,
		        c * s->chosen.views + (s->chosen.at ? s->chosen.at[k] : k), lo * cols, n * cols,
		        in + k * n * cols, NULL);

	for (long k = z; k < end; k++) {
		if (!rows_of(h, rows, k, row, &f))
			continue;

		for (long v = 0; v < views; v++)
			for (long a = 0; a < cols; a++) {
				const float *x = in + v * n * cols + a;
				const double one = (row[0] >= 0) ? x[(row[0] - lo) * cols] : 0.,
				             two = (row[1] < rows) ? x[(row[1] - lo) * cols] : 0.;

				p[v * cols + a] = one + f * (two - one);
			}

		char *to = vol + k * slice * (long)dtype_size(type);

		hilbert_slice(h, p, type, to);
		xray_expect_finite(type, slice, to, s->proj->name, "attenuations");
		progress_update(c * s->grid->size[2] + k + 1);
	}

	free(p);
	free(in);
}

static void warn_lines(const struct hilbert *h)
{
	const struct hilbert_count n = hilbert_counted(h);

	if (0 == n.lines)
		warn("no line of the volume crosses what all views see (and --support, where given)");

	if (n.uncovered > 0)
		warn("%ld of %ld lines do not leave --support at both ends within what all views see: their "
		     "voxels are "
		     "0",
		        n.uncovered, n.lines);

	if (n.open > 0)
		warn("on %ld of %ld lines the object seems to reach beyond what all views see, along the "
		     "line: "
		     "their values are wrong; try another direction with --lines",
		        n.open, n.lines);
}

/** Slice by slice. */
static void run_hilbert(struct scene *s, const struct hilbert_settings *set)
{
	const long nz = s->grid->size[2], slice = s->grid->size[0] * s->grid->size[1],
	           line = s->g->cols * s->g->views * (long)sizeof(float),
	           volumes = s->proj->count / (s->g->cols * s->g->rows * s->chosen.views);

	cfl_expect_real(s->proj);

	struct hilbert *h = hilbert_create(s->g, s->grid, set, s->name);
	const enum dtype type = s->h->type;
	const long room = tool_memory() / 4 / line, rows = (room < 4)            ? 4
	                                                   : (room < s->g->rows) ? room
	                                                                         : s->g->rows;
	const double per = fabs(s->grid->spacing[2]) / fabs(s->g->view[0].v[2]);
	const long many = (long)((double)(rows - 2) / per), slices = (many < 1) ? 1 : (many < nz) ? many : nz;

	verbose("%s", hilbert_describe(h));
	tool_needs(hilbert_memory(h) + ((rows < s->g->rows) ? rows : s->g->rows) * line, 0.);

	struct cfl *y = cfl_create(s->out, s->h);
	char *vol = cfl_map_out(y);

	progress_start("fbp", volumes * nz);

	for (long c = 0; c < volumes; c++)
		for (long z = 0; z < nz; z += slices) {
			const long end = (nz - z < slices) ? nz : z + slices, first = c * nz * slice;

			hilbert_slices(s, h, c, z, end, type, vol + first * (long)dtype_size(type));
			cfl_write_out(y, first + z * slice, (end - z) * slice);
		}

	progress_end();
	warn_lines(h);
	hilbert_free(h);
	cfl_close(s->proj);
	cfl_close(y);
}

int main_fbp(int argc, char *argv[])
{
	struct grid_opts go = {0};
	struct opt_longs detector = {0};
	struct fbp_options fo = FBP_OPTIONS;
	struct hilbert_options ho = {.lines = NAN};
	int type = -1, method = METHOD_FBP;
	const char *geom = NULL, *in = NULL, *out = NULL, *views = NULL;

	const struct opt opts[] = {OPT_CHOICE('m', "method", &method, method_names, "how"), OPT_FBP(&fo),
	        OPT_DOUBLE(0, "lines", &ho.lines, "DEG", -360, 360,
	                "of hilbert: direction of the lines, from x towards y (default: 0)"),
	        OPT_DOUBLES(0, "support", &ho.support, "R[:X:Y]|X0:X1:Y0:Y1", -1e300, 1e300,
	                "of hilbert: the object is 0 outside this circle or box [mm] (default: outside what "
	                "all views see)"),
	        OPT_VIEWS(&views), OPT_GRID(&go),
	        OPT_DETECTOR(&detector, "detector size, where GEOM does not say (default: that of PROJ)"),
	        OPT_TYPE(&type), ARG_IN("GEOM", &geom, "geometry of the scan"),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT("VOL", &out, "attenuation (x, y, z) [1/mm]"), OPT_END};

	tool_init(
	        &(struct tool){.name = "fbp",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "fdk iradon feldkamp reconstruct reconstruction",
	                .about = "Reconstruct by filtered back projection (cone beam: Feldkamp)",
	                .details =
	                        "The geometry decides: parallel and fan beam by filtered back projection, "
	                        "cone beam by Feldkamp's method. Each view weighs half the gap to "
	                        "its angular neighbours, modulo 180 degrees for a parallel beam, so "
	                        "repeated end points and golden angles are right. A fan or cone "
	                        "beam over less than 360 degrees, but at least 180 plus the fan angle, "
	                        "gets Silver's weights (Parker's for the arc that is covered); a detector "
	                        "that reaches further to one "
	                        "side of the axis over 360 degrees gets those of a displaced detector. "
	                        "Views are added as they arrive; memory holds a batch of "
	                        "views beside the volume. For a volume larger than memory (GANTRY_MEM) the "
	                        "filtered views wait in a temporary file, and one slab is made after the "
	                        "other.\n\n"
	                        "gridrec: the back projection of a parallel beam by Fourier transforms, with "
	                        "lines interpolated by sincs; the filtered views wait in a temporary file. "
	                        "Helical scans: katsevich is exact, helical is Feldkamp's filter within the "
	                        "Tam-Danielsson window.\n\n"
	                        "hilbert: for a parallel or fan beam whose detector cuts the object off at "
	                        "the sides. "
	                        "A line is right where both its ends lie outside the object but within what "
	                        "all views "
	                        "see, whatever is cut off beside it; choose their direction with --lines. "
	                        "--support says where the object ends: lines it does not fit into become 0, "
	                        "with a "
	                        "warning. Memory holds the rows of as many slices as fit in a quarter of it.",
	                .examples =
	                        "gantry fbp geom proj rec\n"
	                        "gantry fbp --filter hann --size 512:512:64 --spacing 0.25 geom proj rec\n"
	                        "gantry fbp --filter butterworth --cutoff 0.4 --order 3 geom proj rec\n"
	                        "gantry fbp --method gridrec --filter hann geom proj rec\n"
	                        "gantry fbp --method katsevich --size 512:512:300 helix proj rec\n"
	                        "gantry fbp --method hilbert --lines 90 --support=-40:40:-20:20 geom proj "
	                        "rec\n"
	                        "gantry project geom vol - | gantry fbp --like vol geom - rec",
	                .opts = opts},
	        argc, argv);

	const struct fbp_settings set = fbp_options_read(&fo);

	check_helical(&fo, method);

	const struct hilbert_settings hilbert_set = read_hilbert(&ho, &fo, method);
	struct cfl *fg = cfl_open(geom);
	struct cfl *x = cfl_open(in);
	struct geom *all = geom_load(fg, &detector, x);
	long *at;

	views_expect_line_integrals(x);
	geom_check_proj(all, fg, x);

	struct geom *g = views_geometry(views, all, geom, &at);
	struct chosen chosen = {.at = at, .views = all->views};

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

	if (METHOD_HELICAL == method || METHOD_KATSEVICH == method || METHOD_HILBERT == method) {
		struct scene scene = {g, &grid, geom, x, chosen, &h, out};

		if (METHOD_HILBERT == method)
			run_hilbert(&scene, &hilbert_set);
		else
			run_helical(
			        &scene, &set, (METHOD_HELICAL == method) ? HELICAL_FDK : HELICAL_KATSEVICH);

		hdr_free(&h);
		cfl_close(fg);
		geom_free(g);
		geom_free(all);
		free(at);
		leave(EXIT_DONE);
	}

	struct fbp *f = fbp_create(g, &set, geom);

	fbp_options_check(&fo, f, geom);
	verbose("%s", fbp_describe(f));

	if (METHOD_FBP == method)
		device_worth((double)(x->count + grid.size[0] * grid.size[1] * grid.size[2]) * 4.,
		        20. * grid.size[0] * grid.size[1] * grid.size[2] * g->views);

	if (METHOD_GRIDREC == method) {
		cfl_expect_real(x);
		gridrec_check(f, &grid, geom);
	}

	tool_needs(
	        (METHOD_GRIDREC == method ? gridrec_memory(f, &grid) : 0) + fbp_memory(f, dtype_real(h.type)),
	        0.);

	struct cfl *y = cfl_create(out, &h);
	struct job job = {.f = f,
	        .g = g,
	        .grid = &grid,
	        .proj = x,
	        .out = y,
	        .chosen = chosen,
	        .type = h.type,
	        .slices = choose_slices(f, &grid, h.type),
	        .gridrec = METHOD_GRIDREC == method};
	const long voxels = grid.size[0] * grid.size[1] * grid.size[2],
	           volumes = x->count / (g->cols * g->rows * all->views);
	char *vol = cfl_map_out(y);

	hdr_free(&h);
	progress_start("fbp", volumes * g->views);

	for (long c = 0; c < volumes; c++)
		reconstruct(&job, c, vol + c * voxels * (long)dtype_size(y->hdr.type), voxels);

	progress_end();
	cfl_close(x);
	cfl_close(fg);
	cfl_close(y);
	fbp_free(f);
	free((double *)set.filter.own);
	geom_free(g);
	geom_free(all);
	free(at);
	leave(EXIT_DONE);
}
