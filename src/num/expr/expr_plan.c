/* Binding an expression to operands, and the properties of a plan. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/expr/expr_plan.h"

static void copy_names(char *to[], int n, const struct expr_name *from)
{
	for (int i = 0; i < n; i++)
		to[i] = mem_strdup(from[i].text);
}

struct expr_plan *expr_bind(const struct expr *e, const struct expr_operand in[], struct array_rules r)
{
	struct expr_plan *p = NEW(struct expr_plan);
	struct binding b = {.e = e, .in = in, .rules = r};

	expr_infer(&b);
	p->rules = r;
	p->edge = e->edge;
	p->nin = e->nin;
	p->nout = e->nout;
	copy_names(p->in, e->nin, e->in);
	copy_names(p->out, e->nout, e->out);
	memcpy(p->operand, in, (size_t)e->nin * sizeof *in);
	memcpy(p->spacing, b.spacing, sizeof p->spacing);
	memcpy(p->origin, b.origin, sizeof p->origin);

	for (int i = 0; i < e->nout; i++)
		p->type[i] = b.facts[e->out[i].term].type;

	graph_build(&p->g, &b, p->root);
	free(b.facts);
	expr_schedule(p);

	return p;
}

void expr_plan_free(struct expr_plan *p)
{
	if (NULL == p)
		return;

	for (int i = 0; i < p->nin; i++)
		free(p->in[i]);

	for (int i = 0; i < p->nout; i++)
		free(p->out[i]);

	for (int i = 0; i < p->passes; i++)
		free(p->pass[i].steps);

	graph_free(&p->g);
	free(p->pass);
	free(p->check);
	free(p->check_of);
	free(p->live);
	free(p);
}

void expr_plan_output(const struct expr_plan *p, int i, long dims[DIMS], enum dtype *type)
{
	assert(0 <= i && i < p->nout);

	const struct node *n = &p->g.nodes[p->root[i]];

	if (n->scalar)
		md_singleton_dims(DIMS, dims);
	else
		md_copy_dims(DIMS, dims, n->dims);

	*type = p->type[i];
}

bool expr_plan_is_reduction(const struct expr_plan *p, int i)
{
	assert(0 <= i && i < p->nout);

	return p->g.nodes[p->root[i]].scalar;
}

int expr_plan_passes(const struct expr_plan *p)
{
	return p->passes;
}

void expr_plan_warn(const struct expr_plan *p)
{
	long told = 0;

	for (int i = 0; i < p->g.n && EXPR_EDGE_WRAP != p->edge; i++) {
		const struct node *n = &p->g.nodes[i];

		for (int d = 0; d < 3 && NODE_SHIFT == n->kind && 0 == n->id && n->column != told; d++) {
			if (1 == n->dims[d] || abs(n->shift[d]) < n->dims[d])
				continue;

			warn("expression, %s: from each of the %ld elements along dimension %d, the offset "
			     "%d leads "
			     "beyond the border",
			        expr_place(n->column), n->dims[d], d, n->shift[d]);
			told = n->column;
		}
	}
}

size_t expr_plan_scratch(const struct expr_plan *p)
{
	size_t most = 0;

	for (int i = 0; i < p->passes; i++)
		most = (p->pass[i].slots > most) ? p->pass[i].slots : most;

	return most;
}
