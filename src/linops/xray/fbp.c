/* Where the weights come from. In the plane of a fan, the ray at angle gamma to the one through the axis,
 * seen from a source at distance R, is the parallel ray of angle beta + gamma at distance R sin gamma.
 * Changing variables in the parallel formula, and with the ramp's scaling h(c t) = h(t) / c^2, gives for a
 * flat detector in any position
 *
 *     f(x) = 1/2 int dbeta  1/w(x)^2  int da  h(a(x) - a)  R cos(gamma(a)) p(beta, a)
 *
 * where w is the depth along the detector's normal and a the coordinate on a parallel detector at depth 1.
 * Columns a apart by tau turn h(a) da into h[n] / tau. In three dimensions cos(gamma) becomes the cosine
 * between the ray and the one through the axis [1], and R is shortened by the lean of the detector's columns
 * against the axis, which makes a thin pencil around the central ray right.
 *
 * Columns at places a[i] that are not equally spaced (a curved detector not centred on the source) have no
 * common kernel; the ramp's scaling gives h(a[i] - a[j]) = h[i - j] ((i - j) / (a[i] - a[j]))^2: a matrix.
 * For an equiangular detector that is the usual (g / sin g)^2. */

#include "linops/xray/fbp_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/fdk_line.h"
#include "linops/xray/vec3.h"
#include "misc/mem.h"
#include "num/device.h"
#include "num/place.h"

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

#pragma omp parallel for schedule(static) if (!same)
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
#include "linops/xray/fbp_filter_impl.inc"

#define REAL  double
#define FN(x) x##_double
#include "linops/xray/fbp_filter_impl.inc"

void fbp_weights(const struct fbp *f, long k, struct fbp_column *column, struct fbp_rays *rays)
{
	const struct geom *g = f->g;
	double *weight = mem_alloc((size_t)g->cols * sizeof *weight), s[3];

	scan_weights(f->scan, k, weight);
	memcpy(rays->v, g->view[k].v, sizeof rays->v);
	memcpy(rays->central, f->view[k].central, sizeof rays->central);

	for (long a = 0; a < g->cols; a++) {
		column[a].weight = weight[a] * f->view[k].factor;

		if (!g->parallel)
			geom_ray(g, k, (double)a, 0., s, column[a].d);
	}

	free(weight);
}

/** Weights of one view's rays, factor included: weight[cols * rows]; column[cols]: room. */
static void ray_weights(const struct fbp *f, long k, struct fbp_column *column, double *weight)
{
	const struct geom *g = f->g;
	struct fbp_rays rays;

	fbp_weights(f, k, column, &rays);

#pragma omp parallel for schedule(static) if (g->rows > 16 && !g->parallel)
	for (long b = 0; b < g->rows; b++)
		for (long a = 0; a < g->cols; a++)
			weight[b * g->cols + a] =
			        column[a].weight * (g->parallel ? 1. : fbp_cosine(&column[a], &rays, b));
}

static void weigh(const struct fbp *f, enum dtype type, void *q, const void *p, long first, long n)
{
	long cols = f->g->cols, rows = f->g->rows;
	double *weight = mem_alloc((size_t)(cols * rows) * sizeof *weight);
	struct fbp_column *column = mem_alloc((size_t)cols * sizeof *column);

	memset(q, 0, (size_t)(n * rows * f->cols) * dtype_size(type));

	for (long k = 0; k < n; k++) {
		ray_weights(f, first + k, column, weight);

		for (long b = 0; b < rows; b++) {
			long from = (k * rows + b) * cols, to = (k * rows + b) * f->cols + f->left;

			if (DT_FLOAT32 == type)
				weigh_float(
				        cols, (float *)q + to, (const float *)p + from, weight + b * cols);
			else
				weigh_double(
				        cols, (double *)q + to, (const double *)p + from, weight + b * cols);
		}
	}

	free(column);
	free(weight);
}

/** Lines of views whose columns have no common kernel; their matrix is the CPU's. */
static void apply_matrix(const struct fbp *f, enum dtype type, void *lines)
{
	const size_t bytes = (size_t)(f->cols * f->g->rows) * dtype_size(type);
	void *here = place_take(lines, bytes);

	if (DT_FLOAT32 == type)
		apply_matrix_float(f->matrix, f->cols, f->g->rows, here);
	else
		apply_matrix_double(f->matrix, f->cols, f->g->rows, here);

	place_back(here, lines, bytes);
}

void fbp_filter(struct fbp *f, enum dtype type, void *q, const void *p, long first, long n)
{
	long rows = f->g->rows, size = f->cols * rows;

	(device_holds(q) ? fbp_gpu_weigh : weigh)(f, type, q, p, first, n);

	for (long k = 0, m; k < n; k += m) {
		const struct fbp_view *v = f->view + first + k;
		void *at = (char *)q + k * size * (long)dtype_size(type);

		for (m = 1; k + m < n && same_ramp(v, v + m);)
			m++;

		if (FBP_UNEVEN != v->spacing) {
			use_ramp(f, (FBP_EQUIANGULAR == v->spacing) ? v->pitch : 0.);
			ramp_lines(f->ramp, type, m * rows, at);
			continue;
		}

		use_matrix(f, v);
		apply_matrix(f, type, at);
	}
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

long fbp_memory(const struct fbp *f, enum dtype type)
{
	long view = (f->cols + 3) * (f->g->rows + 2 * FDK_GUARD);

	return 3 * fbp_batch(f, type) * view * (long)dtype_size(type) + view * (long)sizeof(double);
}
