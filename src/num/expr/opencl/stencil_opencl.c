/** Passes with neighbourhoods on an OpenCL device, in slabs of slices. Inputs that the device shares with the
 * host, and repeated ones, are on the device as a whole. Of others, a slab has the slices that its results
 * need. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/gpu/stencil_slides.h"
#include "num/expr/opencl/pass.h"
#include "num/expr/opencl/stencil_text.h"
#include "num/expr/windows/sampler.h"

/** Approximate number of elements of a slab, if memory suffices. */
static const long slab_count = 1L << 22;

/** A buffer of an operand or stage. */
struct buffer {
	const struct opencl_operand *of; // NULL: a stage
	long halo;                       // slices that a slab needs on both sides
	size_t slice;                    // [bytes]
	char *there;
	bool whole;  // all elements are on the device
	bool stored; // an output
};

struct stream {
	const struct expr_pass *q;
	struct stencil *s;
	struct stencil_text *t;
	struct stencil_work work;
	int buffers; // inputs, outputs, stages, samplers
	struct buffer *buffer;
	long slab, further;
	void *words, *counters, *sums;
	struct opencl_kernel_built **kernel; // per stage, then the results
};

bool stencil_opencl_can(const struct expr_plan *p, const struct expr_pass *q)
{
	struct stencil_work w = {.what = NULL};

	for (int k = 0; k < p->nin; k++)
		w.in[k].type = p->operand[k].type;

	for (int k = 0; k < p->nout; k++)
		w.out[k].type = DT_FLOAT32; // others are checked by expr_opencl_takes()

	struct stencil *s = stencil_create(p, q);
	struct stencil_text *t = stencil_text_create(s, &w);
	const bool can = NULL != t;

	stencil_text_free(t);
	stencil_free(s);
	return can;
}

/* ---- buffers ---- */

static void set_operands(
        struct stream *x, const struct opencl_operand out[], const struct opencl_operand in[])
{
	const struct expr_plan *p = x->s->plan;

	for (int k = 0; k < p->nin + p->nout; k++) {
		const bool stored = k >= p->nin;
		const struct opencl_operand *o = stored ? out + k - p->nin : in + k;
		struct buffer *b = &x->buffer[k];
		long *strs = stored ? x->work.out[k - p->nin].strs : x->work.in[k].strs;

		if (NULL == o->dims)
			continue;

		if (stored)
			x->work.out[k - p->nin].type = o->type;
		else
			x->work.in[k].type = o->type;

		if (!stored)
			x->work.in[k].data = o->host;

		md_calc_strides(DIMS, strs, o->dims, dtype_size(o->type));
		*b = (struct buffer){.of = o,
		        .stored = stored,
		        .halo = stored ? 0 : stencil_input_halo(x->s, k),
		        .slice = (size_t)(o->dims[0] * o->dims[1]) * dtype_size(o->type),
		        .whole = !md_check_equal_dims(DIMS, x->q->dims, o->dims, ~0ul)};
	}
}

static size_t count_bytes(const struct opencl_operand *o)
{
	return (size_t)md_calc_size(DIMS, o->dims) * dtype_size(o->type);
}

/** Bytes of a buffer for `slices` slices of results. */
static size_t buffer_bytes(const struct stream *x, int k, long slices)
{
	const struct buffer *b = &x->buffer[k];
	const long halo = b->halo, most = min_long(x->q->dims[2], slices + 2 * halo);

	if (k >= stencil_text_stage(x->s, 0)) {
		const int stage = k - stencil_text_stage(x->s, 0);
		const enum dtype type = x->s->stages[stage].type;

		return (size_t)stencil_text_stored(x->t, stage, slices) *
		       (DT_BOOL == type ? sizeof(int32_t) : dtype_size(type)); // bool: an int of OpenCL
	}

	return b->whole ? count_bytes(b->of) : (size_t)most * b->slice;
}

static size_t slab_bytes(const struct stream *x, long slices)
{
	size_t bytes = 0;

	for (int k = 0; k < x->buffers; k++)
		if (x->t->used[k] && NULL == x->buffer[k].there)
			bytes += buffer_bytes(x, k, slices);

	return bytes;
}

static size_t largest(const struct stream *x, long slices)
{
	size_t bytes = 0;

	for (int k = 0; k < x->buffers; k++)
		if (x->t->used[k] && NULL == x->buffer[k].there && buffer_bytes(x, k, slices) > bytes)
			bytes = buffer_bytes(x, k, slices);

	return bytes;
}

static bool fits(const struct stream *x, long slices)
{
	return slab_bytes(x, slices) <= opencl_left() / 4 * 3 && largest(x, slices) <= opencl_largest();
}

/** Results that wrap around need all slices at once. */
static void choose_slab(struct stream *x)
{
	const long n = x->q->dims[2];
	bool all = false;

	for (int k = 0; k < x->s->plan->nin; k++)
		all = all || (EXPR_EDGE_WRAP == x->s->plan->edge && 0 < x->buffer[k].halo);

	x->slab = all ? n : min_long(n, max_long(1, slab_count / max_long(1, x->q->dims[0] * x->q->dims[1])));

	while (!all && x->slab > 1 && !fits(x, x->slab))
		x->slab /= 2;
}

/** The elements that samplers read, which are on the device as a whole; false: they do not fit. */
static bool make_samplers(struct stream *x)
{
	for (int k = 0; k < x->t->samplers; k++) {
		const int id = x->t->sampler[k], input = id % EXPR_OPERANDS;
		struct buffer *b = &x->buffer[stencil_text_stage(x->s, x->s->n) + k];

		x->work.samplers[id] = sampler_create(sampler_method_of(id), x->s->plan->edge,
		        &x->s->plan->operand[input], &x->work.in[input]);

		const struct sampler_data a = sampler_data(x->work.samplers[id]);

		b->whole = true;
		b->there = opencl_share((void *)a.data, a.bytes, false);

		if (NULL != b->there)
			continue;

		if (a.bytes > opencl_left() / 4 * 3 || a.bytes > opencl_largest())
			return false;

		b->there = opencl_alloc(a.bytes);
		opencl_upload(b->there, a.data, a.bytes);
	}

	return true;
}

/** false: device memory does not suffice for a slab. */
static bool make_buffers(struct stream *x)
{
	if (!make_samplers(x))
		return false;

	for (int k = 0; k < stencil_text_stage(x->s, 0); k++) {
		struct buffer *b = &x->buffer[k];

		if (x->t->used[k] && b->of->host)
			b->there = opencl_share(b->of->host, count_bytes(b->of), b->stored);

		b->whole = b->whole || NULL != b->there;
	}

	choose_slab(x);

	if (!fits(x, x->slab))
		return false;

	for (int k = 0; k < x->buffers; k++) {
		struct buffer *b = &x->buffer[k];

		if (!x->t->used[k] || NULL != b->there)
			continue;

		b->there = opencl_alloc(buffer_bytes(x, k, x->slab));

		if (b->whole)
			opencl_upload(b->there, b->of->host, count_bytes(b->of));
	}

	return true;
}

/* ---- slabs ---- */

/** Number of the first slice of the indices rest[]. */
static long first_slice(const struct stream *x, const struct stencil_slab *at)
{
	long number = 0;

	for (int d = DIMS - 1; d >= 3; d--)
		number = number * x->q->dims[d] + at->rest[d];

	return number * x->q->dims[2];
}

/** Sets the addresses of element 0 of samplers. */
static void place_samplers(const struct stream *x, const struct stencil_slab *at, long base[])
{
	for (int k = 0; k < x->t->samplers; k++) {
		const struct sampler_data a = sampler_data(x->work.samplers[x->t->sampler[k]]);

		for (int d = 3; d < DIMS; d++)
			base[stencil_text_stage(x->s, x->s->n) + k] += at->rest[d] * a.strs[d];
	}
}

/** Uploads the inputs of a slab and sets the addresses of element 0. */
static void place_operands(const struct stream *x, const struct stencil_slab *at, long base[])
{
	for (int k = 0; k < stencil_text_stage(x->s, 0); k++) {
		const struct buffer *b = &x->buffer[k];
		const int nin = x->s->plan->nin;
		const long *strs = (k < nin) ? x->work.in[k].strs : x->work.out[k - nin].strs;
		const long from = max_long(0, at->from - b->halo),
		           to = min_long(x->q->dims[2], at->to + b->halo);

		base[k] = 0;

		if (!x->t->used[k])
			continue;

		for (int d = 3; d < DIMS && b->whole; d++)
			base[k] += at->rest[d] * strs[d];

		if (b->whole)
			continue;

		base[k] = -from * (long)b->slice;

		if (!b->stored)
			opencl_upload(b->there, b->of->host + (size_t)(first_slice(x, at) + from) * b->slice,
			        (size_t)(to - from) * b->slice);
	}
}

static void launch(const struct stream *x, struct opencl_kernel_built *k, long items)
{
	enum { FIXED = 3, THREADS = 256 };
	struct opencl_argument *a = mem_calloc((size_t)(FIXED + x->buffers), sizeof *a);
	const size_t groups[3] = {(size_t)((items + THREADS - 1) / THREADS), 1, 1}, local[2] = {THREADS, 1};
	int n = FIXED;

	a[0] = (struct opencl_argument)OPENCL_BUFFER(x->words);
	a[1] = (struct opencl_argument)OPENCL_BUFFER(x->counters);
	a[2] = (struct opencl_argument)OPENCL_BUFFER(x->sums);

	for (int i = 0; i < x->buffers; i++)
		if (x->t->used[i])
			a[n++] = (struct opencl_argument)OPENCL_BUFFER(x->buffer[i].there);

	opencl_launch(k, groups, local, n, a);
	free(a);
}

static void fetch_outputs(const struct stream *x, const struct stencil_slab *at)
{
	const long slice = x->q->dims[0] * x->q->dims[1], n = at->to - at->from;

	for (int k = 0; k < x->s->plan->nout; k++) {
		const struct buffer *b = &x->buffer[stencil_text_output(x->s, k)];

		if (NULL != b->there && !b->whole)
			opencl_pass_store(
			        b->of, (first_slice(x, at) + at->from) * slice, b->there, n * slice);
	}
}

static void run_slab(
        const struct stream *x, struct expr_run *r, struct stencil_slab *at, struct kern_acc *acc)
{
	int64_t *words = mem_calloc((size_t)x->t->words, sizeof *words);
	long *base = mem_calloc((size_t)x->buffers + 1, sizeof *base);
	const long parts = (at->to - at->from) * stencil_text_parts(x->t);

	place_operands(x, at, base);
	place_samplers(x, at, base);
	at->base = base;
	stencil_text_fill(x->t, &x->work, at, (const unsigned char(*)[16])r->scalars, words);
	opencl_upload(x->words, words, (size_t)x->t->words * sizeof *words);

	for (int k = 0; k < x->s->n; k++)
		if (NULL != x->kernel[k])
			launch(x, x->kernel[k], stencil_text_stored(x->t, k, at->to - at->from));

	launch(x, x->kernel[x->s->n], parts * 256);
	opencl_pass_count(r, x->counters);
	opencl_pass_sums(acc, x->sums, parts * x->q->reductions);
	fetch_outputs(x, at);
	free(words);
	free(base);
}

/** Numbers of elements of the parts, in their order. */
static void count_parts(const struct stream *x, struct kern_acc *acc, long slices)
{
	const long parts = stencil_text_parts(x->t), n = x->q->reductions;

	for (long i = 0; i < slices * parts; i++)
		for (long k = 0; k < n; k++)
			acc[i * n + k].count =
			        min_long(x->t->rows, x->q->dims[1] - i % parts * x->t->rows) * x->q->dims[0];
}

static void find_kernels(struct stream *x)
{
	const struct opencl_source *source = opencl_pass_source(mem_strdup(x->t->text));

	x->kernel = mem_calloc((size_t)x->s->n + 1, sizeof *x->kernel);

	for (int k = 0; k < x->s->n; k++) {
		char *name = mem_printf("gantry_stage%d", k);

		if (!x->s->stages[k].is_source)
			x->kernel[k] = opencl_kernel(source, "", name);

		free(name);
	}

	x->kernel[x->s->n] = opencl_kernel(source, "", "gantry_results");
}

static void release(struct stream *x)
{
	for (int k = 0; k < x->buffers; k++)
		opencl_free(x->buffer[k].there);

	for (int k = 0; k < x->t->samplers; k++)
		sampler_free(x->work.samplers[x->t->sampler[k]]);

	opencl_free(x->words);
	opencl_free(x->counters);
	opencl_free(x->sums);
	free(x->buffer);
	free(x->kernel);
	stencil_text_free(x->t);
	stencil_free(x->s);
}

bool stencil_opencl_pass(struct expr_run *r, const struct expr_pass *q, const struct opencl_operand out[],
        const struct opencl_operand in[])
{
	struct stream x = {.q = q, .s = stencil_create(r->plan, q)};
	struct stencil_slab at = {.from = 0};

	x.buffer = mem_calloc((size_t)stencil_text_stage(x.s, x.s->n + q->n) + 1, sizeof *x.buffer);
	set_operands(&x, out, in);
	x.t = stencil_text_create(x.s, &x.work);
	x.buffers = x.t->all;
	x.words = opencl_alloc((size_t)x.t->words * sizeof(int64_t));
	x.counters = opencl_pass_counters(r);

	if (!make_buffers(&x)) {
		release(&x);
		return false;
	}

	find_kernels(&x);

	const long slices = md_calc_size(DIMS - 2, q->dims + 2), parts = stencil_text_parts(x.t);
	struct kern_acc *acc = expr_run_accumulators(q, slices * parts);

	x.sums = opencl_alloc((size_t)(x.slab * parts * q->reductions) * sizeof(double));
	count_parts(&x, acc, slices);

	do {
		for (at.from = 0; at.from < q->dims[2]; at.from = at.to) {
			at.to = min_long(q->dims[2], at.from + x.slab);
			run_slab(&x, r, &at, acc + (first_slice(&x, &at) + at.from) * parts * q->reductions);
		}
	} while (md_next(DIMS, q->dims, ~7ul, at.rest));

	if (q->reductions > 0)
		expr_run_reduced(r, q, expr_run_merge(q, acc, slices * parts));

	free(acc);
	release(&x);
	return true;
}
