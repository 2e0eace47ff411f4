/* Expressions on the GPU: data reside there; times are until the result is complete. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "num/array/array.h"
#include "num/bench/bench_gpu_expr.h"
#include "num/device/device.h"
#include "num/expr/expr.h"
#include "num/expr/expr_gpu.h"
#include "num/md/flpmath.h"

enum { OPERANDS = 3, STEPS = 4 };

/** An expression; the same as steps of one operator each, over x, y, z, t and u; t, u and out (o) get them.
 */
static const struct formula {
	const char *text;
	const char *step[STEPS];
	const char *to;
	int operands;
} formulas[] = {
        {"x*y", {"x*y"}, "o", 2},
        {"x*y+y", {"x*y", "t+y"}, "to", 2},
        {"x*y+y/z", {"x*y", "y/z", "t+u"}, "tuo", 3},
        {"x*y+y/z+x", {"x*y", "y/z", "t+u", "t+x"}, "tuto", 3},
        {"x*y+y/z+x*z", {"x*y", "y/z", "t+u", "x*z"}, "tutu", 3},
};

static const char names[] = "xyztuo";

struct work {
	const struct formula *f;
	int form;
	long n;
	enum expr_gpu_way way;
	float *memory[sizeof names]; // on the device
	struct array *a[sizeof names];
};

/** text over the arrays that it names. */
static void eval(struct work *w, const char *text, char to)
{
	static const char *const all[] = {"x", "y", "z", "t", "u"};
	const char *name[5];
	const struct array *in[5];
	int n = 0;

	for (int k = 0; k < 5; k++)
		if (NULL != strchr(text, all[k][0])) {
			name[n] = all[k];
			in[n++] = w->a[k];
		}

	expr_eval(text, 1, &w->a[strchr(names, to) - names], n, name, in, array_default);
}

static void run_steps(void *ctx)
{
	struct work *w = ctx;
	const size_t steps = strlen(w->f->to);

	expr_gpu_choose(EXPR_GPU_BEST);

	for (size_t k = 0; k < steps; k++)
		eval(w, w->f->step[k], w->f->to[k]);

	if ('o' != w->f->to[steps - 1])
		eval(w, "t+u", 'o');

	device_sync();
}

static void run_way(void *ctx)
{
	struct work *w = ctx;

	expr_gpu_choose(w->way);
	eval(w, w->f->text, 'o');
	device_sync();
	expr_gpu_choose(EXPR_GPU_BEST);
}

static void run_hand(void *ctx)
{
	struct work *w = ctx;

	bench_gpu_expr_hand(w->form, w->n, w->memory[5], w->memory[0], w->memory[1], w->memory[2]);
	device_sync();
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);

	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** The first time in this process, then the median of some. */
static void note_first_use(struct work *w)
{
	enum { TIMES = 9 };
	double first = now(), later[TIMES];

	run_way(w);
	first = now() - first;

	for (int i = 0; i < TIMES; i++) {
		const double start = now();

		run_way(w);
		later[i] = now() - start;

		for (int k = i; k > 0 && later[k] < later[k - 1]; k--) {
			const double t = later[k];

			later[k] = later[k - 1];
			later[k - 1] = t;
		}
	}

	bench_note("%s, generated: %.3g ms on first use, then %.3g ms", w->f->text, 1e3 * first,
	        1e3 * later[TIMES / 2]);
}

static double check_output(void *ctx)
{
	struct work *w = ctx;
	float *host = malloc((size_t)w->n * sizeof *host);
	double norm;

	device_copy(host, w->memory[5], (size_t)w->n * sizeof *host);
	norm = vec_norm(DT_FLOAT32, w->n, host);
	free(host);

	return norm;
}

static void bench_formula(struct bench *b, struct work *w, int form, long size)
{
	struct work generated = *w, interpreted = *w;
	struct bench_case c = {.name = formulas[form].text,
	        .bytes = 4. * (formulas[form].operands + 1) * (double)w->n,
	        .hand = 3,
	        .check = check_output,
	        .check_ctx = w,
	        .tolerance = 1e-6};

	w->f = generated.f = interpreted.f = &formulas[form];
	w->form = form;
	generated.way = EXPR_GPU_GENERATED;
	interpreted.way = EXPR_GPU_INTERPRETED;
	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32, GPU", size, size, size);
	note_first_use(&generated);
	bench_case(b, &c, 4,
	        (const struct bench_contender[]){
	                {.name = "one kernel per operator", .run = run_steps, .ctx = w},
	                {.name = "generated", .run = run_way, .ctx = &generated},
	                {.name = "interpreted", .run = run_way, .ctx = &interpreted},
	                {.name = "by hand", .run = run_hand, .ctx = w}});
}

enum { CHAIN_OPERATORS = 3, TRIES = 5 };

/** max(x y + y, 1/4) of n elements: the shortest of a few times, in s. */
static double time_chain(long n, float *const memory[], enum expr_gpu_way way)
{
	const long strs[1] = {sizeof(float)};
	struct md_chain f = {0};
	const int x = chain_operand(&f, DT_FLOAT32), y = chain_operand(&f, DT_FLOAT32);
	const int s = chain_op2(&f, OP_ADD, chain_op2(&f, OP_MUL, x, y), y);
	double best = INFINITY;

	chain_op2(&f, OP_MAX, s, chain_constant(&f, DT_FLOAT32, .25));
	expr_gpu_choose(way);

	for (int k = 0; k < TRIES; k++) {
		const double start = now();

		md_chain(&f, DT_FLOAT32, 1, &n, strs, memory[5], (const long *const[]){strs, strs},
		        (const void *const[]){memory[0], memory[1]});
		device_sync();
		best = fmin(best, now() - start);
	}

	expr_gpu_choose(EXPR_GPU_BEST);

	return best;
}

/** From how many operators times elements on md_ chains gain by a generated kernel. */
static void note_chains(long most, float *const memory[])
{
	long least = 0;

	for (long n = most; n >= 1024; n /= 2) {
		const double generated = time_chain(n, memory, EXPR_GPU_GENERATED),
		             interpreted = time_chain(n, memory, EXPR_GPU_INTERPRETED);

		if (generated > interpreted)
			break;

		least = n;
	}

	if (0 == least)
		bench_note("chains of md_ operators: no generated kernel gains up to %ld elements", most);
	else
		bench_note(
		        "chains of md_ operators: generated kernels gain from %ld operators x elements on; "
		        "the library generates from %ld on",
		        CHAIN_OPERATORS * least, EXPR_GPU_CHAIN_LEAST);
}

void bench_gpu_expr(struct bench *b, long size)
{
	const long dims[3] = {size, size, size};
	struct work w = {.n = md_calc_size(3, dims)};
	const size_t bytes = (size_t)w.n * sizeof(float);

	if (6 * bytes > device_left()) {
		bench_note("%ld^3 left out: it needs %.3g GB on the GPU, %.3g GB are free", size,
		        6e-9 * (double)bytes, 1e-9 * (double)device_left());
		return;
	}

	for (int k = 0; k < 6; k++) {
		w.memory[k] = device_alloc(bytes);
		w.a[k] = array_borrow(DT_FLOAT32, 3, dims, NULL, w.memory[k]);
	}

	for (int k = 0; k < OPERANDS; k++) {
		float *host = bench_random(w.n, (unsigned long)k);

		device_copy(w.memory[k], host, bytes);
		free(host);
	}

	bench_triad(b, 0, NULL, NULL, NULL);

	for (int i = 0; i < (int)(sizeof formulas / sizeof formulas[0]); i++)
		bench_formula(b, &w, i, size);

	note_chains(w.n, w.memory);

	for (int k = 0; k < 6; k++) {
		array_free(w.a[k]);
		device_free(w.memory[k]);
	}
}
