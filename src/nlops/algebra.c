/* Nonlinear operators made of others. */

#include <stdlib.h>
#include <string.h>

#include "linops/fit.h"
#include "linops/scratch.h"
#include "linops/shapes.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "nlops/nlop.h"
#include "num/md/flpmath.h"

/** Of one operator or two. */
struct compound {
	const struct nlop *F, *G;
	int a, b;                     // link: output and input; dup: inputs; stacks: outputs or inputs
	const struct linop *place[2]; // stacks: where the parts stand
	struct scratch point, tmp, other;
};

static void compound_destroy(void *self)
{
	struct compound *c = self;

	nlop_free(c->F);
	nlop_free(c->G);
	linop_free(c->place[0]);
	linop_free(c->place[1]);
	scratch_free(&c->point);
	scratch_free(&c->tmp);
	scratch_free(&c->other);
	free(c);
}

static bool compound_real_linear(const void *self)
{
	const struct compound *c = self;

	return nlop_is_real_linear(c->F) || (NULL != c->G && nlop_is_real_linear(c->G));
}

static bool compound_anywhere(const void *self)
{
	const struct compound *c = self;

	return nlop_is_anywhere(c->F) && (NULL == c->G || nlop_is_anywhere(c->G));
}

static struct compound *compound_create(const struct nlop *F, const struct nlop *G, int a, int b)
{
	struct compound *c = NEW(struct compound);

	*c = (struct compound){.F = nlop_ref(F), .G = (NULL != G) ? nlop_ref(G) : NULL, .a = a, .b = b};

	return c;
}

static void *room(struct scratch *s, const struct nlop *F, long n, const void *ref)
{
	return scratch_get(s, nlop_type(F), n, ref);
}

static bool wanted(int n, void *const out[])
{
	for (int k = 0; k < n; k++)
		if (NULL != out[k])
			return true;

	return false;
}

/* ---- combine ---- */

static void combine_forward(void *self, void *const out[], const void *const in[])
{
	const struct compound *c = self;

	if (wanted(nlop_outs(c->F), out))
		nlop_forward(c->F, out, in);

	if (wanted(nlop_outs(c->G), out + nlop_outs(c->F)))
		nlop_forward(c->G, out + nlop_outs(c->F), in + nlop_ins(c->F));
}

static bool combine_depends(const void *self, int o, int i)
{
	const struct compound *c = self;
	const int outs = nlop_outs(c->F), ins = nlop_ins(c->F);

	if (o < outs && i < ins)
		return nlop_depends(c->F, o, i);

	return o >= outs && i >= ins && nlop_depends(c->G, o - outs, i - ins);
}

static void combine_derivative(void *self, int o, int i, void *dst, const void *src)
{
	const struct compound *c = self;
	const int outs = nlop_outs(c->F), ins = nlop_ins(c->F);

	if (o < outs)
		nlop_derivative(c->F, o, i, dst, src);
	else
		nlop_derivative(c->G, o - outs, i - ins, dst, src);
}

static void combine_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	const struct compound *c = self;
	const int outs = nlop_outs(c->F), ins = nlop_ins(c->F);

	if (o < outs)
		nlop_adjoint(c->F, o, i, dst, src);
	else
		nlop_adjoint(c->G, o - outs, i - ins, dst, src);
}

static const struct nlop_ops combine_ops = {.name = "combine",
        .forward = combine_forward,
        .derivative = combine_derivative,
        .adjoint = combine_adjoint,
        .depends = combine_depends,
        .real_linear = compound_real_linear,
        .anywhere = compound_anywhere,
        .destroy = compound_destroy};

struct nlop *nlop_combine(const struct nlop *F, const struct nlop *G)
{
	const int outs = nlop_outs(F) + nlop_outs(G), ins = nlop_ins(F) + nlop_ins(G);
	struct nlop_shape out[2 * NLOP_ARGS], in[2 * NLOP_ARGS];

	if (nlop_type(F) != nlop_type(G))
		error("operators %s (%s) and %s (%s) have different types, expected one type", nlop_name(F),
		        dtype_name(nlop_type(F)), nlop_name(G), dtype_name(nlop_type(G)));

	for (int k = 0; k < outs; k++)
		out[k] = (k < nlop_outs(F)) ? *nlop_out(F, k) : *nlop_out(G, k - nlop_outs(F));

	for (int k = 0; k < ins; k++)
		in[k] = (k < nlop_ins(F)) ? *nlop_in(F, k) : *nlop_in(G, k - nlop_ins(F));

	return nlop_create(&combine_ops, compound_create(F, G, 0, 0), nlop_type(F), outs, out, ins, in);
}

/* ---- link: number k of the new lists is k or k + 1 of the old ones ---- */

static int past(int k, int gone)
{
	return (k < gone) ? k : k + 1;
}

/** Whether an output that is wanted depends on the linked input. */
static bool link_needed(const struct compound *c, void *const out[])
{
	for (int o = 0; o < nlop_outs(c->F) - 1; o++)
		if (NULL != out[o] && nlop_depends(c->F, past(o, c->a), c->b))
			return true;

	return false;
}

static void link_forward(void *self, void *const out[], const void *const in[])
{
	struct compound *c = self;
	const long n = nlop_in_size(c->F, c->b);
	void *point = room(&c->point, c->F, n, in[0]);
	void *old_out[NLOP_ARGS] = {NULL};
	const void *old_in[NLOP_ARGS] = {NULL};

	for (int i = 0; i < nlop_ins(c->F) - 1; i++)
		old_in[past(i, c->b)] = in[i];

	/* first the linked output alone, which does not depend on what input b holds */
	if (link_needed(c, out)) {
		void *zero = room(&c->tmp, c->F, n, in[0]);

		vec_clear(nlop_type(c->F), n, zero);
		old_in[c->b] = zero;
		old_out[c->a] = point;
		nlop_forward(c->F, old_out, old_in);
	}

	old_in[c->b] = point;
	old_out[c->a] = NULL;

	for (int o = 0; o < nlop_outs(c->F) - 1; o++)
		old_out[past(o, c->a)] = out[o];

	nlop_forward(c->F, old_out, old_in);
}

static bool link_through(const struct compound *c, int o, int i)
{
	return nlop_depends(c->F, o, c->b) && nlop_depends(c->F, c->a, i);
}

static bool link_depends(const void *self, int o, int i)
{
	const struct compound *c = self;

	return nlop_depends(c->F, past(o, c->a), past(i, c->b)) ||
	       link_through(c, past(o, c->a), past(i, c->b));
}

static void link_derivative(void *self, int o, int i, void *dst, const void *src)
{
	struct compound *c = self;
	const bool direct = nlop_depends(c->F, past(o, c->a), past(i, c->b));

	o = past(o, c->a);
	i = past(i, c->b);

	if (direct)
		nlop_derivative(c->F, o, i, dst, src);

	if (!link_through(c, o, i))
		return;

	const long n = nlop_out_size(c->F, o);
	void *tmp = room(&c->tmp, c->F, nlop_in_size(c->F, c->b), src);
	void *sum = direct ? room(&c->other, c->F, n, src) : dst;

	nlop_derivative(c->F, c->a, i, tmp, src);
	nlop_derivative(c->F, o, c->b, sum, tmp);

	if (direct)
		vec_axpy(nlop_type(c->F), n, dst, 1., sum);
}

static void link_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	struct compound *c = self;
	const bool direct = nlop_depends(c->F, past(o, c->a), past(i, c->b));

	o = past(o, c->a);
	i = past(i, c->b);

	if (direct)
		nlop_adjoint(c->F, o, i, dst, src);

	if (!link_through(c, o, i))
		return;

	const long n = nlop_in_size(c->F, i);
	void *tmp = room(&c->tmp, c->F, nlop_in_size(c->F, c->b), src);
	void *sum = direct ? room(&c->other, c->F, n, src) : dst;

	nlop_adjoint(c->F, o, c->b, tmp, src);
	nlop_adjoint(c->F, c->a, i, sum, tmp);

	if (direct)
		vec_axpy(nlop_type(c->F), n, dst, 1., sum);
}

static const struct nlop_ops link_ops = {.name = "link",
        .forward = link_forward,
        .derivative = link_derivative,
        .adjoint = link_adjoint,
        .depends = link_depends,
        .real_linear = compound_real_linear,
        .anywhere = compound_anywhere,
        .destroy = compound_destroy};

static void check_argument(const struct nlop *F, int k, int n, const char *what)
{
	if (k < 0 || k >= n)
		error("%s %d of operator %s does not exist, expected 0 to %d", what, k, nlop_name(F), n - 1);
}

/** The shapes without number `gone` (-1: none). */
static int without(const struct nlop *F, bool outputs, int gone, struct nlop_shape s[NLOP_ARGS])
{
	const int n = outputs ? nlop_outs(F) : nlop_ins(F);
	int kept = 0;

	for (int k = 0; k < n; k++)
		if (k != gone)
			s[kept++] = outputs ? *nlop_out(F, k) : *nlop_in(F, k);

	return kept;
}

struct nlop *nlop_link(const struct nlop *F, int o, int i)
{
	struct nlop_shape out[NLOP_ARGS], in[NLOP_ARGS];

	check_argument(F, o, nlop_outs(F), "output");
	check_argument(F, i, nlop_ins(F), "input");

	if (!md_check_equal_dims(DIMS, nlop_out(F, o)->dims, nlop_in(F, i)->dims, ~0ul))
		error("cannot link operators: output %d of %s is %s, but input %d is %s", o, nlop_name(F),
		        fit_shape(nlop_out(F, o)->dims), i, fit_shape(nlop_in(F, i)->dims));

	if (nlop_depends(F, o, i))
		error("cannot link output %d of operator %s to its input %d, on which the output depends", o,
		        nlop_name(F), i);

	const int outs = without(F, true, o, out), ins = without(F, false, i, in);

	return nlop_create(&link_ops, compound_create(F, NULL, o, i), nlop_type(F), outs, out, ins, in);
}

struct nlop *nlop_chain(const struct nlop *G, const struct nlop *F)
{
	if (!md_check_equal_dims(DIMS, nlop_out(F, 0)->dims, nlop_in(G, 0)->dims, ~0ul))
		error("cannot chain operators: %s gives %s, but %s takes %s", nlop_name(F),
		        fit_shape(nlop_out(F, 0)->dims), nlop_name(G), fit_shape(nlop_in(G, 0)->dims));

	struct nlop *both = nlop_combine(G, F);
	struct nlop *chain = nlop_link(both, nlop_outs(G), 0);

	nlop_free(both);

	return chain;
}

/* ---- dup: input b of the old list is input a; the others move up ---- */

static void dup_forward(void *self, void *const out[], const void *const in[])
{
	const struct compound *c = self;
	const void *old_in[NLOP_ARGS];

	for (int i = 0; i < nlop_ins(c->F) - 1; i++)
		old_in[past(i, c->b)] = in[i];

	old_in[c->b] = in[c->a];
	nlop_forward(c->F, out, old_in);
}

static bool dup_depends(const void *self, int o, int i)
{
	const struct compound *c = self;

	return nlop_depends(c->F, o, past(i, c->b)) || (i == c->a && nlop_depends(c->F, o, c->b));
}

static void dup_apply(struct compound *c, bool adjoint, int o, int i, void *dst, const void *src)
{
	const long n = adjoint ? nlop_in_size(c->F, past(i, c->b)) : nlop_out_size(c->F, o);

	(adjoint ? nlop_adjoint : nlop_derivative)(c->F, o, past(i, c->b), dst, src);

	if (i != c->a)
		return;

	void *tmp = room(&c->tmp, c->F, n, src);

	(adjoint ? nlop_adjoint : nlop_derivative)(c->F, o, c->b, tmp, src);
	vec_axpy(nlop_type(c->F), n, dst, 1., tmp);
}

static void dup_derivative(void *self, int o, int i, void *dst, const void *src)
{
	dup_apply(self, false, o, i, dst, src);
}

static void dup_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	dup_apply(self, true, o, i, dst, src);
}

static const struct nlop_ops dup_ops = {.name = "dup",
        .forward = dup_forward,
        .derivative = dup_derivative,
        .adjoint = dup_adjoint,
        .depends = dup_depends,
        .real_linear = compound_real_linear,
        .anywhere = compound_anywhere,
        .destroy = compound_destroy};

struct nlop *nlop_dup(const struct nlop *F, int i, int j)
{
	struct nlop_shape out[NLOP_ARGS], in[NLOP_ARGS];

	check_argument(F, i, nlop_ins(F), "input");
	check_argument(F, j, nlop_ins(F), "input");

	if (i >= j || !md_check_equal_dims(DIMS, nlop_in(F, i)->dims, nlop_in(F, j)->dims, ~0ul))
		error("inputs %d and %d of operator %s have shapes %s and %s, expected ascending numbers and "
		      "equal shapes",
		        i, j, nlop_name(F), fit_shape(nlop_in(F, i)->dims), fit_shape(nlop_in(F, j)->dims));

	const int outs = without(F, true, -1, out), ins = without(F, false, j, in);

	return nlop_create(&dup_ops, compound_create(F, NULL, i, j), nlop_type(F), outs, out, ins, in);
}

/* ---- stacks of outputs ---- */

static void outputs_forward(void *self, void *const out[], const void *const in[])
{
	struct compound *c = self;
	const long n[2] = {nlop_out_size(c->F, c->a), nlop_out_size(c->F, c->b)};
	void *old_out[NLOP_ARGS];

	for (int o = 0; o < nlop_outs(c->F) - 1; o++)
		old_out[past(o, c->b)] = out[o];

	old_out[c->b] = NULL;

	if (NULL == out[c->a]) {
		nlop_forward(c->F, old_out, in);
		return;
	}

	char *parts = room(&c->point, c->F, n[0] + n[1], in[0]);
	void *tmp = room(&c->tmp, c->F, n[0] + n[1], in[0]);

	old_out[c->a] = parts;
	old_out[c->b] = parts + n[0] * (long)dtype_size(nlop_type(c->F));
	nlop_forward(c->F, old_out, in);
	linop_forward(c->place[0], out[c->a], old_out[c->a]);
	linop_forward(c->place[1], tmp, old_out[c->b]);
	vec_axpy(nlop_type(c->F), n[0] + n[1], out[c->a], 1., tmp);
}

static bool outputs_depends(const void *self, int o, int i)
{
	const struct compound *c = self;

	return nlop_depends(c->F, past(o, c->b), i) || (o == c->a && nlop_depends(c->F, c->b, i));
}

static void outputs_derivative(void *self, int o, int i, void *dst, const void *src)
{
	struct compound *c = self;
	const long n = linop_codomain_size(c->place[0]);

	if (o != c->a) {
		nlop_derivative(c->F, past(o, c->b), i, dst, src);
		return;
	}

	void *part = room(&c->point, c->F, n, src), *tmp = room(&c->tmp, c->F, n, src);

	nlop_derivative(c->F, c->a, i, part, src);
	linop_forward(c->place[0], dst, part);
	nlop_derivative(c->F, c->b, i, part, src);
	linop_forward(c->place[1], tmp, part);
	vec_axpy(nlop_type(c->F), n, dst, 1., tmp);
}

static void outputs_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	struct compound *c = self;
	const long n = nlop_in_size(c->F, i);

	if (o != c->a) {
		nlop_adjoint(c->F, past(o, c->b), i, dst, src);
		return;
	}

	void *part = room(&c->point, c->F, linop_codomain_size(c->place[0]), src);
	void *tmp = room(&c->tmp, c->F, n, src);

	linop_adjoint(c->place[0], part, src);
	nlop_adjoint(c->F, c->a, i, dst, part);
	linop_adjoint(c->place[1], part, src);
	nlop_adjoint(c->F, c->b, i, tmp, part);
	vec_axpy(nlop_type(c->F), n, dst, 1., tmp);
}

static const struct nlop_ops outputs_ops = {.name = "stack of outputs",
        .forward = outputs_forward,
        .derivative = outputs_derivative,
        .adjoint = outputs_adjoint,
        .depends = outputs_depends,
        .real_linear = compound_real_linear,
        .anywhere = compound_anywhere,
        .destroy = compound_destroy};

/* ---- stacks of inputs ---- */

static void inputs_forward(void *self, void *const out[], const void *const in[])
{
	struct compound *c = self;
	const long n[2] = {nlop_in_size(c->F, c->a), nlop_in_size(c->F, c->b)};
	char *parts = room(&c->point, c->F, n[0] + n[1], in[0]);
	char *second = parts + n[0] * (long)dtype_size(nlop_type(c->F));
	const void *old_in[NLOP_ARGS];

	for (int i = 0; i < nlop_ins(c->F) - 1; i++)
		old_in[past(i, c->b)] = in[i];

	linop_adjoint(c->place[0], parts, in[c->a]);
	linop_adjoint(c->place[1], second, in[c->a]);
	old_in[c->a] = parts;
	old_in[c->b] = second;
	nlop_forward(c->F, out, old_in);
}

static bool inputs_depends(const void *self, int o, int i)
{
	return dup_depends(self, o, i);
}

static void inputs_derivative(void *self, int o, int i, void *dst, const void *src)
{
	struct compound *c = self;
	const long n = nlop_out_size(c->F, o);

	if (i != c->a) {
		nlop_derivative(c->F, o, past(i, c->b), dst, src);
		return;
	}

	void *part = room(&c->point, c->F, linop_codomain_size(c->place[0]), src);
	void *tmp = room(&c->tmp, c->F, n, src);

	linop_adjoint(c->place[0], part, src);
	nlop_derivative(c->F, o, c->a, dst, part);
	linop_adjoint(c->place[1], part, src);
	nlop_derivative(c->F, o, c->b, tmp, part);
	vec_axpy(nlop_type(c->F), n, dst, 1., tmp);
}

static void inputs_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	struct compound *c = self;
	const long n = linop_codomain_size(c->place[0]);

	if (i != c->a) {
		nlop_adjoint(c->F, o, past(i, c->b), dst, src);
		return;
	}

	void *part = room(&c->point, c->F, n, src), *tmp = room(&c->tmp, c->F, n, src);

	nlop_adjoint(c->F, o, c->a, part, src);
	linop_forward(c->place[0], dst, part);
	nlop_adjoint(c->F, o, c->b, part, src);
	linop_forward(c->place[1], tmp, part);
	vec_axpy(nlop_type(c->F), n, dst, 1., tmp);
}

static const struct nlop_ops inputs_ops = {.name = "stack of inputs",
        .forward = inputs_forward,
        .derivative = inputs_derivative,
        .adjoint = inputs_adjoint,
        .depends = inputs_depends,
        .real_linear = compound_real_linear,
        .anywhere = compound_anywhere,
        .destroy = compound_destroy};

static struct nlop *stack(const struct nlop *F, bool outputs, int a, int b, int dim)
{
	const int n = outputs ? nlop_outs(F) : nlop_ins(F);
	const char *what = outputs ? "output" : "input";
	struct nlop_shape out[NLOP_ARGS], in[NLOP_ARGS];

	check_argument(F, a, n, what);
	check_argument(F, b, n, what);

	const struct nlop_shape *s = outputs ? nlop_out(F, a) : nlop_in(F, a);
	const struct nlop_shape *t = outputs ? nlop_out(F, b) : nlop_in(F, b);

	if (a >= b || dim < 0 || dim >= DIMS || !md_check_equal_dims(DIMS, s->dims, t->dims, ~(1ul << dim)))
		error("%ss %d and %d of operator %s have shapes %s and %s, expected ascending numbers and "
		      "shapes that are equal except along dimension %d",
		        what, a, b, nlop_name(F), fit_shape(s->dims), fit_shape(t->dims), dim);

	struct compound *c = compound_create(F, NULL, a, b);
	const long zero[DIMS] = {0};
	long first[DIMS] = {0}, second[DIMS] = {0};

	first[dim] = t->dims[dim];
	second[dim] = s->dims[dim];
	c->place[0] = linop_pad_create(nlop_type(F), DIMS, s->dims, zero, first);
	c->place[1] = linop_pad_create(nlop_type(F), DIMS, t->dims, second, zero);

	const int outs = without(F, true, outputs ? b : -1, out);
	const int ins = without(F, false, outputs ? -1 : b, in);
	struct nlop_shape *joined = outputs ? &out[a] : &in[a];

	joined->dims[dim] += t->dims[dim];
	joined->D = (joined->D > dim + 1) ? joined->D : dim + 1;

	return nlop_create(outputs ? &outputs_ops : &inputs_ops, c, nlop_type(F), outs, out, ins, in);
}

struct nlop *nlop_stack_outputs(const struct nlop *F, int a, int b, int dim)
{
	return stack(F, true, a, b, dim);
}

struct nlop *nlop_stack_inputs(const struct nlop *F, int a, int b, int dim)
{
	return stack(F, false, a, b, dim);
}
