/* Self-tests of array functions: the same md_ functions on both sides. */

#include "num/device/cuda/selftest.h"
#include "num/expr/expr_gpu.h"
#include "num/fft/fft.h"
#include "num/md/contract.h"
#include "num/md/flpmath.h"

enum { N = SELFTEST_NUMBERS, SIDE = 64 };

static const long square[2] = {SIDE, SIDE}, along[2] = {4, 4 * SIDE}, across[2] = {4 * SIDE, 4};

/* ---- operators ---- */

static void operators(float *out, const float *x, const float *y)
{
	const long n = N / 2 - 3, one[1] = {8};
	struct md_chain f = {0};
	int a = chain_operand(&f, DT_FLOAT32), b = chain_operand(&f, DT_FLOAT32);

	vec_axpby(DT_FLOAT32, N - 1, out, 2., x, -.5, y);
	md_apply2(OP_MUL, DT_COMPLEX64, 1, &n, one, out + N, one, x, one, y);

	// several operators, on operands of different steps
	a = chain_op1(&f, OP_EXP, a);
	chain_op2(&f, OP_MAX, chain_op3(&f, OP_MULADD, a, b, b), chain_constant(&f, DT_FLOAT32, -.1));
	md_chain(&f, DT_FLOAT32, 2, square, along, out + 2 * N, (const long *const[]){across, along},
	        (const void *const[]){x, y});
	md_softthresh_t(DT_FLOAT32, 2, square, .2, 1, along, out + 3 * N, along, x);
}

/** By the kernels of this family alone. */
static bool operators_work(char *why, size_t room)
{
	const enum expr_gpu_way before = expr_gpu_chosen();

	expr_gpu_choose(EXPR_GPU_INTERPRETED);

	const bool good = gpu_selftest_same(why, room, "operators on arrays", operators, 1e-5);

	expr_gpu_choose(before);

	return good;
}

GPU_SELFTEST(operators, operators_work);

/* ---- reductions ---- */

static void reductions(float *out, const float *x, const float *y)
{
	const long lines[2] = {0, 4}, rows[2] = {4, 0}, all[2] = {0, 0}, n = N - 5, one[1] = {4};

	md_reduce_t(RED_SUM, DT_FLOAT32, 2, square, 1, lines, out, along, x);
	md_reduce_t(RED_NORM, DT_FLOAT32, 2, square, 2, rows, out + SIDE, along, y);
	md_reduce_t(RED_MAX, DT_FLOAT32, 2, square, 3, all, out + 2 * SIDE, along, x);
	md_fmac_t(DT_FLOAT32, false, 2, square, lines, out + 3 * SIDE, along, x, across, y);
	md_fmac_t(DT_FLOAT32, false, 1, &n, all, out + 4 * SIDE, one, x, one, y);
	md_cumsum_t(DT_FLOAT32, 2, square, 2, along, out + N, along, x);
}

static bool reductions_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "sums and extremes of arrays", reductions, 1e-5);
}

GPU_SELFTEST(reductions, reductions_work);

/* ---- integers: the bits of floats ---- */

static void integers(float *out, const float *x, const float *y)
{
	const long n = N / 2, one[1] = {8}, dims[2] = {SIDE / 2, SIDE}, strs[2] = {8, 4 * SIDE};
	const long lines[2] = {0, 8}, rows[2] = {8, 0};

	md_apply2(OP_MUL, DT_INT64, 1, &n, one, out, one, x, one, y);
	md_apply2(OP_ADD, DT_UINT64, 1, &n, one, out + N, one, x, one, y);
	md_reduce_t(RED_SUM, DT_INT64, 2, dims, 1, lines, out + 2 * N, strs, x);
	md_reduce_t(RED_MIN, DT_UINT64, 2, dims, 2, rows, out + 3 * N, strs, y);
}

static bool integers_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "operators on integers and their sums", integers, 0.);
}

GPU_SELFTEST(integers, integers_work);

/* ---- copies ---- */

static void copies(float *out, const float *x, const float *y)
{
	const long back[2] = {-4, 4 * SIDE}, bytes[2] = {37, 113}, wide[2] = {24, 37}, part[2] = {23, 61};

	md_copy2(2, square, along, out, across, x, 4);
	md_copy2(2, square, along, out + N, back, x + SIDE - 1, 4);
	md_transpose(2, 0, 1, (const long[]){113, 37}, out + 2 * N, bytes, y, 1);
	md_transpose(2, 0, 1, (const long[]){37, 24}, out + 2 * N + 2 * SIDE * SIDE / 3, wide, y, 4);
	md_fill2(2, part, along, out + 3 * N, x, 4);
}

static bool copies_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "copies of arrays with other steps", copies, 0.);
}

GPU_SELFTEST(copies, copies_work);

/* ---- Fourier transforms ---- */

static void transforms(float *out, const float *x, const float *y)
{
	const long dims[3] = {15, 8, 14};

	fft(3, dims, 5, 0, DT_COMPLEX64, out, x);
	fft(3, dims, 2, FFT_INVERSE, DT_COMPLEX64, out + N, y);
	fft_r2c(60, 60, DT_FLOAT32, out + 2 * N, x);
}

static bool transforms_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "Fourier transforms", transforms, 1e-5);
}

GPU_SELFTEST(fft, transforms_work);

/* ---- products of matrices ---- */

static void products(float *out, const float *x, const float *y)
{
	const long a[3] = {32, 40, 2}, b[3] = {40, 24, 2}, c[3] = {32, 24, 2};
	const long za[2] = {20, 31}, zb[2] = {31, 18}, zc[2] = {20, 18};

	md_matmul(3, c, out, a, x, b, y);
	md_zmatmulc(2, zc, (complex float *)(out + N), za, (const complex float *)x, zb,
	        (const complex float *)y);
}

static bool products_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "products of matrices", products, 1e-5);
}

GPU_SELFTEST(blas, products_work);
