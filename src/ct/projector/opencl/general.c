/** The general kernels of OpenCL (general.cl): tables on the device, launches. */

#include "ct/projector/opencl/general.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/gpu/general_tables.h"
#include "ct/projector/opencl/work.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/device/opencl.h"

static const struct opencl_source source = {.name = "projectors", .text =
#include "opencl_projectors.inc"
};

struct opencl_general {
	struct general_work all;
	void *view, *column, *sf; // tables on the device; sf NULL: no footprints
};

/** Number of views whose integer sums are in memory at a time [8 bytes per pixel]. */
static long views_at_a_time(const struct gpu_tile *p, long cols)
{
	const double room = 1 << 28, view = 8. * (double)cols * (double)p->rows;

	return max_long(1, min_long((long)(room / view), p->views));
}

/* ---- tables ---- */

static void *upload(const void *from, size_t bytes)
{
	void *to = opencl_alloc(bytes);

	opencl_upload(to, from, bytes);
	return to;
}

static struct opencl_general *create(const struct xray *x, enum xray_model model)
{
	struct opencl_general *g = NEW(struct opencl_general);
	struct general_setup s;

	general_setup_fill(&s, x, model);
	g->all.g = s.all;
	g->view = upload(s.view, (size_t)s.views * sizeof *s.view);
	g->column = upload(s.column, (size_t)s.columns * sizeof *s.column);
	g->sf = s.sf ? upload(s.sf, (size_t)s.views * sizeof *s.sf) : NULL;
	general_setup_free(&s);
	return g;
}

void opencl_general_free(struct opencl_general *g)
{
	if (!g)
		return;

	opencl_free(g->view);
	opencl_free(g->column);
	opencl_free(g->sf);
	free(g);
}

void *opencl_general_joseph(const struct xray *x, const bool *open)
{
	(void)open;
	return create(x, XRAY_JOSEPH);
}

void *opencl_general_siddon(const struct xray *x, const bool *open)
{
	(void)open;
	return create(x, XRAY_SIDDON);
}

void *opencl_general_sf(const struct xray *x, const bool *open)
{
	(void)open;
	return create(x, XRAY_SF);
}

double opencl_general_memory(
        const struct opencl_general *g, bool wide, bool forward, const struct gpu_tile *part)
{
	const double pixels = (double)g->all.g.cols * (double)part->rows;

	if (g->sf)
		return forward ? 8. * pixels * (double)views_at_a_time(part, g->all.g.cols) : 0.;

	return forward ? 0. : (wide ? 8. : 4.) * pixels * (double)part->views;
}

/* ---- launches ---- */

static struct general_work work_on(const struct opencl_general *g, const struct gpu_tile *p, long step)
{
	struct general_work w = g->all;

	general_work_set(&w, p, step);
	return w;
}

/** Side of bricks, which fit into local memory [voxels]. */
static int brick_side(bool wide)
{
	const int most = 32, least = 8;
	int side = most;

	while (side > least && (size_t)(side * side * side) * (wide ? 8 : 4) > opencl_local_memory() / 2)
		side /= 2;

	return side;
}

static const char *type_options(bool wide)
{
	return wide ? "-DWIDE -Dreal=double" : "-Dreal=float";
}

/** A kernel of Joseph's or Siddon's method for the type of the data and that of offsets. Processors compute
 * the adjoint in bricks. */
static struct opencl_kernel_built *ray_kernel(const struct general_work *w, bool wide, const char *name)
{
	const long far = 24; // more cells than a run can cross
	const bool narrow = w->stride[2] < 0x7fffffff / far / 2;
	char options[160], side[32] = "";

	if (opencl_is_processor())
		snprintf(side, sizeof side, " -DSIDE=%d", brick_side(wide));

	snprintf(options, sizeof options, "-DSIDDON=%d %s -Doffset=%s%s", w->g.siddon != 0,
	        type_options(wide), narrow ? "int" : "long", side);
	return opencl_kernel(&source, options, name);
}

static struct opencl_kernel_built *footprint_kernel(bool wide, const char *name)
{
	char options[64];

	snprintf(options, sizeof options, "-DFOOTPRINTS %s", type_options(wide));
	return opencl_kernel(&source, options, name);
}

static void run(struct opencl_kernel_built *k, long lanes, long lines, long depth, int n,
        const struct opencl_argument *argument)
{
	const size_t local[2] = {GENERAL_LANES, GENERAL_LINES};
	const size_t groups[3] = {(size_t)((lanes + GENERAL_LANES - 1) / GENERAL_LANES),
	        (size_t)((lines + GENERAL_LINES - 1) / GENERAL_LINES), (size_t)depth};

	opencl_launch(k, groups, local, n, argument);
}

/** Launches a kernel whose work-items loop over n elements. */
static void run_over(
        struct opencl_kernel_built *k, long elements, int n, const struct opencl_argument *argument)
{
	const long least = 64, lines = (elements + least * GENERAL_LANES - 1) / (least * GENERAL_LANES);

	run(k, GENERAL_LANES, min_long(lines, 1024), 1, n, argument);
}

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void footprints_forward(const struct opencl_general *g, struct general_work w, bool wide,
        const struct gpu_tile *part, char *proj, const void *vol)
{
	const long view = w.g.cols * w.rows, most = views_at_a_time(part, w.g.cols),
	           voxels = (long)w.g.size[0] * w.g.size[1] * w.slices;
	const size_t size = (wide ? 8 : 4) * (size_t)w.step;
	const double *s = w.g.spacing,
	             across = sqrt(s[0] * s[0] * w.g.n[0] * w.g.n[0] + s[1] * s[1] * w.g.n[1] * w.g.n[1] +
	                           s[2] * s[2] * w.g.n[2] * w.g.n[2]);
	void *largest = opencl_alloc(sizeof(unsigned)), *sum = opencl_alloc((size_t)(most * view) * 8);

	opencl_clear(largest, sizeof(unsigned));
	run_over(footprint_kernel(wide, "find_largest"), voxels, 4,
	        (const struct opencl_argument[]){OPENCL_VALUE(voxels), OPENCL_VALUE(w.step),
	                OPENCL_BUFFER(largest), OPENCL_BUFFER(vol)});

	for (long k = 0; k < part->views; k += most) {
		w.first = part->view + k;
		w.views = min_long(part->views - k, most);

		const long n = w.views * view;
		const struct opencl_argument give[] = {OPENCL_VALUE(w), OPENCL_VALUE(across),
		        OPENCL_BUFFER(g->sf), OPENCL_BUFFER(largest), OPENCL_BUFFER(sum), OPENCL_BUFFER(vol)};
		const struct opencl_argument take[] = {OPENCL_VALUE(n), OPENCL_VALUE(w.step),
		        OPENCL_VALUE(across), OPENCL_BUFFER(largest),
		        OPENCL_BUFFER(proj + (size_t)(k * view) * size), OPENCL_BUFFER(sum)};

		opencl_clear(sum, (size_t)n * 8);
		run(footprint_kernel(wide, "shed"), w.g.size[0], w.g.size[1], w.slices, COUNT(give), give);
		run_over(footprint_kernel(wide, "settle"), n, COUNT(take), take);
	}

	opencl_free(sum);
	opencl_free(largest);
}

void opencl_general_forward(const struct opencl_general *g, bool wide, long step, void *proj, const void *vol,
        const struct gpu_tile *part)
{
	const struct general_work w = work_on(g, part, step);
	const struct opencl_argument follow[] = {OPENCL_VALUE(w), OPENCL_BUFFER(g->view),
	        OPENCL_BUFFER(g->column), OPENCL_BUFFER(proj), OPENCL_BUFFER(vol)};

	if (g->sf)
		footprints_forward(g, w, wide, part, proj, vol);
	else
		run(ray_kernel(&w, wide, "follow"), w.g.cols, w.rows, w.views, COUNT(follow), follow);
}

/** Joseph's and Siddon's method: processors compute bricks, other devices voxels. */
static void launch_adjoint(
        const struct general_work *w, bool wide, int n, const struct opencl_argument *argument)
{
	const size_t one[2] = {1, 1};
	size_t groups[3];

	if (!opencl_is_processor()) {
		run(ray_kernel(w, wide, "collect"), w->g.size[0], w->g.size[1], w->slices, n, argument);
		return;
	}

	const int side = brick_side(wide);

	for (int d = 0; d < 3; d++)
		groups[d] = (size_t)((((d == 2) ? w->slices : w->g.size[d]) + side - 1) / side);

	opencl_launch(ray_kernel(w, wide, "scatter"), groups, one, n, argument);
}

void opencl_general_adjoint(const struct opencl_general *g, bool wide, long step, void *vol, const void *proj,
        const struct gpu_tile *part)
{
	const struct general_work w = work_on(g, part, step);

	if (g->sf) {
		const struct opencl_argument collect[] = {
		        OPENCL_VALUE(w), OPENCL_BUFFER(g->sf), OPENCL_BUFFER(vol), OPENCL_BUFFER(proj)};

		run(footprint_kernel(wide, "collect_shades"), w.g.size[0], w.g.size[1], w.slices,
		        COUNT(collect), collect);
		return;
	}

	void *y = opencl_alloc((size_t)(w.g.cols * w.rows * w.views) * (wide ? 8 : 4));
	const struct opencl_argument weigh[] = {OPENCL_VALUE(w), OPENCL_BUFFER(g->view),
	        OPENCL_BUFFER(g->column), OPENCL_BUFFER(y), OPENCL_BUFFER(proj)};
	const struct opencl_argument collect[] = {OPENCL_VALUE(w), OPENCL_BUFFER(g->view),
	        OPENCL_BUFFER(g->column), OPENCL_BUFFER(vol), OPENCL_BUFFER(y)};

	run(ray_kernel(&w, wide, "weigh"), w.g.cols, w.rows, w.views, COUNT(weigh), weigh);

	launch_adjoint(&w, wide, COUNT(collect), collect);

	opencl_free(y);
}

void opencl_general_hide(void *vol, long size, const unsigned char *inside, long n)
{
	const long words = size / 4;

	run_over(opencl_kernel(&source, "", "hide"), n, 4,
	        (const struct opencl_argument[]){
	                OPENCL_VALUE(n), OPENCL_VALUE(words), OPENCL_BUFFER(vol), OPENCL_BUFFER(inside)});
}
