/** Passes of expressions on an OpenCL device. Operands that the device shares with the host are used in
 * place. Others are uploaded, computed and downloaded in slabs, one after the other; inputs that are repeated
 * (broadcast) are uploaded as a whole. */

#include "num/expr/expr_opencl.h"

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/device/opencl.h"
#include "num/device/opencl/selftest.h"
#include "num/expr/opencl/expr_text.h"
#include "num/expr/opencl/pass.h"

static const char library[] =
#include "opencl_expressions.inc"
        ;
static const char library_float32[] = // for devices without float64
#include "opencl_expressions_float32.inc"
        ;

/** Approximate number of elements of a slab, if memory suffices. */
static const long slab_count = 1L << 22;

/** A built kernel, shared by all passes with the same text. */
struct built {
	struct opencl_source source;
	struct built *next;
};

/** A lane: its data on the host and on the device. */
struct part {
	const struct opencl_operand *of;
	long count;
	size_t size;
	char *there; // on the device: a slab, or if `whole` all of it
	bool whole;  // all elements are on the device
	bool shared; // memory of the host, used in place
	bool other;  // uses the buffer of an earlier lane
};

struct stream {
	struct loop *l;
	const struct expr_pass *q;
	struct part *part; // per lane
	bool *stored;      // per lane
	void *words, *counters, *sums;
	long parts, slab;
};

bool expr_opencl_takes(const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[])
{
	for (int k = 0; k < p->nin; k++)
		if (!in[k])
			return false;

	for (int i = 0; i < p->nout; i++) {
		const enum dtype t = out[i] ? out[i]->hdr.type : DT_FLOAT32;

		if (expr_plan_is_reduction(p, i))
			continue;

		if (!expr_text_is_stored(t) || (dtype_is_integer(t) && NARROW_WRAP == p->rules.narrow))
			return false;
	}

	for (int k = 0; k < p->passes; k++)
		if (p->pass[k].neighbours ? !stencil_opencl_can(p, &p->pass[k])
		                          : !expr_text_can(p, &p->pass[k]))
			return false;

	return true;
}

/* ---- lanes ---- */

static void set_lane(struct stream *x, const struct step *s, const struct opencl_operand *of)
{
	struct part *a = &x->part[s->lane];
	long strs[DIMS];

	a->of = of;
	a->count = md_calc_size(DIMS, of->dims);
	a->size = dtype_size(of->type);
	md_calc_strides(DIMS, strs, of->dims, a->size);
	expr_loop_set(x->l, s->lane, of->type, false, true, strs);
	x->stored[s->lane] = STEP_STORE == s->kind;
	a->whole = !x->stored[s->lane] && !md_check_equal_dims(DIMS, x->q->dims, of->dims, ~0ul);
}

/** An input that several lanes read has one buffer. */
static const struct part *same_before(const struct stream *x, int lane)
{
	for (int k = 0; k < lane; k++)
		if (!x->stored[k] && !x->stored[lane] && x->part[k].of->host == x->part[lane].of->host)
			return &x->part[k];

	return NULL;
}

static void share_buffers(struct stream *x)
{
	for (int k = 0; k < x->q->lanes; k++) {
		struct part *a = &x->part[k];

		if (a->of->host && !same_before(x, k))
			a->there = opencl_share(a->of->host, (size_t)a->count * a->size, x->stored[k]);

		a->shared = NULL != a->there;
		a->whole = a->whole || a->shared;
	}
}

/** false: device memory does not suffice. */
static bool choose_slab(struct stream *x)
{
	size_t each = 0, whole = 0, largest = 0;

	for (int k = 0; k < x->q->lanes; k++) {
		const struct part *a = &x->part[k];
		const size_t bytes = a->whole ? (size_t)a->count * a->size : 0;

		if (a->shared || same_before(x, k))
			continue;

		each += a->whole ? 0 : a->size;
		whole += bytes;
		largest = (bytes > largest) ? bytes : largest;
	}

	const size_t left = (opencl_left() > whole) ? (opencl_left() - whole) / 4 * 3 : 0;
	const long room = each ? min_long((long)(left / each), (long)(opencl_largest() / 8)) : x->l->count,
	           most = each ? slab_count : x->l->count;

	x->slab = max_long(1, (min_long(room, most) + (each ? 0 : EXPR_OPENCL_PART - 1)) / EXPR_OPENCL_PART) *
	          EXPR_OPENCL_PART;

	return whole <= opencl_left() && largest <= opencl_largest() &&
	       each * (size_t)min_long(x->slab, x->l->count) <= left;
}

static bool make_buffers(struct stream *x)
{
	share_buffers(x);

	if (!choose_slab(x))
		return false;

	for (int k = 0; k < x->q->lanes; k++) {
		struct part *a = &x->part[k];
		const struct part *same = same_before(x, k);
		const size_t bytes = (size_t)(a->whole ? a->count : min_long(x->slab, x->l->count)) * a->size;

		if (same) {
			a->other = true;
			a->there = same->there;
			a->whole = same->whole;
		}

		if (same || a->shared)
			continue;

		a->there = opencl_alloc(bytes);

		if (a->whole)
			opencl_upload(a->there, a->of->host, bytes);
	}

	return true;
}

/* ---- the kernel ---- */

const struct opencl_source *opencl_pass_source(char *text)
{
	static struct built *all = NULL;
	char *whole = mem_printf("%senum { PART = %d };\n%s",
	        opencl_has_float64() ? library : library_float32, EXPR_OPENCL_PART, text);
	struct built *b = all;

	free(text);

	while (b && 0 != strcmp(b->source.text, whole))
		b = b->next;

	if (b) {
		free(whole);
		return &b->source;
	}

	b = NEW(struct built);
	b->source = (struct opencl_source){"an expression", whole};
	b->next = all;
	all = b;
	return &b->source;
}

static void *upload_words(const struct loop *l)
{
	const size_t bytes = (size_t)expr_text_words(l) * sizeof(int64_t);
	int64_t *words = mem_alloc(bytes + 1);
	void *there = opencl_alloc(bytes);

	expr_text_fill(l, words);
	opencl_upload(there, words, bytes);
	free(words);
	return there;
}

static void launch(const struct stream *x, struct opencl_kernel_built *k, long first, long last)
{
	enum { FIXED = 5, EACH = 2 };
	const int lanes = x->q->lanes, n = FIXED + EACH * lanes;
	const int items = expr_text_items(x->q), threads = (items > 1) ? 1 : EXPR_OPENCL_THREADS;
	const long per = x->q->reductions > 0 ? EXPR_OPENCL_PART : (long)items * threads;
	const size_t groups[3] = {(size_t)((last - first + per - 1) / per), 1, 1},
	             local[2] = {(size_t)threads, 1};
	struct opencl_argument *a = mem_calloc((size_t)n, sizeof *a);
	long *at = mem_calloc((size_t)lanes + 1, sizeof *at);

	a[0] = (struct opencl_argument)OPENCL_VALUE(first);
	a[1] = (struct opencl_argument)OPENCL_VALUE(last);
	a[2] = (struct opencl_argument)OPENCL_BUFFER(x->words);
	a[3] = (struct opencl_argument)OPENCL_BUFFER(x->counters);
	a[4] = (struct opencl_argument)OPENCL_BUFFER(x->sums);

	for (int i = 0; i < lanes; i++) {
		at[i] = x->part[i].whole ? 0 : -first * (long)x->part[i].size;
		a[FIXED + EACH * i] = (struct opencl_argument)OPENCL_BUFFER(x->part[i].there);
		a[FIXED + EACH * i + 1] = (struct opencl_argument)OPENCL_VALUE(at[i]);
	}

	opencl_launch(k, groups, local, n, a);
	free(a);
	free(at);
}

void opencl_pass_store(const struct opencl_operand *o, long first, const void *there, long n)
{
	const size_t size = dtype_size(o->type);

	opencl_download(
	        o->host ? o->host + (size_t)first * size : cfl_slab(o->file, n), there, (size_t)n * size);
}

static void run_slab(const struct stream *x, struct opencl_kernel_built *k, long first, long last)
{
	const size_t n = (size_t)(last - first);

	for (int i = 0; i < x->q->lanes; i++) {
		const struct part *a = &x->part[i];

		if (!x->stored[i] && !a->whole && !a->other)
			opencl_upload(a->there, a->of->host + (size_t)first * a->size, n * a->size);
	}

	launch(x, k, first, last);

	for (int i = 0; i < x->q->lanes; i++) {
		const struct part *a = &x->part[i];

		if (x->stored[i] && !a->shared)
			opencl_pass_store(a->of, first, a->there, last - first);
	}
}

/* ---- results ---- */

static size_t counters_bytes(const struct expr_run *r)
{
	return (size_t)(r->plan->nout + r->plan->checks) * sizeof(unsigned);
}

void *opencl_pass_counters(const struct expr_run *r)
{
	void *counters = opencl_alloc(counters_bytes(r));

	opencl_clear(counters, counters_bytes(r));
	return counters;
}

void opencl_pass_count(struct expr_run *r, void *counters)
{
	const int nout = r->plan->nout;
	unsigned *n = mem_alloc(counters_bytes(r) + 1);

	opencl_download(n, counters, counters_bytes(r));

	for (int i = 0; i < nout; i++)
		r->lost[i] += n[i];

	for (int i = 0; i < r->plan->checks; i++)
		r->missing[i] += n[nout + i];

	opencl_clear(counters, counters_bytes(r));
	free(n);
}

/** Sum i of the device: float64, or the sum of a pair of float32. */
static double sum_of(const double *sums, long i)
{
	float pair[2];

	if (opencl_has_float64())
		return sums[i];

	memcpy(pair, sums + i, sizeof pair);
	return (double)pair[0] + pair[1];
}

void opencl_pass_sums(struct kern_acc *acc, const void *sums, long n)
{
	double *found = mem_alloc((size_t)(n + 1) * sizeof *found);

	opencl_download(found, sums, (size_t)n * sizeof *found);

	for (long i = 0; i < n; i++)
		acc[i].v.f[0] = sum_of(found, i);

	free(found);
}

/** Downloads the results of the parts and combines them in order. */
static void fetch_sums(const struct stream *x, struct expr_run *r)
{
	const int n = x->q->reductions;
	struct kern_acc *acc = expr_run_accumulators(x->q, x->parts);

	opencl_pass_sums(acc, x->sums, x->parts * n);

	for (long i = 0; i < x->parts * n; i++)
		acc[i].count = min_long(EXPR_OPENCL_PART, x->l->count - i / n * EXPR_OPENCL_PART);

	expr_run_reduced(r, x->q, expr_run_merge(x->q, acc, x->parts));
	free(acc);
}

static bool uses_float64(const struct expr_pass *q)
{
	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (s->work == DT_FLOAT64 || (s->type == DT_FLOAT64 && s->kind != STEP_REDUCE))
			return true;
	}

	return false;
}

static bool samples(const struct expr_pass *q)
{
	for (int i = 0; i < q->n; i++)
		if (STEP_SAMPLE == q->steps[i].kind)
			return true;

	return false;
}

static void release(struct stream *x)
{
	for (int i = 0; i < x->q->lanes; i++)
		if (!x->part[i].other)
			opencl_free(x->part[i].there);

	opencl_free(x->words);
	opencl_free(x->counters);
	opencl_free(x->sums);
	free(x->part);
	free(x->stored);
	expr_loop_free(x->l);
}

/** false: device memory does not suffice; nothing is computed. */
static bool stream_pass(struct expr_run *r, const struct expr_pass *q, const struct opencl_operand out[],
        const struct opencl_operand in[])
{
	struct stream x = {.q = q};

	x.l = expr_loop_create(r->plan, q, (const unsigned char(*)[16])r->scalars);
	x.part = mem_calloc((size_t)q->lanes + 1, sizeof *x.part);
	x.stored = mem_calloc((size_t)q->lanes + 1, sizeof *x.stored);

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD == s->kind || STEP_STORE == s->kind)
			set_lane(&x, s, (STEP_LOAD == s->kind) ? in + s->id : out + s->id);
	}

	expr_loop_simplify(x.l, true);
	x.words = upload_words(x.l);

	if (!make_buffers(&x)) {
		release(&x);
		return false;
	}

	x.parts = (x.l->count + EXPR_OPENCL_PART - 1) / EXPR_OPENCL_PART;
	x.counters = opencl_pass_counters(r);
	x.sums = opencl_alloc((size_t)(x.parts * q->reductions) * sizeof(double));

	struct opencl_kernel_built *k =
	        opencl_kernel(opencl_pass_source(expr_text_of(x.l)), "", "gantry_expr");

	for (long first = 0; first < x.l->count; first += x.slab) {
		run_slab(&x, k, first, min_long(first + x.slab, x.l->count));
		opencl_pass_count(r, x.counters);
	}

	if (q->reductions > 0)
		fetch_sums(&x, r);

	release(&x);
	return true;
}

static bool run_pass(struct expr_run *r, const struct expr_pass *q, const struct opencl_operand out[],
        const struct opencl_operand in[])
{
	opencl_begin();
	opencl_selftest(&opencl_selftest_expressions);

	if (uses_float64(q))
		opencl_selftest(&opencl_selftest_expressions_float64);

	if (q->reductions > 0)
		opencl_selftest(&opencl_selftest_reductions);

	if (q->neighbours)
		opencl_selftest(&opencl_selftest_neighbourhoods);

	if (samples(q))
		opencl_selftest(&opencl_selftest_samplers);

	const bool done = (q->neighbours ? stencil_opencl_pass : stream_pass)(r, q, out, in);

	opencl_end();
	return done;
}

bool expr_opencl_pass_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[])
{
	struct opencl_operand to[EXPR_OPERANDS] = {0}, from[EXPR_OPERANDS] = {0};

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];
		const bool stored = STEP_STORE == s->kind, sampled = STEP_SAMPLE == s->kind;
		const int k = sampled ? s->id % EXPR_OPERANDS : s->id;

		if (STEP_LOAD != s->kind && !stored && !sampled)
			continue;

		struct cfl *f = stored ? out[k] : in[k];
		void *host = stored ? NULL : (void *)cfl_map(f);

		(stored ? to : from)[k] = (struct opencl_operand){
		        .type = f->hdr.type, .dims = f->hdr.dims, .host = host, .file = f};
	}

	return run_pass(r, q, to, from);
}

void expr_opencl_run(const struct expr_plan *p, struct array *const out[], const struct array *const in[])
{
	struct opencl_operand to[EXPR_OPERANDS] = {0}, from[EXPR_OPERANDS] = {0};
	struct expr_run r;

	for (int i = 0; i < p->nout; i++)
		to[i] = (struct opencl_operand){
		        .type = out[i]->type, .dims = out[i]->dims, .host = out[i]->data};

	for (int i = 0; i < p->nin; i++)
		from[i] = (struct opencl_operand){
		        .type = in[i]->type, .dims = in[i]->dims, .host = in[i]->data};

	expr_run_start(&r, p);

	for (int k = 0; k < p->passes; k++) {
		expr_run_scalars(&r, p->pass[k].stage);

		if (!run_pass(&r, &p->pass[k], to, from))
			error("OpenCL: the arrays of an expression do not fit into the memory of %s",
			        opencl_name());
	}

	expr_run_end(&r);
}
