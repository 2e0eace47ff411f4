/* Stacks of fans: the weights of slices in rows, and the transform slice by slice. */

#include "ct/projector/stack/stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/mask.h"
#include "ct/projector/xray_backend.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"

struct xray *stack_plane(const struct xray *x)
{
	const struct geom *g = x->g;
	struct geom *one = geom_create(g->views, g->cols, 1, false);
	struct grid grid = x->grid;

	one->radius = g->radius;
	grid.size[2] = 1;
	grid.origin[2] = 0.;

	for (long k = 0; k < g->views; k++) {
		struct geom_view *w = one->view + k;

		*w = g->view[k];
		w->s[2] = w->d[2] = w->u[2] = 0.;
		w->v[0] = w->v[1] = 0.;
		w->v[2] = fabs(w->v[2]);
	}

	struct xray *plane = xray_create(one, &grid, x->model);

	geom_free(one);
	return plane;
}

double stack_row(const struct xray *x, long view, long row)
{
	const struct xray_view *w = x->view + view;
	const double z = w->d[2] + ((double)row - (double)(x->g->rows - 1) / 2.) * w->v[2], slice = rint(z);

	return (fabs(z - slice) < 1e-9) ? slice : z;
}

/** How far a row reaches to both sides [slices]. */
static double reach(enum xray_model model, double high)
{
	return (model == XRAY_JOSEPH) ? 1. : (model == XRAY_SIDDON) ? 0.5 : (high + 1.) / 2.;
}

struct stack_slices stack_slices(const struct xray *x, long view, long row, long lo, long hi)
{
	struct stack_slices s = {
	        .z = stack_row(x, view, row), .high = fabs(x->view[view].v[2]), .model = x->model};
	const double more = reach(s.model, s.high), first = fmax(ceil(s.z - more), (double)lo),
	             end = fmin(floor(s.z + more) + 1., (double)hi);

	s.first = (first < end) ? (long)first : lo;
	s.end = (first < end) ? (long)end : lo;

	while (s.first < s.end && !(stack_weight(&s, s.first) > 0.))
		s.first++;

	while (s.first < s.end && !(stack_weight(&s, s.end - 1) > 0.))
		s.end--;

	return s;
}

double stack_weight(const struct stack_slices *s, long slice)
{
	const double away = s->z - (double)slice;

	switch (s->model) {
	case XRAY_JOSEPH:
		return fmax(1. - fabs(away), 0.);
	case XRAY_SIDDON:
		return (away >= -0.5 && away < 0.5) ? 1. : 0.;
	case XRAY_SF:
		return fmax(fmin(away + s->high / 2., 0.5) - fmax(away - s->high / 2., -0.5), 0.) / s->high;
	}

	return 0.;
}

void stack_rows(const struct xray *x, long view, long lo, long hi, long *first, long *end)
{
	const struct xray_view *w = x->view + view;
	const double rise = w->v[2], more = reach(x->model, fabs(rise)) + 1e-6,
	             z0 = w->d[2] - (double)(x->g->rows - 1) / 2. * rise, a = ((double)lo - more - z0) / rise,
	             b = ((double)(hi - 1) + more - z0) / rise, from = fmax(ceil(fmin(a, b)), 0.),
	             to = fmin(floor(fmax(a, b)) + 1., (double)x->g->rows);

	*first = (from < to) ? (long)from : 0;
	*end = (from < to) ? (long)to : 0;
}

/* ---- slice by slice ---- */

/** Slices of a tile that are processed one after the other, and their memory. */
struct walk {
	const struct xray_call *p;
	struct xray_call plane; // one slice, real data next to each other
	struct xray_tile tile;
	long slice;
};

static long slices_begin(const struct xray_call *p)
{
	return p->tile->row * p->x->edge[2];
}

static long slices_end(const struct xray_call *p)
{
	return min_long((p->tile->row + p->tile->rows) * p->x->edge[2], p->x->grid.size[2]);
}

static long pixels_of(const struct walk *w)
{
	return w->tile.views * w->p->x->g->cols;
}

static void start(struct walk *w, const struct xray_call *p)
{
	const long *n = p->x->grid.size;

	*w = (struct walk){.p = p, .tile = {.first = p->tile->first, .views = p->tile->views}};
	w->tile.rows = xray_rows(p->x->plane);
	w->plane = (struct xray_call){.type = dtype_real(p->type), .size = p->size};
	w->plane.vol = mem_alloc(mul_checked(mul_checked(n[0], n[1], "a slice"), (long)p->size, "a slice"));
	w->plane.proj = mem_alloc(mul_checked(pixels_of(w), (long)p->size, "views of a slice"));
}

static void finish(struct walk *w)
{
	free(w->plane.vol);
	free(w->plane.proj);
}

/** n elements `step` apart, from or to elements next to each other. */
static void take(size_t size, void *to, const void *from, long n, int step)
{
	if (step == 1)
		memcpy(to, from, (size_t)n * size);
	else if (size == sizeof(double))
		for (long i = 0; i < n; i++)
			((double *)to)[i] = ((const double *)from)[i * step];
	else
		for (long i = 0; i < n; i++)
			((float *)to)[i] = ((const float *)from)[i * step];
}

static void give(size_t size, void *to, const void *from, long n, int step)
{
	if (size == sizeof(double))
		for (long i = 0; i < n; i++)
			((double *)to)[i * step] = ((const double *)from)[i];
	else
		for (long i = 0; i < n; i++)
			((float *)to)[i * step] = ((const float *)from)[i];
}

/** to[i * to_step] += w * from[i * from_step]. */
static void add(size_t size, void *to, int to_step, const void *from, int from_step, long n, double w)
{
	if (size == sizeof(double))
		for (long i = 0; i < n; i++)
			((double *)to)[i * to_step] += w * ((const double *)from)[i * from_step];
	else
		for (long i = 0; i < n; i++)
			((float *)to)[i * to_step] += (float)w * ((const float *)from)[i * from_step];
}

static char *slice_at(const struct walk *w)
{
	const long *n = w->p->x->grid.size;

	return w->p->vol + (size_t)w->slice * n[0] * n[1] * w->p->step * w->p->size;
}

/** Voxels of the slice outside the mask become 0. */
static void mask_slice(const struct walk *w)
{
	const struct xray *x = w->p->x;
	const long *n = x->grid.size;
	const size_t size = w->p->size;

	if (!x->mask)
		return;

	bool *inside = mem_alloc((size_t)n[0]);

	for (long j = 0; j < n[1]; j++) {
		mask_line(x->mask, 0, n[0], j, w->slice, inside);

		for (long i = 0; i < n[0]; i++)
			if (!inside[i])
				memset(w->plane.vol + (size_t)(j * n[0] + i) * size, 0, size);
	}

	free(inside);
}

static void load_slice(const struct walk *w)
{
	const long *n = w->p->x->grid.size;

	take(w->p->size, w->plane.vol, slice_at(w), n[0] * n[1], w->p->step);
}

/** Rows that the slice weighs in, of all views: to the slice's projections, or from them. */
static void move_rows(const struct walk *w, bool to_rows)
{
	const struct xray_call *p = w->p;
	const struct xray *x = p->x;
	const long cols = x->g->cols;

#pragma omp parallel for schedule(static) num_threads(xray_call_threads(p))
	for (long k = 0; k < w->tile.views; k++) {
		const long view = w->tile.first + k;
		char *one = w->plane.proj + (size_t)(k * cols) * p->size;
		long first, end;

		stack_rows(x, view, w->slice, w->slice + 1, &first, &end);

		for (long b = first; b < end; b++) {
			const struct stack_slices s = stack_slices(x, view, b, w->slice, w->slice + 1);
			char *row = xray_call_view(p, view) + (size_t)(b * cols * p->apart) * p->size;

			if (s.first == s.end)
				continue;

			if (to_rows)
				add(p->size, row, p->apart, one, 1, cols, stack_weight(&s, w->slice));
			else
				add(p->size, one, 1, row, p->apart, cols, stack_weight(&s, w->slice));
		}
	}
}

void stack_general_forward(const struct xray_call *p)
{
	struct walk w;

	start(&w, p);

	for (w.slice = slices_begin(p); w.slice < slices_end(p); w.slice++) {
		load_slice(&w);
		mask_slice(&w);
		xray_backend_cpu.forward(
		        p->x->plane, w.plane.type, w.plane.proj, w.plane.vol, &w.tile, false);
		move_rows(&w, true);
	}

	finish(&w);
}

void stack_general_adjoint(const struct xray_call *p)
{
	const long *n = p->x->grid.size;
	struct walk w;

	start(&w, p);

	for (w.slice = slices_begin(p); w.slice < slices_end(p); w.slice++) {
		memset(w.plane.proj, 0, (size_t)pixels_of(&w) * p->size);
		load_slice(&w);
		move_rows(&w, false);
		xray_backend_cpu.adjoint(p->x->plane, w.plane.type, w.plane.vol, w.plane.proj, &w.tile);
		mask_slice(&w);
		give(p->size, slice_at(&w), w.plane.vol, n[0] * n[1], p->step);
	}

	finish(&w);
}
