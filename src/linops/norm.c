#include "linops/norm.h"

#include <math.h>

#include "misc/threads.h"
#include "num/array/place.h"
#include "num/md/distributed.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

enum { ITERATIONS = 60 };
/* Power iterations end when the estimate grows by less than this fraction; results are enlarged by the
 * margin. */
static const double settled = 1e-4, margin = 1.01;
/* Elements below this part of the largest are those of voxels that rays hardly touch. */
static const double reached = 1e-6;

static void swap(void **a, void **b)
{
	void *t = *a;

	*a = *b;
	*b = t;
}

/* ---- bounds ---- */

/** 1 in all elements. */
static void fill(enum dtype t, long n, void *x)
{
	const size_t bytes = (size_t)n * dtype_size(t);
	const long parts = dtype_is_complex(t) ? 2 : 1;
	void *here = place_take(x, bytes);
	long first, end;

	distributed_part(n, &first, &end);

	for (long i = first * parts; i < end * parts; i++) {
		const double v = (0 == i % parts) ? 1. : 0.;

		if (DT_FLOAT32 == dtype_real(t))
			((float *)here)[i] = (float)v;
		else
			((double *)here)[i] = v;
	}

	place_back(here, x, bytes);
}

/** Element i of numbers of a real type. */
static double element(enum dtype real, const void *x, long i)
{
	return (DT_FLOAT32 == real) ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/** The largest y_i / x_i over the x_i that are not tiny; 0 where all of x is 0. The maximum does not depend
 * on the order. */
static double largest_ratio(enum dtype t, long n, const void *x, const void *y)
{
	const enum dtype real = dtype_real(t);
	const long step = dtype_is_complex(t) ? 2 : 1;
	double most = 0., ratio = 0.;
	long first, end;

	distributed_part(n, &first, &end);

#pragma omp parallel for reduction(max : most) num_threads(threads_for(2. * (double)(end - first)))
	for (long i = first; i < end; i++)
		most = fmax(most, element(real, x, i * step));

	most = distributed_max(most);

#pragma omp parallel for reduction(max : ratio) num_threads(threads_for(2. * (double)(end - first)))
	for (long i = first; i < end; i++) {
		const double v = element(real, x, i * step);

		if (v > reached * most)
			ratio = fmax(ratio, element(real, y, i * step) / v);
	}

	return distributed_max(ratio);
}

/** x = y / bound, so that numbers stay about 1. */
static void take_next(enum dtype t, long n, void **x, void **y, double bound)
{
	vec_scale(t, n, *y, 1. / bound);
	swap(x, y);
}

static double bound(enum dtype t, long n, void *x, void *y, norm_map *map, void *ctx)
{
	const size_t bytes = (size_t)n * dtype_size(t);
	double least = INFINITY;

	fill(t, n, x);

	for (int k = 0; k < NORM_BOUNDS; k++) {
		map(ctx, y, x);

		const double below = vec_dot(t, n, x, y) / vec_dot(t, n, x, x);
		void *at = place_take(x, bytes), *to = place_take(y, bytes);

		least = fmin(least, largest_ratio(t, n, at, to));
		place_done(at, x);
		place_done(to, y);

		if (!(least > 0.) || !(least > below * (1. + NORM_CLOSE)))
			break;

		take_next(t, n, &x, &y, least);
	}

	return least;
}

/* ---- power iterations ---- */

static void norm_begin(enum dtype t, long n, void *x)
{
	const double scale = 1. / sqrt((double)n);
	const long parts = dtype_is_complex(t) ? 2 : 1;
	const size_t bytes = (size_t)n * dtype_size(t);
	void *there = x;
	long first, end;

	x = place_take(there, bytes);
	distributed_part(n, &first, &end);

	for (long i = first * parts; i < end * parts; i++) {
		const double v = scale * (1. + 0.5 * rand_uniform(1, (uint64_t)i));

		if (DT_FLOAT32 == dtype_real(t))
			((float *)x)[i] = (float)v;
		else
			((double *)x)[i] = v;
	}

	place_back(x, there, bytes);
}

static double iterated(enum dtype t, long n, void *x, void *y, norm_map *map, void *ctx)
{
	double value = 0;

	norm_begin(t, n, x);

	for (int k = 0; k < ITERATIONS; k++) {
		const double last = value, size = vec_norm(t, n, x);

		if (!(size > 0.))
			return 0.;

		vec_scale(t, n, x, 1. / size);
		map(ctx, y, x);
		value = vec_norm(t, n, y);
		swap(&x, &y);

		if (fabs(value - last) <= settled * value)
			break;
	}

	return margin * value;
}

double norm_largest(enum dtype type, long n, void *x, void *y, bool nonnegative, norm_map *map, void *ctx)
{
	return (nonnegative ? bound : iterated)(type, n, x, y, map, ctx);
}

/* ---- operators ---- */

static void apply_normal(void *ctx, void *dst, const void *src)
{
	linop_normal(ctx, dst, src);
}

static double compute(const struct linop *A)
{
	const double closed = linop_closed_norm(A);

	if (!isnan(closed))
		return closed;

	const long n = linop_domain_size(A);
	const size_t size = dtype_size(linop_type(A));
	void *x = md_alloc(1, &n, size), *y = md_alloc(1, &n, size);

	distributed_release(n, size, x, 0, n);
	distributed_release(n, size, y, 0, n);

	const double value =
	        norm_largest(linop_type(A), n, x, y, linop_is_nonnegative(A), apply_normal, (void *)A);

	md_free(x);
	md_free(y);

	return sqrt(value);
}

double linop_norm(const struct linop *A)
{
	if (NULL == A)
		return 1.;

	if (isnan(linop_norm_known(A)))
		linop_norm_learn(A, compute(A));

	return linop_norm_known(A);
}
