/* Contractions against nested loops in long double: every type, random dims and steps, all shapes that have a
 * name; tensor and matrix products; convolutions by strides and by Fourier transforms. */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "num/contract.h"
#include "num/flpmath.h"
#include "strided.h"

static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

static complex double get(enum dtype t, const char *p)
{
	switch (t) {
	case DT_FLOAT32:
		return *(const float *)p;
	case DT_FLOAT64:
		return *(const double *)p;
	case DT_COMPLEX64:
		return *(const complex float *)p;
	default:
		return *(const complex double *)p;
	}
}

/** Random elements of a buffer of type t: small integers where sums must be exact, else in [-1, 1). */
static void fill(enum dtype t, char *p, size_t bytes, bool exact)
{
	size_t size = dtype_size(dtype_real(t));

	for (size_t i = 0; i + size <= bytes; i += size) {
		double v = exact ? (double)(pick(9) - 4) : (double)pick(20001) / 10000. - 1.;

		if (4 == size)
			*(float *)(p + i) = (float)v;
		else
			*(double *)(p + i) = v;
	}
}

/** The largest difference of out from before + sum a b, in units of the largest sum of magnitudes. */
static double deviation(enum dtype t, bool conj_b, int D, const long dims[], const struct strided *out,
        const char *before, const struct strided *a, const struct strided *b)
{
	long kept[DIMS], pos[DIMS] = {0};
	unsigned long summed = 0;
	double worst = 0, largest = 1e-30;

	for (int i = 0; i < D; i++)
		summed |= (0 == out->strs[i]) ? 1ul << i : 0;

	md_select_dims(D, ~summed, kept, dims);

	do {
		long at[DIMS];
		complex double sum = get(t, before + (strided_at(out, D, pos) - out->buffer));
		double size = cabs(sum);

		md_copy_dims(D, at, pos);

		do {
			complex double x = get(t, strided_at(a, D, at)), y = get(t, strided_at(b, D, at));

			sum += x * (conj_b ? conj(y) : y);
			size += cabs(x * y);
		} while (md_next(D, dims, summed, at));

		double d = cabs(get(t, strided_at(out, D, pos)) - sum);

		worst = (d <= worst) ? worst : d;
		largest = fmax(largest, size);
	} while (md_next(D, kept, ~0ul, pos));

	return worst / largest;
}

/** One random loop; `exact`: integers, no error allowed. */
static bool fmac_once(enum dtype t, bool conj_b, int D, const long dims[], bool exact)
{
	long odims[DIMS];
	unsigned long kept = (unsigned long)pick(1 << D);
	size_t size = dtype_size(t);

	md_select_dims(D, kept, odims, dims);

	struct strided out = strided_make(D, odims, size, false);
	struct strided a = strided_make(D, dims, size, true), b = strided_make(D, dims, size, true);
	char *before = mem_alloc(out.bytes);

	for (int i = 0; i < D; i++)
		if (1 == odims[i])
			out.strs[i] = 0;

	fill(t, out.buffer, out.bytes, exact);
	fill(t, a.buffer, a.bytes, exact);
	fill(t, b.buffer, b.bytes, exact);
	memcpy(before, out.buffer, out.bytes);
	md_fmac_t(t, conj_b, D, dims, out.strs, out.first, a.strs, a.first, b.strs, b.first);

	double d = deviation(t, conj_b, D, dims, &out, before, &a, &b);

	free(before);
	free(out.buffer);
	free(a.buffer);
	free(b.buffer);

	return exact ? 0. == d : d < 1e-6;
}

static void test_random(void)
{
	for (int k = 0; k < 4; k++) {
		bool small = true, large = true;

		for (int round = 0; round < 20000; round++) {
			long dims[DIMS];
			int D = random_dims(dims, 4, 5);

			omp_set_num_threads(1 + round % 3);
			small = small && fmac_once(types[k], round % 2, D, dims, true);
		}

		for (int round = 0; round < 60; round++) {
			long dims[DIMS];
			int D = random_dims(dims, 3, 70);

			omp_set_num_threads(1 + round % 3);
			large = large && fmac_once(types[k], round % 2, D, dims, round % 3 > 0);
		}

		check(small, "fmac2: %s, 20000 random loops of up to 4 dims", dtype_name(types[k]));
		check(large, "fmac2: %s, large ones", dtype_name(types[k]));
	}
}

/* ---- the founding slides: one function, different strides ---- */

enum { S = sizeof(float) };

static void sequence(float *x, long n, long seed)
{
	for (long i = 0; i < n; i++)
		x[i] = (float)((i * 7 + seed) % 11 - 5);
}

static void test_slides(void)
{
	enum { M = 6, N = 5, K = 4 };
	float a[M * K], b[K * N], c[M * N] = {0}, x[K], y[M] = {0}, t[K * M], d[M] = {0}, trace = 0;
	bool good = true;

	sequence(a, M * K, 1);
	sequence(b, K * N, 2);
	sequence(x, K, 3);

	md_fmac2(2, (const long[]){M, K}, (const long[]){S, 0}, y, (const long[]){S, M * S}, a,
	        (const long[]){0, S}, x);

	for (int i = 0; i < M; i++) {
		float want = 0;

		for (int k = 0; k < K; k++)
			want += a[i + M * k] * x[k];

		good = good && want == y[i];
	}

	check(good, "slides: matrix times vector");
	good = true;
	md_fmac2(3, (const long[]){M, N, K}, (const long[]){S, M * S, 0}, c, (const long[]){S, 0, M * S}, a,
	        (const long[]){0, K * S, S}, b);

	for (int i = 0; i < M * N; i++) {
		float want = 0;

		for (int k = 0; k < K; k++)
			want += a[i % M + M * k] * b[k + K * (i / M)];

		good = good && want == c[i];
	}

	check(good, "slides: matrix times matrix");
	good = true;
	md_copy2(2, (const long[]){K, M}, (const long[]){S, K * S}, t, (const long[]){M * S, S}, a, S);

	for (int i = 0; i < M * K; i++)
		good = good && t[i / M + K * (i % M)] == a[i];

	check(good, "slides: transpose");
	good = true;
	memset(c, 0, sizeof c);
	md_fmac2(2, (const long[]){M, N}, (const long[]){S, M * S}, c, (const long[]){S, 0}, a,
	        (const long[]){0, S}, b);

	for (int i = 0; i < M * N; i++)
		good = good && c[i] == a[i % M] * b[i / M];

	check(good, "slides: outer product");

	const float one = 1;

	md_fmac2(1, (const long[]){K}, (const long[]){0}, &trace, (const long[]){(M + 1) * S}, a,
	        (const long[]){0}, &one);
	check(trace == a[0] + a[M + 1] + a[2 * (M + 1)] + a[3 * (M + 1)], "slides: trace");
	md_copy2(1, (const long[]){K}, (const long[]){S}, d, (const long[]){(M + 1) * S}, a, S);
	check(d[0] == a[0] && d[3] == a[3 * (M + 1)], "slides: diagonal");
	md_fmac2(1, (const long[]){3}, (const long[]){S}, d, (const long[]){2 * S}, a + 1, (const long[]){-S},
	        a + 8);
	check(d[0] == a[0] + a[1] * a[8] && d[2] == a[2 * (M + 1)] + a[5] * a[6],
	        "slides: sub-vectors, every second element and backwards");
}

static void test_slides_convolution(void)
{
	enum { N = 40, T = 7, OUT = N - T + 1 };
	float in[N], k[T], out[OUT] = {0};
	bool good = true;

	sequence(in, N, 1);
	sequence(k, T, 4);
	md_fmac2(2, (const long[]){OUT, T}, (const long[]){S, 0}, out, (const long[]){S, -S}, in + T - 1,
	        (const long[]){0, S}, k);

	for (int o = 0; o < OUT; o++) {
		float want = 0;

		for (int i = 0; i < T; i++)
			want += k[i] * in[o + T - 1 - i];

		good = good && want == out[o];
	}

	check(good, "slides: convolution, the input overlaps itself");
}

/* ---- forms ---- */

static void expect_form(enum contract_form want, long want_batch, int D, const long dims[],
        const long ostrs[], const long astrs[], const long bstrs[], const char *name)
{
	long batch;
	enum contract_form got = contract_form(D, dims, ostrs, astrs, bstrs, &batch);

	check(want == got && want_batch == batch, "form: %s", name);
}

#define L(...) ((const long[]){__VA_ARGS__})

static void test_forms(void)
{
	expect_form(CONTRACT_DOT, 1, 1, L(9), L(0), L(4), L(4), "dot");
	expect_form(CONTRACT_DOT, 1, 2, L(9, 5), L(0, 0), L(4, 36), L(4, 36), "dot of two dims");
	expect_form(CONTRACT_DOT, 5, 2, L(9, 5), L(0, 4), L(4, 36), L(4, 36), "dots of a batch");
	expect_form(CONTRACT_AXPY, 1, 1, L(9), L(4), L(4), L(0), "axpy");
	expect_form(CONTRACT_GER, 1, 2, L(9, 5), L(4, 36), L(4, 0), L(0, 4), "outer product");
	expect_form(CONTRACT_GEMV, 1, 2, L(9, 5), L(4, 0), L(4, 36), L(0, 4), "matrix times vector");
	expect_form(
	        CONTRACT_GEMV, 1, 2, L(9, 5), L(0, 4), L(4, 36), L(4, 0), "transposed matrix times vector");
	expect_form(CONTRACT_GEMM, 1, 3, L(9, 5, 7), L(4, 36, 0), L(4, 0, 36), L(0, 28, 4), "matrix product");
	expect_form(CONTRACT_GEMM, 3, 4, L(9, 5, 7, 3), L(4, 36, 0, 180), L(4, 0, 36, 252), L(0, 28, 4, 140),
	        "matrix products of a batch");
	expect_form(CONTRACT_GEMM, 1, 4, L(9, 1, 5, 7), L(4, 8, 36, 0), L(4, 8, 0, 36), L(0, 8, 28, 4),
	        "unit dims do not count");
	expect_form(CONTRACT_LOOP, 1, 2, L(34, 7), L(4, 0), L(4, -4), L(0, 4), "a convolution is no gemv");
	expect_form(CONTRACT_POINTWISE, 9, 1, L(9), L(4), L(4), L(4), "pointwise");
	expect_form(CONTRACT_LOOP, 1, 1, L(9), L(0), L(4), L(0), "a plain sum");
}

int main(void)
{
	test_random();
	test_slides();
	test_slides_convolution();
	test_forms();

	return checks_failed > 0;
}
