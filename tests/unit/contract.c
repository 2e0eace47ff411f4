/* Contractions against nested loops in long double: every type, random dims and steps, all shapes that have a
 * name; tensor and matrix products; convolutions by strides and by Fourier transforms. */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "num/fft/convolve.h"
#include "num/md/contract.h"
#include "num/md/flpmath.h"
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

		for (int round = 0; round < fewer(20000); round++) {
			long dims[DIMS];
			int D = random_dims(dims, 4, 5);

			omp_set_num_threads(1 + round % 3);
			small = small && fmac_once(types[k], round % 2, D, dims, true);
		}

		for (int round = 0; round < fewer(60); round++) {
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

/* ---- tensor and matrix products ---- */

static void test_tenmul(void)
{
	bool good = true;

	for (int round = 0; round < fewer(2000); round++) {
		enum dtype t = types[round % 4];
		long dims[DIMS], d[3][DIMS], zeros[3][DIMS];
		int D = random_dims(dims, 4, 6);
		struct strided x[3];

		for (int k = 0; k < 3; k++) {
			md_select_dims(D, (unsigned long)pick(1 << D), d[k], dims);
			x[k] = strided_make(D, d[k], dtype_size(t), false);
			fill(t, x[k].buffer, x[k].bytes, true);
			md_select_strides(D, md_nontriv_dims(D, d[k]), zeros[k], x[k].strs);
		}

		bool conj_b = 0 == pick(2);
		struct strided out = x[0], a = x[1], b = x[2];

		md_tenmul_t(t, conj_b, D, d[0], out.strs, out.first, d[1], a.strs, a.first, d[2], b.strs,
		        b.first);

		char *before = mem_calloc(out.bytes, 1);
		long all[DIMS];

		md_tenmul_dims(D, all, d[0], d[1], d[2]);
		md_copy_strides(D, out.strs, zeros[0]);
		md_copy_strides(D, a.strs, zeros[1]);
		md_copy_strides(D, b.strs, zeros[2]);
		good = good && 0. == deviation(t, conj_b, D, all, &out, before, &a, &b);
		free(before);

		for (int k = 0; k < 3; k++)
			free(x[k].buffer);
	}

	check(good, "tenmul: random dims, each in any of the operands");
}

static void test_matmul(void)
{
	bool good = true;

	for (int round = 0; round < fewer(300); round++) {
		enum { AT_MOST = 60 };
		long m = 1 + pick(AT_MOST), n = 1 + pick(AT_MOST), k = 1 + pick(AT_MOST), batch = 1 + pick(3);
		bool shared = 0 == pick(2), conj_b = 0 == pick(2);
		const long ad[] = {m, k, shared ? 1 : batch}, bd[] = {k, n, batch};
		long od[3];
		complex float *a = md_alloc(3, ad, sizeof *a), *b = md_alloc(3, bd, sizeof *b);

		md_matmul_dims(3, od, ad, bd);

		complex float *c = md_alloc(3, od, sizeof *c);

		fill(DT_COMPLEX64, (char *)a, (size_t)md_calc_size(3, ad) * sizeof *a, true);
		fill(DT_COMPLEX64, (char *)b, (size_t)md_calc_size(3, bd) * sizeof *b, true);

		if (conj_b)
			md_zmatmulc(3, od, c, ad, a, bd, b);
		else
			md_zmatmul(3, od, c, ad, a, bd, b);

		for (long l = 0; l < batch; l++)
			for (long j = 0; j < n; j++)
				for (long i = 0; i < m; i++) {
					complex double sum = 0;

					for (long q = 0; q < k; q++) {
						complex double y = b[q + k * (j + n * l)];

						sum += a[i + m * (q + k * (shared ? 0 : l))] *
						       (conj_b ? conj(y) : y);
					}

					good = good && sum == c[i + m * (j + n * l)];
				}

		md_free(a);
		md_free(b);
		md_free(c);
	}

	check(good, "matmul: batches, a matrix that serves all, conjugated");
}

/** Products of 300 x 280 x 290, operands in rows or columns, with gaps or not. */
static void test_large_products(void)
{
	for (int k = 0; k < 4; k++) {
		const long dims[] = {300, 280, 290};
		size_t size = dtype_size(types[k]);
		double worst = 0;

		for (int c = 0; c < 8; c++) {
			const long od[] = {300, 280, 1}, ad[] = {300, 1, 290}, bd[] = {1, 280, 290};
			struct strided out = strided_make(3, od, size, false),
			               a = strided_make(3, ad, size, false),
			               b = strided_make(3, bd, size, false);
			char *before = mem_alloc(out.bytes);

			out.strs[2] = a.strs[1] = b.strs[0] = 0;
			fill(types[k], out.buffer, out.bytes, false);
			fill(types[k], a.buffer, a.bytes, false);
			fill(types[k], b.buffer, b.bytes, false);
			memcpy(before, out.buffer, out.bytes);
			md_fmac_t(types[k], c % 2, 3, dims, out.strs, out.first, a.strs, a.first, b.strs,
			        b.first);

			if (0 == c || 3 == c)
				worst = fmax(
				        worst, deviation(types[k], c % 2, 3, dims, &out, before, &a, &b));

			free(before);
			free(out.buffer);
			free(a.buffer);
			free(b.buffer);
		}

		check(worst < ((0 == k % 2) ? 1e-6 : 1e-15),
		        "fmac2: %s, matrices of 300 x 280, deviation %.1e", dtype_name(types[k]), worst);
	}
}

/** Whether 1, 2 and 7 threads write the same bytes. */
static void same_for_threads(const long dims[3], const long ostrs[3], const char *name)
{
	const long n[3] = {1, 2, 7};
	const long od[3] = {
	        0 == ostrs[0] ? 1 : dims[0], 0 == ostrs[1] ? 1 : dims[1], 0 == ostrs[2] ? 1 : dims[2]};
	const long all[1] = {md_calc_size(3, dims)};
	float *a = md_alloc(1, all, S), *b = md_alloc(1, all, S), *out[3];
	long strs[3];
	bool good = true;

	md_calc_strides(3, strs, dims, S);
	fill(DT_FLOAT32, (char *)a, (size_t)all[0] * S, false);
	fill(DT_FLOAT32, (char *)b, (size_t)all[0] * S, false);

	for (int k = 0; k < 3; k++) {
		out[k] = md_calloc(3, od, S);
		omp_set_num_threads((int)n[k]);
		md_fmac2(3, dims, ostrs, out[k], strs, a, strs, b);
		good = good && md_compare(3, od, out[0], out[k], S);
	}

	for (int k = 0; k < 3; k++)
		md_free(out[k]);

	md_free(a);
	md_free(b);
	check(good, "threads: same bits, %s", name);
}

static void test_threads(void)
{
	const long d[3] = {200, 70, 90};

	same_for_threads(d, L(0, 0, 0), "one sum");
	same_for_threads(d, L(S, 0, 0), "sums of rows");
	same_for_threads(d, L(0, S, 0), "sums of columns");
	same_for_threads(d, L(S, 0, 200 * S), "sums in the middle");

	enum { N = 300, K = 5000 };
	float *a = md_alloc(2, L(N, K), S), *b = md_alloc(2, L(K, N), S), *c[2];
	bool good = true;

	fill(DT_FLOAT32, (char *)a, sizeof(float) * N * K, false);
	fill(DT_FLOAT32, (char *)b, sizeof(float) * N * K, false);

	for (int k = 0; k < 2; k++) {
		c[k] = md_alloc(2, L(N, N), S);
		omp_set_num_threads(1 + 2 * k);
		md_matmul(2, L(N, N), c[k], L(N, K), a, L(K, N), b);
		good = good && md_compare(2, L(N, N), c[0], c[k], S);
	}

	check(good, "threads: same bits, a matrix product with a long sum");
	md_free(a);
	md_free(b);
	md_free(c[0]);
	md_free(c[1]);
}

/* ---- convolutions ---- */

/** The definition, for one output. */
static complex double convolved(enum dtype t, unsigned mode, int D, unsigned long flags, const long centre[],
        const long o[], const struct strided *k, const long kdims[], const struct strided *in,
        const long idims[])
{
	long tap[DIMS] = {0};
	complex double sum = 0;

	do {
		long at[DIMS], kat[DIMS];
		bool inside = true;

		for (int d = 0; d < D; d++) {
			bool along = flags & 1ul << d;
			long i = !along                    ? o[d]
			         : (mode & CONV_CORRELATE) ? o[d] - centre[d] + tap[d]
			                                   : o[d] + centre[d] - tap[d];

			if (along && (mode & CONV_PERIODIC))
				i = (i % idims[d] + idims[d]) % idims[d];

			inside = inside && 0 <= i && i < idims[d];
			at[d] = i;
			kat[d] = along ? tap[d] : (1 == kdims[d]) ? 0 : o[d];
		}

		if (inside) {
			complex double w = get(t, strided_at(k, D, kat));

			sum += get(t, strided_at(in, D, at)) * ((mode & CONV_CONJ) ? conj(w) : w);
		}
	} while (md_next(D, kdims, flags, tap));

	return sum;
}

static double convolve_once(
        enum dtype t, bool by_fft, unsigned mode, int D, const long idims[], long most_taps)
{
	long odims[DIMS], kdims[DIMS], centre[DIMS], pos[DIMS] = {0};
	unsigned long flags = (unsigned long)pick(1 << D);
	double worst = 0, norm = 1e-30;

	for (int d = 0; d < D; d++) {
		bool along = flags & 1ul << d;

		kdims[d] = along ? 1 + pick(most_taps) : (by_fft || pick(2)) ? 1 : idims[d];
		odims[d] = along ? 1 + pick(idims[d] + kdims[d]) : idims[d];
		centre[d] = along ? pick(kdims[d] + 1) : 0;
	}

	struct strided out = strided_make(D, odims, dtype_size(t), false);
	struct strided in = strided_make(D, idims, dtype_size(t), false);
	struct strided k = strided_make(D, kdims, dtype_size(t), false);

	fill(t, in.buffer, in.bytes, true);
	fill(t, k.buffer, k.bytes, true);
	(by_fft ? md_convolve_fft_t : md_convolve_t)(t, mode, D, flags, centre, odims, out.strs, out.first,
	        kdims, k.strs, k.first, idims, in.strs, in.first);

	do {
		complex double want = convolved(t, mode, D, flags, centre, pos, &k, kdims, &in, idims);
		double d = cabs(want - get(t, strided_at(&out, D, pos)));

		worst = (d <= worst) ? worst : d;
		norm = fmax(norm, cabs(want));
	} while (md_next(D, odims, ~0ul, pos));

	free(out.buffer);
	free(in.buffer);
	free(k.buffer);

	return by_fft ? worst / fmax(norm, 10) : worst;
}

static void test_convolve(void)
{
	for (int by_fft = 0; by_fft < 2; by_fft++)
		for (int k = 0; k < 4; k++) {
			double worst = 0;

			for (int round = 0; round < fewer(by_fft ? 120 : 1000); round++) {
				long dims[DIMS];
				int D = random_dims(dims, 3, 9);
				double d = convolve_once(
				        types[k], by_fft, (unsigned)pick(8), D, dims, round % 9 + 1);

				worst = (d <= worst) ? worst : d;
			}

			check(worst <= (!by_fft          ? 0.
			                       : (k % 2) ? 1e-14
			                                 : 5e-6),
			        "convolve%s: %s, random sizes, centres, modes and steps, deviation %.1e",
			        by_fft ? " by transforms" : "", dtype_name(types[k]), worst);
		}
}

static void test_conv_modes(void)
{
	const float in[5] = {1, 2, 3, 4, 5}, k[3] = {1, 10, 100};
	const float full[7] = {1, 12, 123, 234, 345, 450, 500}, *want[] = {full, full + 1, full + 2, full};
	const long n[] = {7, 5, 3, 5};
	float out[7];

	for (int mode = CONV_FULL; mode <= CONV_CAUSAL; mode++) {
		md_conv((enum conv_mode)mode, 1, 1, &n[mode], out, L(3), k, L(5), in);
		check(0 == memcmp(out, want[mode], (size_t)n[mode] * sizeof out[0]),
		        "conv: mode %d is a part of the full one", mode);
	}

	md_conv(CONV_CYCLIC, 1, 1, L(5), out, L(3), k, L(5), in);
	check(512 == out[0] && 451 == out[4], "conv: cyclic wraps");
	md_corr(CONV_FULL, 1, 1, L(7), out, L(3), k, L(5), in);
	check(100 == out[0] && 210 == out[1] && 5 == out[6], "corr: the kernel from its end");
}

static void too_long_kernel(void)
{
	float x[3] = {0}, out[3];

	md_conv(CONV_VALID, 1, 1, L(1), out, L(3), x, L(2), x);
}

static void unequal_matrices(void)
{
	float x[6] = {0}, out[9];

	md_matmul(2, L(3, 3), out, L(3, 2), x, L(3, 2), x);
}

int main(void)
{
	test_random();
	test_slides();
	test_slides_convolution();
	test_forms();
	test_tenmul();
	test_matmul();
	test_large_products();
	test_threads();
	test_convolve();
	test_conv_modes();
	check_ends(1, "kernel of 3", too_long_kernel, "conv: a kernel longer than a valid input is an error");
	check_ends(1, "2 columns", unequal_matrices, "matmul: sizes that do not fit are an error");

	return checks_failed > 0;
}
