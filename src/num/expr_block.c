/* The steps of a pass on one block. */

#include <assert.h>
#include <string.h>

#include "num/expr_block.h"
#include "num/multind.h"

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
static const void *line_values(const struct block *b, const struct step *s, void *out, long from, long n)
{
	const struct lane *a = &b->l->lanes[s->lane];

	if (STEP_LOAD == s->kind)
		return kern_load(s->type, out, a->type, a->swapped, b->base[s->lane] + from, a->step, n);

	count_up(b->l->plan, s, out, from, a->step, n);

	return out;
}

/** The block's elements from several lines. */
static void gather(const struct block *b, const struct step *s, char *out)
{
	const struct loop *l = b->l;
	long size = (long)dtype_size(s->type);
	long pos[DIMS];

	md_copy_dims(l->D, pos, b->w->pos);

	for (long i = 0; i < b->n;) {
		long run = l->dims[0] - pos[0];

		run = (run < b->n - i) ? run : b->n - i;

		char *to = out + i * size;
		const void *v = line_values(b, s, to, md_calc_offset(l->D, l->lanes[s->lane].strs, pos), run);

		if (v != to)
			memcpy(to, v, (size_t)(run * size));

		expr_loop_next_row(l, pos);
		i += run;
	}
}

static void run_source(const struct block *b, int step)
{
	const struct step *s = &b->l->pass->steps[step];
	const struct lane *a = &b->l->lanes[s->lane];
	struct loop_worker *w = b->w;
	char *slot = w->scratch + s->slot;
	bool line = b->l->rows || a->along;

	w->flat[step] = line && 0 == a->step;
	w->value[step] = slot;

	if (line)
		w->value[step] = line_values(b, s, slot, w->from[s->lane], w->flat[step] ? 1 : b->n);
	else
		gather(b, s, slot);
}

/** Operands of a step; returns which of them are one value, as the kernels' bits. */
static unsigned operands(const struct block *b, const struct step *s, const void *in[3])
{
	unsigned flat = 0;

	for (int k = 0; k < 3; k++)
		in[k] = NULL;

	for (int k = 0; k < s->args; k++) {
		int a = s->arg[k];

		in[k] = (a < 0) ? b->l->scalars[-1 - a] : b->w->value[a];
		flat |= (unsigned)(a < 0 || b->w->flat[a]) << k;
	}

	return flat;
}

/** Where an operator writes: its slot, or the output at once. */
static void *target(const struct block *b, const struct step *s, bool flat)
{
	if (0 <= s->store && !flat) {
		int lane = b->l->pass->steps[s->store].lane;
		const struct lane *a = &b->l->lanes[lane];

		if (a->direct)
			return b->base[lane] + b->w->from[lane];
	}

	return b->w->scratch + s->slot;
}

static void run_op(const struct block *b, int step)
{
	const struct step *s = &b->l->pass->steps[step];
	const void *in[3];
	unsigned char single[3][16];
	unsigned flat = operands(b, s, in);
	bool all = (1u << s->args) - 1 == flat;
	long n = all ? 1 : b->n;
	void *out = target(b, s, all);

	for (int k = 0; k < s->args; k++) // a single value whose place is about to be overwritten
		if ((flat & 1u << k) && in[k] == out && !all)
			in[k] = memcpy(single[k], in[k], sizeof single[k]);

	if (0 <= s->check)
		b->w->missing[s->check] +=
		        kern_domain((enum op)s->id, s->work, n, in[0], in[1], flat) * (all ? b->n : 1);

	s->fn(n, out, in[0], in[1], in[2], all ? 0 : flat);
	b->w->value[step] = out;
	b->w->flat[step] = all;
}

static void run_convert(const struct block *b, int step)
{
	const struct step *s = &b->l->pass->steps[step];
	const void *in[3];
	bool flat = 0 != operands(b, s, in);

	b->w->value[step] = kern_load(s->type, b->w->scratch + s->slot, s->work, false, in[0],
	        (long)dtype_size(s->work), flat ? 1 : b->n);
	b->w->flat[step] = flat;
}

static void run_reduce(const struct block *b, const struct step *s)
{
	const void *in[3];
	unsigned flat = operands(b, s, in);

	kern_reduce(s->reduction, s->work, &b->w->acc[s->id], b->number, b->n, in[0], in[1], flat);
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

static void run_store(const struct block *b, const struct step *s)
{
	const struct lane *a = &b->l->lanes[s->lane];
	struct loop_worker *w = b->w;
	const void *in[3];
	bool flat = 0 != operands(b, s, in);
	char *out = b->base[s->lane] + w->from[s->lane];
	void *spread = w->scratch + b->l->pass->slots;

	if (in[0] == out)
		return;

	if (flat) // one value for all: repeated first
		in[0] = kern_load(s->work, spread, s->work, false, in[0], 0, b->n);

	if (b->l->rows || a->along)
		w->lost[s->id] += kern_store(a->type, a->swapped, out, a->step, s->work, in[0], b->n,
		        b->l->plan->rules.narrow, a->stream);
	else
		w->lost[s->id] += scatter(b, s, in[0]);
}

void expr_block_run(
        const struct loop *l, struct loop_worker *w, char *const base[], long number, long n, long ahead)
{
	const struct expr_pass *q = l->pass;
	struct block b = {l, w, base, number, n};

	(void)ahead;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		switch (s->kind) {
		case STEP_LOAD:
		case STEP_INDEX:
		case STEP_COORDINATE:
			run_source(&b, i);
			break;
		case STEP_OP:
			run_op(&b, i);
			break;
		case STEP_CONVERT:
			run_convert(&b, i);
			break;
		case STEP_REDUCE:
			run_reduce(&b, s);
			break;
		case STEP_STORE:
			run_store(&b, s);
			break;
		}
	}
}

void expr_loop_scalar(const struct expr_plan *p, int node, unsigned char (*scalars)[16], long *missing)
{
	const struct node *n = &p->g.nodes[node];
	const void *in[3] = {NULL, NULL, NULL};

	for (int k = 0; k < n->args; k++)
		in[k] = scalars[n->arg[k]];

	switch (n->kind) {
	case NODE_CONSTANT:
		memcpy(scalars[node], n->value, sizeof n->value);
		break;
	case NODE_CONVERT:
		convert(n->type, scalars[node], n->work, in[0], 1, NARROW_SATURATE);
		break;
	case NODE_OP:
		if (0 <= p->check_of[node])
			missing[p->check_of[node]] +=
			        kern_domain((enum op)n->id, n->work, 1, in[0], in[1], 0);

		kern_op((enum op)n->id, n->work)(1, scalars[node], in[0], in[1], in[2], 0);
		break;
	default:
		assert(0);
	}
}
