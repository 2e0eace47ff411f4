/* Whether a result is of the same kind as some inputs, so that their quantity and unit apply to it. */

#include <stdlib.h>

#include "misc/mem.h"
#include "num/expr/expr_tree.h"

/** What a term is made of: numbers, values like those of the inputs in a mask, or something else. */
struct kin {
	enum { KIN_NUMBER, KIN_INPUTS, KIN_OTHER } kind;
	unsigned long inputs;
};

static struct kin join(struct kin a, struct kin b, bool numbers)
{
	if (KIN_OTHER == a.kind || KIN_OTHER == b.kind || (!numbers && a.kind != b.kind))
		return (struct kin){KIN_OTHER, 0};

	return (struct kin){(KIN_NUMBER == a.kind) ? b.kind : a.kind, a.inputs | b.inputs};
}

/** Of an operator: choices among values, numbers as limits or in the place of values too; sums of values. */
static struct kin kin_of_op(const struct term *t, const struct kin *all)
{
	struct kin k = all[t->arg[t->args - 1]];

	switch ((enum op)t->id) {
	case OP_COPY:
	case OP_NEG:
	case OP_ABS:
	case OP_FLOOR:
	case OP_CEIL:
	case OP_ROUND:
	case OP_TRUNC:
	case OP_REAL:
	case OP_IMAG:
	case OP_CONJ:
		return k;
	case OP_ADD:
	case OP_SUB:
		return join(all[t->arg[0]], k, false);
	case OP_MIN:
	case OP_MAX:
	case OP_SOFT:
	case OP_HARD:
		return join(all[t->arg[0]], k, true);
	case OP_SELECT:
		return join(all[t->arg[1]], k, true);
	case OP_CLAMP:
		return join(join(all[t->arg[0]], all[t->arg[1]], true), k, true);
	default:
		return (struct kin){KIN_OTHER, 0};
	}
}

static struct kin kin_of(const struct term *t, const struct kin *all)
{
	switch (t->kind) {
	case TERM_INTEGER:
	case TERM_FLOAT:
	case TERM_IMAGINARY:
	case TERM_EXTENT:
	case TERM_PER_MM:
		return (struct kin){KIN_NUMBER, 0};
	case TERM_INPUT:
		return (struct kin){KIN_INPUTS, 1ul << t->id};
	case TERM_REDUCTION:
		if (RED_MIN == t->id || RED_MAX == t->id || RED_MEAN == t->id)
			return all[t->arg[0]];

		return (struct kin){KIN_OTHER, 0};
	case TERM_SHIFT:
	case TERM_MEDIAN:
	case TERM_BOX:
		return all[t->arg[0]];
	case TERM_LIKE:
	case TERM_SAMPLE:
		return all[t->id];
	case TERM_OP:
		return kin_of_op(t, all);
	default:
		return (struct kin){KIN_OTHER, 0};
	}
}

/** Whether a term is its inputs in a mask moved or scaled element by element: sums, choices, and products and
 * quotients with a number. All else that those are not in counts as numbers. */
static struct kin moved(const struct term *t, const struct kin *all, unsigned long mask)
{
	bool numbers = true;

	for (int k = 0; k < t->args; k++)
		numbers = numbers && KIN_NUMBER == all[t->arg[k]].kind;

	if (TERM_INPUT == t->kind)
		return (mask & 1ul << t->id) ? (struct kin){KIN_INPUTS, 1ul << t->id}
		                             : (struct kin){KIN_NUMBER, 0};

	if (TERM_OP != t->kind || numbers)
		return (struct kin){KIN_NUMBER, 0};

	const struct kin a = all[t->arg[0]], b = all[t->arg[t->args - 1]];

	switch ((enum op)t->id) {
	case OP_ADD:
	case OP_SUB:
		return join(a, b, true);
	case OP_MUL:
		return (KIN_NUMBER == a.kind || KIN_NUMBER == b.kind) ? join(a, b, true)
		                                                      : (struct kin){KIN_OTHER, 0};
	case OP_DIV:
		return (KIN_NUMBER == b.kind) ? a : (struct kin){KIN_OTHER, 0};
	case OP_SELECT:
		return join(all[t->arg[1]], b, true);
	default:
		return kin_of_op(t, all);
	}
}

unsigned long expr_moved(const struct expr *e, int output, unsigned long mask)
{
	struct kin *all = mem_calloc((size_t)e->n + 1, sizeof *all);
	int root = e->out[output].term;

	for (int i = 0; i <= root; i++)
		all[i] = moved(&e->terms[i], all, mask);

	unsigned long inputs = (KIN_INPUTS == all[root].kind) ? all[root].inputs : 0;

	free(all);

	return inputs;
}

unsigned long expr_placed(const struct expr *e, int output)
{
	bool *used = mem_calloc((size_t)e->n + 1, sizeof *used);
	unsigned long inputs = 0, sampled = 0;

	used[e->out[output].term] = true;

	for (int i = e->out[output].term; i >= 0; i--) {
		const struct term *t = &e->terms[i];

		for (int k = 0; used[i] && k < t->args; k++)
			used[t->arg[k]] = true;

		if (used[i] && TERM_INPUT == t->kind)
			inputs |= 1ul << t->id;

		if (used[i] && TERM_SAMPLE == t->kind)
			sampled |= 1ul << e->terms[t->id].id;
	}

	free(used);

	return (0 != inputs) ? inputs : sampled;
}

unsigned long expr_kin(const struct expr *e, int output)
{
	struct kin *all = mem_calloc((size_t)e->n + 1, sizeof *all);
	int root = e->out[output].term;

	for (int i = 0; i <= root; i++)
		all[i] = kin_of(&e->terms[i], all);

	unsigned long inputs = (KIN_INPUTS == all[root].kind) ? all[root].inputs : 0;

	free(all);

	return inputs;
}
