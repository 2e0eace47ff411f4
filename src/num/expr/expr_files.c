/* Plans over files and streams, slab by slab. Inputs in step with a pass come as blocks (num/slabs); those
 * that are repeated or in foreign byte order are read where they are mapped. */

#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/device/device.h"
#include "num/device/opencl.h"
#include "num/expr/expr_gpu.h"
#include "num/expr/expr_opencl.h"
#include "num/expr/expr_pass.h"
#include "num/expr/gpu/stencil_gpu.h"
#include "num/md/multind.h"

/** One pass over files. */
struct files {
	struct expr_run *run;
	struct loop *l;
	struct loop_worker **workers; // per thread
	struct kern_acc *acc;
	char **base;   // per lane, of those that are mapped
	int nin, nout; // that come in blocks
	struct cfl *in[EXPR_OPERANDS], *out[EXPR_OPERANDS];
	enum dtype want[EXPR_OPERANDS], work[EXPR_OPERANDS];
	int in_block[EXPR_OPERANDS], out_block[EXPR_OPERANDS]; // which block an operand is; -1: mapped
};

void expr_operand_of_file(struct expr_operand *o, const struct cfl *f)
{
	o->type = f->hdr.type;
	md_copy_dims(DIMS, o->dims, f->hdr.dims);
	memcpy(o->spacing, f->hdr.spacing, sizeof o->spacing);
	memcpy(o->origin, f->hdr.origin, sizeof o->origin);
}

static bool reads(const struct expr_pass *q, int input)
{
	for (int i = 0; i < q->n; i++)
		if (step_reads(&q->steps[i], input))
			return true;

	return false;
}

static bool in_step(const struct expr_pass *q, const struct cfl *f)
{
	return md_check_equal_dims(DIMS, q->dims, f->hdr.dims, ~0ul);
}

static bool is_stream(const struct cfl *f)
{
	return 0 == strcmp(f->name, "-");
}

/* ---- passes with neighbours ---- */

/** Slices of outputs that are streams, before each window. */
struct windows {
	const struct expr_pass *q;
	struct stencil_work *work;
	struct cfl *const *out;
};

static void next_window(void *ctx, long slices)
{
	const struct windows *x = ctx;
	const long *n = x->q->dims;

	for (int i = 0; i < x->q->n; i++) {
		const struct step *s = &x->q->steps[i];

		if (STEP_STORE == s->kind && NULL == x->work->out[s->id].file)
			x->work->out[s->id].data = cfl_slab(x->out[s->id], n[0] * n[1] * slices);
	}
}

/** [bytes] of a window of an output that is a stream. */
static const long window_bytes = 16L << 20;

static void neighbours_on_cpu(struct expr_run *r, const struct expr_pass *q, struct cfl *const out[],
        struct cfl *const in[], const char *what)
{
	struct stencil_work w = {.what = what, .next = next_window, .shared = true};
	struct windows x = {q, &w, out};

	w.ctx = &x;

	for (int k = 0; k < r->plan->nin; k++) {
		struct stencil_input *i = &w.in[k];

		if (!reads(q, k))
			continue;

		i->data = cfl_raw(in[k], i->strs, &i->swapped);
		i->type = in[k]->hdr.type;
	}

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_STORE != s->kind)
			continue;

		struct stencil_output *o = &w.out[s->id];
		struct cfl *f = out[s->id];

		o->type = f->hdr.type;

		if (cfl_takes_put(f)) {
			o->file = f;
			continue;
		}

		md_calc_strides(3, o->strs, f->hdr.dims, dtype_size(o->type));
		w.window = max_long(1, window_bytes / (q->dims[0] * q->dims[1] * (long)dtype_size(o->type)));
	}

	stencil_run(r, q, &w);
}

static void run_neighbours(struct expr_run *r, const struct expr_pass *q, struct cfl *const out[],
        struct cfl *const in[], bool gpu, const char *what)
{
	if (gpu && stencil_gpu_files(r, q, out, in))
		return;

	if (gpu)
		info("%s: no GPU kernel for these neighbourhoods; running on the CPU", what);

	neighbours_on_cpu(r, q, out, in, what);
}

/** Streams that blocks of one pass do not exhaust are spooled before the first. */
static void spool(const struct expr_plan *p, struct cfl *const in[])
{
	for (int k = 0; k < p->nin; k++) {
		int passes = 0;
		bool whole = false;

		for (int i = 0; i < p->passes; i++) {
			bool read = reads(&p->pass[i], k);

			passes += read;
			whole = whole || (read && (p->pass[i].neighbours || !in_step(&p->pass[i], in[k])));
		}

		if (is_stream(in[k]) && (whole || passes > 1))
			cfl_map(in[k]);
	}
}

/** Elements of foreign byte order in our order: nothing but bytes to turn. */
static bool is_turned(struct cfl *f)
{
	long strs[DIMS], own[DIMS];
	bool swapped;

	if (is_stream(f) || cfl_is_mapped(f))
		return false;

	cfl_raw(f, strs, &swapped);
	md_calc_strides(DIMS, own, f->hdr.dims, dtype_size(f->hdr.type));

	return swapped && 0 == memcmp(own, strs, sizeof own);
}

/** Input k of a pass: its blocks, or its mapping. */
static void set_input(struct files *x, struct cfl *const in[], int k)
{
	struct cfl *f = in[k];
	const struct expr_pass *q = x->l->pass;

	x->in_block[k] = -1;

	if (!reads(q, k))
		return;

	long strs[DIMS];
	bool swapped = false;
	bool blocks = in_step(q, f) && !is_turned(f);
	const char *data = NULL;

	if (blocks) {
		if (!is_stream(f) && !cfl_is_mapped(f))
			cfl_map(f); // in other order: put into ours

		x->in[x->nin] = f;
		x->want[x->nin] = f->hdr.type;
		x->in_block[k] = x->nin++;
		md_calc_strides(DIMS, strs, f->hdr.dims, dtype_size(f->hdr.type));
	} else {
		data = cfl_raw(f, strs, &swapped);
	}

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD != s->kind || k != s->id)
			continue;

		expr_loop_set(x->l, s->lane, f->hdr.type, swapped, true, strs);
		x->base[s->lane] = (char *)data; // read only
	}
}

static void set_output(struct files *x, struct cfl *f, const struct step *s)
{
	long strs[DIMS];

	md_calc_strides(DIMS, strs, f->hdr.dims, dtype_size(f->hdr.type));
	expr_loop_set(x->l, s->lane, f->hdr.type, false, true, strs);
	x->out[x->nout] = f;
	x->work[x->nout] = f->hdr.type;
	x->out_block[s->id] = x->nout++;
}

/** The worker of this thread; base of its lanes behind it. */
static struct loop_worker *worker(struct files *x)
{
	struct loop_worker **w = &x->workers[omp_get_thread_num()];

	if (NULL == *w)
		*w = expr_loop_worker_create(x->l);

	return *w;
}

/** Where element 0 of a block's array would lie. */
static char *virtual_base(const void *block, long first, enum dtype t)
{
	return (char *)((size_t)block - (size_t)first * dtype_size(t));
}

static void run_block(void *ctx, long first, long n, void *const out[], const void *const in[])
{
	struct files *x = ctx;
	const struct expr_pass *q = x->l->pass;
	struct loop_worker *w = worker(x);
	char **base = mem_calloc((size_t)q->lanes + 1, sizeof *base);

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];
		int block = (STEP_LOAD == s->kind) ? x->in_block[s->id] : -1;

		if (STEP_LOAD == s->kind)
			base[s->lane] = (block < 0) ? x->base[s->lane]
			                            : virtual_base(in[block], first, x->want[block]);

		if (STEP_STORE == s->kind)
			base[s->lane] =
			        virtual_base(out[x->out_block[s->id]], first, x->work[x->out_block[s->id]]);
	}

	w->acc = x->acc + first / EXPR_PART * q->reductions;
	expr_loop_range(x->l, w, base, first, n);
	free(base);
}

static void make_files(
        struct files *x, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[])
{
	for (int k = 0; k < x->run->plan->nin; k++)
		set_input(x, in, k);

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE == q->steps[i].kind)
			set_output(x, out[q->steps[i].id], &q->steps[i]);

	expr_loop_simplify(x->l, true);

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_STORE == s->kind) // a block's memory is its own
			x->l->lanes[s->lane].direct = x->l->lanes[s->lane].plain;
	}
}

static void run_pass(struct expr_run *r, const struct expr_pass *q, struct cfl *const out[],
        struct cfl *const in[], const char *what)
{
	struct files x = {.run = r};
	int threads = omp_get_max_threads();
	long parts;

	x.l = expr_loop_create(r->plan, q, (const unsigned char(*)[16])r->scalars);
	x.base = mem_calloc((size_t)q->lanes + 1, sizeof *x.base);
	x.workers = mem_calloc((size_t)threads, sizeof(struct loop_worker *));
	parts = (x.l->count + EXPR_PART - 1) / EXPR_PART;
	x.acc = expr_run_accumulators(q, parts);
	make_files(&x, q, out, in);
	slabs_pass(&(const struct slabs){.what = what,
	        .dims = q->dims,
	        .nout = x.nout,
	        .out = x.out,
	        .work = x.work,
	        .nin = x.nin,
	        .in = x.in,
	        .want = x.want,
	        .fn = run_block,
	        .ctx = &x,
	        .cut = true,
	        .parts = (0 < q->reductions) ? x.acc : NULL,
	        .bytes = (size_t)q->reductions * sizeof *x.acc});
	expr_run_count_shared(r, threads, x.workers);

	for (int i = 0; i < threads; i++)
		if (NULL != x.workers[i])
			expr_loop_worker_free(x.workers[i]);

	expr_run_reduced(r, q, expr_run_merge(q, x.acc, parts));
	free(x.acc);
	free(x.base);
	free(x.workers);
	expr_loop_free(x.l);
}

static void store_scalars(struct expr_run *r, struct cfl *const out[], unsigned char (*values)[16])
{
	const struct expr_plan *p = r->plan;

	for (int i = 0; i < p->nout; i++) {
		if (!expr_plan_is_reduction(p, i))
			continue;

		if (NULL != values)
			memcpy(values[i], r->scalars[p->root[i]], sizeof values[i]);

		if (NULL == out[i])
			continue;

		enum dtype t = out[i]->hdr.type;

		r->lost[i] += kern_store(t, false, cfl_slab(out[i], 1), (long)dtype_size(t),
		        p->g.nodes[p->root[i]].type, r->scalars[p->root[i]], 1, p->rules.narrow, false);
	}
}

static void report(const struct expr_run *r, struct cfl *const out[])
{
	const char *names[EXPR_OPERANDS] = {NULL};
	enum dtype types[EXPR_OPERANDS] = {0};
	long counts[EXPR_OPERANDS] = {0};

	for (int i = 0; i < r->plan->nout; i++) {
		if (NULL == out[i]) // nothing lost
			continue;

		names[i] = out[i]->name;
		types[i] = out[i]->hdr.type;
		counts[i] = out[i]->count;
	}

	expr_run_report(r, names, types, counts);
}

/** Whether the GPU is to compute it: by what it reads, writes and computes. */
static bool is_for_gpu(const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[])
{
	double bytes = 0, operations = 0;

	for (int k = 0; k < p->nin; k++)
		bytes += (double)in[k]->count * (double)dtype_size(in[k]->hdr.type);

	for (int i = 0; i < p->nout; i++)
		if (NULL != out[i])
			bytes += (double)out[i]->count * (double)dtype_size(out[i]->hdr.type);

	for (int i = 0; i < p->passes; i++)
		operations += (double)p->pass[i].n * (double)md_calc_size(DIMS, p->pass[i].dims);

	return device_worth(bytes, operations);
}

void expr_run_files(const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[],
        unsigned char (*values)[16], const char *what)
{
	bool opencl = opencl_used() && expr_opencl_takes(p, out, in);
	const bool gpu = !opencl && is_for_gpu(p, out, in);
	struct expr_run r;

	if (!gpu && !opencl)
		spool(p, in);

	expr_run_start(&r, p);

	for (int k = 0; k < p->passes; k++) {
		expr_run_scalars(&r, p->pass[k].stage);

		if (opencl && expr_opencl_pass_files(&r, &p->pass[k], out, in))
			continue;

		if (opencl) {
			warn("running on the CPU: the arrays do not fit into device memory");
			opencl = false;
			spool(p, in);
		}

		if (p->pass[k].neighbours)
			run_neighbours(&r, &p->pass[k], out, in, gpu, what);
		else if (gpu)
			expr_gpu_pass_files(&r, &p->pass[k], out, in);
		else
			run_pass(&r, &p->pass[k], out, in, what);
	}

	expr_run_scalars(&r, INT_MAX);
	store_scalars(&r, out, values);
	report(&r, out);
	expr_run_end(&r);
}
