#include "num/expr/expr_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/expr/expr_bounds.h"
#include "num/expr/expr_pass.h"
#include "num/md/multind.h"

struct expr_points {
	struct expr_plan *plan;
	struct expr_run run; // constants
	struct loop *loop;   // NULL: all outputs are constants
	int threads, lanes;
	struct loop_worker **worker;                         // [threads]
	int lane_in[EXPR_OPERANDS], lane_out[EXPR_OPERANDS]; // -1: none
	float constant[EXPR_OPERANDS];
};

static struct expr_plan *bind(const struct expr *e, long n)
{
	struct expr_operand operand[EXPR_OPERANDS];
	const struct array *line = array_create(DT_FLOAT32, 1, &n);

	for (int i = 0; i < expr_inputs(e); i++)
		expr_operand_of(&operand[i], line);

	array_free((struct array *)line);
	return expr_bind(e, operand, array_default);
}

void expr_points_expect(const struct expr_plan *p, const char *option)
{
	for (int i = 0; i < p->g.n; i++) {
		const struct node *n = &p->g.nodes[i];

		if (p->live[i] && NODE_CONSTANT != n->kind && NODE_INPUT != n->kind && NODE_OP != n->kind &&
		        NODE_CONVERT != n->kind)
			usage_error("%s: column %ld: neighbours, indices and reductions are not supported",
			        option, n->column);

		if (p->live[i] && dtype_is_complex(n->type))
			usage_error("%s: column %ld is complex, expected real numbers", option, n->column);
	}
}

/* Runs the pass as a loop over lines of float32. */
static struct loop *make_loop(struct expr_points *p)
{
	const struct expr_pass *q = &p->plan->pass[0];
	struct loop *l = expr_loop_create(p->plan, q, (const unsigned char(*)[16])p->run.scalars);
	long strs[DIMS] = {sizeof(float)};

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD != s->kind && STEP_STORE != s->kind)
			continue;

		(STEP_LOAD == s->kind ? p->lane_in : p->lane_out)[s->id] = s->lane;
		expr_loop_set(l, s->lane, DT_FLOAT32, false, true, strs);
	}

	expr_loop_simplify(l, false);
	return l;
}

struct expr_points *expr_points_create(const struct expr *e, const char *option, long n, int threads)
{
	struct expr_points *p = NEW(struct expr_points);

	p->plan = bind(e, n);
	p->threads = threads;
	expr_points_expect(p->plan, option);
	expr_run_start(&p->run, p->plan);
	expr_run_scalars(&p->run, 0);

	for (int i = 0; i < EXPR_OPERANDS; i++)
		p->lane_in[i] = p->lane_out[i] = -1;

	for (int i = 0; i < p->plan->nout; i++) {
		const struct node *root = &p->plan->g.nodes[p->plan->root[i]];

		if (root->scalar)
			kern_store(DT_FLOAT32, false, &p->constant[i], 0, root->type,
			        p->run.scalars[p->plan->root[i]], 1, NARROW_SATURATE, false);
	}

	if (0 == p->plan->passes)
		return p;

	p->lanes = p->plan->pass[0].lanes;
	p->loop = make_loop(p);
	p->worker = mem_alloc((size_t)threads * sizeof *p->worker);

	for (int i = 0; i < threads; i++)
		p->worker[i] = expr_loop_worker_create(p->loop);

	return p;
}

void expr_points_free(struct expr_points *p)
{
	if (!p)
		return;

	for (int i = 0; i < p->threads && p->loop; i++)
		expr_loop_worker_free(p->worker[i]);

	if (p->loop)
		expr_loop_free(p->loop);

	free(p->worker);
	expr_run_end(&p->run);
	expr_plan_free(p->plan);
	free(p);
}

void expr_points_run(
        const struct expr_points *p, int thread, long n, float *const out[], const float *const in[])
{
	char *base[2 * EXPR_OPERANDS] = {NULL};

	for (int i = 0; i < p->plan->nin; i++)
		if (0 <= p->lane_in[i])
			base[p->lane_in[i]] = (char *)in[i];

	for (int i = 0; i < p->plan->nout; i++)
		if (0 <= p->lane_out[i])
			base[p->lane_out[i]] = (char *)out[i];
		else
			for (long k = 0; k < n; k++)
				out[i][k] = p->constant[i];

	if (p->loop)
		expr_loop_range(p->loop, p->worker[thread], base, 0, n);
}

void expr_points_bounds(
        const struct expr_points *p, int i, const double lo[], const double hi[], double *low, double *high)
{
	expr_graph_bounds(&p->plan->g, p->plan->root[i], lo, hi, low, high);
}
