/** Vectors, strided arrays and Fourier transforms on the GPU. */

#include "num/bench/bench_gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/mem.h"
#include "num/bench/bench.h"
#include "num/device/device.h"
#include "num/fft/fft.h"
#include "num/md/contract.h"
#include "num/md/flpmath.h"

/* Arrays on the GPU, of n = size^3 float32 each. */
struct work {
	long size, n, dims[3];
	float *x, *y, *out;
	int order[3];        // permutations
	unsigned long flags; // dims that are reduced or transformed
	long part[3];        // matrices
	double value;
};

static float *device_random(long n, unsigned long seed)
{
	const size_t bytes = (size_t)n * sizeof(float);
	float *host = bench_random(n, seed), *p = device_alloc(bytes);

	device_copy(p, host, bytes);
	free(host);

	return p;
}

/** Whether so many arrays of size^3 fit; else a note. */
static bool work_start(struct work *w, long size, int arrays)
{
	*w = (struct work){.size = size, .n = size * size * size, .dims = {size, size, size}};

	if ((double)arrays * 4. * (double)w->n > .95 * (double)device_left()) {
		bench_note("%ld^3 left out: %d arrays do not fit into the memory of the GPU", size, arrays);
		return false;
	}

	w->x = device_random(w->n, 0);
	w->y = device_random(w->n, 1);

	return true;
}

static void work_end(struct work *w)
{
	device_free(w->x);
	device_free(w->y);
	device_free(w->out);
}

static struct bench_case a_case(const struct work *w, const char *name, double bytes_per_element)
{
	struct bench_case c = {.name = name, .bytes = bytes_per_element * (double)w->n, .hand = -1};

	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32", w->size, w->size, w->size);

	return c;
}

/* ---- saxpy ---- */

static void run_vec(void *ctx)
{
	struct work *w = ctx;

	vec_axpy(DT_FLOAT32, w->n, w->y, .001, w->x);
}

static void run_md(void *ctx)
{
	struct work *w = ctx;

	md_axpy(3, w->dims, w->y, .001f, w->x);
}

static void run_hand(void *ctx)
{
	struct work *w = ctx;

	bench_gpu_hand.saxpy(w->n, .001f, w->x, w->y);
}

static void run_blas(void *ctx)
{
	struct work *w = ctx;

	bench_gpu_hand.blas_saxpy(w->n, .001f, w->x, w->y);
}

void bench_gpu_saxpy(struct bench *b, long size)
{
	struct work w;

	if (!work_start(&w, size, 2))
		return;

	const bool blas = bench_gpu_hand.blas_saxpy(w.n, 0, w.x, w.y);
	const struct bench_contender all[] = {{.name = "vec_axpy", .run = run_vec, .ctx = &w},
	        {.name = "md_axpy", .run = run_md, .ctx = &w},
	        {.name = "by hand", .run = run_hand, .ctx = &w},
	        {.name = "cuBLAS saxpy", .run = run_blas, .ctx = &w}};
	struct bench_case c = a_case(&w, "0.001*x + y, in place", 12);
	const bool four = 0 == w.n % 4;

	if (!blas)
		bench_note("cuBLAS left out: it cannot be opened");

	if (!four)
		bench_note("the kernel by hand left out: it takes multiples of 4 elements");

	c.flops = 2. * (double)w.n;
	c.hand = four ? 2 : -1;
	bench_case(b, &c, four ? (blas ? 4 : 3) : 2, all);
	work_end(&w);
}

/* ---- strided arrays ---- */

static void run_copy(void *ctx)
{
	struct work *w = ctx;

	md_copy(3, w->dims, w->y, w->x, sizeof(float));
}

static void run_runtime(void *ctx)
{
	struct work *w = ctx;

	bench_gpu_hand.copy(w->y, w->x, (size_t)w->n * sizeof(float));
}

static void run_permute(void *ctx)
{
	struct work *w = ctx;

	md_permute(3, w->order, w->dims, w->y, w->dims, w->x, sizeof(float));
}

static void run_sum(void *ctx)
{
	struct work *w = ctx;
	long odims[3], ostrs[3], strs[3];

	md_select_dims(3, ~w->flags, odims, w->dims);
	md_calc_strides(3, ostrs, odims, sizeof(float));
	md_calc_strides(3, strs, w->dims, sizeof(float));
	md_reduce_t(RED_SUM, DT_FLOAT32, 3, w->dims, w->flags, ostrs, w->y, strs, w->x);
}

static void run_norm(void *ctx)
{
	struct work *w = ctx;

	w->value = vec_norm(DT_FLOAT32, w->n, w->x);
}

static void run_dot(void *ctx)
{
	struct work *w = ctx;

	w->value = vec_dot(DT_FLOAT32, w->n, w->x, w->y);
}

static void run_soft(void *ctx)
{
	struct work *w = ctx;
	long strs[3];

	md_calc_strides(3, strs, w->dims, sizeof(float));
	md_softthresh_t(DT_FLOAT32, 3, w->dims, .7, 0, strs, w->y, strs, w->x);
}

static void run_gemm(void *ctx)
{
	struct work *w = ctx;

	md_matmul(3, w->part, w->y, w->part, w->x, w->part, w->x);
}

static void one(struct bench *b, struct work *w, const char *name, double bytes, void (*run)(void *))
{
	struct bench_case c = a_case(w, name, bytes);
	const struct bench_contender who[] = {{.name = "md_", .run = run, .ctx = w}};

	bench_case(b, &c, 1, who);
}

void bench_gpu_md(struct bench *b, long size)
{
	static const int orders[3][3] = {{1, 0, 2}, {2, 1, 0}, {0, 2, 1}};
	static const char *const names[3] = {
	        "exchange of dims 0, 1", "exchange of dims 0, 2", "exchange of dims 1, 2"};
	static const char *const sums[3] = {"sums along dim 0", "sums along dim 1", "sums along dim 2"};
	struct work w;

	if (!work_start(&w, size, 2))
		return;

	struct bench_case c = a_case(&w, "copy", 8);
	const struct bench_contender who[] = {{.name = "md_copy", .run = run_copy, .ctx = &w},
	        {.name = "cudaMemcpyAsync", .run = run_runtime, .ctx = &w}};

	c.hand = 1;
	bench_case(b, &c, 2, who);

	for (int i = 0; i < 3; i++) {
		for (int d = 0; d < 3; d++)
			w.order[d] = orders[i][d];

		one(b, &w, names[i], 8, run_permute);
	}

	for (int i = 0; i < 3; i++) {
		w.flags = 1ul << i;
		one(b, &w, sums[i], 4, run_sum);
	}

	one(b, &w, "norm", 4, run_norm);
	one(b, &w, "dot product", 8, run_dot);
	one(b, &w, "soft threshold", 8, run_soft);

	long m = 64;

	while (m < 8192 && 4 * m * m <= w.n)
		m *= 2;

	w.part[0] = w.part[1] = m;
	w.part[2] = 1;

	if (m * m <= w.n) {
		c = (struct bench_case){
		        .name = "matrix times matrix", .hand = -1, .flops = 2. * pow((double)m, 3)};
		snprintf(c.shape, sizeof c.shape, "%ld x %ld float32", m, m);
		bench_case(b, &c, 1,
		        &(const struct bench_contender){.name = "md_matmul", .run = run_gemm, .ctx = &w});
	}

	work_end(&w);
	bench_gpu_transfer(b, size);
}

/* ---- Fourier transforms ---- */

static void run_fft(void *ctx)
{
	struct work *w = ctx;

	fft(3, w->dims, w->flags, FFT_UNITARY, DT_COMPLEX64, w->out, w->out);
}

static void run_r2c(void *ctx)
{
	struct work *w = ctx;

	fft_r2c(w->size, w->size * w->size, DT_FLOAT32, w->out, w->x);
}

void bench_gpu_fft(struct bench *b, long size)
{
	static const char *const names[3] = {"lines", "slices", "volume"};
	struct work w;

	if (!work_start(&w, size, 5)) // x, y, two for complex elements, cuFFT's own
		return;

	const double points = (double)w.n, lines = log2((double)size);
	const size_t bytes = (size_t)(w.n + 2 * size * size) * 2 * sizeof(float);

	w.out = device_alloc(bytes);
	device_fill(w.out, 0, bytes);
	device_copy(w.out, w.x, (size_t)w.n * sizeof(float));

	for (int rank = 1; rank <= 3; rank++) {
		struct bench_case c = {.name = names[rank - 1],
		        .hand = -1,
		        .bytes = 16. * points,
		        .flops = 5. * points * lines * rank};

		w.flags = (1ul << rank) - 1;
		snprintf(c.shape, sizeof c.shape, "%ld^%d in %ld^3 complex64", size, rank, size);
		bench_case(b, &c, 1,
		        &(const struct bench_contender){.name = "fft, unitary", .run = run_fft, .ctx = &w});
	}

	struct bench_case c = {
	        .name = "real lines", .hand = -1, .bytes = 8. * points, .flops = 2.5 * points * lines};

	snprintf(c.shape, sizeof c.shape, "%ld in %ld^3 float32", size, size);
	bench_case(b, &c, 1, &(const struct bench_contender){.name = "fft_r2c", .run = run_r2c, .ctx = &w});
	work_end(&w);
}
