/**
 * Expressions: one call per operator, fused, and handwritten. The five expressions with which the expression
 * templates of elsa were measured (table A.2 of the thesis on them), one with exp, log and sqrt, and a norm;
 * with the memory that each needs.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/array/array.h"
#include "num/bench/bench.h"
#include "num/bench/bench_gpu_expr.h"
#include "num/device/device.h"
#include "num/device/opencl.h"
#include "num/expr/expr.h"
#include "num/expr/expr_opencl.h"
#include "num/md/flpmath.h"

enum { OPERANDS = 3, STACK = 8 };

/* An expression; as the program of a stack machine: x y z push, + * / and m (minus, of one) e l s (exp, log,
 * sqrt) apply. */
struct formula {
	const char *text, *stack;
	int operands;
	double flops; // per element; functions count as one
	hand_loop_fn *hand, *stream;
};

/* The operands of one size, and what a contender works on. */
struct work {
	const struct formula *f;
	long n;
	float *memory[OPERANDS + 1];
	struct array *in[OPERANDS], *out;
	hand_loop_fn *loop;
	hand_sum_fn *sum;
	double value; // of a reduction
};

static const char *const names[] = {"x", "y", "z"};

static void run_fused(void *ctx)
{
	struct work *w = ctx;

	expr_eval(w->f->text, 1, &w->out, w->f->operands, names, (const struct array *const *)w->in,
	        array_default);
}

static void run_opencl(void *ctx)
{
	struct work *w = ctx;

	expr_opencl_eval(w->f->text, 1, &w->out, w->f->operands, names, (const struct array *const *)w->in);
}

static void run_hand(void *ctx)
{
	struct work *w = ctx;

	w->loop(w->n, w->memory[OPERANDS], w->memory[0], w->memory[1], w->memory[2]);
}

static int operator_of(char c)
{
	static const char signs[] = "+*/mels";
	static const enum op ops[] = {OP_ADD, OP_MUL, OP_DIV, OP_NEG, OP_EXP, OP_LOG, OP_SQRT};
	const char *at = strchr(signs, c);

	return at ? (int)ops[at - signs] : -1;
}

/* As somebody writes it who has a function for every operator: each result is a new array. */
static void run_naive(void *ctx)
{
	struct work *w = ctx;
	struct array *stack[STACK];
	bool ours[STACK];
	int top = 0;

	for (const char *p = w->f->stack; *p; p++) {
		int op = operator_of(*p);

		if (op < 0) {
			stack[top] = w->in[*p - 'x'];
			ours[top++] = false;
			continue;
		}

		int args = op_args((enum op)op);
		const struct array *in[2] = {stack[top - args], stack[top - 1]};
		struct array *out = NULL;

		if (p[1])
			out = array_op((enum op)op, in, array_default);
		else
			array_apply((enum op)op, w->out, in, array_default);

		for (int i = top - args; i < top; i++)
			if (ours[i])
				array_free(stack[i]);

		top -= args;
		stack[top] = out;
		ours[top++] = true;
	}
}

static double check_output(void *ctx)
{
	struct work *w = ctx;

	return vec_norm(DT_FLOAT32, w->n, w->memory[OPERANDS]);
}

static double check_value(void *ctx)
{
	return ((struct work *)ctx)->value;
}

static void bench_formula(struct bench *b, struct work *w, const struct formula *f, long size, bool naive)
{
	struct work hand = *w, stream = *w;
	struct bench_contender who[5];
	struct bench_case c = {.name = f->text,
	        .bytes = (f->operands + 1.) * 4. * (double)w->n,
	        .flops = f->flops * (double)w->n,
	        .check = check_output,
	        .check_ctx = w,
	        .tolerance = 1e-5};
	int n = 0;

	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32", size, size, size);
	w->f = f;
	hand.loop = f->hand;
	stream.loop = f->stream;

	if (naive)
		who[n++] = (struct bench_contender){
		        .name = "one call per operator", .run = run_naive, .ctx = w, .array_bytes = 4 * w->n};

	who[n++] = (struct bench_contender){
	        .name = "fused", .run = run_fused, .ctx = w, .array_bytes = 4 * w->n};

	if (opencl_used())
		who[n++] = (struct bench_contender){.name = "fused, by OpenCL", .run = run_opencl, .ctx = w};

	c.hand = n;
	who[n++] = (struct bench_contender){.name = "by hand", .run = run_hand, .ctx = &hand};

	if (f->stream && 0 == w->n % 16)
		who[n++] = (struct bench_contender){
		        .name = "by hand, streaming stores", .run = run_hand, .ctx = &stream};

	bench_case(b, &c, n, who);
}

static void run_norm_fused(void *ctx)
{
	struct work *w = ctx;

	w->value = creal(
	        expr_reduce("norm(1.2*x + y)", 2, names, (const struct array *const *)w->in, array_default));
}

static void run_norm_hand(void *ctx)
{
	struct work *w = ctx;

	w->value = sqrt(w->sum(w->n, w->memory[0], w->memory[1]));
}

static void run_norm_naive(void *ctx)
{
	struct work *w = ctx;
	const long one[DIMS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	float factor = 1.2f;
	struct array *s = array_borrow(DT_FLOAT32, DIMS, one, NULL, &factor);
	struct array *scaled = array_op(OP_MUL, (const struct array *[]){s, w->in[0]}, array_default);
	struct array *sum = array_op(OP_ADD, (const struct array *[]){scaled, w->in[1]}, array_default);
	struct array *r = array_reduction(RED_NORM, 7, (const struct array *[]){sum}, array_default);

	w->value = *(const double *)(const void *)r->data;
	array_free(s);
	array_free(scaled);
	array_free(sum);
	array_free(r);
}

static void bench_norm(struct bench *b, struct work *w, long size, bool naive)
{
	struct bench_contender who[3];
	struct bench_case c = {.name = "norm(1.2*x + y)",
	        .bytes = 8. * (double)w->n,
	        .flops = 4. * (double)w->n,
	        .check = check_value,
	        .check_ctx = w,
	        .tolerance = 1e-6};
	int n = 0;

	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32", size, size, size);
	w->sum = hand_loops()->norm;

	if (naive)
		who[n++] = (struct bench_contender){.name = "one call per operator",
		        .run = run_norm_naive,
		        .ctx = w,
		        .array_bytes = 4 * w->n};

	who[n++] = (struct bench_contender){
	        .name = "fused", .run = run_norm_fused, .ctx = w, .array_bytes = 4 * w->n};
	c.hand = n;
	who[n++] = (struct bench_contender){.name = "by hand", .run = run_norm_hand, .ctx = w};
	bench_case(b, &c, n, who);
}

static void bench_expr_run(struct bench *b, long size)
{
	const struct hand *h = hand_loops();
	const struct formula formulas[] = {
	        {"x*y", "xy*", 2, 1, h->expr1, h->stream1},
	        {"x*y+y", "xy*y+", 2, 2, h->expr2, h->stream2},
	        {"x*y+y/z", "xy*yz/+", 3, 3, h->expr3, h->stream3},
	        {"x*y+y/z+x", "xy*yz/+x+", 3, 4, h->expr4, h->stream4},
	        {"x*y+y/z+x*z", "xy*yz/+xz*+", 3, 5, h->expr5, h->stream5},
	        {"exp(-x)*log(y) + sqrt(z)", "xmeyl*zs+", 3, 6, h->math, NULL},
	};
	const long dims[3] = {size, size, size};
	struct work w = {.n = md_calc_size(3, dims)};
	double bytes = 4. * (double)w.n;
	char what[64];

	if (0 <= device_used()) {
		bench_gpu_expr(b, size);
		return;
	}

	snprintf(what, sizeof what, "%ld^3", size);

	if (!bench_fits(4. * bytes, what))
		return;

	snprintf(what, sizeof what, "%ld^3, one call per operator", size);

	bool naive = bench_fits(6. * bytes, what);

	for (int i = 0; i <= OPERANDS; i++) {
		struct array *a;

		w.memory[i] = bench_random(w.n, (unsigned long)i);
		a = array_borrow(DT_FLOAT32, 3, dims, NULL, w.memory[i]);

		if (i < OPERANDS)
			w.in[i] = a;
		else
			w.out = a;
	}

	bench_triad(b, w.n, w.memory[OPERANDS], w.memory[0], w.memory[1]);

	for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
		bench_formula(b, &w, &formulas[i], size, naive);

	bench_norm(b, &w, size, naive);

	for (int i = 0; i < OPERANDS; i++)
		array_free(w.in[i]);

	array_free(w.out);

	for (int i = 0; i <= OPERANDS; i++)
		free(w.memory[i]);
}

const struct bench_suite bench_suite_expr = {
        .name = "expr",
        .about =
                "expressions computed by one call per operator, by one fused loop, and by a handwritten loop",
        .sizes = {256, 512, 1024},
        .run = bench_expr_run,
};
