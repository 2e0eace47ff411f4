/* Products of matrices against nested loops, every type, transposition and leading dimension: by OpenBLAS,
 * where there is one, and by own kernels. */

#include <complex.h>
#include <dlfcn.h>
#include <math.h>

#include "check.h"
#include "num/md/blas.h"
#include "strided.h"

enum { M = 7, N = 5, K = 6, GAP = 2, ROOM = 100 };

static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

static complex double get(enum dtype t, const void *p, long i)
{
	switch (t) {
	case DT_FLOAT32:
		return ((const float *)p)[i];
	case DT_FLOAT64:
		return ((const double *)p)[i];
	case DT_COMPLEX64:
		return ((const complex float *)p)[i];
	default:
		return ((const complex double *)p)[i];
	}
}

static void put(enum dtype t, void *p, long i, complex double v)
{
	switch (t) {
	case DT_FLOAT32:
		((float *)p)[i] = (float)creal(v);
		break;
	case DT_FLOAT64:
		((double *)p)[i] = creal(v);
		break;
	case DT_COMPLEX64:
		((complex float *)p)[i] = (complex float)v;
		break;
	default:
		((complex double *)p)[i] = v;
	}
}

/* Element (i, j) of op(A): N as it lies, T transposed, C transposed and conjugated, R conjugated. */
static complex double element(enum dtype t, char op, const void *A, long ld, long i, long j)
{
	const bool transposed = 'T' == op || 'C' == op;
	const complex double v = get(t, A, transposed ? j + i * ld : i + j * ld);

	return ('C' == op || 'R' == op) ? conj(v) : v;
}

/* Small integers: products and sums are exact, whatever their order. */
static void fill(enum dtype t, void *p)
{
	for (long i = 0; i < ROOM; i++)
		put(t, p, i, (double)(pick(9) - 4) + 1.i * (double)(pick(9) - 4));
}

static bool right(enum dtype t, char ta, char tb, double alpha, double beta)
{
	complex double A[ROOM], B[ROOM], C[ROOM], before[ROOM];
	const bool at = 'T' == ta || 'C' == ta, bt = 'T' == tb || 'C' == tb;
	const long lda = (at ? K : M) + GAP, ldb = (bt ? N : K) + GAP, ldc = M + GAP;

	fill(t, A);
	fill(t, B);
	fill(t, C);
	memcpy(before, C, sizeof C);
	blas_gemm(t, ta, tb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);

	for (long j = 0; j < N; j++)
		for (long i = 0; i < ldc; i++) { // what lies between the columns stays
			complex double want = get(t, before, i + j * ldc);

			for (long k = 0; k < K && i < M; k++)
				want = ((0 == k) ? beta * want : want) +
				       alpha * element(t, ta, A, lda, i, k) * element(t, tb, B, ldb, k, j);

			if (get(t, C, i + j * ldc) != want)
				return false;
		}

	return true;
}

static void test_all(const char *by)
{
	static const char ops[] = "NTCR";
	static const double factors[][2] = {{1, 0}, {1, 1}, {2, -3}};

	for (int i = 0; i < 4; i++)
		for (const char *ta = ops; *ta; ta++)
			for (const char *tb = ops; *tb; tb++)
				for (int f = 0; f < 3; f++)
					if (!right(types[i], *ta, *tb, factors[f][0], factors[f][1]))
						check(false, "%s: %s %c %c, %g %g", by, dtype_name(types[i]),
						        *ta, *tb, factors[f][0], factors[f][1]);

	check(0 == checks_failed, "%s: products of every type and transposition", by);
}

static void without_library(void)
{
	setenv("GANTRY_BLAS", "none", 1);
	check(!blas_available(), "GANTRY_BLAS=none");
	test_all("own kernels");
	fflush(stdout);
	_exit(checks_failed > 0);
}

int main(void)
{
	char text[4096];
	const int status = status_of(without_library, text, sizeof text);

	check(0 == status, "own kernels%s", text);

	if (dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)) {
		check(blas_available(), "OpenBLAS is found");
		test_all("OpenBLAS");
	} else {
		test_all("without OpenBLAS");
	}

	return checks_failed > 0;
}
