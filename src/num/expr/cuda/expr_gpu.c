/* Passes of expressions on the GPU: the kernel, its arguments, and its results. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/device/cuda/selftest.h"
#include "num/device/device.h"
#include "num/expr/cuda/expr_device.h"
#include "num/expr/expr_gpu.h"
#include "num/expr/expr_source.h"

/** What a compiler is not troubled with: longer programs, and more arguments than a kernel may have. */
enum { STEPS_MOST = 2000, WORDS_MOST = 500 };

static _Thread_local enum expr_gpu_way way;

struct expr_gpu {
	struct expr_run *run;
	const struct loop *l;
	struct expr_source *source;
	const struct expr_form *form;
	const void *kernel; // NULL: interpreted
	struct expr_program program;
	struct expr_order *orders;
	int64_t *words;
	long part, blocks;
	char *memory; // on the device: counters, what the reductions are, accumulators of the blocks
	size_t counter_bytes;
};

void expr_gpu_choose(enum expr_gpu_way w)
{
	way = w;
}

enum expr_gpu_way expr_gpu_chosen(void)
{
	return way;
}

/* ---- frequent forms: contiguous float32 ---- */

static bool is_plain(const struct loop *l, const struct step *s, const char *base)
{
	const struct lane *a = &l->lanes[s->lane];

	return a->along && DT_FLOAT32 == a->type && !a->swapped && (long)sizeof(float) == a->step &&
	       0 == (size_t)base % 16;
}

/** "mul 0 1 muladd s 0 v": operators with loads by number, the scalar and the value before; "" for others. */
static void sign(char text[64], const struct loop *l, char *const base[])
{
	const struct expr_pass *q = l->pass;
	int scalars = 0, load_of[64];
	size_t n = 0;

	text[0] = '\0';

	if (q->n > 12 || 1 != q->stores || 0 < q->reductions || q->loads > 3)
		return;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD == s->kind && DT_FLOAT32 == s->type && is_plain(l, s, base[s->lane])) {
			load_of[i] = expr_same_lane(l, base, s->lane);
			continue;
		}

		if (STEP_STORE == s->kind && is_plain(l, s, base[s->lane]) && DT_FLOAT32 == s->work &&
		        i - 1 == s->arg[0] && STEP_OP == q->steps[i - 1].kind)
			continue;

		if (STEP_OP != s->kind || DT_FLOAT32 != s->work || DT_FLOAT32 != s->type || s->fused ||
		        0 <= s->check)
			goto other;

		n += (size_t)snprintf(text + n, 64 - n, "%s%s", n ? " " : "", op_name((enum op)s->id));

		for (int k = 0; k < s->args && n < 64; k++) {
			const int a = s->arg[k];

			if (0 > a && ++scalars > 1)
				goto other;

			if (0 <= a && STEP_LOAD == q->steps[a].kind)
				n += (size_t)snprintf(text + n, 64 - n, " %d", load_of[a]);
			else if (0 > a || a == i - 1)
				n += (size_t)snprintf(text + n, 64 - n, (0 > a) ? " s" : " v");
			else
				goto other;
		}

		if (n >= 64)
			goto other;
	}

	return;

other:
	text[0] = '\0';
}

static float only_scalar(const struct loop *l)
{
	float a = 0;

	for (int i = 0; i < l->pass->n; i++)
		for (int k = 0; k < l->pass->steps[i].args; k++)
			if (l->pass->steps[i].arg[k] < 0)
				memcpy(&a, l->scalars[-1 - l->pass->steps[i].arg[k]], sizeof a);

	return a;
}

static void run_form(const struct expr_gpu *g, char *const base[], long first, long end)
{
	const float *in[3] = {NULL};
	float *out = NULL;

	for (int i = 0; i < g->l->pass->n; i++) {
		const struct step *s = &g->l->pass->steps[i];

		if (STEP_LOAD == s->kind)
			in[s->lane] = (const float *)base[s->lane] + first;
		else if (STEP_STORE == s->kind)
			out = (float *)base[s->lane] + first;
	}

	expr_form_run(g->form, end - first, out, in, only_scalar(g->l));
}

/* ---- the program to interpret ---- */

/** Words of scalars and grids follow those of the source: expr_source_arguments() has put them there. */
static void write_program(struct expr_gpu *g)
{
	static const enum expr_order_kind kinds[] = {[STEP_LOAD] = ORDER_LOAD,
	        [STEP_INDEX] = ORDER_INDEX,
	        [STEP_COORDINATE] = ORDER_COORDINATE,
	        [STEP_OP] = ORDER_OP,
	        [STEP_CONVERT] = ORDER_CONVERT,
	        [STEP_REDUCE] = ORDER_REDUCE,
	        [STEP_STORE] = ORDER_STORE};
	const struct loop *l = g->l;
	const struct expr_pass *q = l->pass;
	int *last = mem_calloc((size_t)q->n + 1, sizeof *last),
	    *idle = mem_calloc((size_t)q->n + 1, sizeof *idle);
	int nidle = 0;

	g->orders = mem_calloc((size_t)q->n + 1, sizeof *g->orders);
	g->program = (struct expr_program){
	        .orders = q->n, .cells = 1, .reductions = q->reductions, .D = l->D, .dims = EXPR_WORDS};

	for (int i = 0; i < q->n; i++) {
		last[i] = i;

		for (int k = 0; k < q->steps[i].args; k++)
			if (0 <= q->steps[i].arg[k])
				last[q->steps[i].arg[k]] = i;
	}

	for (int i = 0; i < q->n; i++) { // cell 0 is nobody's
		const struct step *s = &q->steps[i];
		struct expr_order *o = &g->orders[i];

		*o = (struct expr_order){.kind = kinds[s->kind],
		        .id = s->id,
		        .inner = s->fused ? (int)s->inner : -1,
		        .work = s->work,
		        .type = s->type,
		        .to = s->type,
		        .args = s->args,
		        .counter = (0 <= s->check) ? l->plan->nout + s->check : -1,
		        .wrap = NARROW_WRAP == l->plan->rules.narrow};

		if (0 <= s->lane) {
			o->word = (int)expr_source_lane_word(l, s->lane);
			o->type = l->lanes[s->lane].type;
			o->swapped = l->lanes[s->lane].swapped;
		}

		if (STEP_STORE == s->kind)
			o->counter = (s->work == l->lanes[s->lane].type) ? -1 : s->id;

		if (STEP_COORDINATE == s->kind)
			o->id = expr_source_grid_word(g->source, i);

		if (STEP_REDUCE == s->kind) {
			o->number = s->id;
			o->id = s->reduction;
			o->how = g->source->how[s->id];
		}

		for (int k = 0; k < s->args; k++)
			o->arg[k] = (0 <= s->arg[k])
			                    ? g->orders[s->arg[k]].cell
			                    : -1 - expr_source_scalar_word(g->source, -1 - s->arg[k]);

		for (int k = 0; k < s->args; k++) // free after the last use; named twice, once
			if (0 <= s->arg[k] && i == last[s->arg[k]]) {
				idle[nidle++] = g->orders[s->arg[k]].cell;
				last[s->arg[k]] = -1;
			}

		if (STEP_REDUCE != s->kind && STEP_STORE != s->kind)
			o->cell = (0 < nidle) ? idle[--nidle] : g->program.cells++;
	}

	free(last);
	free(idle);
}

/* ---- ---- */

static void choose_kernel(struct expr_gpu *g, char *const base[])
{
	char signature[64];

	if (EXPR_GPU_BEST == way) {
		sign(signature, g->l, base);
		g->form = ('\0' == signature[0]) ? NULL : expr_form_of(signature);
	}

	if (NULL == g->form && EXPR_GPU_INTERPRETED != way && g->l->pass->n <= STEPS_MOST &&
	        g->source->words <= WORDS_MOST)
		g->kernel = expr_kernel_of(expr_source_library(), g->source->text);
}

static bool has_counters(const struct loop *l)
{
	for (int i = 0; i < l->pass->n; i++) {
		const struct step *s = &l->pass->steps[i];

		if (0 <= s->check || (STEP_STORE == s->kind && s->work != l->lanes[s->lane].type))
			return true;
	}

	return false;
}

struct expr_gpu *expr_gpu_begin(struct expr_run *r, const struct loop *l, char *const base[])
{
	struct expr_gpu *g = NEW(struct expr_gpu);
	const long reductions = l->pass->reductions;

	g->run = r;
	g->l = l;
	g->source = expr_source_create(l, base);
	g->words = mem_calloc((size_t)g->source->words, sizeof *g->words);

	choose_kernel(g, base);

	if (!expr_gpu_is_compiled(g))
		write_program(g);

	gpu_selftest((NULL != g->kernel) ? &gpu_selftest_generated : &gpu_selftest_expressions);

	g->part = expr_source_part(g->source, l->count);
	g->blocks = (l->count + g->part - 1) / g->part;
	g->counter_bytes = has_counters(l) ? sizeof(uint64_t) * (size_t)g->source->counters : 0;

	if (0 < g->counter_bytes + (size_t)reductions) {
		// counters first, then the sums of all blocks and those of each
		const size_t head = (g->counter_bytes + 255) / 256 * 256;

		g->memory = device_alloc(
		        head + (size_t)((g->blocks + 1) * reductions + 1) * sizeof(struct kern_acc));
		device_fill(g->memory, 0, head);
		g->words[EXPR_COUNTERS] = (int64_t)(size_t)g->memory;
		g->words[EXPR_ACCUMULATORS] = (int64_t)(size_t)(g->memory + head);
	}

	return g;
}

bool expr_gpu_is_compiled(const struct expr_gpu *g)
{
	return NULL != g->form || NULL != g->kernel;
}

long expr_gpu_part(const struct expr_gpu *g)
{
	return g->part;
}

void expr_gpu_range(struct expr_gpu *g, char *const base[], long first, long end)
{
	const long blocks = (end - first + g->part - 1) / g->part;
	const int64_t sums = g->words[EXPR_ACCUMULATORS];

	if (0 == blocks)
		return;

	if (NULL != g->form) {
		run_form(g, base, first, end);
		return;
	}

	expr_source_arguments(g->source, base, g->words);
	g->words[EXPR_FIRST] = first;
	g->words[EXPR_END] = end;
	g->words[EXPR_PART_OF_BLOCK] = g->part;
	// the sums of all blocks lie in front of those of each
	g->words[EXPR_ACCUMULATORS] +=
	        (1 + first / g->part) * g->l->pass->reductions * (long)sizeof(struct kern_acc);

	if (NULL != g->kernel)
		expr_kernel_run(g->kernel, blocks, g->words, g->source->words);
	else
		expr_interpret(&g->program, g->orders, g->words, g->source->words, blocks);

	g->words[EXPR_ACCUMULATORS] = sums;
}

static void fetch_counters(struct expr_gpu *g)
{
	const int nout = g->l->plan->nout;
	uint64_t *counts = mem_calloc((size_t)g->source->counters + 1, sizeof *counts);

	device_copy(counts, g->memory, g->counter_bytes);

	for (int i = 0; i < nout; i++)
		g->run->lost[i] += (long)counts[i];

	for (int i = 0; i < g->l->plan->checks; i++)
		g->run->missing[i] += (long)counts[nout + i];

	free(counts);
}

static void fetch_reductions(struct expr_gpu *g)
{
	const struct expr_pass *q = g->l->pass;
	const int n = q->reductions;
	struct kern_acc *acc = expr_run_accumulators(q, 0);

	if (0 < g->blocks) {
		char *sums = (char *)(size_t)g->words[EXPR_ACCUMULATORS];

		expr_fold_blocks(sums, sums + (size_t)n * sizeof *acc, g->blocks, n, g->source->how);
		device_copy(acc, sums, (size_t)n * sizeof *acc);
	}

	expr_run_reduced(g->run, q, acc);
	free(acc);
}

void expr_gpu_end(struct expr_gpu *g)
{
	if (0 < g->counter_bytes)
		fetch_counters(g);

	if (0 < g->l->pass->reductions)
		fetch_reductions(g);

	device_free(g->memory);
	expr_source_free(g->source);
	free(g->orders);
	free(g->words);
	free(g);
}
