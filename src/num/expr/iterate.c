/* Steps of an expression, several in a pass. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "num/expr/expr_tree.h"
#include "num/expr/iterate.h"
#include "num/md/multind.h"
#include "num/shape/spill.h"

/** Steps of a pass at most: the slices of more of them leave the second-level cache. */
enum { STEPS = 5 };

/** Term i of the next step: `map` has those before it; NULL: of the first. */
static int next_term(struct expr *to, const struct expr *e, int i, int input, int last, int *map)
{
	struct expr_error err = {0};
	struct term t = e->terms[i];

	if (TERM_INPUT == t.kind && input == t.id && 0 <= last)
		return last;

	if (0 == t.args && 0 <= last)
		return map[i];

	for (int k = 0; k < t.args; k++)
		t.arg[k] = map[t.arg[k]];

	if (TERM_LIKE == t.kind || TERM_SAMPLE == t.kind)
		t.id = map[t.id];

	const int term = expr_add_term(to, t, &err);

	if (term < 0)
		error("expression: %s in %s", err.text, "the steps of a pass");

	return term;
}

/** The expression of several steps. */
static struct expr *repeat(const struct expr *e, int input, long steps)
{
	struct expr *to = NEW(struct expr);
	int *map = mem_calloc((size_t)e->n + 1, sizeof *map), last = -1;

	*to = (struct expr){.nin = e->nin, .nout = 1, .edge = e->edge};

	for (long s = 0; s < steps; s++) {
		for (int i = 0; i < e->n; i++)
			map[i] = next_term(to, e, i, input, last, map);

		for (int i = 0; 0 == s && i < e->nin; i++)
			to->in[i] = (struct expr_name){
			        mem_strdup(e->in[i].text), map[e->in[i].term], e->in[i].column};

		last = map[e->out[0].term];
	}

	to->out[0] = (struct expr_name){mem_strdup(e->out[0].text), last, e->out[0].column};
	free(map);

	return to;
}

static void check_result(
        const struct expr *e, const struct expr_plan *p, int input, const struct expr_operand *o)
{
	long dims[DIMS];
	enum dtype type;

	expr_plan_output(p, 0, dims, &type);

	if (expr_plan_is_reduction(p, 0) || !md_check_equal_dims(DIMS, dims, o->dims, ~0ul)) {
		struct hdr h, want;

		hdr_init(&h);
		hdr_init(&want);
		md_copy_dims(DIMS, h.dims, dims);
		md_copy_dims(DIMS, want.dims, o->dims);
		error("--iterate: the result is %s, but '%s' of the next step is %s", hdr_shape(&h),
		        expr_input(e, input), hdr_shape(&want));
	}

	if (type != o->type)
		error("--iterate: the result is %s, but '%s' of the next step is %s (convert it with 'gantry "
		      "cast')",
		        dtype_name(type), expr_input(e, input), dtype_name(o->type));
}

static bool has_samples(const struct expr *e)
{
	for (int i = 0; i < e->n; i++)
		if (TERM_SAMPLE == e->terms[i].kind)
			return true;

	return false;
}

/** Steps of one pass: one where something is rounded on the way, all elements count for a number, or values
 * lie anywhere. */
static long steps_of_pass(
        const struct expr *e, const struct expr_plan *p, const struct expr_operand *o, long n, long most)
{
	if (dtype_work(o->type) != o->type || 1 < expr_plan_passes(p) || has_samples(e))
		return 1;

	const long steps = min_long(n, (0 < most) ? most : STEPS), passes = (n + steps - 1) / steps;

	return (n + passes - 1) / passes;
}

/** Whether an array can hold states before the last: nothing else is read from it. */
static bool is_free(const struct array *out, const struct array *const in[], int nin)
{
	for (int i = 0; i < nin; i++)
		if (array_overlap(out, in[i]))
			return false;

	return true;
}

void expr_iterate(const struct expr *e, int input, long n, long most, struct array_rules r,
        const struct expr_operand operand[], struct array *out, const struct array *const in[],
        const char *what)
{
	const struct array *from[EXPR_OPERANDS];
	const struct expr_operand *o = &operand[input];
	struct expr_plan *one = expr_bind(e, operand, r);
	struct array *state[2] = {NULL, NULL};
	long left = n, at = 0;

	check_result(e, one, input, o);

	const long steps = steps_of_pass(e, one, o, n, most);
	const size_t bytes = (size_t)array_count(out) * dtype_size(o->type);

	memcpy(from, in, (size_t)e->nin * sizeof *in);

	const long passes = (n + steps - 1) / steps;
	const bool shared = is_free(out, in, e->nin); // every other state is out's

	for (long k = 0; k < (shared ? 1 : 2) && k + 1 < passes; k++)
		state[k] = array_borrow(o->type, DIMS, o->dims, NULL, spill_alloc(bytes));

	if (NULL != what)
		progress_start(what, n);

	while (0 < left) {
		const long now = min_long(left, steps);
		struct expr *several = repeat(e, input, now);
		struct expr_plan *p = expr_bind(several, operand, r);
		const bool even = 0 == (left - now + steps - 1) / steps % 2;
		struct array *to = (now == left || (shared && even)) ? out : state[shared ? 0 : at];

		expr_run(p, &to, from);
		from[input] = to;
		at = 1 - at;
		left -= now;
		expr_plan_free(p);
		expr_free(several);

		if (NULL != what)
			progress_update(n - left);
	}

	if (NULL != what)
		progress_end();

	for (int k = 0; k < 2; k++)
		if (NULL != state[k]) {
			spill_free(state[k]->data);
			array_free(state[k]);
		}

	expr_plan_free(one);
}
