#include "num/bench/bench_blas.h"

#include <dlfcn.h>
#include <stddef.h>

#include "misc/options/opt.h"
#include "num/bench/bench.h"

enum { COL_MAJOR = 102, NO_TRANS = 111, TRANS = 112 };

struct bench_blas {
	void (*set_threads)(int n);
	void (*saxpy)(int n, float a, const float *x, int incx, float *y, int incy);
	void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *A, int lda,
	        const float *B, int ldb, float beta, float *C, int ldc);
	void (*sgemv)(int order, int ta, int m, int n, float alpha, const float *A, int lda, const float *x,
	        int incx, float beta, float *y, int incy);
};

/* dlsym() returns function pointers as data pointers. */
#define FIND(b, lib, member, name) (*(void **)&(b)->member = dlsym(lib, name), NULL != (b)->member)

const struct bench_blas *bench_blas_open(void)
{
	static struct bench_blas b;

	if (b.saxpy)
		return &b;

	void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

	if (lib && FIND(&b, lib, set_threads, "openblas_set_num_threads") &&
	        FIND(&b, lib, sgemm, "cblas_sgemm") && FIND(&b, lib, sgemv, "cblas_sgemv") &&
	        FIND(&b, lib, saxpy, "cblas_saxpy"))
		return &b;

	b.saxpy = NULL;
	bench_note("OpenBLAS left out: libopenblas.so.0 not found");

	return NULL;
}

void bench_blas_saxpy(const struct bench_blas *b, long n, float a, const float *x, float *y)
{
	b->set_threads(tool_threads());

	for (const long most = 1 << 30; n > 0; n -= most, x += most, y += most) // its sizes are ints
		b->saxpy((int)(n < most ? n : most), a, x, 1, y, 1);

	b->set_threads(1);
}

void bench_blas_sgemm(
        const struct bench_blas *b, long m, long n, long k, const float *A, const float *B, float *C)
{
	b->set_threads(tool_threads());
	b->sgemm(
	        COL_MAJOR, NO_TRANS, NO_TRANS, (int)m, (int)n, (int)k, 1, A, (int)m, B, (int)k, 0, C, (int)m);
	b->set_threads(1);
}

void bench_blas_sgemv(
        const struct bench_blas *b, int transposed, long m, long n, const float *A, const float *x, float *y)
{
	b->set_threads(tool_threads());
	b->sgemv(COL_MAJOR, transposed ? TRANS : NO_TRANS, (int)m, (int)n, 1, A, (int)m, x, 1, 0, y, 1);
	b->set_threads(1);
}
