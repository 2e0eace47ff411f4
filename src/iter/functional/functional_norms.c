/* The norms of an array as a whole, and their balls. Those of l1 and l-infinity are dual, and both end at a
 * threshold theta of magnitudes with sum max(|x| - theta, 0) = radius. */

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "iter/functional/functionals.h"

#include "iter/step/fold.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

struct norm {
	enum dtype type;
	long size;
	double radius; // of balls
};

enum { POINTS = 1024 };

struct pass {
	const struct norm *n;
	const void *src;
	void *dst;
	double theta;
	bool clip; // magnitudes to at most theta; else reduces them by it
};

/** Elements as float64 and their magnitudes. */
static void load(const struct norm *g, const void *src, long first, long n, double *x, double *t)
{
	const bool pairs = dtype_is_complex(g->type);

	convert(pairs ? DT_COMPLEX128 : DT_FLOAT64, x, g->type,
	        (const char *)src + first * (long)dtype_size(g->type), n, NARROW_SATURATE);

	for (long i = 0; i < n; i++)
		t[i] = pairs ? sqrt(x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]) : fabs(x[i]);
}

/** How much of the magnitudes is above theta, in how many elements; and their sum. */
static void above(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	double x[2 * POINTS], t[POINTS];

	for (long at = 0; at < n; at += POINTS) {
		const long m = (n - at < POINTS) ? n - at : POINTS;

		load(p->n, p->src, first + at, m, x, t);

		for (long i = 0; i < m; i++) {
			sum[0] += (t[i] > p->theta) ? t[i] - p->theta : 0.;
			sum[1] += (t[i] > p->theta) ? 1. : 0.;
			sum[2] += t[i];
		}
	}
}

static void threshold(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	const int parts = dtype_is_complex(p->n->type) ? 2 : 1;
	double x[2 * POINTS], t[POINTS];

	(void)sum;

	for (long at = 0; at < n; at += POINTS) {
		const long m = (n - at < POINTS) ? n - at : POINTS;

		load(p->n, p->src, first + at, m, x, t);

		for (long i = 0; i < m; i++) {
			const double reduced = (t[i] <= p->theta) ? 0. : 1. - p->theta / t[i];
			const double clipped = (t[i] <= p->theta) ? 1. : p->theta / t[i];

			for (int c = 0; c < parts; c++)
				x[parts * i + c] *= p->clip ? clipped : reduced;
		}

		convert(p->n->type, (char *)p->dst + (first + at) * (long)dtype_size(p->n->type),
		        (2 == parts) ? DT_COMPLEX128 : DT_FLOAT64, x, m, NARROW_SATURATE);
	}
}

static double l1_norm(const struct norm *g, const void *x)
{
	double sum[FOLD_SUMS];

	fold(g->size, above, &(struct pass){.n = g, .src = x}, sum);

	return sum[2];
}

/** theta >= 0; 0 where the sum of magnitudes is not over the radius. The sum above theta is convex,
 * decreasing and made of straight pieces: Newton's method from 0 comes to the root from below after finitely
 * many steps. */
static double find_theta(const struct norm *g, double radius, const void *src)
{
	struct pass p = {.n = g, .src = src};
	double sum[FOLD_SUMS];

	for (int i = 0; i < 200; i++) {
		fold(g->size, above, &p, sum);

		if (!(sum[0] > radius) || 0. == sum[1])
			break;

		const double before = p.theta;

		p.theta += (sum[0] - radius) / sum[1];

		if (!(p.theta > before))
			break;
	}

	return p.theta;
}

static void l1_ball_prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct norm *g = self;
	double sum[FOLD_SUMS];

	(void)gamma;
	fold(g->size, threshold,
	        &(struct pass){.n = g, .src = src, .dst = dst, .theta = find_theta(g, g->radius, src)}, sum);
}

/** src less its projection onto the l1 ball of radius gamma. */
static void linf_prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct norm *g = self;
	double sum[FOLD_SUMS];

	fold(g->size, threshold,
	        &(struct pass){
	                .n = g, .src = src, .dst = dst, .theta = find_theta(g, gamma, src), .clip = true},
	        sum);
}

static double linf_value(const void *self, const void *src)
{
	const struct norm *g = self;
	double most = 0.;

#pragma omp parallel for reduction(max : most) num_threads(threads_for(2. * (double)g->size))
	for (long first = 0; first < g->size; first += POINTS) {
		double x[2 * POINTS], t[POINTS];
		const long n = (g->size - first < POINTS) ? g->size - first : POINTS;

		load(g, src, first, n, x, t);

		for (long i = 0; i < n; i++)
			most = (t[i] <= most) ? most : t[i];
	}

	return most;
}

static double inside(const struct norm *g, double norm)
{
	const double eps = (DT_FLOAT32 == dtype_real(g->type)) ? FLT_EPSILON : DBL_EPSILON;

	return (norm <= g->radius * (1. + 8. * eps)) ? 0. : INFINITY;
}

static double l1_ball_value(const void *self, const void *x)
{
	return inside(self, l1_norm(self, x));
}

static double l2_value(const void *self, const void *x)
{
	const struct norm *g = self;

	return vec_norm(g->type, g->size, x);
}

static double l2_ball_value(const void *self, const void *x)
{
	return inside(self, l2_value(self, x));
}

/** dst = factor src. */
static void scaled(const struct norm *g, double factor, void *dst, const void *src)
{
	if (dst != src)
		vec_copy(g->type, g->size, dst, src);

	if (1. != factor)
		vec_scale(g->type, g->size, dst, factor);
}

static void l2_prox(const void *self, double gamma, void *dst, const void *src)
{
	const double t = l2_value(self, src);

	scaled(self, (t <= gamma) ? 0. : 1. - gamma / t, dst, src);
}

static void l2_ball_prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct norm *g = self;
	const double t = l2_value(self, src);

	(void)gamma;
	scaled(g, (t <= g->radius) ? 1. : g->radius / t, dst, src);
}

static struct functional *create(
        const struct functional_ops *ops, enum dtype type, int D, const long dims[], double radius)
{
	if (!(radius >= 0. && radius < INFINITY))
		error("%s has radius %g, expected at least 0", ops->name, radius);

	struct norm *g = NEW(struct norm);
	struct functional *f = functional_create(ops, g, type, D, dims);

	*g = (struct norm){.type = type, .size = functional_size(f), .radius = radius};

	return f;
}

struct functional *functional_l2_create(enum dtype type, int D, const long dims[])
{
	static const struct functional_ops ops = {.name = "l2",
	        .value = l2_value,
	        .prox = l2_prox,
	        .anywhere = functional_always,
	        .destroy = free};

	return create(&ops, type, D, dims, 0.);
}

struct functional *functional_linf_create(enum dtype type, int D, const long dims[])
{
	static const struct functional_ops ops = {
	        .name = "linf", .value = linf_value, .prox = linf_prox, .destroy = free};

	return create(&ops, type, D, dims, 0.);
}

struct functional *functional_l1_ball_create(enum dtype type, int D, const long dims[], double radius)
{
	static const struct functional_ops ops = {
	        .name = "l1 ball", .value = l1_ball_value, .prox = l1_ball_prox, .destroy = free};

	return create(&ops, type, D, dims, radius);
}

struct functional *functional_l2_ball_create(enum dtype type, int D, const long dims[], double radius)
{
	static const struct functional_ops ops = {.name = "l2 ball",
	        .value = l2_ball_value,
	        .prox = l2_ball_prox,
	        .anywhere = functional_always,
	        .destroy = free};

	return create(&ops, type, D, dims, radius);
}
