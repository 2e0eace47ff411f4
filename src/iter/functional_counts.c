/* Negative log-likelihoods of Poisson counts. */

#include <math.h>

#include "iter/functionals.h"

#include "iter/pointwise.h"
#include "misc/error.h"

/** m - y + y log(y / m): 0 where the mean m is the count y, INFINITY where it is impossible. */
static double divergence(double y, double m)
{
	if (m < 0. || (0. == m && y > 0.))
		return INFINITY;

	return (0. == y) ? m : m - y + y * log(y / m);
}

static void expect_real(const char *name, enum dtype type)
{
	if (dtype_is_complex(type))
		error("%s of type %s, expected a real type", name, dtype_name(type));
}

static void expect_background(const char *name, double background)
{
	if (!(background >= 0. && background < INFINITY))
		error("%s: a background of %g, expected at least 0", name, background);
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
		sum += divergence(k->y[i], k->x[i] + background_at(param, k, i));

	return sum;
}

/** The root m >= 0 of m^2 - c m - gamma y, without cancellation. */
static void kl_prox(const double param[POINT_PARAMS], double gamma, const struct point_block *k)
{
	for (long i = 0; i < k->n; i++) {
		const double b = background_at(param, k, i), c = k->x[i] + b - gamma;
		const double root = sqrt(c * c + 4. * gamma * k->y[i]);
		const double below =
		        (c < 0. && root > 0.) ? 2. * gamma * k->y[i] / (root - c) : .5 * (c + root);

		k->x[i] = below - b;
	}
}

static void kl_gradient(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = (0. == k->y[i]) ? 1. : 1. - k->y[i] / (k->x[i] + background_at(param, k, i));
}

struct functional *functional_kl_create(
        enum dtype type, int D, const long dims[], const void *y, const void *b, double background)
{
	static const struct point_kernels kernels = {
	        "kl", kl_value, kl_prox, kl_gradient, NULL, NULL, POINT_ELSEWHERE};

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
		sum += divergence(k->y[i], blank_at(param, k, i) * exp(-k->x[i]) + param[1]);

	return sum;
}

static double slope(double y, double open, double background)
{
	return open * ((0. == y) ? -1. : y / (open + background) - 1.);
}

static void transmission_gradient(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = (0. == param[1]) ? k->y[i] - blank_at(param, k, i) * exp(-k->x[i])
		                           : slope(k->y[i], blank_at(param, k, i) * exp(-k->x[i]), param[1]);
}

/** The parabola that meets the term and its slope at x and its value at 0 [1]; at 0 their common curvature.
 */
static double surrogate(double y, double blank, double background, double x)
{
	const double m0 = blank + background;
	const double most = (m0 > 0.) ? blank * (1. - y * background / (m0 * m0)) : 0.;

	if (!(x > 1e-4))
		return fmax(most, 0.);

	const double open = blank * exp(-x), m = open + background;
	const double rise = (0. == y) ? m0 - m : m0 - m - y * log(m0 / m);
	const double c = 2. * (rise + slope(y, open, background) * x) / (x * x);

	return (c > 0.) ? c : 0.;
}

static void transmission_curvature(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		k->x[i] = surrogate(k->y[i], blank_at(param, k, i), param[1], k->x[i]);
}

static void transmission_second(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++) {
		const double open = blank_at(param, k, i) * exp(-k->x[i]), m = open + param[1];
		const double c = (m > 0.) ? open * (1. - k->y[i] * param[1] / (m * m)) : 0.;

		k->x[i] = (c > 0.) ? c : 0.;
	}
}

/** t of t exp(t) = exp(s), Lambert's W of exp(s), by Newton's method for t + log t = s: from below, where
 * the concave left side leads to the solution without overshooting. */
static double lambert_exp(double s)
{
	if (isnan(s) || s < -700.)
		return exp(s);

	double t = (s > 1.) ? s - log(s) : exp(s - exp(fmin(s, 0.)));

	for (int i = 0; i < 60; i++) {
		const double step = t * (s - t - log(t)) / (1. + t);

		t += step;

		if (fabs(step) <= 1e-15 * t)
			break;
	}

	return t;
}

/** u + gamma (y - I0 exp(-u)) = x: with t = u - (x - gamma y), t exp(t) = gamma I0 exp(gamma y - x). */
static void transmission_prox(const double param[POINT_PARAMS], double gamma, const struct point_block *k)
{
	for (long i = 0; i < k->n; i++) {
		const double at = k->x[i] - gamma * k->y[i], open = blank_at(param, k, i);

		k->x[i] = (0. == open) ? at : at + lambert_exp(log(gamma * open) - at);
	}
}

struct functional *functional_transmission_create(enum dtype type, int D, const long dims[], const void *y,
        const struct weights *blank, double i0, double background)
{
	static const struct point_kernels convex = {"transmission", transmission_value, transmission_prox,
	        transmission_gradient, transmission_curvature, transmission_second, POINT_ELSEWHERE};
	static const struct point_kernels general = {"transmission", transmission_value, NULL,
	        transmission_gradient, transmission_curvature, transmission_second, POINT_ELSEWHERE};

	expect_real("a transmission likelihood", type);
	expect_background("a transmission likelihood", background);

	if (!(i0 > 0. && i0 < INFINITY))
		error("a transmission likelihood with I0 %g, expected more than 0", i0);

	return pointwise_create((0. == background) ? &convex : &general, type, D, dims,
	        (const double[POINT_PARAMS]){i0, background}, i0, y, NULL, blank);
}
