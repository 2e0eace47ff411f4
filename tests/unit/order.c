/* Quantiles of every real type against sorted copies. */

#include <math.h>
#include <omp.h>
#include <stdint.h>

#include "check.h"
#include "num/kern/convert.h"
#include "num/shape/order.h"
#include "strided.h"

static const enum dtype types[] = {DT_BOOL, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16,
        DT_UINT32, DT_UINT64, DT_FLOAT16, DT_FLOAT32, DT_FLOAT64};

enum { TYPES = sizeof types / sizeof types[0] };

static double value_at(enum dtype t, const char *p)
{
	double v;

	convert(DT_FLOAT64, &v, t, p, 1, NARROW_SATURATE);

	return v;
}

static void put(enum dtype t, char *p, double v)
{
	convert(t, p, DT_FLOAT64, &v, 1, NARROW_SATURATE);
}

/** A value of type t: few distinct ones, many, or spread over all exponents. */
static double draw(enum dtype t, int kind)
{
	double u = (double)pick(2001) - 1000.;

	if (DT_BOOL == t)
		return (double)pick(2);

	return (0 == kind) ? (double)pick(4) : (1 == kind) ? u / 8. : ldexp(u, (int)pick(40) - 25);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** The definition: sort, interpolate. */
static double expected(long n, double *x, double q)
{
	qsort(x, (size_t)n, sizeof *x, by_value);

	for (long i = 0; i < n; i++)
		if (isnan(x[i]))
			return NAN;

	double h = q * (double)(n - 1);
	long k = (long)floor(h);
	double a = x[k], b = x[(k < n - 1) ? k + 1 : k], w = h - (double)k;

	return (a == b || 0. == w) ? a : (w < 0.5) ? a + (b - a) * w : b - (b - a) * (1. - w);
}

static bool same(enum dtype t, const char *p, double v)
{
	double got = (DT_FLOAT32 == quantile_type(t)) ? *(const float *)p : *(const double *)p;
	double want = (DT_FLOAT32 == quantile_type(t)) ? (double)(float)v : v;

	return got == want || (isnan(got) && isnan(want));
}

/** One random case; returns whether every quantile of every line is right. */
static bool quantile_once(enum dtype t, int D, const long dims[], unsigned long flags, int kind, bool nan)
{
	const double q[] = {0.5, 0., 1., 0.3, 0.999};
	enum { NQ = sizeof q / sizeof q[0] };
	size_t osize = dtype_size(quantile_type(t));
	long odims[DIMS], ldims[DIMS], pos[DIMS] = {0};
	struct strided in = strided_make(D, dims, dtype_size(t), true);
	bool good = true;

	md_select_dims(D, ~flags, odims, dims);
	md_select_dims(D, flags, ldims, dims);

	long n = md_calc_size(D, ldims), outs = md_calc_size(D, odims), ostrs[DIMS];
	double *line = mem_alloc((size_t)n * sizeof *line);
	char *out = mem_alloc((size_t)(outs * NQ) * osize);

	for (size_t i = 0; i < in.bytes; i += dtype_size(t))
		put(t, in.buffer + i, (nan && 0 == pick(50)) ? NAN : draw(t, kind));

	md_calc_strides(D, ostrs, odims, osize);
	md_quantile2(t, D, dims, flags, NQ, q, ostrs, outs * (long)osize, out, in.strs, in.first);

	do {
		long at[DIMS], i = 0;

		md_copy_dims(D, at, pos);

		do
			line[i++] = value_at(t, strided_at(&in, D, at));
		while (md_next(D, dims, flags, at));

		for (int k = 0; k < NQ; k++)
			good = good && same(t, out + md_calc_offset(D, ostrs, pos) + k * outs * (long)osize,
			                       expected(n, line, q[k]));
	} while (md_next(D, dims, ~flags, pos));

	free(line);
	free(out);
	free(in.buffer);
	return good;
}

static void test_short(void)
{
	for (int k = 0; k < TYPES; k++) {
		bool good = true;

		for (int round = 0; round < 300; round++) {
			long dims[DIMS];
			int D = random_dims(dims, 4, 11);

			omp_set_num_threads(1 + round % 3);
			good = good && quantile_once(types[k], D, dims, (unsigned long)pick(1 << D),
			                       round % 3, dtype_is_float(types[k]) && 0 == round % 7);
		}

		check(good, "quantile2: %s, random dims, strides and flags", dtype_name(types[k]));
	}
}

static void test_long(void)
{
	for (int k = 0; k < TYPES; k++) {
		bool good = true;

		for (int kind = 0; kind < 3; kind++)
			good = good &&
			       quantile_once(types[k], 3, (const long[]){41, 2, 1700}, 5, kind, false);

		check(good, "quantile2: %s, lines of 69700", dtype_name(types[k]));
	}

	check(quantile_once(DT_FLOAT32, 2, (const long[]){70000, 2}, 1, 1, true),
	        "quantile2: NaN in long lines");
}

/** Data on which simple pivots fail: sorted, reversed, organ pipes, constant, a killer of medians of three.
 */
static void test_patterns(void)
{
	enum { N = 20000 };
	static double x[N], sorted[N];
	bool good = true;

	for (int kind = 0; kind < 6; kind++) {
		for (long i = 0; i < N; i++) {
			long v[] = {i, N - i, (i < N / 2) ? i : N - i, 7, i % 3, (i % 2) ? i : N - i};

			x[i] = (double)v[kind];
		}

		for (int k = 0; k <= 10; k++) {
			double got;

			memcpy(sorted, x, sizeof x);
			md_quantile(
			        DT_FLOAT64, 1, (const long[]){N}, 1, 1, (const double[]){k / 10.}, &got, x);
			good = good && got == expected(N, sorted, k / 10.);
		}
	}

	check(good, "quantile: sorted, reversed, constant and mixed lines");
}

static void test_special(void)
{
	float x[] = {INFINITY, INFINITY, 1, -INFINITY}, got;
	double none = 0;

	md_median(DT_FLOAT32, 1, (const long[]){2}, 1, &got, x);
	check(INFINITY == got, "median: of equal infinities is infinite");
	md_quantile(DT_FLOAT32, 1, (const long[]){4}, 1, 1, (const double[]){0.}, &got, x);
	check(-INFINITY == got, "quantile 0: the smallest, also when infinite");
	md_median(DT_FLOAT64, 1, (const long[]){0}, 1, &none, x);
	check(isnan(none), "median: of nothing is NaN");

	float y[6] = {3, 1, 2, 9, 7, 8}, m[2];

	md_median(DT_FLOAT32, 2, (const long[]){3, 2}, 1, m, y);
	check(2 == m[0] && 8 == m[1] && 3 == y[0], "median: per line; the input stays as it is");

	enum { NQ = 30, N = 70000 };
	static double big[N], out[NQ], q[NQ];
	bool good = true;

	for (long i = 0; i < N; i++)
		big[i] = (double)(i * 7919 % N);

	for (int k = 0; k < NQ; k++)
		q[k] = (double)k / (NQ - 1);

	md_quantile(DT_FLOAT64, 1, (const long[]){N}, 1, NQ, q, out, big);

	for (int k = 0; k < NQ; k++)
		good = good && fabs(out[k] - q[k] * (N - 1)) < 1e-9 * N;

	check(good, "quantile: thirty of them of a long line");
}

static void beyond_one(void)
{
	float x[3] = {1, 2, 3}, out;

	md_quantile(DT_FLOAT32, 1, (const long[]){3}, 1, 1, (const double[]){1.5}, &out, x);
}

static void complex_median(void)
{
	float x[2] = {1, 2}, out[2];

	md_median(DT_COMPLEX64, 1, (const long[]){1}, 1, out, x);
}

int main(void)
{
	test_short();
	test_long();
	test_patterns();
	test_special();
	check_ends(1, "from 0 to 1", beyond_one, "quantile: beyond 1 is an error");
	check_ends(1, "complex64", complex_median, "median: of complex values is an error");

	return checks_failed > 0;
}
