/** Self-tests of generated kernels: operators of float32, float64 and bool, repeated operands, reductions. */

#include <stdlib.h>

#include "misc/mem.h"
#include "num/device/opencl/selftest.h"
#include "num/expr/expr.h"
#include "num/expr/expr_opencl.h"

enum { SIDE = 18, N = SIDE * SIDE, INPUTS = 4, OUTPUTS = 2 };

static const char *const names[INPUTS] = {"x", "y", "r", "w"};
static const enum dtype in_type[INPUTS] = {DT_FLOAT32, DT_FLOAT32, DT_FLOAT32, DT_FLOAT64};

/** An expression of some of the inputs, and its outputs. */
struct test {
	const char *text, *what[OUTPUTS];
	enum dtype type[OUTPUTS];
	int outputs;
};

static const struct test of_float32 = {
        .text = "a = sqrt(abs(x))*exp(y) + log(abs(x) + 1.5)*sin(3*y) - tanh(x*y)/(r + 2) + where(x > y, "
                "cbrt(x), r);"
                "c = (x > y && isfinite(x)) || y < r",
        .what = {"expression of float32", "condition"},
        .type = {DT_FLOAT32, DT_BOOL},
        .outputs = 2};

static const struct test of_reductions = {
        .text = "x / norm(x) + sum(x*y) - mean(y) + max(x)*min(y) + norm1(x - r)",
        .what = {"reductions"},
        .type = {DT_FLOAT32},
        .outputs = 1};

/** The first difference would be 0 in float32. */
static const struct test of_float64 = {
        .text = "((1 + w*1e-9) - 1)*1e9 + cos(w)*w - pow(abs(w) + 0.1, y) + sum(w)",
        .what = {"expression of float64"},
        .type = {DT_FLOAT64},
        .outputs = 1};

/** Small windows: PoCL compiles a median of 27 elements for a second. */
static const struct test of_neighbourhoods = {
        .text = "a = laplacian(x) + max(y, box(1, 1, 0)) - median(x*y, 1:1:0); c = min(x > y, box(1, 0, "
                "0))",
        .what = {"neighbourhoods", "window of conditions"},
        .type = {DT_FLOAT32, DT_BOOL},
        .outputs = 2};

static const struct test of_samplers = {
        .text = "linear(x, 9*y, 9*w, 0) + cubic(y, 9*x, 9*w, 0) - nearest(x, 9*y, 9*x, 0)",
        .what = {"values between elements"},
        .type = {DT_FLOAT64},
        .outputs = 1};

static struct array *make(enum dtype type, long rows)
{
	const long dims[2] = {SIDE, rows};

	return array_borrow(type, 2, dims, NULL, mem_calloc((size_t)(SIDE * rows), dtype_size(type)));
}

static void release(const struct array *a)
{
	free(a->data);
	array_free(a);
}

static double number(const struct array *a, long i)
{
	return (a->type == DT_FLOAT64)   ? ((const double *)a->data)[i]
	       : (a->type == DT_FLOAT32) ? ((const float *)a->data)[i]
	                                 : ((const unsigned char *)a->data)[i];
}

static void fill(const struct array *a, unsigned seed)
{
	float x[N];

	selftest_fill(x, N, seed);

	for (long i = 0; i < array_count(a); i++)
		if (a->type == DT_FLOAT64)
			((double *)a->data)[i] = x[i];
		else
			((float *)a->data)[i] = x[i];
}

static bool is_same(
        const struct array *found, const struct array *expected, const char *name, char *why, size_t room)
{
	double a[N], b[N];

	for (long i = 0; i < N; i++) {
		a[i] = number(found, i);
		b[i] = number(expected, i);
	}

	return selftest_same(why, room, name, a, b, N, found->type == DT_FLOAT64 ? 1e-13 : 2e-6);
}

static bool works(const struct test *t, char *why, size_t room)
{
	const struct array *in[INPUTS];
	struct array *cpu[OUTPUTS], *found[OUTPUTS];
	bool good = true;

	for (int i = 0; i < INPUTS; i++) {
		struct array *a = make(in_type[i], (i == 2) ? 1 : SIDE);

		fill(a, (unsigned)i);
		in[i] = a;
	}

	for (int i = 0; i < t->outputs; i++) {
		cpu[i] = make(t->type[i], SIDE);
		found[i] = make(t->type[i], SIDE);
	}

	expr_eval(t->text, t->outputs, cpu, INPUTS, names, in, array_default);
	expr_opencl_eval(t->text, t->outputs, found, INPUTS, names, in);

	for (int i = 0; i < t->outputs; i++) {
		good = good && is_same(found[i], cpu[i], t->what[i], why, room);
		release(cpu[i]);
		release(found[i]);
	}

	for (int i = 0; i < INPUTS; i++)
		release(in[i]);

	return good;
}

static bool expressions_work(char *why, size_t room)
{
	return works(&of_float32, why, room);
}

OPENCL_SELFTEST(expressions, expressions_work);

static bool reductions_work(char *why, size_t room)
{
	return works(&of_reductions, why, room);
}

OPENCL_SELFTEST(reductions, reductions_work);

static bool float64_works(char *why, size_t room)
{
	return works(&of_float64, why, room);
}

OPENCL_SELFTEST_FLOAT64(expressions_float64, float64_works);

static bool neighbourhoods_work(char *why, size_t room)
{
	return works(&of_neighbourhoods, why, room);
}

OPENCL_SELFTEST(neighbourhoods, neighbourhoods_work);

static bool samplers_work(char *why, size_t room)
{
	return works(&of_samplers, why, room);
}

OPENCL_SELFTEST_FLOAT64(samplers, samplers_work);
