/* Parses and evaluates an expression in one call. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "num/expr/expr_lex.h"
#include "num/expr/expr_opencl.h"
#include "num/expr/expr_tree.h"

static _Noreturn void fail(const struct expr_error *err)
{
	error("expression, %s: %s", expr_place(err->column), err->text);
}

void expr_operand_of(struct expr_operand *o, const struct array *a)
{
	o->type = a->type;
	md_copy_dims(DIMS, o->dims, a->dims);

	for (int d = 0; d < DIMS; d++) {
		o->spacing[d] = 1.;
		o->origin[d] = NAN;
	}
}

static struct expr *parse(const char *text, int nin, const char *const names[])
{
	struct expr_error err;
	struct expr *e = expr_parse(text, &err);

	if (NULL == e || !expr_resolve(e, nin, names, &err))
		fail(&err);

	return e;
}

/** The arrays in the order of the expression's inputs. */
static void sort_inputs(const struct expr *e, int nin, const char *const names[],
        const struct array *const in[], const struct array *sorted[])
{
	for (int i = 0; i < expr_inputs(e); i++)
		for (int k = 0; k < nin; k++)
			if (0 == strcmp(names[k], expr_input(e, i)))
				sorted[i] = in[k];
}

static struct expr_plan *bind(const struct expr *e, const struct array *const in[], struct array_rules r)
{
	struct expr_operand operands[EXPR_OPERANDS];

	for (int i = 0; i < expr_inputs(e); i++)
		expr_operand_of(&operands[i], in[i]);

	return expr_bind(e, operands, r);
}

typedef void run_fn(const struct expr_plan *p, struct array *const out[], const struct array *const in[]);

static void eval(run_fn *run, const char *text, int nout, struct array *const out[], int nin,
        const char *const names[], const struct array *const in[], struct array_rules r)
{
	const struct array *sorted[EXPR_OPERANDS];
	struct expr *e = parse(text, nin, names);

	if (nout != expr_outputs(e))
		error("the expression has %d results, expected %d", expr_outputs(e), nout);

	sort_inputs(e, nin, names, in, sorted);

	struct expr_plan *p = bind(e, sorted, r);

	run(p, out, sorted);
	expr_plan_free(p);
	expr_free(e);
}

void expr_eval(const char *text, int nout, struct array *const out[], int nin, const char *const names[],
        const struct array *const in[], struct array_rules r)
{
	eval(expr_run, text, nout, out, nin, names, in, r);
}

void expr_opencl_eval(const char *text, int nout, struct array *const out[], int nin,
        const char *const names[], const struct array *const in[])
{
	eval(expr_opencl_run, text, nout, out, nin, names, in, array_default);
}

complex double expr_reduce(const char *text, int nin, const char *const names[],
        const struct array *const in[], struct array_rules r)
{
	const struct array *sorted[EXPR_OPERANDS];
	struct expr *e = parse(text, nin, names);

	sort_inputs(e, nin, names, in, sorted);

	struct expr_plan *p = bind(e, sorted, r);

	if (1 != expr_outputs(e) || !expr_plan_is_reduction(p, 0))
		error("the expression gives arrays, expected one number such as sum(...)");

	complex double value;
	struct array *out = array_borrow(DT_COMPLEX128, 0, NULL, NULL, &value);

	expr_run(p, &out, sorted);
	array_free(out);
	expr_plan_free(p);
	expr_free(e);

	return value;
}
