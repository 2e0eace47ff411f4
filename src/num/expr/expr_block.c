/* Computes the steps of a pass on one block. */

#include <assert.h>
#include <string.h>

#include "num/expr/expr_block.h"
#include "num/md/multind.h"

/** One block. */
struct block {
	const struct loop *l;
	struct loop_worker *w;
	char *const *base;
	long number, n;
};

static double coordinate(const struct expr_plan *p, int d, long i)
{
	return p->origin[d] + p->spacing[d] * (double)i;
}

/** n numbers of an index variable or coordinate: start, start + step, ... */
static void count_up(
        const struct expr_plan *p, const struct step *s, void *out, long start, long step, long n)
{
	bool grid = STEP_COORDINATE == s->kind;
	int64_t *w = out;
	float *f = out;
	double *d = out;

	switch (s->type) {
	case DT_INT64:
		for (long i = 0; i < n; i++)
			w[i] = start + i * step;
		return;
	case DT_FLOAT32:
		for (long i = 0; i < n; i++)
			f[i] = grid ? (float)coordinate(p, s->id, start + i * step)
			            : (float)(start + i * step);
		return;
	default:
		assert(DT_FLOAT64 == s->type);

		for (long i = 0; i < n; i++)
			d[i] = grid ? coordinate(p, s->id, start + i * step) : (double)(start + i * step);
	}
}

/** n elements of a line: in out, or where they lie. */
static const void *line_values(
        const struct block *b, const struct step *s, void *out, const char *at, long from, long n)
{
	const struct lane *a = &b->l->lanes[s->lane];

	if (STEP_LOAD == s->kind)
		return kern_load(s->type, out, a->type, a->swapped, at, a->step, n);

	count_up(b->l->plan, s, out, from, a->step, n);

	return out;
}

/** The block's elements from several lines. */
static const void *gather(const struct block *b, const struct step *s, char *out)
{
	const struct loop *l = b->l;
	long size = (long)dtype_size(s->type);
	long pos[DIMS];

	md_copy_dims(l->D, pos, b->w->pos);

	for (long i = 0; i < b->n;) {
		long run = l->dims[0] - pos[0];

		run = (run < b->n - i) ? run : b->n - i;

		long offset = md_calc_offset(l->D, l->lanes[s->lane].strs, pos);
		char *to = out + i * size;
		const void *v = line_values(
		        b, s, to, (STEP_LOAD == s->kind) ? b->base[s->lane] + offset : NULL, offset, run);

		if (v != to)
			memcpy(to, v, (size_t)(run * size));

		expr_loop_next_row(l, pos);
		i += run;
	}

	return out;
}

static void set_value(const struct block *b, const struct order *o, const void *value)
{
	b->w->cells[o->s - b->l->pass->steps] = (void *)value; // only read
}

static void run_source(const struct block *b, const struct order *o)
{
	const struct step *s = o->s;
	long n = o->one ? 1 : b->n;

	if (b->l->rows || b->l->lanes[s->lane].along)
		set_value(
		        b, o, line_values(b, s, o->own, b->w->lane[s->lane].at, b->w->lane[s->lane].from, n));
	else
		set_value(b, o, gather(b, s, o->own));
}

/** An operator, after its operands outside the domain and results that do not fit are counted: of the whole
 * block, also where they are one value. */
static void run_checked(const struct block *b, const struct order *o)
{
	const struct step *s = o->s;
	bool flat = (1u << s->args) - 1 == o->flat;
	long n = flat ? 1 : b->n;
	long count = kern_domain((enum op)s->id, s->work, n, *o->in[0], *o->in[1], o->flat) +
	             kern_overflow((enum op)s->id, s->work, n, *o->in[0], *o->in[1], *o->in[2], o->flat);

	b->w->missing[s->check] += count * (flat ? b->n : 1);
	s->fn(flat ? 1 : b->n, *o->out, *o->in[0], *o->in[1], *o->in[2], o->flat);
}

static void run_convert(const struct block *b, const struct order *o)
{
	const struct step *s = o->s;
	long n = o->one ? 1 : b->n;

	if (s->check < 0) {
		set_value(b, o,
		        kern_load(s->type, o->own, s->work, false, *o->in[0], (long)dtype_size(s->work), n));
		return;
	}

	b->w->missing[s->check] += convert(s->type, o->own, s->work, *o->in[0], n, b->l->plan->rules.narrow) *
	                           (o->one ? b->n : 1);
	set_value(b, o, o->own);
}

static void run_reduce(const struct block *b, const struct order *o)
{
	const struct step *s = o->s;

	if (s->fused)
		kern_reduce_of(s->reduction, s->inner, s->work, &b->w->acc[s->id], b->n, *o->in[0], *o->in[1],
		        *o->in[2], o->flat);
	else
		kern_reduce(s->reduction, s->work, &b->w->acc[s->id], b->number, b->n, *o->in[0], *o->in[1],
		        o->flat);
}

/** The block's elements to several lines. */
static long scatter(const struct block *b, const struct step *s, const char *value)
{
	const struct loop *l = b->l;
	const struct lane *a = &l->lanes[s->lane];
	long size = (long)dtype_size(s->work), lost = 0;
	long pos[DIMS];

	md_copy_dims(l->D, pos, b->w->pos);

	for (long i = 0; i < b->n;) {
		long run = l->dims[0] - pos[0];

		run = (run < b->n - i) ? run : b->n - i;
		lost += kern_store(a->type, a->swapped, b->base[s->lane] + md_calc_offset(l->D, a->strs, pos),
		        a->step, s->work, value + i * size, run, l->plan->rules.narrow, false);
		expr_loop_next_row(l, pos);
		i += run;
	}

	return lost;
}

static void run_store(const struct block *b, const struct order *o)
{
	const struct step *s = o->s;
	const struct lane *a = &b->l->lanes[s->lane];
	struct loop_worker *w = b->w;
	const void *value = *o->in[0];
	char *out = w->lane[s->lane].at;

	if (value == out)
		return;

	if (o->flat) // one value for all: repeated first
		value = kern_load(s->work, w->scratch + b->l->pass->slots, s->work, false, value, 0, b->n);

	if (a->plain && a->stream)
		kern_stream(out, value, (size_t)(b->n * a->step));
	else if (b->l->rows || a->along)
		w->lost[s->id] += kern_store(a->type, a->swapped, out, a->step, s->work, value, b->n,
		        b->l->plan->rules.narrow, a->stream);
	else
		w->lost[s->id] += scatter(b, s, value);
}

order_fn *expr_block_order(const struct step *s)
{
	static order_fn *const orders[] = {[STEP_LOAD] = run_source,
	        [STEP_INDEX] = run_source,
	        [STEP_COORDINATE] = run_source,
	        [STEP_OP] = run_checked,
	        [STEP_CONVERT] = run_convert,
	        [STEP_REDUCE] = run_reduce,
	        [STEP_STORE] = run_store};

	return orders[s->kind];
}

static inline void run_order(const struct block *b, const struct order *o)
{
	if (NULL != o->fn)
		o->fn(o->one ? 1 : b->n, *o->out, *o->in[0], *o->in[1], *o->in[2], o->flat);
	else
		o->run(b, o);
}

/** Written out eight times, so that in most expressions each call has a place of its own in the code: to a
 * processor that has just left a kernel's loop the past says nothing, the place alone tells what comes next.
 */
static void run_orders(const struct block *b, int n, const struct order *o)
{
	for (; n > 0; o += 8, n -= 8) {
#define RUN(k)                                                                                               \
	if (k >= n)                                                                                          \
		return;                                                                                      \
	run_order(b, o + k);
		RUN(0) RUN(1) RUN(2) RUN(3) RUN(4) RUN(5) RUN(6) RUN(7)
#undef RUN
	}
}

void expr_block_run(
        const struct loop *l, struct loop_worker *w, char *const base[], long number, long n, bool fresh)
{
	struct block b = {l, w, base, number, n};

	if (fresh)
		run_orders(&b, w->nflat, w->flat);

	run_orders(&b, w->n, w->orders);
}

void expr_loop_scalar(const struct expr_plan *p, int node, unsigned char (*scalars)[16], long *missing)
{
	const struct node *n = &p->g.nodes[node];
	const void *in[3] = {NULL, NULL, NULL};

	for (int k = 0; k < n->args; k++)
		in[k] = scalars[n->arg[k]];

	long count = 0;

	switch (n->kind) {
	case NODE_CONSTANT:
		memcpy(scalars[node], n->value, sizeof n->value);
		break;
	case NODE_CONVERT:
		count = convert(n->type, scalars[node], n->work, in[0], 1, p->rules.narrow);
		break;
	case NODE_OP:
		count = kern_domain((enum op)n->id, n->work, 1, in[0], in[1], 0) +
		        kern_overflow((enum op)n->id, n->work, 1, in[0], in[1], in[2], 0);
		kern_op_as((enum op)n->id, n->work, p->rules.narrow)(
		        1, scalars[node], in[0], in[1], in[2], 0);
		break;
	default:
		assert(0);
	}

	if (0 <= p->check_of[node])
		missing[p->check_of[node]] += count;
}
