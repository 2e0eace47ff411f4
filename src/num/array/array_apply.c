/* Operators on typed arrays: blocks of each operand in the work type, one kernel, stored as the output's
 * type. */

#include "misc/error.h"
#include "num/array/array_internal.h"
#include "num/array/array_loop.h"
#include "num/array/array_table.h"

enum { ARGS = 3 };

struct apply {
	enum op op;
	struct op_types t;
	kern_fn *kern;
	int args;
	enum dtype load[ARGS]; // work type of each operand
	const struct array *out;
	const struct array *const *in;
	enum narrow narrow;
	bool stream, domain; // count what lies outside the real domain
	bool wide;           // results of integers may leave 64 bits
	long lost, outside;
};

static void apply_line(void *ctx, long n, const long step[], char *const ptr[])
{
	struct apply *c = ctx;
	char buf[ARGS + 1][16 * KERN_BLOCK] __attribute__((aligned(64)));
	const void *a[ARGS] = {NULL, NULL, NULL};
	const bool direct = c->out->type == c->t.value && !c->out->swapped && !c->stream &&
	                    step[0] == (long)dtype_size(c->t.value);
	void *value = direct ? ptr[0] : buf[ARGS];
	unsigned scalar = 0;

	for (int k = 0; k < c->args; k++) {
		const bool one = 0 == step[k + 1];

		scalar |= (unsigned)one << k;
		a[k] = kern_load(c->load[k], buf[k], c->in[k]->type, c->in[k]->swapped, ptr[k + 1],
		        step[k + 1], one ? 1 : n);
	}

	if (c->domain) {
		long outside = kern_domain(c->op, c->t.work, n, a[0], a[1], scalar);

#pragma omp atomic
		c->outside += outside;
	}

	const long over = c->wide ? kern_overflow(c->op, c->t.work, n, a[0], a[1], a[2], scalar) : 0;

	c->kern(n, value, a[0], a[1], a[2], scalar);

	long lost = direct ? 0
	                   : kern_store(c->out->type, c->out->swapped, ptr[0], step[0], c->t.value, value, n,
	                             c->narrow, c->stream);

	lost = (over > lost) ? over : lost; // most of the former are among the latter

	if (0 < lost) {
#pragma omp atomic
		c->lost += lost;
	}
}

/** Sums of 64-bit integers, and powers of all. */
static bool may_leave(enum op op, const struct op_types *t)
{
	return dtype_is_integer(t->work) && (8 == dtype_size(t->result) || OP_POW == op);
}

void array_plain_apply(enum op op, const struct op_types *t, const struct array *out,
        const struct array *const in[], enum domain domain, enum narrow narrow, long lost[2])
{
	struct apply c = {.op = op,
	        .t = *t,
	        .kern = kern_op_as(op, t->work, narrow),
	        .wide = may_leave(op, t),
	        .args = op_args(op),
	        .out = out,
	        .in = in,
	        .narrow = narrow,
	        .stream = array_streams(out) && array_is_contiguous(out)};
	const struct array *all[ARRAY_OPERANDS] = {out};
	struct array_loop l;

	c.domain = (DOMAIN_WARN == domain || DOMAIN_ERROR == domain) && op_has_domain(op) &&
	           !dtype_is_complex(t->work);

	for (int k = 0; k < c.args; k++) {
		c.load[k] = (OP_SELECT == op && 0 == k) ? DT_BOOL : t->work;
		all[k + 1] = in[k];
	}

	if (array_loop_init(&l, c.args + 1, all))
		array_loop_run(&l, apply_line, &c);

	lost[0] = c.lost;
	lost[1] = c.outside;
}

static struct op_types types_of(enum op op, const struct array *const in[], struct array_rules r)
{
	enum dtype types[ARGS];
	struct op_types t;

	for (int k = 0; k < op_args(op); k++)
		types[k] = in[k]->type;

	if (!op_types(op, types, r.domain, &t))
		error("%s: %s needs real elements, found complex ones", array_label(in[0]), op_name(op));

	return t;
}

static void report_outside(enum op op, const struct array *out, long outside, struct array_rules r)
{
	if (0 == outside)
		return;

	if (DOMAIN_ERROR == r.domain)
		error("%ld of %ld operands are outside the real domain of %s, expected none", outside,
		        array_count(out), op_name(op));

	warn("%ld of %ld operands are outside the real domain of %s: the results are NaN", outside,
	        array_count(out), op_name(op));
}

static void apply(enum op op, const struct op_types *t, const struct array *out,
        const struct array *const in[], struct array_rules r)
{
	long lost[2];

	array_entries()->apply(op, t, out, in, r.domain, r.narrow, lost);
	report_outside(op, out, lost[1], r);
	array_report_lost(out, t->value, lost[0], r);
}

void array_apply(enum op op, struct array *out, const struct array *const in[], struct array_rules r)
{
	const struct op_types t = types_of(op, in, r);
	const struct array *a[ARGS] = {NULL, NULL, NULL};

	for (int k = 0; k < op_args(op); k++)
		array_check_shape(out, in[k]);

	array_check_output(out);

	for (int k = 0; k < op_args(op); k++)
		a[k] = array_apart(out, in[k]);

	apply(op, &t, out, a, r);

	for (int k = 0; k < op_args(op); k++)
		array_free(a[k]);
}

struct array *array_op(enum op op, const struct array *const in[], struct array_rules r)
{
	const struct op_types t = types_of(op, in, r);
	long dims[DIMS];

	array_common_dims(op_args(op), in, dims);

	struct array *out = array_create(t.result, DIMS, dims);

	apply(op, &t, out, in, r);

	return out;
}
