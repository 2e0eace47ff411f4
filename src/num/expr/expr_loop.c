/* The normal form of a pass, and ranges of it cut into blocks. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/expr_block.h"
#include "num/md/multind.h"

/** Lines at least this long are cut into blocks of their own; shorter ones share blocks. */
enum { LONG_LINE = 256 };

/** Operands of a pass that are together larger than this do not stay in the cache of a core. [bytes] */
static const double cache_bytes = 4 << 20;

/** And larger than this not in any cache. A single operator gains nothing by short blocks there. [bytes] */
static const double far_bytes = 32 << 20;

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
	l->flat = mem_calloc((size_t)q->n + 1, sizeof *l->flat);
	l->once = mem_calloc((size_t)q->n + 1, sizeof *l->once);

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_INDEX == s->kind || STEP_COORDINATE == s->kind)
			l->lanes[s->lane].strs[s->id] = (1 == q->dims[s->id]) ? 0 : 1;
	}

	return l;
}

void expr_loop_set(
        struct loop *l, int lane, enum dtype type, bool swapped, bool aligned, const long strs[DIMS])
{
	struct lane *a = &l->lanes[lane];

	a->type = type;
	a->swapped = swapped && dtype_unit(type) > 1;
	a->plain = aligned && !a->swapped;

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

/** Finishes the lane of step i. */
static void settle_lane(struct loop *l, const struct step *s)
{
	struct lane *a = &l->lanes[s->lane];
	bool line = l->rows || a->along;
	enum dtype t = (STEP_STORE == s->kind) ? s->work : s->type;

	a->plain = a->plain && line && a->type == t && a->step == (long)dtype_size(t);
	l->flat[s - l->pass->steps] = STEP_STORE != s->kind && line && 0 == a->step;
}

static void find_flat(struct loop *l)
{
	const struct expr_pass *q = l->pass;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (0 <= s->lane) {
			settle_lane(l, s);
			continue;
		}

		l->flat[i] = STEP_REDUCE != s->kind;

		for (int k = 0; k < s->args; k++)
			l->flat[i] = l->flat[i] && (s->arg[k] < 0 || l->flat[s->arg[k]]);
	}

	for (int i = 0; i < q->n; i++) { // steps that count what they meet run for every block
		const struct step *s = &q->steps[i];

		l->once[i] = l->flat[i] && s->check < 0;

		for (int k = 0; k < s->args; k++)
			l->once[i] = l->once[i] && (s->arg[k] < 0 || l->once[s->arg[k]]);
	}
}

/** The bytes that loads and stores cover, each once. */
static double operand_bytes(const struct loop *l)
{
	double sum = 0.;

	for (int i = 0; i < l->pass->n; i++) {
		const struct step *s = &l->pass->steps[i];

		if (STEP_LOAD != s->kind && STEP_STORE != s->kind)
			continue;

		const struct lane *a = &l->lanes[s->lane];
		double bytes = (double)dtype_size(a->type);

		for (int d = 0; d < l->D; d++)
			bytes *= (0 == a->strs[d]) ? 1. : (double)l->dims[d];

		sum += bytes;
	}

	return sum;
}

static long choose_block(const struct loop *l)
{
	const struct expr_pass *q = l->pass;
	const double bytes = operand_bytes(l);
	const bool single = q->n - q->loads - q->stores <= 1;

	return (bytes > cache_bytes && !(single && bytes > far_bytes)) ? q->short_block : q->block;
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
	l->block = choose_block(l);
	find_flat(l);
	free(order);
	free(strs);
}

void expr_loop_free(struct loop *l)
{
	free(l->lanes);
	free(l->flat);
	free(l->once);
	free(l);
}

/** Whether the values of a step are used where an operand lies, and it has nothing to do. */
static bool in_place(const struct loop *l, const struct step *s)
{
	return STEP_LOAD == s->kind && l->lanes[s->lane].plain;
}

/** Whether an operator writes the output at once. */
static bool at_output(const struct loop *l, const struct step *s)
{
	const struct expr_pass *q = l->pass;

	return 0 <= s->store && !l->flat[s - q->steps] && l->lanes[q->steps[s->store].lane].direct;
}

/** Where the address of a step's value is. */
static void **cell_of(const struct loop *l, const struct loop_worker *w, int step)
{
	const struct step *s = &l->pass->steps[step];

	if (in_place(l, s))
		return &w->lane[s->lane].at;

	if (at_output(l, s))
		return &w->lane[l->pass->steps[s->store].lane].at;

	return &w->cells[step];
}

static void make_order(const struct loop *l, struct loop_worker *w, int step)
{
	static void *nothing = NULL;
	const struct expr_pass *q = l->pass;
	const struct step *s = &q->steps[step];
	struct order *o = l->once[step] ? &w->flat[w->nflat++] : &w->orders[w->n++];

	*o = (struct order){
	        .s = s, .run = expr_block_order(s), .one = l->flat[step], .out = cell_of(l, w, step)};
	o->fn = (s->check < 0) ? s->fn : NULL;
	o->own =
	        l->flat[step] ? w->scratch + q->slots + 16 * (EXPR_BLOCK + (long)step) : w->scratch + s->slot;
	w->cells[step] = o->own;

	for (int k = 0; k < 3; k++) {
		void **in = &nothing;

		if (k < s->args && s->arg[k] < 0) {
			in = &w->cells[q->n + 3 * step + k];
			*in = (void *)l->scalars[-1 - s->arg[k]]; // only read
		} else if (k < s->args) {
			in = cell_of(l, w, s->arg[k]);
		}

		if (k < s->args)
			o->flat |= (unsigned)(s->arg[k] < 0 || l->flat[s->arg[k]]) << k;

		o->in[k] = in;
	}
}

struct loop_worker *expr_loop_worker_create(const struct loop *l)
{
	struct loop_worker *w = NEW(struct loop_worker);
	const struct expr_pass *q = l->pass;
	size_t n = (size_t)q->n + 1;

	// beside the slots: a block to spread a value in, and values of steps that have one
	w->scratch = mem_alloc(q->slots + 16 * (EXPR_BLOCK + n));
	w->lost = mem_calloc((size_t)l->plan->nout + 1, sizeof *w->lost);
	w->missing = mem_calloc((size_t)l->plan->checks + 1, sizeof *w->missing);
	w->lane = mem_calloc((size_t)q->lanes + LANES_STEP, sizeof *w->lane);
	w->delta = mem_calloc((size_t)q->lanes + LANES_STEP, sizeof *w->delta);
	w->cells = mem_calloc(4 * n, sizeof(void *));
	w->flat = mem_calloc(n, sizeof *w->flat);
	w->orders = mem_calloc(n, sizeof *w->orders);

	for (int i = 0; i < q->n; i++)
		if (!in_place(l, &q->steps[i]))
			make_order(l, w, i);

	return w;
}

void expr_loop_worker_free(struct loop_worker *w)
{
	free(w->scratch);
	free(w->lost);
	free(w->missing);
	free(w->lane);
	free(w->delta);
	free(w->cells);
	free(w->flat);
	free(w->orders);
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

/** Where the lanes are at w->pos. */
static void find_lanes(const struct loop *l, struct loop_worker *w, char *const base[])
{
	for (int k = 0; k < l->pass->lanes; k++) {
		long offset = md_calc_offset(l->D, l->lanes[k].strs, w->pos);

		if (NULL == base[k])
			w->lane[k].from = offset;
		else
			w->lane[k].at = base[k] + offset;
	}
}

static void advance_lanes(const struct loop *l, struct loop_worker *w)
{
	for (int k = 0; k < l->pass->lanes; k += LANES_STEP)
		for (int i = k; i < k + LANES_STEP; i++)
			w->lane[i].from += w->delta[i];
}

/** n elements of a line from w->pos on, in blocks of about equal size. */
static void run_line(const struct loop *l, struct loop_worker *w, char *const base[], long number, long n)
{
	long blocks = (n + l->block - 1) / l->block;
	long size = ((n + blocks - 1) / blocks + 15) / 16 * 16;

	find_lanes(l, w, base);

	for (int k = 0; k < l->pass->lanes; k++)
		w->delta[k] = size * l->lanes[k].step;

	for (long i = 0; i < n; i += size) {
		expr_block_run(l, w, base, number + i, (n - i < size) ? n - i : size, 0 == i);
		advance_lanes(l, w);
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
	long size = l->pass->block;

	for (long i = 0; i < n; i += size) {
		find_position(l, first + i, w->pos);
		find_lanes(l, w, base);
		expr_block_run(l, w, base, first + i, (n - i < size) ? n - i : size, true);
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
