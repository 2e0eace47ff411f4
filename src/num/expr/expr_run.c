/* Plans over arrays in memory. */

#include <assert.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/expr/expr_gpu.h"
#include "num/expr/expr_pass.h"
#include "num/expr/gpu/stencil_gpu.h"
#include "num/md/multind.h"

/** Outputs of a pass that are together larger than this are written past the cache. [bytes] */
static const long stream_bytes = 16L << 20;

static const char *name_of(const struct array *a, const char *name)
{
	return (NULL != a->name) ? a->name : ('\0' != name[0]) ? name : "the result";
}

static void check_input(const struct expr_plan *p, int i, const struct array *a)
{
	assert(md_check_equal_dims(DIMS, p->operand[i].dims, a->dims, ~0ul) && p->operand[i].type == a->type);
	(void)p;
	(void)i;
	(void)a;
}

static void check_output(const struct expr_plan *p, int i, const struct array *a)
{
	long dims[DIMS];
	enum dtype type;

	expr_plan_output(p, i, dims, &type);

	if (!md_check_equal_dims(DIMS, dims, a->dims, ~0ul)) {
		struct hdr h, want;

		hdr_init(&h);
		hdr_init(&want);
		md_copy_dims(DIMS, h.dims, a->dims);
		md_copy_dims(DIMS, want.dims, dims);
		error("%s is %s, expected %s", name_of(a, p->out[i]), hdr_shape(&h), hdr_shape(&want));
	}

	if (a->constant)
		error("%s must not be written", name_of(a, p->out[i]));

	if (array_self_overlap(a))
		error("%s cannot be written: some of its elements share memory", name_of(a, p->out[i]));
}

/** First pass that stores output i, or the number of passes for a scalar. */
static int pass_of_output(const struct expr_plan *p, int i)
{
	for (int k = 0; k < p->passes; k++)
		for (int s = 0; s < p->pass[k].n; s++)
			if (STEP_STORE == p->pass[k].steps[s].kind && i == p->pass[k].steps[s].id)
				return k;

	return p->passes;
}

static bool reads(const struct expr_pass *q, int input)
{
	for (int s = 0; s < q->n; s++)
		if (step_reads(&q->steps[s], input))
			return true;

	return false;
}

/** Whether a store other than that of an output takes an input as it lies: perhaps after that one. */
static bool passes_on(const struct expr_pass *q, int input, int output)
{
	for (int s = 0; s < q->n; s++) {
		const struct step *t = &q->steps[s];

		if (STEP_STORE == t->kind && output != t->id && STEP_LOAD == q->steps[t->arg[0]].kind &&
		        input == q->steps[t->arg[0]].id)
			return true;
	}

	return false;
}

/** Whether writing outputs may change input i before it is read: a pass stores into it that is followed by
 * one that reads it, or elements of others than the same place, or of the same place that another store
 * takes. */
static bool in_danger(const struct expr_plan *p, struct array *const out[], const struct array *in, int input)
{
	for (int i = 0; i < p->nout; i++) {
		if (!array_overlap(out[i], in))
			continue;

		int k = pass_of_output(p, i);

		if (k < p->passes && reads(&p->pass[k], input) &&
		        (p->pass[k].neighbours || array_conflict(out[i], in) ||
		                passes_on(&p->pass[k], input, i)))
			return true;

		for (k++; k < p->passes; k++)
			if (reads(&p->pass[k], input))
				return true;
	}

	return false;
}

/** Whether output i may be written while the block's other steps still read. */
static bool is_apart(const struct expr_plan *p, const struct array *out, const struct array *const in[])
{
	for (int k = 0; k < p->nin; k++)
		if (array_overlap(out, in[k]))
			return false;

	return true;
}

/** The last step that is no store. */
static int last_step(const struct expr_pass *q)
{
	return q->n - q->stores - 1;
}

static void set_store(const struct expr_plan *p, struct loop *l, int step, const struct array *out,
        const struct array *const in[], bool large)
{
	const struct expr_pass *q = l->pass;
	const struct step *s = &q->steps[step];
	struct lane *a = &l->lanes[s->lane];
	bool apart = is_apart(p, out, in);

	a->stream = large && apart && a->step == (long)dtype_size(out->type);
	a->direct = a->plain && !a->stream && (apart || last_step(q) == s->arg[0]);
}

static struct loop *make_loop(const struct expr_run *r, const struct expr_pass *q, struct array *const out[],
        const struct array *const in[], char *base[])
{
	struct loop *l = expr_loop_create(r->plan, q, (const unsigned char(*)[16])r->scalars);
	long bytes = 0;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD != s->kind && STEP_STORE != s->kind)
			continue;

		const struct array *a = (STEP_LOAD == s->kind) ? in[s->id] : out[s->id];

		expr_loop_set(
		        l, s->lane, a->type, a->swapped, 0 == (size_t)a->data % dtype_unit(a->type), a->strs);
		base[s->lane] = a->data;

		if (STEP_STORE == s->kind)
			bytes += l->count * (long)dtype_size(a->type);
	}

	expr_loop_simplify(l, q->ordered);

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE == q->steps[i].kind)
			set_store(r->plan, l, i, out[q->steps[i].id], in, bytes > stream_bytes);

	return l;
}

/** A pass where its data lie. */
typedef void pass_fn(struct expr_run *r, const struct loop *l, char *const base[]);

static void pass_on_cpu(struct expr_run *r, const struct loop *l, char *const base[])
{
	const struct expr_pass *q = l->pass;
	long parts = (l->count + EXPR_PART - 1) / EXPR_PART;
	struct kern_acc *acc = expr_run_accumulators(q, parts);

#pragma omp parallel num_threads(threads_for(2. * (double)l->count))
	{
		struct loop_worker *w = expr_loop_worker_create(l);

#pragma omp for schedule(static)
		for (long k = 0; k < parts; k++) {
			long first = k * EXPR_PART;

			w->acc = acc + k * q->reductions;
			expr_loop_range(l, w, base, first,
			        (l->count - first < EXPR_PART) ? l->count - first : EXPR_PART);
		}

#pragma omp critical(expr_count)
		expr_run_count(r, w);
		kern_fence();
		expr_loop_worker_free(w);
	}

	expr_run_reduced(r, q, expr_run_merge(q, acc, parts));
	free(acc);
}

static void pass_on_gpu(struct expr_run *r, const struct loop *l, char *const base[])
{
	struct expr_gpu *g = expr_gpu_begin(r, l, base);

	expr_gpu_range(g, base, 0, l->count);
	expr_gpu_end(g);
}

/** By the place of what the pass reads and stores. */
static pass_fn *pass_of(const struct expr_pass *q, struct array *const out[], const struct array *const in[])
{
	int gpu = 0, lanes = 0;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD != s->kind && STEP_STORE != s->kind && STEP_SAMPLE != s->kind)
			continue;

		gpu += device_holds(
		        (STEP_STORE == s->kind) ? out[s->id]->data : in[s->id % EXPR_OPERANDS]->data);
		lanes++;
	}

	if (0 < gpu && gpu < lanes)
		error("expression: some operands or results are on the GPU, others on the CPU, expected all "
		      "in one place");

	return (0 < gpu) ? pass_on_gpu : pass_on_cpu;
}

/** A pass with neighbours. */
static void run_neighbours(struct expr_run *r, const struct expr_pass *q, struct array *const out[],
        const struct array *const in[])
{
	struct stencil_work w = {.what = NULL, .cut = r->cut, .from = r->from, .to = r->to};
	long bytes = 0;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD == s->kind || STEP_SAMPLE == s->kind) {
			const int k = s->id % EXPR_OPERANDS;
			const struct array *a = in[k];

			w.in[k] = (struct stencil_input){a->data, a->type, a->swapped, {0}};

			for (int d = 0; d < DIMS; d++)
				w.in[k].strs[d] = (1 == a->dims[d]) ? 0 : a->strs[d];
		} else if (STEP_STORE == s->kind) {
			const struct array *a = out[s->id];

			w.out[s->id] = (struct stencil_output){
			        .data = a->data, .type = a->type, .swapped = a->swapped};
			md_copy_dims(DIMS, w.out[s->id].strs, a->strs);
			bytes += md_calc_size(DIMS, q->dims) * (long)dtype_size(a->type);
		}
	}

	for (int i = 0; i < r->plan->nout; i++)
		w.out[i].stream = bytes > stream_bytes;

	if (pass_on_cpu == pass_of(q, out, in))
		stencil_run(r, q, &w);
	else if (!stencil_gpu_arrays(r, q, &w))
		error("expression: no GPU kernel for its neighbourhoods, but its operands reside on the GPU");
}

static void run_pass(struct expr_run *r, const struct expr_pass *q, struct array *const out[],
        const struct array *const in[])
{
	if (q->neighbours) {
		run_neighbours(r, q, out, in);
		return;
	}

	char **base = mem_calloc((size_t)q->lanes + 1, sizeof *base);
	struct loop *l = make_loop(r, q, out, in, base);

	pass_of(q, out, in)(r, l, base);
	free(base);
	expr_loop_free(l);
}

/** Outputs that are one value. */
static void store_scalars(struct expr_run *r, struct array *const out[])
{
	const struct expr_plan *p = r->plan;

	for (int i = 0; i < p->nout; i++) {
		if (!expr_plan_is_reduction(p, i))
			continue;

		unsigned char value[16];

		r->lost[i] += kern_store(out[i]->type, out[i]->swapped, value, 0, p->g.nodes[p->root[i]].type,
		        r->scalars[p->root[i]], 1, p->rules.narrow, false);
		device_copy(out[i]->data, value, dtype_size(out[i]->type));
	}
}

static void report(const struct expr_run *r, struct array *const out[])
{
	const char *names[EXPR_OPERANDS];
	enum dtype types[EXPR_OPERANDS];
	long counts[EXPR_OPERANDS];

	for (int i = 0; i < r->plan->nout; i++) {
		names[i] = name_of(out[i], r->plan->out[i]);
		types[i] = out[i]->type;
		counts[i] = array_count(out[i]);
	}

	expr_run_report(r, names, types, counts);
}

static void check_outputs(const struct expr_plan *p, struct array *const out[])
{
	for (int i = 0; i < p->nout; i++) {
		check_output(p, i, out[i]);

		for (int k = 0; k < i; k++)
			if (array_overlap(out[i], out[k]))
				error("%s and %s share memory: they cannot both be written",
				        name_of(out[k], p->out[k]), name_of(out[i], p->out[i]));
	}
}

/** An input apart from the outputs, where it lies. */
static struct array *copy_of(const struct array *a)
{
	if (!device_holds(a->data))
		return array_cast(a, a->type, array_default);

	void *data = device_alloc((size_t)array_count(a) * dtype_size(a->type));
	struct array *copy = array_borrow(a->type, DIMS, a->dims, NULL, data);

	expr_eval("a", 1, &copy, 1, (const char *const[]){"a"}, &a, array_default);

	return copy;
}

static void free_copy(struct array *a)
{
	void *data = a->data;
	const bool there = device_holds(data);

	array_free(a);

	if (there)
		device_free(data);
}

void expr_run(const struct expr_plan *p, struct array *const out[], const struct array *const in[])
{
	expr_run_range(p, out, in, 0, 0, 0);
}

void expr_run_range(const struct expr_plan *p, struct array *const out[], const struct array *const in[],
        int d, long from_row, long to_row)
{
	const struct array *from[EXPR_OPERANDS];
	struct array *copy[EXPR_OPERANDS] = {NULL};
	struct expr_run r;

	check_outputs(p, out);

	for (int i = 0; i < p->nin; i++) {
		from[i] = in[i];
		check_input(p, i, in[i]);

		if (in_danger(p, out, in[i], i))
			from[i] = copy[i] = copy_of(in[i]);
	}

	expr_run_start(&r, p);
	r.cut = d;
	r.from = from_row;
	r.to = to_row;

	for (int k = 0; k < p->passes; k++) {
		expr_run_scalars(&r, p->pass[k].stage);
		run_pass(&r, &p->pass[k], out, from);
	}

	expr_run_scalars(&r, INT_MAX);
	store_scalars(&r, out);
	report(&r, out);
	expr_run_end(&r);

	for (int i = 0; i < p->nin; i++)
		if (NULL != copy[i])
			free_copy(copy[i]);
}
