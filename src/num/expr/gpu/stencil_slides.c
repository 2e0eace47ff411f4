/* What the generated kernels of CUDA and OpenCL have in common. */

#include <stdlib.h>

#include "num/expr/gpu/stencil_slides.h"

static void add_slide(struct slides *s, long at)
{
	for (int i = 0; i < s->n; i++)
		if (at == s->at[i])
			return;

	s->at = mem_realloc(s->at, (size_t)(s->n + 1) * sizeof *s->at);
	s->at[s->n++] = at;
}

struct slides *stencil_slides_create(const struct stencil *st, const struct stencil_program *p)
{
	struct slides *s = mem_calloc((size_t)p->n + 1, sizeof *s);
	long values = 0;

	for (int k = 0; k < p->roots; k++)
		add_slide(&s[p->root[k].step], p->root[k].slide);

	for (int i = p->n - 1; i >= 0 && values <= STENCIL_VALUES_MOST; i--) {
		const struct stencil_step *t = &p->steps[i];

		if (t->leaf < 0 && 0 <= st->plan->check_of[t->node])
			add_slide(&s[i], 0);

		values += s[i].n;

		for (int k = 0; k < t->args; k++)
			for (int j = 0; 0 <= t->arg[k] && j < s[i].n; j++)
				add_slide(&s[t->arg[k]], s[i].at[j] + t->slide[k]);
	}

	if (values <= STENCIL_VALUES_MOST)
		return s;

	stencil_slides_free(s, p->n);
	return NULL;
}

void stencil_slides_free(struct slides *s, int n)
{
	for (int i = 0; NULL != s && i < n; i++)
		free(s[i].at);

	free(s);
}

void stencil_put_name(struct str *s, int step, long slide)
{
	str_printf(s, "v%d_%s%ld", step, (slide < 0) ? "m" : "", labs(slide));
}

const char *stencil_edge_text(enum expr_edge edge)
{
	static const char *const rules[] = {[EXPR_EDGE_CLAMP] = "return (i < 0) ? 0 : n - 1;",
	        [EXPR_EDGE_ZERO] = "return -1;",
	        [EXPR_EDGE_WRAP] = "i %= n;\n\treturn (i < 0) ? i + n : i;",
	        [EXPR_EDGE_MIRROR] = ("i %= 2 * n;\n\ti += (i < 0) ? 2 * n : 0;\n"
	                              "\treturn (i < n) ? i : 2 * n - 1 - i;")};

	return rules[edge];
}

const struct stencil_root *stencil_root_of(const struct stencil_program *p, int node)
{
	for (int k = 0; k < p->roots; k++)
		if (node == p->root[k].node)
			return &p->root[k];

	return NULL;
}

long stencil_input_halo(const struct stencil *s, int input)
{
	long halo = 0;

	for (int k = 0; k < s->n; k++) {
		const struct stencil_stage *a = &s->stages[k];
		const struct node *n = &s->plan->g.nodes[a->node];

		if (NODE_INPUT == n->kind && input == n->id && halo < a->halo[2])
			halo = a->halo[2];
	}

	return halo;
}
