/* Finds the steps of a program that add a weighted neighbour, as those of a bilateral filter. */

#include "num/line/stencil_tap.h"

int stencil_next_operator(const struct stencil_program *p, const bool in[], int k)
{
	do
		k++;
	while (k < p->n && !in[k]);

	return k;
}

static bool is_op(const struct graph *g, const struct stencil_step *t, enum op op)
{
	const struct node *n = &g->nodes[t->node];

	return NODE_OP == n->kind && !n->fused && op == (enum op)n->id;
}

/** Which of two operands is not `one`; -1: neither is `one`. */
static int other(const struct stencil_step *t, int one)
{
	return (one == t->arg[0]) ? 1 : (one == t->arg[1]) ? 0 : -1;
}

/** A value that this program computes, and needs last in step `by`. */
static bool ends(const bool in[], const int last[], int value, int by)
{
	return 0 <= value && in[value] && by == last[value];
}

/** Whether the steps before the weight follow from each other alone, from x - c of two lines on. */
static bool is_chain(
        const struct stencil_tap *t, const struct stencil_step *const s[], const bool in[], const int last[])
{
	const int *c = s[TAP_DIFFERENCE]->arg;

	for (int i = TAP_DIFFERENCE; i < TAP_WEIGHT; i++)
		if (!ends(in, last, t->step[i], t->step[i + 1]))
			return false;

	for (int i = TAP_SQUARE; i <= TAP_WEIGHT; i++)
		if (TAP_EXPONENT != i && t->step[i - 1] != s[i]->arg[0])
			return false;

	return 0 <= c[0] && 0 <= c[1] && !in[c[0]] && !in[c[1]];
}

bool stencil_tap_find(struct stencil_tap *t, const struct graph *g, const struct stencil_program *p,
        const bool in[], const int last[], const long at[], int k)
{
	static const enum op ops[TAP_STEPS] = {
	        OP_SUB, OP_SQUARE, OP_MULADD, OP_MAX, OP_EXP, OP_SUB, OP_MAX, OP_ADD, OP_MULADD};
	const struct stencil_step *s[TAP_STEPS];
	const int *step = t->step;

	for (int i = 0; i < TAP_STEPS; i++, k = stencil_next_operator(p, in, k)) {
		if (k >= p->n || !is_op(g, &p->steps[k], ops[i]))
			return false;

		t->step[i] = k;
		s[i] = &p->steps[k];
	}

	const int factor = other(s[TAP_EXPONENT], step[TAP_SQUARE]),
	          sum = other(s[TAP_WEIGHTS], step[TAP_WEIGHT]), x = other(s[TAP_SUM], step[TAP_WEIGHT]);

	if (!is_chain(t, s, in, last) || factor < 0 || sum < 0 || x < 0 ||
	        s[TAP_DIFFERENCE]->arg[0] != s[TAP_SUM]->arg[x] ||
	        at[step[TAP_DIFFERENCE]] + s[TAP_DIFFERENCE]->slide[0] !=
	                at[step[TAP_SUM]] + s[TAP_SUM]->slide[x] ||
	        !ends(in, last, step[TAP_WEIGHT], step[TAP_SUM]))
		return false;

	const int scalars[5] = {s[TAP_EXPONENT]->arg[factor], s[TAP_EXPONENT]->arg[2], s[TAP_LIMITED]->arg[1],
	        s[TAP_LESS]->arg[1], s[TAP_WEIGHT]->arg[1]};

	for (int i = 0; i < 5; i++) {
		if (scalars[i] >= 0)
			return false;

		t->scalar[i] = scalars[i];
	}

	t->weights = s[TAP_WEIGHTS]->arg[sum];
	t->sum = s[TAP_SUM]->arg[2];

	return ends(in, last, t->weights, step[TAP_WEIGHTS]) && ends(in, last, t->sum, step[TAP_SUM]);
}
