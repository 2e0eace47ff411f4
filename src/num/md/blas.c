/* OpenBLAS, opened on first use: a command without matrix products starts without it. */

#include <complex.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "num/kern/kern.h"
#include "num/md/blas.h"
#include "num/md/flpmath.h"

enum { COL_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113, CONJ_NO_TRANS = 114 };

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

static void *opened; // the library
static bool available;

static void *symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	if (NULL == p)
		verbose("%s: has no %s; own kernels multiply matrices", library, name);

	return p;
}

/** Releases older than AMD's AVX-512 take such a processor for one without: half the speed. */
static void use_avx512(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_is("amd") && 0 == strcmp("avx512", kern_isa()))
		setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
#endif
}

static void open_library(void)
{
	const char *wanted = getenv("GANTRY_BLAS");

	if (NULL != wanted && 0 == strcmp("none", wanted))
		return;

	setenv("OPENBLAS_NUM_THREADS", "1", 1); // before it starts any
	use_avx512();

	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (NULL == lib) {
		verbose("%s: cannot be opened (%s); own kernels multiply matrices", library, dlerror());
		return;
	}

	void (*set_threads)(int) = (void (*)(int))symbol(lib, "openblas_set_num_threads");

	blas.sgemm = (real_f32 *)symbol(lib, "cblas_sgemm");
	blas.dgemm = (real_f64 *)symbol(lib, "cblas_dgemm");
	blas.cgemm = (complex_any *)symbol(lib, "cblas_cgemm");
	blas.zgemm = (complex_any *)symbol(lib, "cblas_zgemm");
	available = set_threads && blas.sgemm && blas.dgemm && blas.cgemm && blas.zgemm;

	if (available)
		set_threads(1);

	opened = lib;
}

bool blas_available(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);

	return available;
}

void *blas_function(const char *name)
{
	return blas_available() ? dlsym(opened, name) : NULL;
}

static int transposition(char c)
{
	return ('N' == c) ? NO_TRANS : ('T' == c) ? TRANS : ('C' == c) ? CONJ_TRANS : CONJ_NO_TRANS;
}

static int narrow_size(long n)
{
	if (n > INT_MAX)
		error("a matrix has %ld rows or columns, expected at most %d", n, INT_MAX);

	return (int)n;
}

/** C = beta C + alpha op(A) op(B) by the contraction kernels; conj(A) B is the conjugate of A conj(B). */
static void own_gemm(enum dtype t, char ta, char tb, long m, long n, long k, double alpha, const void *A,
        long lda, const void *B, long ldb, double beta, void *C, long ldc)
{
	const long s = (long)dtype_size(t), dims[3] = {m, n, k}, cdims[2] = {m, n};
	const long cs[2] = {s, ldc * s}, ts[3] = {s, m * s, 0};
	bool at = 'T' == ta || 'C' == ta, bt = 'T' == tb || 'C' == tb;
	bool ac = 'R' == ta || 'C' == ta, bc = 'R' == tb || 'C' == tb;
	const long as[3] = {at ? lda * s : s, 0, at ? s : lda * s};
	const long bs[3] = {0, bt ? s : ldb * s, bt ? ldb * s : s};
	void *product = md_calloc(2, cdims, (size_t)s);

	if (ac && !bc)
		md_fmac_t(t, true, 3, dims, ts, product, bs, B, as, A);
	else
		md_fmac_t(t, bc && !ac, 3, dims, ts, product, as, A, bs, B);

	if (ac && bc)
		md_apply1(OP_CONJ, t, 2, cdims, ts, product, ts, product);

	if (0. == beta)
		md_clear2(2, cdims, cs, C, (size_t)s);
	else if (1. != beta)
		md_smul_t(t, 2, cdims, cs, C, cs, C, beta);

	md_axpy_t(t, 2, cdims, cs, C, alpha, ts, product);
	md_free(product);
}

void blas_gemm(enum dtype type, char transa, char transb, long m, long n, long k, double alpha, const void *A,
        long lda, const void *B, long ldb, double beta, void *C, long ldc)
{
	if (!blas_available()) {
		own_gemm(type, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
		return;
	}

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
		error("products of %s matrices are not supported, expected float32, float64, complex64 or "
		      "complex128",
		        dtype_name(type));
	}
}
