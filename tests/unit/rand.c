/* The generator against its published vectors, and the distributions against their moments and probabilities.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "misc/mem.h"
#include "num/md/rand.h"

static bool is(const uint32_t got[4], uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return got[0] == a && got[1] == b && got[2] == c && got[3] == d;
}

/* kat_vectors of Random123 for philox4x32 with 10 rounds. */
static void test_known_answers(void)
{
	uint32_t r[4];

	philox4x32(r, 0, 0, 0);
	check(is(r, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8), "philox: all zero");
	philox4x32(r, ~0ull, ~0ull, ~0ull);
	check(is(r, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd), "philox: all one");
	philox4x32(r, 0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e);
	check(is(r, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1), "philox: digits of pi");
}

struct moments {
	double mean, variance, skew, kurtosis;
};

static struct moments moments(const double *x, long n)
{
	struct moments m = {0};
	double s2 = 0, s3 = 0, s4 = 0;

	for (long i = 0; i < n; i++)
		m.mean += x[i] / (double)n;

	for (long i = 0; i < n; i++) {
		double d = x[i] - m.mean;

		s2 += d * d;
		s3 += d * d * d;
		s4 += d * d * d * d;
	}

	m.variance = s2 / (double)n;
	m.skew = s3 / (double)n / pow(m.variance, 1.5);
	m.kurtosis = s4 / (double)n / (m.variance * m.variance);
	return m;
}

/* Deviation of a chi-square statistic from its mean, in standard deviations. */
static double chi_square(long bins, const double *seen, const double *expected)
{
	double chi = 0;
	long used = 0;

	for (long i = 0; i < bins; i++) {
		if (expected[i] < 8)
			continue;

		chi += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
		used++;
	}

	return (chi - (double)used) / sqrt(2. * (double)used);
}

enum { N = 200000 };

static void test_uniform(double *x)
{
	bool inside = true;
	double bins[64] = {0}, flat[64];

	for (long i = 0; i < N; i++) {
		x[i] = rand_uniform(5, (uint64_t)i);
		inside = inside && x[i] > 0 && x[i] < 1;
		bins[(int)(x[i] * 64)]++;
	}

	for (int i = 0; i < 64; i++)
		flat[i] = N / 64.;

	struct moments m = moments(x, N);

	check(inside, "uniform: never 0 nor 1");
	check(fabs(m.mean - 0.5) < 5 * sqrt(1. / 12 / N), "uniform: mean %.5f", m.mean);
	check(fabs(m.variance * 12 - 1) < 0.01, "uniform: variance %.5f", m.variance);
	check(fabs(chi_square(64, bins, flat)) < 5, "uniform: flat");
	check(rand_uniform(5, 0) != rand_uniform(6, 0) && rand_uniform(5, 0) != rand_uniform(5, 1ull << 40),
	        "uniform: seed and high bits of the element matter");
}

static void test_normal(double *x)
{
	double bins[64] = {0}, bell[64], correlation = 0;

	for (long i = 0; i < N; i++) {
		x[i] = rand_normal(5, (uint64_t)i);

		if (fabs(x[i]) < 4)
			bins[(int)((x[i] + 4) * 8)]++;

		correlation += i > 0 ? x[i] * x[i - 1] / N : 0;
	}

	for (int i = 0; i < 64; i++)
		bell[i] = N / 2. * (erf((i + 1 - 32) / 8. / sqrt(2.)) - erf((i - 32) / 8. / sqrt(2.)));

	struct moments m = moments(x, N);

	check(fabs(m.mean) < 5 / sqrt(N), "normal: mean %.5f", m.mean);
	check(fabs(m.variance - 1) < 5 * sqrt(2. / N), "normal: variance %.5f", m.variance);
	check(fabs(m.skew) < 5 * sqrt(6. / N), "normal: skewness %.5f", m.skew);
	check(fabs(m.kurtosis - 3) < 5 * sqrt(24. / N), "normal: kurtosis %.5f", m.kurtosis);
	check(fabs(correlation) < 5 / sqrt(N), "normal: neighbours are not correlated");
	check(fabs(chi_square(64, bins, bell)) < 5, "normal: the bell curve");
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* In vectors: the same numbers, their distribution as a whole and in the tails, the accuracy of each. */
static void test_normals(double *x)
{
	const uint64_t first = 0xfffffffff0ull; // the high half of the counter changes on the way
	long differ = 0, far = 0;
	double farthest = 0, largest = 0;

	rand_normals(N, x, 7, first);

	for (long i = 0; i < N; i++) {
		uint32_t r[4];

		differ += x[i] != rand_normal(7, first + (uint64_t)i);
		far += fabs(x[i]) > 3.5;

		philox4x32(r, 7, first + (uint64_t)i, 1);

		const long double u = ldexpl((long double)((r[0] | (uint64_t)r[1] << 32) >> 12) + 0.5L, -52);
		const long double v = ldexpl((long double)((r[2] | (uint64_t)r[3] << 32) >> 12) + 0.5L, -52);
		const long double exact = sqrtl(-2.L * logl(u)) * cosl(2.L * acosl(-1.L) * v);

		largest = fmax(largest, (double)(fabsl((long double)x[i] - exact) / sqrtl(-2.L * logl(u))));
	}

	check(0 == differ, "normals: those one by one (%ld differ)", differ);
	check(largest < 4e-16, "normals: error %.2g of sqrt(-2 log u)", largest);

	for (long n = 1; n < 130; n++) {
		double y[131];

		y[n] = 99;
		rand_normals(n, y, 7, first + 5);
		differ += 99 != y[n] || 0 != memcmp(y, x + 5, (size_t)n * sizeof *y);
	}

	check(0 == differ, "normals: any number of them");

	const double tails = N * erfc(3.5 / sqrt(2.));

	check(fabs((double)far - tails) < 5 * sqrt(tails), "normals: %ld beyond 3.5, expected %.0f", far,
	        tails);
	qsort(x, N, sizeof *x, ascending);

	for (long i = 0; i < N; i++) // Kolmogorov and Smirnov
		farthest = fmax(farthest, fabs(0.5 * erfc(-x[i] / sqrt(2.)) - ((double)i + 0.5) / N));

	check(farthest < 1.95 / sqrt(N), "normals: distribution function off by %.2g (Kolmogorov, Smirnov)",
	        farthest);
}

static void test_poisson(double *x, double mean)
{
	enum { BINS = 20000 };
	double *bins = mem_calloc(BINS, sizeof *bins), *expected = mem_calloc(BINS, sizeof *expected);
	double low = floor(mean > 100 ? mean - 8 * sqrt(mean) : 0);
	double step = fmax(1., floor(sqrt(mean) / 10)); // numbers per bin
	bool whole = true;

	for (long i = 0; i < N; i++) {
		x[i] = rand_poisson(11, (uint64_t)i, mean);
		whole = whole && x[i] >= 0 && x[i] == floor(x[i]);

		double bin = floor((x[i] - low) / step);

		if (bin >= 0 && bin < BINS)
			bins[(long)bin]++;
	}

	for (double k = low; k < low + BINS * step && k < mean + 10 * sqrt(mean) + 20; k++)
		expected[(long)((k - low) / step)] += N * exp(k * log(mean) - mean - lgamma(k + 1));

	struct moments m = moments(x, N);
	double z = chi_square(BINS, bins, expected);

	check(whole, "Poisson %g: whole numbers", mean);
	check(fabs(m.mean - mean) < 5 * sqrt(mean / N), "Poisson %g: mean %.6g", mean, m.mean);
	check(fabs(m.variance / mean - 1) < 5 * sqrt((2 + 1 / mean) / N), "Poisson %g: variance %.6g", mean,
	        m.variance);
	check(fabs(m.skew - 1 / sqrt(mean)) < 5 * sqrt((6 + 30 / mean) / N), "Poisson %g: skewness %.4g",
	        mean, m.skew);
	check(fabs(z) < 5, "Poisson %g: probabilities (chi-square off by %.2f standard deviations)", mean, z);
	free(bins);
	free(expected);
}

/* Hoermann's PTRS as published, the probabilities by the gamma function in long double: stream 2 of the
 * generator. */
static double published(uint64_t seed, uint64_t element, double mean)
{
	const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;

	for (uint64_t attempt = 0;; attempt++) {
		uint32_t r[4];

		philox4x32(r, seed, element, 2 + (attempt << 32));

		const double u = ldexp((double)((r[0] | (uint64_t)r[1] << 32) >> 12) + 0.5, -52) - 0.5;
		const double v = ldexp((double)((r[2] | (uint64_t)r[3] << 32) >> 12) + 0.5, -52);
		const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + mean + 0.43);
		const long double at = k * logl(mean) - mean - lgammal(k + 1);

		if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2))
			return k;

		if (k >= 0 && (us >= 0.013 || v <= us) &&
		        logl(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (us * us) + b)) <= at)
			return k;
	}
}

static void test_rejection(double mean)
{
	long differ = 0;

	for (uint64_t i = 0; i < 20000; i++)
		differ += rand_poisson(3, i, mean) != published(3, i, mean);

	check(0 == differ, "Poisson %g: as published (%ld of 20000 differ)", mean, differ);
}

int main(void)
{
	static const double means[] = {0.01, 0.5, 3, 9.99, 10, 12.5, 40, 1000, 1e5};
	double *x = mem_alloc(N * sizeof *x);

	test_known_answers();
	test_uniform(x);
	test_normal(x);
	test_normals(x);

	for (unsigned i = 0; i < sizeof means / sizeof means[0]; i++)
		test_poisson(x, means[i]);

	for (unsigned i = 4; i < sizeof means / sizeof means[0]; i++)
		test_rejection(means[i]);

	// so large that the logarithms of the factorials have no digits left behind the point
	for (long i = 0; i < N; i++)
		x[i] = (rand_poisson(1, (uint64_t)i, 1e15) - 1e15) / sqrt(1e15);

	struct moments m = moments(x, N);

	check(fabs(m.mean) < 5 / sqrt(N) && fabs(m.variance - 1) < 5 * sqrt(2. / N) && fabs(m.skew) < 0.03 &&
	                fabs(m.kurtosis - 3) < 5 * sqrt(24. / N),
	        "Poisson 1e15: as a normal distribution");
	check(0 == rand_poisson(0, 3, 0), "Poisson 0: no events");
	check(isnan(rand_poisson(0, 0, -1)) && isnan(rand_poisson(0, 0, NAN)) &&
	                isinf(rand_poisson(0, 0, INFINITY)),
	        "Poisson: no mean, no number");
	free(x);

	return checks_failed > 0;
}
