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
	void *near;               // for collect_window(), with its window [pixels]; NULL: collect() is used
	int window[2];
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

/** Numbers of a view for collect_window() (work.h). For a view with v->odd they place all voxels behind the
 * source. */
static void fill_near(double t[GENERAL_NEAR], const struct gather *g, const struct gather_view *v)
{
	const double *from = v->from;
	double behind[3] = {0., 0., 0.}; // to[k] d

	memset(t, 0, GENERAL_NEAR * sizeof *t);
	t[11] = -1.;

	if (v->odd)
		return;

	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 3; i++) {
			behind[k] += v->to[k][i] * v->d[i];
			t[27 + 3 * k + i] = v->to[k][i];
		}

	for (int i = 0; i < 4; i++) {
		const double p2 = (i < 3) ? v->to[2][i] : -behind[2], one = (i < 3) ? 0. : 1.;

		t[8 + i] = g->parallel ? one : from[2] * one - p2;

		for (int k = 0; k < 2; k++) {
			const double p = (i < 3) ? v->to[k][i] : -behind[k];

			t[4 * k + i] = g->middle[k] * t[8 + i] + (g->parallel ? p - p2 * from[k] / from[2]
			                                                      : p * from[2] - p2 * from[k]);
		}
	}

	t[12] = g->parallel ? 1. : from[2];
	t[17] = g->parallel ? 0. : 1.;
	t[16] = g->parallel ? 0. : 1. / from[2];
	t[38] = v->axis;

	for (int k = 0; k < 2; k++) {
		t[14 + k] = g->middle[k] + from[k];
		t[36 + k] = g->parallel ? -from[k] / from[2] : 0.;
	}

	for (int i = 0; i < 3; i++) {
		t[13] += g->parallel ? 0. : fabs(v->to[2][i]);
		t[18 + i] = g->parallel ? -v->s[i] : v->s[i];
		t[21 + i] = v->u[i];
		t[24 + i] = v->v[i];
	}
}

/** The largest window of pixels whose rays meet a voxel, for the corners and the middle of the volume in some
 * views; 0: too large. */
static void choose_window(int window[2], const struct general_setup *s)
{
	enum { MOST = 6, POINTS = 9, VIEWS = 16 };
	double far[2] = {0., 0.};

	for (long k = 0; k < s->views; k += (s->views + VIEWS - 1) / VIEWS)
		for (int i = 0; i < POINTS; i++) {
			double c[3];
			struct gather_hit hit;
			struct gather_near near;

			for (int d = 0; d < 3; d++)
				c[d] = (i == 8) ? (s->all.n[d] + 1.) / 2. : (i >> d & 1) ? s->all.n[d] : 1.;

			gather_look(&hit, &s->all, s->view + k, c, 1.);

			if (!hit.known || !gather_approach(&near, &hit, &s->all, s->view + k, 1.))
				continue;

			far[0] = fmax(far[0], hit.far[0]);
			far[1] = fmax(far[1], hit.far[1]);
		}

	for (int d = 0; d < 2; d++)
		window[d] = (far[d] < MOST / 2.) ? (int)fmax(2., ceil(2. * far[d] + 0.01)) : 0;

	if (window[0] == 0 || window[1] == 0 || window[0] > MOST || window[1] > MOST)
		window[0] = window[1] = 0;
}

/** Prepares collect_window() if it can be used: Joseph's method, flat detector, small window. */
static void plan_window(struct opencl_general *g, const struct general_setup *s)
{
	const size_t bytes = (size_t)s->views * GENERAL_NEAR * sizeof(double);

	if (s->sf || s->all.siddon || s->all.curved)
		return;

	choose_window(g->window, s);

	if (g->window[0] == 0)
		return;

	double(*near)[GENERAL_NEAR] = mem_alloc(bytes);

	for (long k = 0; k < s->views; k++)
		fill_near(near[k], &s->all, s->view + k);

	g->near = upload(near, bytes);
	free(near);
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
	plan_window(g, &s);
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
	opencl_free(g->near);
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

/** Options of the kernels: the type, and that of offsets. */
static void options_for(char text[160], const struct general_work *w, bool wide)
{
	const long far = 24; // more cells than a run can cross
	const bool narrow = w->stride[2] < 0x7fffffff / far / 2;

	snprintf(text, 160, "%s -Doffset=%s", wide ? "-DWIDE -Dreal=double" : "-Dreal=float",
	        narrow ? "int" : "long");
}

static struct opencl_kernel_built *kernel(const struct general_work *w, bool wide, const char *name)
{
	char options[160];

	options_for(options, w, wide);
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
	run_over(kernel(&w, wide, "find_largest"), voxels, 4,
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
		run(kernel(&w, wide, "shed"), w.g.size[0], w.g.size[1], w.slices, COUNT(give), give);
		run_over(kernel(&w, wide, "settle"), n, COUNT(take), take);
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
		run(kernel(&w, wide, "follow"), w.g.cols, w.rows, w.views, COUNT(follow), follow);
}

static void collect_window(const struct opencl_general *g, const struct general_work *w, void *vol, void *y)
{
	const struct opencl_argument collect[] = {OPENCL_VALUE(*w), OPENCL_BUFFER(g->view),
	        OPENCL_BUFFER(g->column), OPENCL_BUFFER(g->near), OPENCL_BUFFER(vol), OPENCL_BUFFER(y)};
	enum { WINDOW_ITEMS = 4, WINDOW_VOXELS = 8 }; // work-items of a group along x, voxels of a work-item
	const long wide = WINDOW_ITEMS * WINDOW_VOXELS;
	char options[160];
	size_t n;

	options_for(options, w, false);
	n = strlen(options);
	snprintf(options + n, sizeof options - n, " -DWINDOW_COLS=%d -DWINDOW_ROWS=%d", g->window[0],
	        g->window[1]);
	opencl_launch(opencl_kernel(&source, options, "collect_window"),
	        (const size_t[]){(size_t)((w->g.size[0] + wide - 1) / wide),
	                (size_t)((w->g.size[1] + GENERAL_LINES - 1) / GENERAL_LINES), (size_t)w->slices},
	        (const size_t[]){WINDOW_ITEMS, GENERAL_LINES}, COUNT(collect), collect);
}

void opencl_general_adjoint(const struct opencl_general *g, bool wide, long step, void *vol, const void *proj,
        const struct gpu_tile *part)
{
	const struct general_work w = work_on(g, part, step);

	if (g->sf) {
		const struct opencl_argument collect[] = {
		        OPENCL_VALUE(w), OPENCL_BUFFER(g->sf), OPENCL_BUFFER(vol), OPENCL_BUFFER(proj)};

		run(kernel(&w, wide, "collect_shades"), w.g.size[0], w.g.size[1], w.slices, COUNT(collect),
		        collect);
		return;
	}

	void *y = opencl_alloc((size_t)(w.g.cols * w.rows * w.views) * (wide ? 8 : 4));
	const struct opencl_argument weigh[] = {OPENCL_VALUE(w), OPENCL_BUFFER(g->view),
	        OPENCL_BUFFER(g->column), OPENCL_BUFFER(y), OPENCL_BUFFER(proj)};
	const struct opencl_argument collect[] = {OPENCL_VALUE(w), OPENCL_BUFFER(g->view),
	        OPENCL_BUFFER(g->column), OPENCL_BUFFER(vol), OPENCL_BUFFER(y)};

	run(kernel(&w, wide, "weigh"), w.g.cols, w.rows, w.views, COUNT(weigh), weigh);

	if (g->near && !wide)
		collect_window(g, &w, vol, y);
	else
		run(kernel(&w, wide, "collect"), w.g.size[0], w.g.size[1], w.slices, COUNT(collect), collect);

	opencl_free(y);
}

void opencl_general_hide(void *vol, long size, const unsigned char *inside, long n)
{
	const struct general_work any = {.step = 1};
	const long words = size / 4;

	run_over(kernel(&any, false, "hide"), n, 4,
	        (const struct opencl_argument[]){
	                OPENCL_VALUE(n), OPENCL_VALUE(words), OPENCL_BUFFER(vol), OPENCL_BUFFER(inside)});
}
