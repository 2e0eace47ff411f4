/** Neighbourhoods in expressions, compared with handwritten loops. */

#include <stdio.h>
#include <stdlib.h>

#include "num/array/array.h"
#include "num/bench/bench.h"
#include "num/device/device.h"
#include "num/expr/expr.h"
#include "num/expr/iterate.h"
#include "num/md/flpmath.h"

struct work {
	const char *text;
	hand_stencil_fn *hand;
	long n[3];
	float *in, *out, *other;
	const struct array *v;
	struct array *result;
};

static void run_expression(void *ctx)
{
	struct work *w = ctx;

	expr_eval(w->text, 1, &w->result, 1, (const char *const[]){"v"}, &w->v, array_default);
}

static void run_hand(void *ctx)
{
	struct work *w = ctx;

	w->hand(w->out, w->in, w->n);
}

/** Heat flow. */
enum { STEPS = 50 };

static void bench_stencil_iterate(const struct work *w, long steps)
{
	struct expr_error err;
	struct expr *e = expr_parse(w->text, &err);
	struct expr_operand o;

	expr_resolve(e, 1, (const char *const[]){"v"}, &err);
	expr_operand_of(&o, w->v);
	expr_iterate(e, 0, STEPS, steps, 0, array_default, &o, w->result, &w->v, NULL);
	expr_free(e);
}

static void run_several(void *ctx)
{
	bench_stencil_iterate(ctx, 0);
}

static void run_single(void *ctx)
{
	bench_stencil_iterate(ctx, 1);
}

static void run_hand_steps(void *ctx)
{
	struct work *w = ctx;
	float *other = w->other, *from = w->in;

	for (int i = 0; i < STEPS; i++) {
		float *to = (i % 2) ? w->out : other;

		w->hand(to, from, w->n);
		from = to;
	}
}

static double check(void *ctx)
{
	const struct work *w = ctx;

	return vec_norm(DT_FLOAT32, w->n[0] * w->n[1] * w->n[2], w->out);
}

static void bench_stencil_run(struct bench *b, long size)
{
	const struct hand *h = hand_loops();
	const struct {
		const char *text;
		hand_stencil_fn *hand;
		double flops;
	} stencils[] = {
	        {"v + 0.1*laplacian(v)", h->diffuse, 9},
	        {"sum[a=-1:1, b=-1:1, c=-1:1](v[a,b,c])", h->sum27, 26},
	        {"dx(v)", h->slope, 2},
	        {"gradient(v)", h->gradient, 10},
	        {"mean(v, 1)", h->mean27, 27},
	};
	struct work w = {.n = {size, size, size}};
	const long count = size * size * size;
	char what[64];

	snprintf(what, sizeof what, "%ld^3", size);

	if (0 <= device_used()) {
		bench_note("stencil: measured on the CPU only");
		return;
	}

	if (!bench_fits(20. * (double)count, what))
		return;

	w.in = bench_random(count, 1);
	w.out = bench_random(count, 2);
	w.other = bench_random(count, 3);
	w.v = array_borrow(DT_FLOAT32, 3, w.n, NULL, w.in);
	w.result = array_borrow(DT_FLOAT32, 3, w.n, NULL, w.out);
	bench_triad(b, count, w.other, w.in, w.in);

	for (size_t i = 0; i < sizeof stencils / sizeof stencils[0]; i++) {
		struct bench_case c = {.name = stencils[i].text,
		        .bytes = 8. * (double)count,
		        .flops = stencils[i].flops * (double)count,
		        .hand = 1,
		        .check = check,
		        .check_ctx = &w,
		        .tolerance = 1e-5};

		snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32", size, size, size);
		w.text = stencils[i].text;
		w.hand = stencils[i].hand;
		bench_case(b, &c, 2,
		        (const struct bench_contender[]){{.name = "expression",
		                                                 .run = run_expression,
		                                                 .ctx = &w,
		                                                 .array_bytes = 4 * count},
		                {.name = "by hand", .run = run_hand, .ctx = &w}});
	}

	struct bench_case c = {.name = "50 steps of v + 0.1*laplacian(v)",
	        .bytes = 8. * STEPS * (double)count,
	        .flops = 9. * STEPS * (double)count,
	        .hand = 1,
	        .check = check,
	        .check_ctx = &w,
	        .tolerance = 1e-4};

	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32", size, size, size);
	w.text = stencils[0].text;
	w.hand = stencils[0].hand;
	bench_case(b, &c, 3,
	        (const struct bench_contender[]){
	                {.name = "several steps a pass", .run = run_several, .ctx = &w},
	                {.name = "a pass for each step", .run = run_single, .ctx = &w},
	                {.name = "by hand, a pass for each", .run = run_hand_steps, .ctx = &w}});
	free(w.other);
	array_free((struct array *)w.v);
	array_free(w.result);
	free(w.in);
	free(w.out);
}

const struct bench_suite bench_suite_stencil = {
        .name = "stencil",
        .about = "expressions with neighbourhoods, compared with handwritten loops",
        .sizes = {256, 512},
        .run = bench_stencil_run,
};
