/* A chain of operators as a pass of an expression: values are steps; constants and operands of step 0 on the
 * host are scalars. */

#include "num/expr/cuda/chain_generated.h"

#include <stdatomic.h>
#include <string.h>

#include "num/device/device.h"
#include "num/expr/cuda/expr_device.h"
#include "num/expr/expr_gpu.h"

enum { STEPS = CHAIN_VALUES + 2 };

struct chain_pass {
	struct expr_plan plan;
	struct expr_pass pass;
	struct step step[STEPS];
	unsigned char scalar[CHAIN_VALUES][16];
	int step_of[CHAIN_VALUES]; // of a value; scalars as -1 - value
	char *base[MD_OPERANDS];
};

static bool stands_still(const struct md_shape *s, int k)
{
	for (int d = 0; d < s->D; d++)
		if (0 != s->strs[k][d])
			return false;

	return true;
}

/** Whether an operand is a number in the memory of the host. */
static bool is_number(const struct md_shape *s, int v, const void *const in[])
{
	return stands_still(s, 1 + v) && !device_holds(in[v]);
}

static struct step *add_step(struct chain_pass *c, struct step s)
{
	s.lane = s.store = s.check = s.node = -1;
	c->step[c->pass.n] = s;

	return &c->step[c->pass.n++];
}

static void add_value(struct chain_pass *c, const struct md_chain *f, int v, const struct md_shape *s,
        const void *const in[])
{
	const struct md_value *x = &f->value[v];

	c->step_of[v] = -1 - v;

	if (CHAIN_CONSTANT == x->kind) {
		memcpy(c->scalar[v], x->constant, sizeof c->scalar[v]);
		return;
	}

	if (CHAIN_OPERAND == x->kind && is_number(s, v, in)) {
		memcpy(c->scalar[v], in[v], dtype_size(x->type));
		return;
	}

	struct step n = {
	        .kind = STEP_OP, .id = (int)x->op, .args = x->args, .work = x->work, .type = x->type};

	for (int k = 0; k < x->args; k++)
		n.arg[k] = c->step_of[x->in[k]];

	if (CHAIN_CONVERT == x->kind) {
		n.kind = STEP_CONVERT;
		n.work = f->value[x->in[0]].type;
	} else if (CHAIN_OPERAND == x->kind) {
		n.kind = STEP_LOAD;
		n.id = c->pass.loads;
		n.work = x->type;
	}

	c->step_of[v] = c->pass.n;

	struct step *added = add_step(c, n);

	if (CHAIN_OPERAND == x->kind) {
		added->lane = c->pass.loads;
		c->base[c->pass.loads++] = (char *)in[v];
	}
}

/** All but the lanes' steps. The result has the type of the output before it is stored: nothing is counted.
 */
static void make_pass(struct chain_pass *c, const struct md_chain *f, enum dtype t, const struct md_shape *s,
        void *out, const void *const in[])
{
	memset(c, 0, sizeof *c);
	c->plan.nout = 1;
	c->plan.g.n = f->values;
	c->pass.steps = c->step;

	for (int d = 0; d < DIMS; d++)
		c->pass.dims[d] = (d < s->D) ? s->dims[d] : 1;

	for (int v = 0; v < f->values; v++)
		add_value(c, f, v, s, in);

	int last = c->step_of[f->values - 1];

	if (t != chain_type(f)) {
		add_step(c, (struct step){.kind = STEP_CONVERT,
		                    .args = 1,
		                    .arg = {last},
		                    .work = chain_type(f),
		                    .type = t});
		last = c->pass.n - 1;
	}

	struct step *store = add_step(
	        c, (struct step){.kind = STEP_STORE, .args = 1, .arg = {last}, .work = t, .type = t});

	store->lane = c->pass.loads;
	c->base[c->pass.loads] = out;
	c->pass.stores = 1;
	c->pass.lanes = c->pass.loads + 1;
}

static struct loop *make_loop(const struct chain_pass *c, const struct md_chain *f, const struct md_shape *s,
        const void *const in[])
{
	struct loop *l = expr_loop_create(&c->plan, &c->pass, c->scalar);
	long strs[DIMS] = {0};
	int lane = 0;

	for (int v = 0; v < f->operands; v++) {
		if (is_number(s, v, in))
			continue;

		md_copy_dims(s->D, strs, s->strs[1 + v]);
		expr_loop_set(l, lane++, f->value[v].type, false, true, strs);
	}

	md_copy_dims(s->D, strs, s->strs[0]);
	expr_loop_set(l, lane, c->step[c->pass.n - 1].type, false, true, strs);
	expr_loop_simplify(l, false);

	return l;
}

static bool is_worth_it(const struct md_chain *f, const struct md_shape *s)
{
	int operators = 0;

	for (int v = 0; v < f->values; v++)
		operators += CHAIN_OP == f->value[v].kind;

	switch (expr_gpu_chosen()) {
	case EXPR_GPU_GENERATED:
		return 0 < operators;
	case EXPR_GPU_INTERPRETED:
		return false;
	default:
		return 1 < operators && operators * md_calc_size(s->D, s->dims) >= EXPR_GPU_CHAIN_LEAST;
	}
}

bool gpu_chain_generated(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[])
{
	static atomic_bool no_compiler;
	struct chain_pass c;

	if (no_compiler || !is_worth_it(f, s))
		return false;

	make_pass(&c, f, t, s, out, in);

	struct loop *l = make_loop(&c, f, s, in);
	struct expr_run r = {.plan = &c.plan, .scalars = c.scalar};
	struct expr_gpu *g = expr_gpu_begin(&r, l, c.base);
	const bool compiled = expr_gpu_is_compiled(g);

	if (compiled)
		expr_gpu_range(g, c.base, 0, l->count);
	else if (!expr_kernel_compiler())
		no_compiler = true;

	expr_gpu_end(g);
	expr_loop_free(l);

	return compiled;
}
