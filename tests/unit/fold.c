/* Folds of blocks: the same results along either axis, in one piece or merged from two, and whether
 * accumulators are wide, because many terms are announced, or not; against plain loops over small integers.
 */

#include <complex.h>
#include <math.h>

#include "check.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/shape/fold.h"

enum { N = 24, M = 20, K = 6 }; // reduced, kept, reduced

static const struct fold_spec specs[] = {
        {.red = RED_SUM},
        {.red = RED_MEAN},
        {.red = RED_MIN},
        {.red = RED_MAX},
        {.red = RED_MIN, .magnitude = true},
        {.red = RED_MAX, .magnitude = true},
        {.red = RED_NORM},
        {.red = RED_NORM1},
        {.red = RED_DOT},
        {.red = RED_DOT, .plain = true},
        {.red = RED_SUM, .as_float = true},
        {.red = RED_MEAN, .as_float = true},
};

static const enum dtype types[] = {DT_UINT8, DT_INT16, DT_INT32, DT_UINT32, DT_INT64, DT_UINT64, DT_FLOAT32,
        DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128, DT_BOOL};

/* Elements of that type as complex128; magnitudes are integers. */
static void make(enum dtype t, int seed, complex double *x)
{
	const bool is_complex = dtype_is_complex(t),
	           minus = !dtype_is_integer(t) || (DT_INT8 <= t && DT_INT64 >= t);

	for (int i = 0; i < N * M * K; i++) {
		const int v = (i * 7 + i / 11 * 5 + seed) % 19 - (minus ? 9 : 0);

		x[i] = (DT_BOOL == t) ? v % 2 : is_complex ? v * (3. + 4.i) : (double)v;
	}
}

static complex double expected(struct fold_spec s, const complex double *a, const complex double *b, int kept)
{
	complex double sum = 0;
	double extreme = (RED_MIN == s.red) ? INFINITY : -INFINITY;

	for (int k = 0; k < K; k++)
		for (int n = 0; n < N; n++) {
			const complex double x = a[n + N * (kept + M * k)], y = b[n + N * (kept + M * k)];
			const double size = s.magnitude ? cabs(x) : creal(x);

			sum += (RED_DOT == s.red)     ? x * (s.plain ? y : conj(y))
			       : (RED_NORM == s.red)  ? x * conj(x)
			       : (RED_NORM1 == s.red) ? cabs(x)
			                              : x;
			extreme = (RED_MIN == s.red) ? fmin(extreme, size) : fmax(extreme, size);
		}

	if (RED_MIN == s.red || RED_MAX == s.red)
		return extreme;

	return (RED_MEAN == s.red)   ? creal(sum) / (N * K) + cimag(sum) / (N * K) * 1.i
	       : (RED_NORM == s.red) ? sqrt(creal(sum))
	                             : sum;
}

/* The kept dim of M is inside: then it is a row of them that goes through the kernels. */
static bool right(struct fold_spec s, enum dtype t, bool lines, long terms)
{
	static complex double a[N * M * K], b[N * M * K];
	static char buf[FOLD_SCRATCH], in[2][16 * N * M * K], acc[2][16 * M];
	const enum dtype of[] = {t, t};
	struct fold_block block = {0};
	struct fold f;
	complex double got[M];

	fold_init(&f, s, lines, of, terms, "test");
	make(t, 1, a);
	make(t, 5, b);
	fold_block_add(&block, lines ? N : M, lines);
	fold_block_add(&block, lines ? M : N, !lines);

	for (int k = 0; k < K; k++) { // the odd ones apart, to be merged
		const void *p[2] = {in[0], in[1]};

		for (int i = 0; i < N * M; i++) {
			const int from = (lines ? i : i / M + i % M * N) + k * N * M;

			convert(f.load, in[0] + (size_t)i * dtype_size(f.load), DT_COMPLEX128, &a[from], 1,
			        NARROW_SATURATE);
			convert(f.load, in[1] + (size_t)i * dtype_size(f.load), DT_COMPLEX128, &b[from], 1,
			        NARROW_SATURATE);
		}

		if (k < 2)
			fold_start(&f, M, acc[k]);

		fold_block(&f, &block, 0, acc[k % 2], p, buf);
	}

	fold_merge(&f, M, acc[0], acc[1]);
	fold_finish(&f, M, N * K, acc[0]);
	convert(DT_COMPLEX128, got, f.value, acc[0], M, NARROW_SATURATE);

	for (int m = 0; m < M; m++)
		if (got[m] != expected(s, a, b, m))
			return false;

	return true;
}

int main(void)
{
	for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++)
		for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
			const struct fold_spec s = specs[k];
			const bool extreme = RED_MIN == s.red || RED_MAX == s.red;

			if (extreme && !s.magnitude && dtype_is_complex(types[i]))
				continue;

			for (int way = 0; way < 4; way++)
				check(right(s, types[i], way % 2, (way < 2) ? N * K : 1L << 40),
				        "%s%s%s of %s by %s%s", reduction_name(s.red),
				        s.magnitude ? " of magnitudes"
				        : s.plain   ? ", plain"
				                    : "",
				        s.as_float ? " as float64" : "", dtype_name(types[i]),
				        (way % 2) ? "lines" : "rows", (way < 2) ? "" : ", wide");
		}

	return checks_failed > 0;
}
