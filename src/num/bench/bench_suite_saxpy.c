/** y = 0.001 x + y: the library's functions for it, handwritten, OpenBLAS. */

#include <stdio.h>
#include <stdlib.h>

#include "num/array/array.h"
#include "num/bench/bench.h"
#include "num/bench/bench_blas.h"
#include "num/bench/bench_gpu.h"
#include "num/expr/expr.h"
#include "num/md/flpmath.h"

struct work {
	long n;
	long dims[3];
	float *x, *y;
	struct array *ax, *ay;
	const struct bench_blas *blas;
};

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

static void run_expr(void *ctx)
{
	struct work *w = ctx;

	expr_eval("0.001*x + y", 1, &w->ay, 2, (const char *const[]){"x", "y"},
	        (const struct array *[]){w->ax, w->ay}, array_default);
}

static void run_hand(void *ctx)
{
	struct work *w = ctx;

	hand_loops()->saxpy(w->n, w->y, w->x, w->x, w->x);
}

static void run_blas(void *ctx)
{
	struct work *w = ctx;

	bench_blas_saxpy(w->blas, w->n, .001f, w->x, w->y);
}

static void bench_saxpy_run(struct bench *b, long size)
{
	struct work w = {.dims = {size, size, size}};
	char what[32];

	w.n = md_calc_size(3, w.dims);
	snprintf(what, sizeof what, "%ld^3", size);

	if (!bench_fits(12. * (double)w.n, what))
		return;

	float *z = bench_random(w.n, 2);
	struct bench_case c = {
	        .name = "0.001*x + y, in place", .bytes = 12. * (double)w.n, .flops = 2. * (double)w.n};
	struct bench_contender who[] = {
	        {.name = "vec_axpy", .run = run_vec, .ctx = &w},
	        {.name = "md_axpy", .run = run_md, .ctx = &w},
	        {.name = "expression", .run = run_expr, .ctx = &w},
	        {.name = "by hand", .run = run_hand, .ctx = &w},
	        {.name = "OpenBLAS saxpy", .run = run_blas, .ctx = &w, .settle = true},
	};

	w.x = bench_random(w.n, 0);
	w.y = bench_random(w.n, 1);
	w.ax = array_borrow(DT_FLOAT32, 3, w.dims, NULL, w.x);
	w.ay = array_borrow(DT_FLOAT32, 3, w.dims, NULL, w.y);
	w.blas = bench_blas_open();
	c.hand = 3;
	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32", size, size, size);
	bench_triad(b, w.n, z, w.x, w.y);
	bench_case(b, &c, w.blas ? 5 : 4, who);
	array_free(w.ax);
	array_free(w.ay);
	free(w.x);
	free(w.y);
	free(z);
}

const struct bench_suite bench_suite_saxpy = {
        .name = "saxpy",
        .about = "y = a x + y by the library, by a handwritten loop, and by OpenBLAS. On a GPU, cuBLAS is "
                 "used in "
                 "place of OpenBLAS",
        .sizes = {256, 512},
        .run = bench_saxpy_run,
        .run_gpu = bench_gpu_saxpy,
        .gpu_sizes = {256, 512, 1024},
};
