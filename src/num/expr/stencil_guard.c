/* Omits values in blocks where choices do not use them. */

#include <stdlib.h>

#include "misc/mem.h"
#include "num/expr/stencil.h"

/** No use yet, and a use that is always there. */
enum { UNUSED = -2, ALWAYS = -1 };

static bool is_op(const struct graph *g, const struct stencil_step *t, enum op op)
{
	const struct node *n = &g->nodes[t->node];

	return t->leaf < 0 && NODE_OP == n->kind && !n->fused && op == (enum op)n->id;
}

/** The guard that is 0 only where both are: of a && b && c the part that they share. */
static int common(const struct graph *g, const struct stencil_program *p, int a, int b)
{
	while (a != b) {
		int *later = (a > b) ? &a : &b;

		if (*later < 0 || !is_op(g, &p->steps[*later], OP_AND))
			return ALWAYS;

		*later = p->steps[*later].arg[0];

		if (*later < 0)
			return ALWAYS;
	}

	return a;
}

static void use(const struct graph *g, const struct stencil_program *p, int *guard, int step, int by)
{
	guard[step] = (UNUSED == guard[step]) ? by : common(g, p, guard[step], by);
}

void stencil_find_guards(const struct graph *g, struct stencil_program *p)
{
	int *guard = mem_alloc(((size_t)p->n + 1) * sizeof *guard);

	for (int i = 0; i < p->n; i++)
		guard[i] = UNUSED;

	for (int k = 0; k < p->roots; k++)
		guard[p->root[k].step] = ALWAYS;

	for (int i = p->n - 1; i >= 0; i--) {
		struct stencil_step *t = &p->steps[i];
		const bool choice = is_op(g, t, OP_SELECT) || is_op(g, t, OP_AND);

		// what is counted is counted for all elements; a guard must be known before
		if (g->nodes[t->node].counted || 0 <= t->leaf || guard[i] >= i)
			guard[i] = ALWAYS;

		t->guard = guard[i];

		for (int k = 0; k < t->args; k++)
			if (0 <= t->arg[k])
				use(g, p, guard, t->arg[k],
				        (choice && 1 == k && 0 <= t->arg[0]) ? t->arg[0] : guard[i]);
	}

	for (int i = 0; i < p->n; i++)
		if (0 <= p->steps[i].guard)
			p->steps[p->steps[i].guard].guards = true;

	free(guard);
}
