/* Philox-4x32-10 [1], normal numbers by Box and Muller [2], Poisson numbers by inversion and by transformed
 * rejection PTRS [3] with the probabilities in Loader's form [4], which keeps all digits for large means.
 *
 * [1] Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC11.
 * [2] Box, Muller: A note on the generation of random normal deviates. Ann. Math. Stat. 29 (1958).
 * [3] Hoermann: The transformed rejection method for generating Poisson random variables. Insurance: Math.
 * Econ. 12 (1993). [4] Loader: Fast and accurate computation of binomial probabilities (2000). */

#include <math.h>

#include "num/md/rand.h"

#include "num/kern/kern.h"
#include "num/kern/normal_kern.h"
#include "num/md/normal.h"
#include "num/md/philox.h"

enum stream { STREAM_UNIFORM, STREAM_NORMAL, STREAM_POISSON };

void philox4x32(uint32_t out[4], uint64_t seed, uint64_t counter, uint64_t stream)
{
	philox(out, seed, counter, stream);
}

/** Two independent numbers, each an odd multiple of 2^-53 in (0, 1). */
static void uniform2(double u[2], uint64_t seed, uint64_t element, uint64_t stream)
{
	uint32_t r[4];

	philox4x32(r, seed, element, stream);

	for (int i = 0; i < 2; i++)
		u[i] = unit_from_bits(r[2 * i], r[2 * i + 1]);
}

double rand_uniform(uint64_t seed, uint64_t element)
{
	double u[2];

	uniform2(u, seed, element, STREAM_UNIFORM);

	return u[0];
}

double rand_normal(uint64_t seed, uint64_t element)
{
	uint32_t r[4];

	philox4x32(r, seed, element, STREAM_NORMAL);

	return normal_from_bits(r[0], r[1], r[2], r[3]);
}

void rand_normals(long n, double *y, uint64_t seed, uint64_t first)
{
	KERN_CHOOSE(normal_kern)(n, y, seed, first, STREAM_NORMAL);
}

/** Inversion: counts up the distribution function; for means below 10. */
static double poisson_inversion(double u, double mean)
{
	double p = exp(-mean);
	double sum = p;
	int k = 0;

	while (u > sum && k < 200) { // beyond 200 the terms vanish beside the rounding of sum
		k++;
		p *= mean / k;
		sum += p;
	}

	return k;
}

/** log k! minus Stirling's formula, k >= 0 integral. */
static double stirling_error(double k)
{
	if (k < 16)
		return lgamma_r(k + 1., &(int){0}) - (k + 0.5) * log(k) + k - 0.5 * log(2. * M_PI);

	double k2 = k * k;

	return (1. / 12 - (1. / 360 - (1. / 1260 - (1. / 1680) / k2) / k2) / k2) / k;
}

/** k log(k / mean) + mean - k without cancellation. */
static double deviance(double k, double mean)
{
	double v = (k - mean) / (k + mean);

	if (fabs(v) > 0.1)
		return k * log(k / mean) + mean - k;

	double sum = (k - mean) * v; // log(k / mean) = 2 atanh(v)
	double term = 2. * k * v;

	for (int i = 3; i < 1000; i += 2) {
		term *= v * v;

		double next = sum + term / i;

		if (next == sum)
			break;

		sum = next;
	}

	return sum;
}

/** log of the probability of k. */
static double poisson_log(double k, double mean)
{
	if (0 == k)
		return -mean;

	return -stirling_error(k) - deviance(k, mean) - 0.5 * log(2. * M_PI * k);
}

static double poisson_rejection(uint64_t seed, uint64_t element, double mean)
{
	double b = 0.931 + 2.53 * sqrt(mean);
	double a = -0.059 + 0.02483 * b;
	double inv_alpha = 1.1239 + 1.1328 / (b - 3.4);
	double vr = 0.9277 - 3.6224 / (b - 2.);

	for (uint64_t attempt = 0;; attempt++) {
		double u[2];

		uniform2(u, seed, element, STREAM_POISSON + (attempt << 32));

		double x = u[0] - 0.5, v = u[1];
		double us = 0.5 - fabs(x);
		double k = floor((2. * a / us + b) * x + mean + 0.43);

		if (us >= 0.07 && v <= vr)
			return k;

		if (k < 0 || (us < 0.013 && v > us))
			continue;

		if (log(v * inv_alpha / (a / (us * us) + b)) <= poisson_log(k, mean))
			return k;
	}
}

double rand_poisson(uint64_t seed, uint64_t element, double mean)
{
	if (!(mean >= 0) || isinf(mean))
		return (mean > 0) ? INFINITY : NAN;

	if (mean >= 10.)
		return poisson_rejection(seed, element, mean);

	double u[2];

	uniform2(u, seed, element, STREAM_POISSON);

	return poisson_inversion(u[0], mean);
}
