/* cuBLAS, opened on first use; in the emulator the CPU's products replace it. */

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "num/device/cuda/gpu.h"
#include "num/device/cuda/worker.h"
#include "num/md/cuda/blas.h"

extern "C" {
#include "misc/mem.h"
#include "num/device/cuda/settings.h"
#include "num/md/blas.h"
}

/** C += op(X) op(Y): column-major, sizes and steps in elements, `batch` of them. */
struct product {
	enum dtype type;
	char opx, opy; // N, T, C
	long m, n, k, ldx, ldy, ldc, sx, sy, sc, batch;
	const void *x, *y;
	void *c;
};

static bool is_refused(void)
{
	const char *wanted = getenv("GANTRY_CUBLAS");

	return NULL != wanted && 0 == strcmp("none", wanted);
}

#ifndef GANTRY_EMULATE

enum { NO_TRANS, TRANS, CONJ_TRANS }; // cublasOperation_t

typedef int gemm_fn(void *handle, int opx, int opy, int m, int n, int k, const void *alpha, const void *x,
        int ldx, long long sx, const void *y, int ldy, long long sy, const void *beta, void *c, int ldc,
        long long sc, int batch);
typedef int saxpy_fn(void *handle, int n, const float *a, const float *x, int incx, float *y, int incy);

static struct {
	bool there;
	void *lib;
	int (*create)(void **handle);
	int (*set_stream)(void *handle, cudaStream_t s);
	gemm_fn *gemm[4]; // float32, float64, complex64, complex128
	saxpy_fn *saxpy;
	void *handle[GPU_WORKERS_MOST]; // of each worker: a handle is for one thread and stream at a time
} cublas;

static void *symbol(const char *name)
{
	void *p = dlsym(cublas.lib, name);

	if (NULL == p)
		verbose("cuBLAS has no %s; own kernels multiply matrices", name);

	return p;
}

static void open_library(void)
{
	static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
	        "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"};
	static const char *const gemms[] = {"cublasSgemmStridedBatched", "cublasDgemmStridedBatched",
	        "cublasCgemmStridedBatched", "cublasZgemmStridedBatched"};

	if (is_refused())
		return;

	for (size_t i = 0; i < sizeof names / sizeof *names && NULL == cublas.lib; i++)
		cublas.lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

	if (NULL == cublas.lib) {
		verbose("cuBLAS cannot be opened (%s); own kernels multiply matrices", dlerror());
		return;
	}

	*(void **)&cublas.create = symbol("cublasCreate_v2");
	*(void **)&cublas.set_stream = symbol("cublasSetStream_v2");
	*(void **)&cublas.saxpy = symbol("cublasSaxpy_v2");
	cublas.there = cublas.create && cublas.set_stream && cublas.saxpy;

	for (int i = 0; i < 4; i++) {
		*(void **)&cublas.gemm[i] = symbol(gemms[i]);
		cublas.there = cublas.there && cublas.gemm[i];
	}
}

/** The library's state for the worker; NULL: there is no library. */
static void *handle(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	void **h = &cublas.handle[gpu_worker()];

	gpu_enter();
	pthread_once(&once, open_library);

	if (!cublas.there)
		return NULL;

	if (NULL == *h) {
		const int e = cublas.create(h);

		if (0 != e)
			error("cuBLAS: error %d when it starts (GANTRY_CUBLAS=none avoids it)", e);
	}

	cublas.set_stream(*h, gpu_stream());

	return *h;
}

static int operation(char op)
{
	return ('N' == op) ? NO_TRANS : ('T' == op) ? TRANS : CONJ_TRANS;
}

static bool multiply(const struct product *p)
{
	static const float one32[2] = {1, 0};
	static const double one64[2] = {1, 0};
	void *h = handle();

	if (NULL == h)
		return false;

	const int row = (DT_FLOAT32 == p->type)     ? 0
	                : (DT_FLOAT64 == p->type)   ? 1
	                : (DT_COMPLEX64 == p->type) ? 2
	                                            : 3;
	const void *one = (row & 1) ? (const void *)one64 : (const void *)one32;
	const int e = cublas.gemm[row](h, operation(p->opx), operation(p->opy), (int)p->m, (int)p->n,
	        (int)p->k, one, p->x, (int)p->ldx, p->sx, p->y, (int)p->ldy, p->sy, one, p->c, (int)p->ldc,
	        p->sc, (int)p->batch);

	if (0 != e)
		error("cuBLAS: error %d of a product of %ld x %ld and %ld x %ld matrices (GANTRY_CUBLAS=none "
		      "avoids it)",
		        e, p->m, p->k, p->k, p->n);

	return true;
}

extern "C" bool gpu_blas_saxpy(long n, float a, const float *x, float *y)
{
	void *h = handle();

	return NULL != h && n <= INT_MAX && 0 == cublas.saxpy(h, (int)n, &a, x, 1, y, 1);
}

#else

static void *fetch(const void *p, long ld, long columns, size_t size)
{
	void *host = mem_alloc((size_t)(ld * columns) * size);

	device_copy(host, p, (size_t)(ld * columns) * size);

	return host;
}

static bool multiply(const struct product *p)
{
	const size_t size = dtype_size(p->type);

	if (is_refused())
		return false;

	for (long b = 0; b < p->batch; b++) {
		char *c = (char *)p->c + b * p->sc * (long)size;
		const long rows = ('N' == p->opx) ? p->k : p->m, cols = ('N' == p->opy) ? p->n : p->k;
		void *x = fetch((const char *)p->x + b * p->sx * (long)size, p->ldx, rows, size);
		void *y = fetch((const char *)p->y + b * p->sy * (long)size, p->ldy, cols, size);
		void *z = fetch(c, p->ldc, p->n, size);

		blas_gemm(p->type, p->opx, p->opy, p->m, p->n, p->k, 1, x, p->ldx, y, p->ldy, 1, z, p->ldc);

		for (long i = 0; i < p->n; i++)
			device_copy(c + i * p->ldc * (long)size, (char *)z + i * p->ldc * (long)size,
			        (size_t)p->m * size);

		free(x);
		free(y);
		free(z);
	}

	return true;
}

extern "C" bool gpu_blas_saxpy(long n, float a, const float *x, float *y)
{
	(void)n, (void)a, (void)x, (void)y;

	return false;
}

#endif

/** How a matrix lies whose rows and columns are so many elements apart: N or T and its leading dimension, at
 * least as many elements as its columns or rows have; 0: neither. */
static char orientation(long row, long col, long rows, long cols, long *ld)
{
	if (1 == row && col >= rows) {
		*ld = col;
		return 'N';
	}

	*ld = row;

	return (1 == col && row >= cols) ? 'T' : 0;
}

/** The steps of a batch dim as elements; false when they are none. */
static bool batch_steps(const struct loop *l, int dim, long size, long step[3])
{
	for (int k = 0; k < 3; k++) {
		step[k] = l->strs[k][dim] / size;

		if (0 != l->strs[k][dim] % size || 0 > step[k])
			return false;
	}

	return true;
}

extern "C" bool gpu_blas_gemm(const struct gemm_job *j, const struct loop_pointers *ptr)
{
	const long size = (long)dtype_size(j->type);
	const bool turned = 1 != j->o_row; // then the transposed product is computed
	struct product p;
	long step[3] = {0, 0, 0};

	memset(&p, 0, sizeof p);
	p.type = j->type;
	p.m = turned ? j->n : j->m;
	p.n = turned ? j->m : j->n;
	p.k = j->k;
	p.ldc = turned ? j->o_row : j->o_col;
	p.opx = turned ? orientation(j->b_col, j->b_term, j->n, j->k, &p.ldx)
	               : orientation(j->a_row, j->a_term, j->m, j->k, &p.ldx);
	p.opy = turned ? orientation(j->a_term, j->a_row, j->k, j->m, &p.ldy)
	               : orientation(j->b_term, j->b_col, j->k, j->n, &p.ldy);

	if (j->out_type != j->type || 0 == p.opx || 0 == p.opy || (turned && 1 != j->o_col) || p.ldc < p.m)
		return false;

	char *conjugated = turned ? &p.opx : &p.opy;

	if (j->conj_b && 'T' != *conjugated)
		return false;

	if (j->conj_b)
		*conjugated = 'C';

	for (int d = 0; d < j->batch.D; d++)
		if (!batch_steps(&j->batch, d, size, step))
			return false;

	if (p.m > INT_MAX || p.n > INT_MAX || p.k > INT_MAX || p.ldx > INT_MAX || p.ldy > INT_MAX ||
	        p.ldc > INT_MAX)
		return false;

	p.batch = (0 < j->batch.D) ? j->batch.dims[0] : 1;

	if (0 < j->batch.D)
		batch_steps(&j->batch, 0, size, step);

	p.sc = step[0];
	p.sx = turned ? step[2] : step[1];
	p.sy = turned ? step[1] : step[2];

	if (p.batch > INT_MAX)
		return false;

	long pos[DIMS] = {0}, at[3] = {0, 0, 0};
	const long pieces = (0 < p.batch) ? j->batch.count / p.batch : 0;

	for (long i = 0; i < pieces; i++) {
		p.c = ptr->p[0] + at[0];
		p.x = ptr->p[turned ? 2 : 1] + at[turned ? 2 : 1];
		p.y = ptr->p[turned ? 1 : 2] + at[turned ? 1 : 2];

		if (!multiply(&p))
			return false; // the first: there is no library

		for (int d = 1; d < j->batch.D; d++) {
			const bool wrap = ++pos[d] == j->batch.dims[d];

			for (int k = 0; k < 3; k++)
				at[k] += (wrap ? 1 - j->batch.dims[d] : 1) * j->batch.strs[k][d];

			if (!wrap)
				break;

			pos[d] = 0;
		}
	}

	return true;
}
