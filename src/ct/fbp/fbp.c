/* Derivation of the weights. In the plane of a fan, let gamma be the angle between a ray and the ray through
 * the axis, and R the distance from source to axis. This ray is the parallel ray of angle beta + gamma at
 * distance R sin gamma. Changing variables in the parallel formula, and with the ramp's scaling h(c t) = h(t)
 * / c^2, gives for a flat detector in any position
 *
 *     f(x) = 1/2 int dbeta  1/w(x)^2  int da  h(a(x) - a)  R cos(gamma(a)) p(beta, a)
 *
 * where w is the depth along the detector's normal and a the coordinate on a parallel detector at depth 1.
 * Columns a apart by tau turn h(a) da into h[n] / tau. In three dimensions cos(gamma) becomes the cosine
 * between the ray and the one through the axis [1], and R is reduced by the tilt of the detector's columns
 * against the axis, so that a thin pencil around the central ray is correct.
 *
 * Columns at places a[i] that are not equally spaced (a curved detector not centred on the source) have no
 * common kernel; the ramp's scaling gives h(a[i] - a[j]) = h[i - j] ((i - j) / (a[i] - a[j]))^2: a matrix.
 * For an equiangular detector that is the usual (g / sin g)^2. */

#include "ct/fbp/fbp_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fdk_line.h"
#include "ct/fbp/line_kernels.h"
#include "ct/geometry/vec3.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/array/place.h"
#include "num/device/device.h"

struct fbp *fbp_create(const struct geom *g, const struct fbp_settings *set, const char *name)
{
	struct fbp *f = NEW(struct fbp);

	f->g = g;
	f->filter = set->filter;
	f->scan = scan_create(g, set->short_scan, name);
	f->view = mem_calloc((size_t)g->views, sizeof *f->view);

	long extra[2];

	scan_beyond(f->scan, extra);
	f->left = extra[0];
	f->cols = g->cols + extra[0] + extra[1];

	for (long k = 0; k < g->views; k++)
		fbp_view_set(f->view + k, g, k, f->left, name);

	return f;
}

void fbp_free(struct fbp *f)
{
	if (!f)
		return;

	fbp_gpu_free(f->gpu);
	scan_free(f->scan);
	ramp_free(f->ramp);
	free(f->matrix);
	free(f->kernel);
	free(f->place);
	free(f->view);
	free(f);
}

const char *fbp_describe(const struct fbp *f)
{
	return scan_describe(f->scan);
}

bool fbp_is_short(const struct fbp *f)
{
	return scan_is_short(f->scan);
}

/** Whether the views share a filter. */
static bool same_ramp(const struct fbp_view *a, const struct fbp_view *b)
{
	return FBP_UNEVEN != a->spacing && a->spacing == b->spacing &&
	       fabs(a->pitch - b->pitch) <= 1e-12 * a->pitch;
}

static void use_ramp(struct fbp *f, double bend)
{
	if (f->ramp && f->bend == bend)
		return;

	ramp_free(f->ramp);
	f->ramp = ramp_create(&f->filter, f->cols, bend);
	f->bend = bend;
}

/** The matrix for columns that are not equally spaced; kept while the views have the same columns. */
static void use_matrix(struct fbp *f, const struct fbp_view *v)
{
	long n = f->cols;
	double *place = mem_alloc((size_t)n * sizeof *place);
	double *slope = mem_alloc((size_t)n * sizeof *slope);
	double *cosine = mem_alloc((size_t)n * sizeof *cosine);
	bool same = NULL != f->matrix;

	for (long i = 0; i < n; i++) {
		place[i] = fbp_view_column(v, (double)i, slope + i, cosine + i);
		same = same && fabs(place[i] - f->place[i]) <= 1e-12 * fabs(place[i]);
	}

	free(f->place);
	f->place = place;

	if (!f->matrix) {
		f->matrix = mem_alloc((size_t)mul_checked(n, n, "the filter matrix") * sizeof *f->matrix);
		f->kernel = mem_alloc((size_t)n * sizeof *f->kernel);
		ramp_kernel(&f->filter, n, f->kernel);
	}

#pragma omp parallel for schedule(static) num_threads(same ? 1 : threads_for(4. * (double)(n * n)))
	for (long i = 0; i < (same ? 0 : n); i++)
		for (long j = 0; j < n; j++) {
			double rho = (i == j) ? slope[i] : (place[i] - place[j]) / (double)(i - j);

			f->matrix[i * n + j] =
			        f->kernel[labs(i - j)] * fabs(slope[j]) / (rho * rho * cosine[i] * cosine[i]);
		}

	free(slope);
	free(cosine);
}

#define REAL  float
#define FN(x) x##_float
#include "ct/fbp/fbp_filter_impl.inc"

#define REAL  double
#define FN(x) x##_double
#include "ct/fbp/fbp_filter_impl.inc"

void fbp_weights(const struct fbp *f, long k, struct fbp_column *column, struct fbp_rays *rays)
{
	const struct geom *g = f->g;
	double *weight = mem_calloc((size_t)f->cols, 2 * sizeof *weight), *fill = weight + f->cols, s[3],
	       axis;

	scan_weights(f->scan, k, weight + f->left);
	memcpy(rays->v, g->view[k].v, sizeof rays->v);
	memcpy(rays->central, f->view[k].central, sizeof rays->central);
	rays->axis[0] = -1;

	if (scan_fill(f->scan, k, f->left, f->cols, fill, &axis)) {
		rays->axis[0] = (long)axis;
		rays->axis[1] = min_long(rays->axis[0] + 1, g->cols - 1);
		rays->part = axis - (double)rays->axis[0];
	}

	for (long a = 0; a < f->cols; a++) {
		column[a].weight = weight[a] * f->view[k].factor;
		column[a].fill = fill[a] * f->view[k].factor;

		if (!g->parallel)
			geom_ray(g, k, (double)(a - f->left), 0., s, column[a].d);
	}

	free(weight);
}

/** Views as the filter takes them on the CPU: line by line, weighed. */
struct weighed {
	const struct fbp *f;
	enum dtype type;
	const char *p;
	double *column;        // (cols, parts, views): weights, fill, and where rays go (struct fbp_column)
	long parts;            // 5; 2 where rays go is the same for all
	struct fbp_rays *rays; // of the views
	long first;            // line that is line 0 of those asked for
};

/** Views [first, first + n). */
static struct weighed weighed_begin(const struct fbp *f, enum dtype type, const void *p, long first, long n)
{
	const long cols = f->cols, parts = f->g->parallel ? 2 : 5;
	const struct weighed w = {.f = f,
	        .type = type,
	        .p = p,
	        .parts = parts,
	        .column = mem_alloc((size_t)(n * parts * cols) * sizeof *w.column),
	        .rays = mem_alloc((size_t)n * sizeof *w.rays)};

#pragma omp parallel for schedule(static) num_threads(threads_for(8. * (double)(n * cols)))
	for (long k = 0; k < n; k++) {
		struct fbp_column *column = mem_alloc((size_t)cols * sizeof *column);
		double *to = w.column + k * parts * cols;

		fbp_weights(f, first + k, column, w.rays + k);

		for (long a = 0; a < cols; a++) {
			to[a] = column[a].weight;
			to[cols + a] = column[a].fill;

			for (long i = 2; i < parts; i++)
				to[i * cols + a] = column[a].d[i - 2];
		}

		free(column);
	}

	return w;
}

static void weighed_end(const struct weighed *w)
{
	free(w->column);
	free(w->rays);
}

/** The part-th weights of the columns in a row of view k; room: cols values. */
static const double *weights_of(const struct weighed *w, long k, long row, int part, double *room)
{
	const long cols = w->f->cols;
	const double *all = w->column + k * w->parts * cols, *weight = all + part * cols;

	if (w->parts == 2)
		return weight;

	line_kernels()->rays(cols, room, weight, all + 2 * cols, w->rays + k, row);
	return room;
}

/** Adds the term of scan_fill() to the weighed row of view k, whose line integrals are p. */
static void fill_line(const struct weighed *w, long k, long row, const void *p, void *line, double *room)
{
	const struct fbp_rays *r = w->rays + k;
	const struct line_kernels *kernels = line_kernels();
	const long cols = w->f->cols;

	if (r->axis[0] < 0)
		return;

	const double *fill = weights_of(w, k, row, 1, room);

	if (DT_FLOAT32 == w->type)
		kernels->fill_float(cols, line, fbp_at_axis_float(p, r), fill);
	else
		kernels->fill_double(cols, line, fbp_at_axis_double(p, r), fill);
}

/** Line l; room: cols values. */
static void weighed_line(const void *ctx, long l, void *line, double *room)
{
	const struct weighed *w = ctx;
	const struct line_kernels *kernels = line_kernels();
	const long cols = w->f->g->cols, rows = w->f->g->rows, left = w->f->left, number = w->first + l,
	           k = number / rows;
	const size_t size = dtype_size(w->type);
	const char *p = w->p + (size_t)(number * cols) * size;
	char *at = (char *)line + (size_t)left * size, *end = at + (size_t)cols * size;
	const double *weight = weights_of(w, k, number % rows, 0, room) + left;

	memset(line, 0, (size_t)left * size);
	memset(end, 0, (size_t)(w->f->cols - left - cols) * size);

	if (DT_FLOAT32 == w->type)
		kernels->weigh_float(cols, (float *)at, (const float *)p, weight);
	else
		kernels->weigh_double(cols, (double *)at, (const double *)p, weight);

	fill_line(w, k, number % rows, p, line, room);
}

/** n lines as they are. */
static void weighed_lines(const struct weighed *w, long n, char *q)
{
	const size_t bytes = (size_t)w->f->cols * dtype_size(w->type);

#pragma omp parallel num_threads(threads_for((double)(n * w->f->cols)))
	{
		double *room = mem_alloc((size_t)w->f->cols * sizeof *room);

#pragma omp for schedule(static)
		for (long l = 0; l < n; l++)
			weighed_line(w, l, q + (size_t)l * bytes, room);

		free(room);
	}
}

/** Lines of views whose columns have no common kernel; their matrix is the CPU's. */
static void apply_matrix(const struct fbp *f, enum dtype type, long lines, void *q)
{
	const size_t bytes = (size_t)(f->cols * lines) * dtype_size(type);
	void *here = place_take(q, bytes);

	if (DT_FLOAT32 == type)
		apply_matrix_float(f->matrix, f->cols, lines, here);
	else
		apply_matrix_double(f->matrix, f->cols, lines, here);

	place_back(here, q, bytes);
}

/** Lines of views that share what filters them, of which v is the first. w: where q gets them from;
 * NULL: q has them, on a device. */
static void filter_alike(struct fbp *f, const struct fbp_view *v, const struct weighed *w, enum dtype type,
        long lines, void *q)
{
	if (FBP_UNEVEN != v->spacing) {
		use_ramp(f, (FBP_EQUIANGULAR == v->spacing) ? v->pitch : 0.);

		if (w)
			ramp_lines_from(f->ramp, type, lines, q, weighed_line, w);
		else
			ramp_lines(f->ramp, type, lines, q);

		return;
	}

	use_matrix(f, v);

	if (w)
		weighed_lines(w, lines, q);

	apply_matrix(f, type, lines, q);
}

/** Views [k, k + m) of n, which share what filters them: all their rows at once, or some of each. */
static void filter_run(struct fbp *f, struct weighed *w, enum dtype type, char *q, long k, long m,
        const struct fbp_view *v, const long rows[2])
{
	const long all = f->g->rows, some = rows[1] - rows[0], line = f->cols * (long)dtype_size(type);
	const struct weighed *from = w->f ? w : NULL;

	if (some == all) {
		w->first = k * all;
		filter_alike(f, v, from, type, m * all, q + k * all * line);
		return;
	}

	for (long i = k; i < k + m && some > 0; i++) {
		w->first = i * all + rows[0];
		filter_alike(f, v, from, type, some, q + w->first * line);
	}
}

void fbp_filter_rows(
        struct fbp *f, enum dtype type, void *q, const void *p, long first, long n, const long rows[2])
{
	const bool there = device_holds(q);
	struct weighed w = {0};

	if (there)
		fbp_gpu_weigh(f, type, q, p, first, n);
	else
		w = weighed_begin(f, type, p, first, n);

	for (long k = 0, m; k < n; k += m) {
		const struct fbp_view *v = f->view + first + k;

		for (m = 1; k + m < n && same_ramp(v, v + m);)
			m++;

		filter_run(f, &w, type, q, k, m, v, rows);
	}

	weighed_end(&w);
}

void fbp_filter(struct fbp *f, enum dtype type, void *q, const void *p, long first, long n)
{
	fbp_filter_rows(f, type, q, p, first, n, (const long[2]){0, f->g->rows});
}

long fbp_cols(const struct fbp *f)
{
	return f->cols;
}

long fbp_left(const struct fbp *f)
{
	return f->left;
}

long fbp_batch(const struct fbp *f, enum dtype type)
{
	const long most = 64, bytes = 96L << 20;
	long n = bytes / (f->cols * f->g->rows * (long)dtype_size(type));

	n = (n < 1) ? 1 : (n > most) ? most : n;

	return (n < f->g->views) ? n : f->g->views;
}

/** Views for the back projection: with margins, or a few of them as lines (fbp_slice_parallel.c). */
static long frames_memory(const struct fbp *f, enum dtype type)
{
	const long lines = 4L << 20, frames = fbp_batch(f, type) * (f->cols + 3) *
	                                      (f->g->rows + 2 * FDK_GUARD) * (long)dtype_size(type);
	bool level = f->g->parallel && DT_FLOAT32 == type;

	for (long k = 0; k < f->g->views; k++)
		level = level && f->view[k].untilted;

	return (level && lines < frames) ? lines : frames;
}

long fbp_memory(const struct fbp *f, enum dtype type, bool copied)
{
	const long row = f->cols + (copied ? f->g->cols : 0),
	           view = row * f->g->rows * (long)dtype_size(type) + 5 * f->cols * (long)sizeof(double);

	return fbp_batch(f, type) * view + frames_memory(f, type);
}
