/* A plan as text. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/windows/box.h"
#include "num/expr/expr_plan.h"

/** A constant: "2", "0.5", "1+2i". */
static void add_value(struct str *s, const struct node *n)
{
	double z[2] = {0};

	convert(DT_COMPLEX128, z, n->type, n->value, 1, NARROW_SATURATE);

	if (0. == z[1] || !dtype_is_complex(n->type)) {
		str_add_double(s, z[0], 6);
		return;
	}

	if (0. != z[0]) {
		str_add_double(s, z[0], 6);
		str_add(s, (z[1] < 0) ? "" : "+");
	}

	str_add_double(s, z[1], 6);
	str_add(s, "i");
}

static void add_scalar(struct str *s, const struct expr_plan *p, int node)
{
	if (NODE_CONSTANT == p->g.nodes[node].kind)
		add_value(s, &p->g.nodes[node]);
	else
		str_printf(s, "s%d", node);
}

static void add_operands(struct str *s, const struct expr_plan *p, const struct step *t)
{
	if (t->fused)
		str_printf(s, "%s(", op_name(t->inner));

	for (int k = 0; k < t->args; k++) {
		str_add(s, k ? ", " : "");

		if (t->arg[k] < 0)
			add_scalar(s, p, -1 - t->arg[k]);
		else
			str_printf(s, "v%d", t->arg[k]);
	}

	if (t->fused)
		str_add(s, ")");
}

static void add_step(struct str *s, const struct expr_plan *p, const struct step *t, int i)
{
	switch (t->kind) {
	case STEP_LOAD:
		str_printf(s, "  v%d = load %s: %s", i, p->in[t->id], dtype_name(p->operand[t->id].type));
		break;
	case STEP_INDEX:
		str_printf(s, "  v%d = i%d", i, t->id);
		break;
	case STEP_COORDINATE:
		str_printf(s, "  v%d = %c", i, 'x' + t->id);
		break;
	case STEP_OP:
		str_printf(s, "  v%d = %s(", i, op_name((enum op)t->id));
		add_operands(s, p, t);
		str_add(s, ")");
		break;
	case STEP_CONVERT:
		str_printf(s, "  v%d = convert(", i);
		add_operands(s, p, t);
		str_add(s, ")");
		break;
	case STEP_REDUCE:
		str_printf(s, "  s%d = %s(", t->node, reduction_name(t->reduction));
		add_operands(s, p, t);
		str_add(s, ")");
		break;
	case STEP_SHIFT: {
		const int *k = p->g.nodes[t->node].shift;

		str_printf(s, "  v%d = ", i);
		add_operands(s, p, t);
		str_printf(s, "[%d,%d,%d]", k[0], k[1], k[2]);
		break;
	}
	case STEP_MEDIAN:
	case STEP_BOX: {
		static const char *const names[] = {
		        [BOX_MEAN] = "mean", [BOX_MIN] = "min", [BOX_MAX] = "max"};
		const bool median = STEP_MEDIAN == t->kind;
		const int *k = p->g.nodes[t->node].shift;

		str_printf(s, "  v%d = %s(", i, median ? "median" : names[t->id]);
		add_operands(s, p, t);
		str_printf(s, ", %s(%d, %d, %d))", (median && t->id) ? "ball" : "box", k[0], k[1], k[2]);
		break;
	}
	case STEP_SAMPLE:
		str_printf(s, "  v%d = %s(%s, ", i,
		        sampler_name((enum sampler_method)(t->id / EXPR_OPERANDS)),
		        p->in[t->id % EXPR_OPERANDS]);
		add_operands(s, p, t);
		str_add(s, ")");
		break;
	case STEP_STORE:
		str_printf(s, "  store %s: %s = ", p->out[t->id][0] ? p->out[t->id] : "result",
		        dtype_name(t->type));
		add_operands(s, p, t);
		str_add(s, "\n");
		return;
	}

	str_printf(s, " as %s\n", dtype_name(t->type));
}

static void add_scalar_step(struct str *s, const struct expr_plan *p, int node)
{
	const struct node *n = &p->g.nodes[node];

	str_printf(s, "s%d = %s(", node, (NODE_CONVERT == n->kind) ? "convert" : op_name((enum op)n->id));

	for (int k = 0; k < n->args; k++) {
		str_add(s, k ? ", " : "");
		add_scalar(s, p, n->arg[k]);
	}

	str_printf(s, ") as %s\n", dtype_name(n->type));
}

/** Scalars that become known with that stage. */
static void add_scalars(struct str *s, const struct expr_plan *p, int stage)
{
	for (int i = 0; i < p->g.n; i++) {
		const struct node *n = &p->g.nodes[i];

		if (p->live[i] && n->scalar && stage == n->stage &&
		        (NODE_OP == n->kind || NODE_CONVERT == n->kind))
			add_scalar_step(s, p, i);
	}
}

char *expr_plan_text(const struct expr_plan *p)
{
	struct str s = {0};
	int stage = -1;

	for (int k = 0; k < p->passes; k++) {
		const struct expr_pass *q = &p->pass[k];
		struct hdr h;

		while (stage < q->stage)
			add_scalars(&s, p, ++stage);

		hdr_init(&h);
		md_copy_dims(DIMS, h.dims, q->dims);
		str_printf(&s, "pass %d of %d over %s:\n", k + 1, p->passes, hdr_shape(&h));

		for (int i = 0; i < q->n; i++)
			add_step(&s, p, &q->steps[i], i);
	}

	for (int i = 0; i < p->g.n; i++)
		if (p->live[i] && p->g.nodes[i].stage > stage)
			add_scalars(&s, p, ++stage);

	for (int i = 0; i < p->nout; i++)
		if (expr_plan_is_reduction(p, i)) {
			str_printf(&s, "store %s: %s = ", p->out[i][0] ? p->out[i] : "result",
			        dtype_name(p->type[i]));
			add_scalar(&s, p, p->root[i]);
			str_add(&s, "\n");
		}

	return s.data;
}
