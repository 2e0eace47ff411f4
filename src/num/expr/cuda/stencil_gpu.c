/* Passes with neighbourhoods on the GPU: kernels, their arguments and their results. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/device/cuda/selftest.h"
#include "num/device/device.h"
#include "num/expr/cuda/expr_device.h"
#include "num/expr/expr_source.h"
#include "num/expr/gpu/stencil_gpu.h"
#include "num/expr/gpu/stencil_slides.h"
#include "num/md/multind.h"

GPU_SELFTEST_DECLARE(generated);

struct stencil_gpu {
	struct expr_run *run;
	const struct stencil_work *work;
	struct stencil *s;
	struct stencil_source *source;
	const void **kernel;
	int64_t *words;
	long blocks, done; // of the kernel of results: all, and those that ran
	char *memory;      // counters, what the reductions are, accumulators of the blocks
	size_t head;       // of the counters [bytes]
};

/** Whether elements lie where their units may. */
static bool is_aligned(const struct expr_pass *q, const struct stencil_work *w)
{
	bool aligned = true;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];
		const long *strs = (STEP_LOAD == s->kind) ? w->in[s->id].strs : w->out[s->id].strs;
		const enum dtype type = (STEP_LOAD == s->kind) ? w->in[s->id].type : w->out[s->id].type;
		size_t bits = (size_t)((STEP_LOAD == s->kind) ? w->in[s->id].data : w->out[s->id].data);

		for (int d = 0; d < DIMS; d++)
			bits |= (size_t)strs[d];

		if (STEP_LOAD == s->kind || STEP_STORE == s->kind)
			aligned = aligned && 0 == bits % dtype_unit(type);
	}

	return aligned;
}

static bool find_kernels(struct stencil_gpu *g)
{
	g->kernel = mem_calloc((size_t)g->source->kernels, sizeof *g->kernel);

	for (int k = 0; k < g->source->kernels; k++) {
		g->kernel[k] = expr_kernel_of(expr_source_library(), g->source->kernel[k].text);

		if (NULL == g->kernel[k])
			return false;
	}

	return true;
}

static void take_memory(struct stencil_gpu *g)
{
	const struct stencil *s = g->s;
	const long further = md_calc_size(DIMS - 3, s->dims + 3);

	g->blocks = further * stencil_source_blocks(g->source, g->source->kernels - 1, s->dims[2]);
	g->head = ((size_t)g->source->counters * sizeof(uint64_t) + 255) / 256 * 256;
	g->memory = device_alloc(
	        g->head + (size_t)((g->blocks + 1) * g->source->reductions + 1) * sizeof(struct kern_acc));
	device_fill(g->memory, 0, g->head);
	g->words = mem_calloc((size_t)g->source->words, sizeof *g->words);
	g->words[EXPR_COUNTERS] = (int64_t)(size_t)g->memory;
}

static void release(struct stencil_gpu *g)
{
	device_free(g->memory);
	stencil_source_free(g->source);
	stencil_free(g->s);
	free(g->kernel);
	free(g->words);
	free(g);
}

bool stencil_gpu_compiles(void)
{
	return expr_kernel_compiler();
}

struct stencil_gpu *stencil_gpu_begin(
        struct expr_run *r, const struct expr_pass *q, const struct stencil_work *w)
{
	struct stencil_gpu *g = NEW(struct stencil_gpu);

	g->run = r;
	g->work = w;
	g->s = stencil_create(r->plan, q);
	g->source = expr_kernel_compiler() ? stencil_source_create(g->s, w, is_aligned(q, w)) : NULL;

	if (NULL == g->source || !find_kernels(g)) {
		release(g);
		return NULL;
	}

	gpu_selftest(&gpu_selftest_generated);
	take_memory(g);

	return g;
}

long stencil_gpu_step(const struct stencil_gpu *g)
{
	return g->source->tile[2];
}

long stencil_gpu_halo(const struct stencil_gpu *g, int input)
{
	return stencil_input_halo(g->s, input);
}

static size_t kept_bytes(const struct stencil_gpu *g, int stage, long slices)
{
	return (size_t)stencil_source_kept(g->source, stage, slices) * dtype_size(g->s->stages[stage].type);
}

double stencil_gpu_bytes(const struct stencil_gpu *g, long slices)
{
	double bytes = 0;

	for (int k = 0; k < g->s->n; k++)
		bytes += g->source->kept[k] ? (double)kept_bytes(g, k, slices) : 0.;

	return bytes;
}

void stencil_gpu_slices(struct stencil_gpu *g, struct stencil_places *p)
{
	const struct stencil_source *x = g->source;
	const long slices = p->to - p->from, blocks = stencil_source_blocks(x, x->kernels - 1, slices);

	if (0 >= slices || 0 >= blocks)
		return;

	p->kept = mem_calloc((size_t)g->s->n + 1, sizeof *p->kept);

	for (int k = 0; k < g->s->n; k++)
		p->kept[k] = x->kept[k] ? device_alloc(kept_bytes(g, k, slices)) : NULL;

	stencil_source_arguments(x, g->work, p, (const unsigned char(*)[16])g->run->scalars, g->words);
	// the sums of all blocks lie in front of those of each
	g->words[EXPR_ACCUMULATORS] = (int64_t)(size_t)(g->memory + g->head) +
	                              (1 + g->done) * x->reductions * (long)sizeof(struct kern_acc);

	for (int k = 0; k < x->kernels; k++)
		expr_kernel_run(g->kernel[k], stencil_source_blocks(x, k, slices), g->words, x->words);

	g->done += blocks;

	for (int k = 0; k < g->s->n; k++)
		device_free(p->kept[k]);

	free(p->kept);
}

static void fetch_counters(struct stencil_gpu *g)
{
	const struct expr_plan *plan = g->run->plan;
	uint64_t *counts = mem_calloc((size_t)g->source->counters + 1, sizeof *counts);

	device_copy(counts, g->memory, (size_t)g->source->counters * sizeof *counts);

	for (int i = 0; i < plan->nout; i++)
		g->run->lost[i] += (long)counts[i];

	for (int i = 0; i < plan->checks; i++)
		g->run->missing[i] += (long)counts[plan->nout + i];

	free(counts);
}

static void fetch_reductions(struct stencil_gpu *g)
{
	const struct expr_pass *q = g->s->pass;
	const size_t bytes = (size_t)q->reductions * sizeof(struct kern_acc);
	struct kern_acc *acc = expr_run_accumulators(q, 0);
	char *sums = g->memory + g->head;

	if (0 < g->done) {
		expr_fold_blocks(sums, sums + bytes, g->done, q->reductions, g->source->how);
		device_copy(acc, sums, bytes);
	}

	expr_run_reduced(g->run, q, acc);
	free(acc);
}

void stencil_gpu_end(struct stencil_gpu *g)
{
	fetch_counters(g);

	if (0 < g->s->pass->reductions)
		fetch_reductions(g);

	release(g);
}
