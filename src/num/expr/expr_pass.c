/* Shared by passes over arrays and over files: scalars between the passes, counters, messages. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/ranks/ranks.h"
#include "num/expr/expr_pass.h"

void expr_run_start(struct expr_run *r, const struct expr_plan *p)
{
	*r = (struct expr_run){.plan = p};
	r->scalars = mem_calloc((size_t)p->g.n + 1, sizeof *r->scalars);
	r->known = mem_calloc((size_t)p->g.n + 1, sizeof *r->known);
	r->missing = mem_calloc((size_t)p->checks + 1, sizeof *r->missing);
}

void expr_run_scalars(struct expr_run *r, int stage)
{
	const struct expr_plan *p = r->plan;

	for (int i = 0; i < p->g.n; i++) {
		const struct node *n = &p->g.nodes[i];

		if (!n->scalar || !p->live[i] || r->known[i] || n->stage > stage || NODE_REDUCTION == n->kind)
			continue;

		expr_loop_scalar(p, i, r->scalars, r->missing);
		r->known[i] = true;
	}
}

void expr_run_count(struct expr_run *r, const struct loop_worker *w)
{
	for (int i = 0; i < r->plan->nout; i++)
		r->lost[i] += w->lost[i];

	for (int i = 0; i < r->plan->checks; i++)
		r->missing[i] += w->missing[i];
}

void expr_run_count_shared(struct expr_run *r, int n, struct loop_worker *const w[])
{
	const int checks = r->plan->checks;
	long lost[EXPR_OPERANDS] = {0}, *missing = mem_calloc((size_t)checks + 1, sizeof *missing);

	for (int k = 0; k < n; k++) {
		for (int i = 0; NULL != w[k] && i < r->plan->nout; i++)
			lost[i] += w[k]->lost[i];

		for (int i = 0; NULL != w[k] && i < checks; i++)
			missing[i] += w[k]->missing[i];
	}

	ranks_sum(lost, EXPR_OPERANDS);
	ranks_sum(missing, checks);

	for (int i = 0; i < r->plan->nout; i++)
		r->lost[i] += lost[i];

	for (int i = 0; i < checks; i++)
		r->missing[i] += missing[i];

	free(missing);
}

void expr_run_reduced(struct expr_run *r, const struct expr_pass *q, const struct kern_acc acc[])
{
	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_REDUCE != s->kind)
			continue;

		int lost = kern_reduce_narrow(
		        s->reduction, s->work, &acc[s->id], r->plan->rules.narrow, r->scalars[s->node]);

		if (0 <= s->check)
			r->missing[s->check] += lost;

		r->known[s->node] = true;
	}
}

struct kern_acc *expr_run_accumulators(const struct expr_pass *q, long parts)
{
	struct kern_acc *acc = mem_alloc(((size_t)parts + 1) * ((size_t)q->reductions + 1) * sizeof *acc);

	for (int i = 0; i < q->n; i++)
		for (long k = 0; STEP_REDUCE == q->steps[i].kind && k <= parts; k++)
			kern_reduce_start(q->steps[i].reduction, q->steps[i].work,
			        &acc[k * q->reductions + q->steps[i].id]);

	return acc;
}

const struct kern_acc *expr_run_merge(const struct expr_pass *q, struct kern_acc *acc, long parts)
{
	struct kern_acc *total = acc + parts * q->reductions;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		for (long k = 0; STEP_REDUCE == s->kind && k < parts; k++)
			kern_reduce_merge(
			        s->reduction, s->work, &total[s->id], &acc[k * q->reductions + s->id]);
	}

	return total;
}

/** Integers beyond 64 bits on the way. */
static void report_overflow(const struct expr_plan *p, const struct expr_check *c, long count)
{
	const struct term t = {.kind = (NODE_REDUCTION == c->kind) ? TERM_REDUCTION : TERM_OP, .id = c->id};
	const bool converted = NODE_CONVERT == c->kind;
	char what[80];

	snprintf(what, sizeof what, "%ld value%s%s%s %s not fit into %s", count, (1 == count) ? "" : "s",
	        converted ? "" : " of ", converted ? "" : term_name(&t), (1 == count) ? "does" : "do",
	        dtype_name(c->type));

	if (NARROW_ERROR == p->rules.narrow)
		expr_error_at(c->column, "%s", what);

	warn("expression, %s: %s: %s", expr_place(c->column), what, convert_word(c->type, p->rules.narrow));
}

static void report_missing(const struct expr_run *r)
{
	const struct expr_plan *p = r->plan;

	for (int i = 0; i < p->checks; i++) {
		const struct expr_check *c = &p->check[i];

		if (0 == r->missing[i])
			continue;

		if (dtype_is_integer(c->type)) {
			report_overflow(p, c, r->missing[i]);
			continue;
		}

		const char *name = (OP_POW == c->id) ? "^" : op_name((enum op)c->id);

		if (DOMAIN_ERROR == p->rules.domain)
			expr_error_at(
			        c->column, "%ld values outside the real domain of %s", r->missing[i], name);

		warn("expression, %s: %ld values outside the real domain of %s became NaN",
		        expr_place(c->column), r->missing[i], name);
	}
}

void expr_run_report(
        const struct expr_run *r, const char *const names[], const enum dtype types[], const long counts[])
{
	report_missing(r);

	for (int i = 0; i < r->plan->nout; i++) {
		if (0 == r->lost[i])
			continue;

		if (NARROW_ERROR == r->plan->rules.narrow)
			error("%s: %ld of %ld values do not fit into %s", names[i], r->lost[i], counts[i],
			        dtype_name(types[i]));

		warn("%ld of %ld values do not fit into %s: %s in %s", r->lost[i], counts[i],
		        dtype_name(types[i]), convert_word(types[i], r->plan->rules.narrow), names[i]);
	}
}

void expr_run_end(struct expr_run *r)
{
	free(r->scalars);
	free(r->known);
	free(r->missing);
}
