/* Self-tests of kernels of expressions. */

#include "num/array/array.h"
#include "num/device/cuda/selftest.h"
#include "num/expr/expr.h"
#include "num/expr/expr_gpu.h"

enum { N = SELFTEST_NUMBERS, SIDE = 64 };

/** A few of everything: types, repeated operands, sums, conditions. */
static void expressions(float *out, const float *x, const float *y)
{
	const long dims[2] = {SIDE, SIDE}, row[2] = {SIDE, 1};
	static const char *const names[] = {"x", "y", "r"};
	const struct array *in[] = {array_borrow(DT_FLOAT32, 2, dims, NULL, (void *)x),
	        array_borrow(DT_FLOAT32, 2, dims, NULL, (void *)y),
	        array_borrow(DT_FLOAT32, 2, row, NULL, (void *)(x + SIDE))};
	struct array *a = array_borrow(DT_FLOAT32, 2, dims, NULL, out),
	             *b = array_borrow(DT_FLOAT32, 2, dims, NULL, out + N),
	             *c = array_borrow(DT_COMPLEX64, 2, dims, NULL, out + 2 * N);

	expr_eval("x*y + x", 1, &a, 2, names, in, array_default);
	expr_eval("where(x > y, exp(x)*r, sqrt(abs(y)))", 1, &b, 3, names, in, array_default);
	expr_eval("complex(x, r)*y + sum(x*y)", 1, &c, 3, names, in, array_default);

	for (int k = 0; k < 3; k++)
		array_free(in[k]);

	array_free(a);
	array_free(b);
	array_free(c);
}

/** One that the build has a kernel for. */
static void form(float *out, const float *x, const float *y)
{
	const long n = N;
	static const char *const names[] = {"x", "y"};
	const struct array *in[] = {array_borrow(DT_FLOAT32, 1, &n, NULL, (void *)x),
	        array_borrow(DT_FLOAT32, 1, &n, NULL, (void *)y)};
	struct array *a = array_borrow(DT_FLOAT32, 1, &n, NULL, out);

	expr_eval("x + y", 1, &a, 2, names, in, array_default);
	array_free(in[0]);
	array_free(in[1]);
	array_free(a);
}

static bool by(enum expr_gpu_way way, void (*work)(float *out, const float *x, const float *y),
        const char *what, char *why, size_t room)
{
	const enum expr_gpu_way before = expr_gpu_chosen();

	expr_gpu_choose(way);

	const bool good = gpu_selftest_same(why, room, what, work, 1e-5);

	expr_gpu_choose(before);

	return good;
}

static bool expressions_work(char *why, size_t room)
{
	return by(EXPR_GPU_BEST, form, "expressions, of the build", why, room) &&
	       by(EXPR_GPU_INTERPRETED, expressions, "expressions, interpreted", why, room);
}

GPU_SELFTEST(expressions, expressions_work);

static bool generated_work(char *why, size_t room)
{
	return by(EXPR_GPU_GENERATED, expressions, "expressions, generated", why, room);
}

GPU_SELFTEST_OF(generated, generated_work, true);
