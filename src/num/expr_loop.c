/* The normal form of a pass, and ranges of it cut into blocks. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr_block.h"
#include "num/multind.h"

/** Lines at least this long are cut into blocks of their own; shorter ones share blocks. */
enum { LONG_LINE = EXPR_BLOCK / 4 };

struct loop *expr_loop_create(
        const struct expr_plan *p, const struct expr_pass *q, const unsigned char (*scalars)[16])
{
	struct loop *l = NEW(struct loop);

	l->plan = p;
	l->pass = q;
	l->scalars = scalars;
	l->D = DIMS;
	md_copy_dims(DIMS, l->dims, q->dims);
	l->count = md_calc_size(DIMS, q->dims);
	l->lanes = mem_calloc((size_t)q->lanes + 1, sizeof *l->lanes);

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_INDEX == s->kind || STEP_COORDINATE == s->kind)
			l->lanes[s->lane].strs[s->id] = (1 == q->dims[s->id]) ? 0 : 1;
	}

	return l;
}

void expr_loop_set(struct loop *l, int lane, enum dtype type, bool swapped, const long strs[DIMS])
{
	struct lane *a = &l->lanes[lane];

	a->type = type;
	a->swapped = swapped;

	for (int d = 0; d < DIMS; d++)
		a->strs[d] = (1 == l->dims[d]) ? 0 : strs[d];
}

/** Whether neighbours are one step apart all over the loop, across its dims too. */
static bool is_along(const struct loop *l, const struct lane *a)
{
	for (int d = 1; d < l->D; d++)
		if (a->strs[d] != a->strs[d - 1] * l->dims[d - 1])
			return false;

	return true;
}

/** The lanes in the order in which they decide on that of the dims: stores, then inputs, then counters. */
static int lane_order(const struct expr_pass *q, int order[])
{
	int n = 0;

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE == q->steps[i].kind)
			order[n++] = q->steps[i].lane;

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE != q->steps[i].kind && 0 <= q->steps[i].lane)
			order[n++] = q->steps[i].lane;

	return n;
}

void expr_loop_simplify(struct loop *l, bool ordered)
{
	const struct expr_pass *q = l->pass;
	int *order = mem_calloc((size_t)q->lanes + 1, sizeof *order);
	long(*strs)[DIMS] = mem_calloc((size_t)q->lanes + 1, sizeof *strs);
	int n = lane_order(q, order), first = ordered ? 1 : 0;

	if (ordered) // by element numbers: dim 0 stays the fastest
		md_calc_strides(DIMS, strs[0], l->dims, 1);

	for (int k = 0; k < n; k++)
		md_copy_dims(DIMS, strs[first + k], l->lanes[order[k]].strs);

	l->D = md_simplify(first + n, DIMS, l->dims, strs);

	for (int d = l->D; d < DIMS; d++)
		l->dims[d] = 1;

	for (int k = 0; k < n; k++) {
		struct lane *a = &l->lanes[order[k]];

		md_set_dims(DIMS, a->strs, 0);
		md_copy_dims(l->D, a->strs, strs[first + k]);
		a->along = is_along(l, a);
		a->step = a->strs[0];
	}

	l->D = (0 == l->D) ? 1 : l->D;
	l->rows = 1 == l->D || l->dims[0] >= LONG_LINE;
	free(order);
	free(strs);
}

void expr_loop_free(struct loop *l)
{
	free(l->lanes);
	free(l);
}

struct loop_worker *expr_loop_worker_create(const struct expr_plan *p, const struct expr_pass *q)
{
	struct loop_worker *w = NEW(struct loop_worker);

	w->scratch = mem_alloc(q->slots + 16 * EXPR_BLOCK);
	w->lost = mem_calloc((size_t)p->nout + 1, sizeof *w->lost);
	w->missing = mem_calloc((size_t)p->checks + 1, sizeof *w->missing);
	w->from = mem_calloc((size_t)q->lanes + 1, sizeof *w->from);
	w->value = mem_calloc((size_t)q->n + 1, sizeof *w->value);
	w->flat = mem_calloc((size_t)q->n + 1, sizeof *w->flat);

	return w;
}

void expr_loop_worker_free(struct loop_worker *w)
{
	free(w->scratch);
	free(w->lost);
	free(w->missing);
	free(w->from);
	free(w->value);
	free(w->flat);
	free(w);
}

static void find_position(const struct loop *l, long first, long pos[DIMS])
{
	for (int d = 0; d < l->D; d++) {
		pos[d] = first % l->dims[d];
		first /= l->dims[d];
	}
}

void expr_loop_next_row(const struct loop *l, long pos[DIMS])
{
	pos[0] = 0;

	for (int d = 1; d < l->D && ++pos[d] == l->dims[d]; d++)
		pos[d] = 0;
}

static void find_lanes(const struct loop *l, struct loop_worker *w)
{
	for (int k = 0; k < l->pass->lanes; k++)
		w->from[k] = md_calc_offset(l->D, l->lanes[k].strs, w->pos);
}

/** n elements of a line from w->pos on, in blocks of about equal size. */
static void run_line(const struct loop *l, struct loop_worker *w, char *const base[], long number, long n)
{
	long blocks = (n + EXPR_BLOCK - 1) / EXPR_BLOCK;
	long size = ((n + blocks - 1) / blocks + 15) / 16 * 16;

	find_lanes(l, w);

	for (long i = 0; i < n; i += size) {
		long m = (n - i < size) ? n - i : size;

		expr_block_run(l, w, base, number + i, m, (i + m < n) ? size : 0);

		for (int k = 0; k < l->pass->lanes; k++)
			w->from[k] += m * l->lanes[k].strs[0];
	}
}

static void run_lines(const struct loop *l, struct loop_worker *w, char *const base[], long first, long n)
{
	while (n > 0) {
		long line = l->dims[0] - w->pos[0];

		line = (line < n) ? line : n;
		run_line(l, w, base, first, line);
		expr_loop_next_row(l, w->pos);
		first += line;
		n -= line;
	}
}

/** Blocks over several short lines. */
static void run_blocks(const struct loop *l, struct loop_worker *w, char *const base[], long first, long n)
{
	for (long i = 0; i < n; i += EXPR_BLOCK) {
		find_position(l, first + i, w->pos);
		find_lanes(l, w);
		expr_block_run(l, w, base, first + i, (n - i < EXPR_BLOCK) ? n - i : EXPR_BLOCK, 0);
	}
}

void expr_loop_range(const struct loop *l, struct loop_worker *w, char *const base[], long first, long n)
{
	find_position(l, first, w->pos);

	if (l->rows)
		run_lines(l, w, base, first, n);
	else
		run_blocks(l, w, base, first, n);
}
