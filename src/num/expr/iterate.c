/* Repeats a step of an expression, several steps in a pass. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "misc/ranks/sharing.h"
#include "num/device/device.h"
#include "num/expr/expr_tree.h"
#include "num/expr/iterate.h"
#include "num/expr/gpu/stencil_gpu.h"
#include "num/md/multind.h"
#include "num/shape/spill.h"

/** Steps of a pass at most: more of them would compute too many rows around a tile twice, or do not fit into
 * the shared memory of the GPU's blocks. Near: where a step reads direct neighbours only. */
enum { STEPS = 5, STEPS_NEAR = 6, STEPS_ON_DEVICE = 2 };

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
		error("expression: %s in %s", err.text, "one pass over several steps");

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

	const bool near = p->pass[0].neighbours && 1 == stencil_reach(p, &p->pass[0], 1);
	const long steps = min_long(n, (0 < most) ? most
	                               : near     ? STEPS_NEAR
	                                          : STEPS),
	           passes = (n + steps - 1) / steps;

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

int expr_iterate_dim(const long dims[DIMS])
{
	return stencil_cut_dim(dims);
}

/** What a rank does of the steps: positions [from, to) along a dim, and more while others have not sent
 * theirs. */
struct share {
	bool shared, wrap;
	struct sharing part;
	int d;
	long n, from, to; // along d
	long reach;       // of a step
	long halo;        // steps between exchanges
};

static struct share choose_share(const struct expr *e, const struct expr_plan *p,
        const struct expr_operand *o, struct array_rules r, long n, long halo)
{
	const int d = stencil_cut_dim(o->dims);
	struct share s = {.d = d, .n = o->dims[d], .to = o->dims[d], .halo = n};

	s.shared = 0 < halo && ranks_shared() && 1 == expr_plan_passes(p) && p->pass[0].neighbours &&
	           !has_samples(e) && DOMAIN_NAN == r.domain && dtype_work(o->type) == o->type &&
	           !dtype_is_integer(o->type);

	if (!s.shared)
		return s;

	s.wrap = EXPR_EDGE_WRAP == e->edge;
	s.part = sharing_along(DIMS, o->dims, dtype_size(o->type), d, 1);
	s.reach = stencil_reach(p, &p->pass[0], d);
	s.halo = halo;
	ranks_part(s.n, 1, &s.from, &s.to);

	return s;
}

/** Positions [from - more, to + more), of which those beyond an end are left out or are at the other one. */
static void run_around(const struct share *s, long more, const struct expr_plan *p, struct array *to,
        const struct array *const from[])
{
	const long a = s->from - more, b = s->to + more;
	const bool all = b - a >= s->n;

	if (s->from == s->to)
		return;

	expr_run_range(p, &to, from, s->d, all ? 0 : max_long(0, a), all ? s->n : min_long(s->n, b));

	if (s->wrap && !all && a < 0)
		expr_run_range(p, &to, from, s->d, a + s->n, s->n);

	if (s->wrap && !all && b > s->n)
		expr_run_range(p, &to, from, s->d, 0, b - s->n);
}

/** Passes over n steps, with an exchange behind every `halo` of them. */
static long count_passes(long n, long halo, long steps)
{
	const long each = (halo + steps - 1) / steps;

	return n / halo * each + (n % halo + steps - 1) / steps;
}

/** Whether the GPU in use makes the steps of what lies on the host. */
static bool is_for_device(const struct expr_plan *p, const struct array *out, const char *what)
{
	double bytes = 3. * (double)array_count(out) * (double)dtype_size(out->type);

	if (0 > device_used() || device_holds(out->data) || ranks_shared())
		return false;

	for (int i = 0; i < p->nin; i++)
		bytes += (double)md_calc_size(DIMS, p->operand[i].dims) *
		         (double)dtype_size(p->operand[i].type);

	if (bytes <= (double)device_left() && stencil_gpu_takes(p))
		return true;

	if (NULL != what)
		info("%s: no GPU kernel for these steps, or not enough GPU memory; running on the CPU", what);

	return false;
}

/** The elements of an array on the device, without gaps, in our byte order. */
static struct array *to_device(const struct array *a)
{
	struct array *own = array_create(a->type, DIMS, a->dims);
	const size_t bytes = (size_t)array_count(a) * dtype_size(a->type);
	void *there = device_alloc(bytes);

	array_copy(own, a, array_default);
	device_copy(there, own->data, bytes);
	array_free(own);

	return array_borrow(a->type, DIMS, a->dims, NULL, there);
}

static void free_there(const struct array *a)
{
	device_free(a->data);
	array_free(a);
}

static void *state_alloc(const struct array *out, size_t bytes)
{
	return device_holds(out->data) ? device_alloc(bytes) : spill_alloc(bytes);
}

static void state_free(void *p)
{
	if (device_holds(p))
		device_free(p);
	else
		spill_free(p);
}

static void iterate_on_device(const struct expr *e, int input, long n, long most, struct array_rules r,
        const struct expr_operand operand[], struct array *out, const struct array *const in[],
        const char *what)
{
	const struct array *there[EXPR_OPERANDS];
	const size_t bytes = (size_t)array_count(out) * dtype_size(out->type);
	struct array *to = array_borrow(out->type, DIMS, out->dims, NULL, device_alloc(bytes)),
	             *own = array_create(out->type, DIMS, out->dims);

	for (int i = 0; i < e->nin; i++)
		there[i] = to_device(in[i]);

	expr_iterate(e, input, n, most, 0, r, operand, to, there, what);
	device_copy(own->data, to->data, bytes);
	array_copy(out, own, r);

	for (int i = 0; i < e->nin; i++)
		free_there(there[i]);

	free_there(to);
	array_free(own);
}

void expr_iterate(const struct expr *e, int input, long n, long most, long halo, struct array_rules r,
        const struct expr_operand operand[], struct array *out, const struct array *const in[],
        const char *what)
{
	const struct array *from[EXPR_OPERANDS];
	const struct expr_operand *o = &operand[input];
	struct expr_plan *one = expr_bind(e, operand, r);
	struct array *state[2] = {NULL, NULL};
	long at = 0;

	check_result(e, one, input, o);

	if (is_for_device(one, out, what)) {
		iterate_on_device(e, input, n, most, r, operand, out, in, what);
		expr_plan_free(one);
		return;
	}

	const bool device = device_holds(out->data);
	const struct share s = choose_share(e, one, o, r, n, halo);
	const long steps =
	        steps_of_pass(e, one, o, min_long(n, s.halo), (0 == most && device) ? STEPS_ON_DEVICE : most);
	const size_t bytes = (size_t)array_count(out) * dtype_size(o->type);

	memcpy(from, in, (size_t)e->nin * sizeof *in);

	const bool spare = is_free(out, in, e->nin); // every other state is out's

	for (long k = 0; k < (spare ? 1 : 2) && k + 1 < count_passes(n, s.halo, steps); k++)
		state[k] = array_borrow(o->type, DIMS, o->dims, NULL, state_alloc(out, bytes));

	if (NULL != what)
		progress_start(what, n);

	for (long left = n, here = 0; 0 < left;) { // here: steps until the next exchange
		if (0 == here && left < n)
			sharing_halo(&s.part, min_long(left, s.halo) * s.reach, s.wrap, from[input]->data);

		here = (0 == here) ? min_long(left, s.halo) : here;

		const long until = (here + steps - 1) / steps, // passes until the next exchange
		        now = (here + until - 1) / until,
		           passes = until + count_passes(left - here, s.halo, steps);
		struct expr *several = repeat(e, input, now);
		struct expr_plan *p = expr_bind(several, operand, r);
		struct array *to = (now == left || (spare && 1 == passes % 2)) ? out : state[spare ? 0 : at];

		if (s.shared)
			run_around(&s, (here - now) * s.reach, p, to, from);
		else
			expr_run(p, &to, from);

		from[input] = to;
		at = 1 - at;
		left -= now;
		here -= now;
		expr_plan_free(p);
		expr_free(several);

		if (NULL != what)
			progress_update(n - left);
	}

	if (NULL != what)
		progress_end();

	for (int k = 0; k < 2; k++)
		if (NULL != state[k]) {
			state_free(state[k]->data);
			array_free(state[k]);
		}

	expr_plan_free(one);
}
