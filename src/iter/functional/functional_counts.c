/* Negative log-likelihoods of Poisson counts. */

#include <math.h>

#include "iter/functional/functionals.h"

#include "iter/functional/pointwise.h"
#include "iter/step/counts.h"
#include "misc/error.h"

static void expect_real(const char *name, enum dtype type)
{
	if (dtype_is_complex(type))
		error("%s has type %s, expected a real type", name, dtype_name(type));
}

static void expect_background(const char *name, double background)
{
	if (!(background >= 0. && background < INFINITY))
		error("%s: the background is %g, expected at least 0", name, background);
}

/* ---- emission: param[0] is the background where there is no b ---- */

static double background_at(const double param[POINT_PARAMS], const struct point_block *k, long i)
{
	return (NULL == k->b) ? param[0] : k->b[i];
}

static double kl_value(const double param[POINT_PARAMS], const struct point_block *k)
{
	double sum = 0.;

	for (long i = 0; i < k->n; i++)
		sum += counts_divergence(k->y[i], k->x[i] + background_at(param, k, i));

	return sum;
}

static void kl_prox(const double param[POINT_PARAMS], double gamma, const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = emission_prox(k->y[i], background_at(param, k, i), gamma, k->x[i]);
}

static void kl_gradient(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = emission_slope(k->y[i], background_at(param, k, i), k->x[i]);
}

/** The second derivative y / m^2 at the mean m = y; counts below 1 as 1. */
static void kl_expected(const double param[POINT_PARAMS], const struct point_block *k)
{
	(void)param;

	for (long i = 0; i < k->n; i++)
		k->x[i] = 1. / fmax(k->y[i], 1.);
}

static double kl_conjugate(const double param[POINT_PARAMS], const struct point_block *k)
{
	double sum = 0.;

	for (long i = 0; i < k->n; i++)
		sum += emission_conjugate(k->y[i], background_at(param, k, i), k->x[i]);

	return sum;
}

struct functional *functional_kl_create(
        enum dtype type, int D, const long dims[], const void *y, const void *b, double background)
{
	static const struct point_kernels kernels = {
	        "kl", kl_value, kl_prox, kl_gradient, NULL, NULL, kl_expected, POINT_KL, NULL, kl_conjugate};

	expect_real("a Kullback-Leibler divergence", type);
	expect_background("a Kullback-Leibler divergence", background);

	return pointwise_create(
	        &kernels, type, D, dims, (const double[POINT_PARAMS]){background}, INFINITY, y, b, NULL);
}

/* ---- transmission: param[0] is the factor of the blank scan, param[1] the background ---- */

static double blank_at(const double param[POINT_PARAMS], const struct point_block *k, long i)
{
	return (NULL == k->w) ? param[0] : param[0] * k->w[i];
}

static double transmission_value(const double param[POINT_PARAMS], const struct point_block *k)
{
	double sum = 0.;

	for (long i = 0; i < k->n; i++)
		sum += transmission_value_at(k->y[i], blank_at(param, k, i), param[1], k->x[i]);

	return sum;
}

static void transmission_gradient(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = transmission_slope_at(k->y[i], blank_at(param, k, i), param[1], k->x[i]);
}

static void transmission_curvature(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = transmission_surrogate(k->y[i], blank_at(param, k, i), param[1], k->x[i]);
}

static void transmission_second(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = transmission_second_at(k->y[i], blank_at(param, k, i), param[1], k->x[i]);
}

/** The second derivative m at the mean m = y, without what is known of the background; counts below 1 as 1.
 */
static void transmission_expected(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = fmax(k->y[i] - param[1], 1.);
}

static void transmission_prox(const double param[POINT_PARAMS], double gamma, const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = transmission_prox_at(k->y[i], blank_at(param, k, i), gamma, k->x[i]);
}

static double transmission_conjugate(const double param[POINT_PARAMS], const struct point_block *k)
{
	double sum = 0.;

	for (long i = 0; i < k->n; i++)
		sum += transmission_conjugate_at(k->y[i], blank_at(param, k, i), k->x[i]);

	return sum;
}

struct functional *functional_transmission_create(enum dtype type, int D, const long dims[], const void *y,
        const struct weights *blank, double i0, double background)
{
	static const struct point_kernels convex = {"transmission", transmission_value, transmission_prox,
	        transmission_gradient, transmission_curvature, transmission_second, transmission_expected,
	        POINT_TRANSMISSION, NULL, transmission_conjugate};
	static const struct point_kernels general = {"transmission", transmission_value, NULL,
	        transmission_gradient, transmission_curvature, transmission_second, transmission_expected,
	        POINT_TRANSMISSION, NULL, NULL};

	expect_real("a transmission likelihood", type);
	expect_background("a transmission likelihood", background);

	if (!(i0 > 0. && i0 < INFINITY))
		error("the I0 of a transmission likelihood is %g, expected more than 0", i0);

	return pointwise_create((0. == background) ? &convex : &general, type, D, dims,
	        (const double[POINT_PARAMS]){i0, background}, i0, y, NULL, blank);
}
