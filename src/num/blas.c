/* OpenBLAS, opened on first use: a command that multiplies no matrices starts without it. */

#include <complex.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "misc/error.h"
#include "num/blas.h"

enum { COL_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };

typedef void real_f32(int order, int ta, int tb, int m, int n, int k, float alpha, const void *A, int lda,
        const void *B, int ldb, float beta, void *C, int ldc);
typedef void real_f64(int order, int ta, int tb, int m, int n, int k, double alpha, const void *A, int lda,
        const void *B, int ldb, double beta, void *C, int ldc);
typedef void complex_any(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *A,
        int lda, const void *B, int ldb, const void *beta, void *C, int ldc);

static struct {
	real_f32 *sgemm;
	real_f64 *dgemm;
	complex_any *cgemm, *zgemm;
} blas;

static const char library[] = "libopenblas.so.0";

static void *symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	if (NULL == p)
		error("%s: has no %s, expected OpenBLAS with its C interface", library, name);

	return p;
}

static void open_library(void)
{
	setenv("OPENBLAS_NUM_THREADS", "1", 1); // before it starts any

	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (NULL == lib)
		error("%s: cannot be opened (%s), expected OpenBLAS (Debian: apt install libopenblas0)",
		        library, dlerror());

	void (*set_threads)(int) = (void (*)(int))symbol(lib, "openblas_set_num_threads");

	set_threads(1);
	blas.sgemm = (real_f32 *)symbol(lib, "cblas_sgemm");
	blas.dgemm = (real_f64 *)symbol(lib, "cblas_dgemm");
	blas.cgemm = (complex_any *)symbol(lib, "cblas_cgemm");
	blas.zgemm = (complex_any *)symbol(lib, "cblas_zgemm");
}

static int transposition(char c)
{
	return ('N' == c) ? NO_TRANS : ('T' == c) ? TRANS : CONJ_TRANS;
}

static int narrow_size(long n)
{
	if (n > INT_MAX)
		error("a matrix of %ld rows or columns, expected at most %d", n, INT_MAX);

	return (int)n;
}

void blas_gemm(enum dtype type, char transa, char transb, long m, long n, long k, double alpha, const void *A,
        long lda, const void *B, long ldb, double beta, void *C, long ldc)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);

	int ta = transposition(transa), tb = transposition(transb);
	int im = narrow_size(m), in = narrow_size(n), ik = narrow_size(k);
	int ia = narrow_size(lda), ib = narrow_size(ldb), ic = narrow_size(ldc);
	complex float a32 = (float)alpha, b32 = (float)beta;
	complex double a64 = alpha, b64 = beta;

	switch (type) {
	case DT_FLOAT32:
		blas.sgemm(COL_MAJOR, ta, tb, im, in, ik, (float)alpha, A, ia, B, ib, (float)beta, C, ic);
		break;
	case DT_FLOAT64:
		blas.dgemm(COL_MAJOR, ta, tb, im, in, ik, alpha, A, ia, B, ib, beta, C, ic);
		break;
	case DT_COMPLEX64:
		blas.cgemm(COL_MAJOR, ta, tb, im, in, ik, &a32, A, ia, B, ib, &b32, C, ic);
		break;
	case DT_COMPLEX128:
		blas.zgemm(COL_MAJOR, ta, tb, im, in, ik, &a64, A, ia, B, ib, &b64, C, ic);
		break;
	default:
		error("a product of %s matrices, expected float32, float64, complex64 or complex128",
		        dtype_name(type));
	}
}
