/* Sums over elements of a function of their distance |x - y|. */

#include <math.h>

#include "iter/functional/functionals.h"

#include "iter/functional/pointwise.h"
#include "iter/step/radial.h"
#include "misc/error.h"

/** Of one element: delta is the functional's parameter, w a weight, t >= 0 the distance. NaN stays NaN. */
typedef double radial(double delta, double w, double t);

#define INLINE static inline __attribute__((always_inline))

INLINE double distance(const struct point_block *k, long i, double r[2])
{
	for (int c = 0; c < k->parts; c++)
		r[c] = k->x[k->parts * i + c] - ((NULL == k->y) ? 0. : k->y[k->parts * i + c]);

	return (1 == k->parts) ? fabs(r[0]) : sqrt(r[0] * r[0] + r[1] * r[1]);
}

INLINE double sum_of(radial *f, double delta, const struct point_block *k)
{
	double sum = 0.;

	for (long i = 0; i < k->n; i++) {
		double r[2];

		sum += f(delta, (NULL == k->w) ? 1. : k->w[i], distance(k, i, r));
	}

	return sum;
}

/** x = r f(.) + y, or without y. */
INLINE void shrink(radial *f, double delta, double gamma, const struct point_block *k, bool add)
{
	for (long i = 0; i < k->n; i++) {
		double r[2];
		const double t = distance(k, i, r);
		const double s = f(delta, (NULL == k->w) ? gamma : gamma * k->w[i], t);

		for (int c = 0; c < k->parts; c++)
			k->x[k->parts * i + c] =
			        s * r[c] + ((add && NULL != k->y) ? k->y[k->parts * i + c] : 0.);
	}
}

INLINE void bound(radial *f, double delta, const struct point_block *k)
{
	for (long i = 0; i < k->n; i++) {
		double r[2];

		k->x[i] = f(delta, (NULL == k->w) ? 1. : k->w[i], distance(k, i, r));
	}
}

#define RADIAL_VALUE(name)                                                                                   \
	static double name##_value(const double param[POINT_PARAMS], const struct point_block *k)            \
	{                                                                                                    \
		return sum_of(name, param[0], k);                                                            \
	}
#define RADIAL_PROX(name)                                                                                    \
	static void name##_prox(const double param[POINT_PARAMS], double gamma, const struct point_block *k) \
	{                                                                                                    \
		shrink(name##_shrink, param[0], gamma, k, true);                                             \
	}
#define RADIAL_SMOOTH(name)                                                                                  \
	static void name##_gradient(const double param[POINT_PARAMS], const struct point_block *k)           \
	{                                                                                                    \
		shrink(name##_slope, param[0], 1., k, false);                                                \
	}                                                                                                    \
	static void name##_curvature(const double param[POINT_PARAMS], const struct point_block *k)          \
	{                                                                                                    \
		bound(name##_slope, param[0], k);                                                            \
	}

/** Sum of the conjugates of w f at |p|, and of <p, y>. */
INLINE double conjugate_of(radial *f, double delta, const struct point_block *k)
{
	double sum = 0.;

	for (long i = 0; i < k->n; i++) {
		const double w = (NULL == k->w) ? 1. : k->w[i];
		double length2 = 0.;

		for (int c = 0; c < k->parts; c++) {
			const double p = k->x[k->parts * i + c];

			length2 += p * p;
			sum += (NULL == k->y) ? 0. : p * k->y[k->parts * i + c];
		}

		sum += f(delta, w, sqrt(length2));
	}

	return sum;
}

#define RADIAL_CONJUGATE(name)                                                                               \
	static double name##_conjugate_sum(const double param[POINT_PARAMS], const struct point_block *k)    \
	{                                                                                                    \
		return conjugate_of(name##_conjugate, param[0], k);                                          \
	}

/* The slope divided by the distance is the curvature of the best parabola above, centred at 0, for all that
 * grow more slowly than one (Huber 1981). */

RADIAL_VALUE(l2sq)
RADIAL_PROX(l2sq)
RADIAL_SMOOTH(l2sq)
RADIAL_CONJUGATE(l2sq)
RADIAL_VALUE(l1)
RADIAL_PROX(l1)
RADIAL_CONJUGATE(l1)
RADIAL_VALUE(l0)
RADIAL_PROX(l0)
RADIAL_VALUE(huber)
RADIAL_PROX(huber)
RADIAL_SMOOTH(huber)
RADIAL_CONJUGATE(huber)
RADIAL_VALUE(pseudo_huber)
RADIAL_PROX(pseudo_huber)
RADIAL_SMOOTH(pseudo_huber)
RADIAL_CONJUGATE(pseudo_huber)

static double zero_value(const double param[POINT_PARAMS], const struct point_block *k)
{
	(void)param, (void)k;

	return 0.;
}

static void zero_prox(const double param[POINT_PARAMS], double gamma, const struct point_block *k)
{
	(void)param, (void)gamma, (void)k;
}

static void zero_gradient(const double param[POINT_PARAMS], const struct point_block *k)
{
	(void)param;

	for (long i = 0; i < k->parts * k->n; i++)
		k->x[i] = 0.;
}

struct functional *functional_zero_create(enum dtype type, int D, const long dims[])
{
	static const struct point_kernels kernels = {"zero", zero_value, zero_prox, zero_gradient,
	        zero_gradient, NULL, NULL, POINT_ELSEWHERE, NULL, NULL};

	return pointwise_create(
	        &kernels, type, D, dims, (const double[POINT_PARAMS]){0.}, 0., NULL, NULL, NULL);
}

struct functional *functional_l2sq_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w)
{
	static const struct point_kernels kernels = {"l2sq", l2sq_value, l2sq_prox, l2sq_gradient,
	        l2sq_curvature, NULL, NULL, POINT_L2SQ, NULL, l2sq_conjugate_sum};

	return pointwise_create(&kernels, type, D, dims, (const double[POINT_PARAMS]){0.}, 1., y, NULL, w);
}

struct functional *functional_l1_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w)
{
	static const struct point_kernels kernels = {
	        "l1", l1_value, l1_prox, NULL, NULL, NULL, NULL, POINT_L1, NULL, l1_conjugate_sum};

	return pointwise_create(
	        &kernels, type, D, dims, (const double[POINT_PARAMS]){0.}, INFINITY, y, NULL, w);
}

struct functional *functional_l0_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w)
{
	static const struct point_kernels kernels = {
	        "l0", l0_value, l0_prox, NULL, NULL, NULL, NULL, POINT_L0, NULL, NULL};

	return pointwise_create(
	        &kernels, type, D, dims, (const double[POINT_PARAMS]){0.}, INFINITY, y, NULL, w);
}

static void check_delta(const char *name, double delta)
{
	if (!(delta > 0. && delta < INFINITY))
		error("%s: delta is %g, expected more than 0", name, delta);
}

struct functional *functional_huber_create(
        enum dtype type, int D, const long dims[], double delta, const void *y, const struct weights *w)
{
	static const struct point_kernels kernels = {"huber", huber_value, huber_prox, huber_gradient,
	        huber_curvature, NULL, NULL, POINT_HUBER, NULL, huber_conjugate_sum};

	check_delta(kernels.name, delta);

	return pointwise_create(&kernels, type, D, dims, (const double[POINT_PARAMS]){delta}, 1., y, NULL, w);
}

struct functional *functional_pseudo_huber_create(
        enum dtype type, int D, const long dims[], double delta, const void *y, const struct weights *w)
{
	static const struct point_kernels kernels = {"pseudo-huber", pseudo_huber_value, pseudo_huber_prox,
	        pseudo_huber_gradient, pseudo_huber_curvature, NULL, NULL, POINT_PSEUDO_HUBER, NULL,
	        pseudo_huber_conjugate_sum};

	check_delta(kernels.name, delta);

	return pointwise_create(&kernels, type, D, dims, (const double[POINT_PARAMS]){delta}, 1., y, NULL, w);
}
