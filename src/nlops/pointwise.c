/* Functions of one variable, element by element: the derivative is kept as an array. */

#include <stdlib.h>
#include <string.h>

#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "nlops/nlop.h"
#include "num/md/flpmath.h"

/** y = f(x) and f'(x) as chains of operators; gain: a second operand of f, NULL: none. */
struct pointwise {
	enum dtype type;
	long dims[DIMS], strs[DIMS];
	struct md_chain value, slope;
	bool of_value;         // the slope is a function of f(x), not of x
	struct scratch slopes; // f'(x)
	void *gain;            // repeated by its steps
	struct scratch there;  // the same on a device
	size_t bytes;          // of gain
	long gstrs[DIMS];
};

/** The gain where the operands lie. */
static const void *gain_at(struct pointwise *p, const void *in)
{
	return (NULL == p->gain) ? NULL : scratch_near(&p->there, p->gain, p->bytes, in);
}

static void evaluate(struct pointwise *p, const struct md_chain *f, void *out, const void *in)
{
	md_chain(f, p->type, DIMS, p->dims, p->strs, out, (const long *const[]){p->strs, p->gstrs},
	        (const void *const[]){in, gain_at(p, in)});
}

static void pointwise_forward(void *self, void *const out[], const void *const in[])
{
	struct pointwise *p = self;

	void *slopes = scratch_get(&p->slopes, p->type, md_calc_size(DIMS, p->dims), in[0]);

	evaluate(p, &p->value, out[0], in[0]);
	evaluate(p, &p->slope, slopes, p->of_value ? out[0] : in[0]);
}

static void pointwise_derivative(void *self, int o, int i, void *dst, const void *src)
{
	const struct pointwise *p = self;

	(void)o;
	(void)i;
	vec_mul(p->type, md_calc_size(DIMS, p->dims), dst, src, p->slopes.p);
}

static void pointwise_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	const struct pointwise *p = self;

	(void)o;
	(void)i;
	md_apply2(dtype_is_complex(p->type) ? OP_MULC : OP_MUL, p->type, DIMS, p->dims, p->strs, dst, p->strs,
	        src, p->strs, p->slopes.p);
}

static void pointwise_destroy(void *self)
{
	struct pointwise *p = self;

	scratch_free(&p->slopes);

	scratch_free(&p->there);
	free(p->gain);
	free(p);
}

static struct pointwise *start(enum dtype type, int D, const long dims[], int *x, int *dx)
{
	struct pointwise *p = NEW(struct pointwise);

	p->type = type;
	md_singleton_dims(DIMS, p->dims);
	md_copy_dims(D, p->dims, dims);
	md_calc_strides(DIMS, p->strs, p->dims, dtype_size(type));
	*x = chain_operand(&p->value, type);
	*dx = chain_operand(&p->slope, type);

	return p;
}

static struct nlop *finish(const struct nlop_ops *ops, struct pointwise *p, int D)
{
	struct nlop_shape s = {.D = D};

	md_copy_dims(DIMS, s.dims, p->dims);

	return nlop_create(ops, p, p->type, 1, &s, 1, &s);
}

#define POINTWISE(id, text)                                                                                  \
	static const struct nlop_ops id##_ops = {.name = text,                                               \
	        .forward = pointwise_forward,                                                                \
	        .derivative = pointwise_derivative,                                                          \
	        .adjoint = pointwise_adjoint,                                                                \
	        .anywhere = nlop_always,                                                                     \
	        .destroy = pointwise_destroy}

POINTWISE(exp, "exp");
POINTWISE(log, "log");
POINTWISE(sqrt, "sqrt");
POINTWISE(pow, "pow");
POINTWISE(sigmoid, "sigmoid");
POINTWISE(softplus, "softplus");
POINTWISE(beer, "exp(-x)");

struct nlop *nlop_exp_create(enum dtype type, int D, const long dims[])
{
	int x, dx;
	struct pointwise *p = start(type, D, dims, &x, &dx);

	p->of_value = true;
	chain_op1(&p->value, OP_EXP, x);
	chain_op1(&p->slope, OP_COPY, dx);

	return finish(&exp_ops, p, D);
}

struct nlop *nlop_log_create(enum dtype type, int D, const long dims[])
{
	int x, dx;
	struct pointwise *p = start(type, D, dims, &x, &dx);

	chain_op1(&p->value, OP_LOG, x);
	chain_op1(&p->slope, OP_INVERT, dx);

	return finish(&log_ops, p, D);
}

struct nlop *nlop_sqrt_create(enum dtype type, int D, const long dims[])
{
	int x, dx;
	struct pointwise *p = start(type, D, dims, &x, &dx);

	p->of_value = true;
	chain_op1(&p->value, OP_SQRT, x);
	chain_scale(&p->slope, chain_op1(&p->slope, OP_INVERT, dx), 0.5);

	return finish(&sqrt_ops, p, D);
}

struct nlop *nlop_pow_create(enum dtype type, int D, const long dims[], double exponent)
{
	int x, dx;
	struct pointwise *p = start(type, D, dims, &x, &dx);
	const int a = chain_constant(&p->value, type, exponent);
	const int b = chain_constant(&p->slope, type, exponent - 1.);

	chain_op2(&p->value, OP_POW, x, a);
	chain_scale(&p->slope, chain_op2(&p->slope, OP_POW, dx, b), exponent);

	return finish(&pow_ops, p, D);
}

static void demand_real(enum dtype type, const char *name)
{
	if (dtype_is_complex(type))
		error("%s has type %s, expected float32 or float64", name, dtype_name(type));
}

/** 1 / (1 + exp(-x)) */
static int sigmoid(struct md_chain *c, enum dtype type, int x)
{
	const int one = chain_constant(c, type, 1.);

	return chain_op1(
	        c, OP_INVERT, chain_op2(c, OP_ADD, one, chain_op1(c, OP_EXP, chain_op1(c, OP_NEG, x))));
}

struct nlop *nlop_sigmoid_create(enum dtype type, int D, const long dims[])
{
	int x, dx;

	demand_real(type, "a sigmoid");

	struct pointwise *p = start(type, D, dims, &x, &dx);

	sigmoid(&p->value, type, x);

	/* s(x) s(-x), without a difference of near numbers */
	const int s = sigmoid(&p->slope, type, dx);

	chain_op2(&p->slope, OP_MUL, s, sigmoid(&p->slope, type, chain_op1(&p->slope, OP_NEG, dx)));

	return finish(&sigmoid_ops, p, D);
}

struct nlop *nlop_softplus_create(enum dtype type, int D, const long dims[])
{
	int x, dx;

	demand_real(type, "a softplus");

	struct pointwise *p = start(type, D, dims, &x, &dx);
	struct md_chain *c = &p->value;

	/* max(x, 0) + log1p(exp(-|x|)) does not overflow */
	const int e = chain_op1(c, OP_EXP, chain_op1(c, OP_NEG, chain_op1(c, OP_ABS, x)));
	const int high = chain_op2(c, OP_MAX, x, chain_constant(c, type, 0.));

	chain_op2(c, OP_ADD, high, chain_op1(c, OP_LOG1P, e));
	sigmoid(&p->slope, type, dx);

	return finish(&softplus_ops, p, D);
}

/** I0 exp(-x); its derivative is minus that. */
static struct nlop *beer(enum dtype type, int D, const long dims[], const long gdims[], const void *I0)
{
	int x, dx;
	struct pointwise *p = start(type, D, dims, &x, &dx);
	const int g = chain_operand(&p->value, type);

	md_calc_strides(DIMS, p->gstrs, gdims, dtype_size(type));
	p->bytes = (size_t)md_calc_size(DIMS, gdims) * dtype_size(type);
	p->gain = mem_alloc(p->bytes);
	memcpy(p->gain, I0, p->bytes);
	chain_op2(&p->value, OP_MUL, g, chain_op1(&p->value, OP_EXP, chain_op1(&p->value, OP_NEG, x)));
	p->of_value = true;
	chain_op1(&p->slope, OP_NEG, dx);

	return finish(&beer_ops, p, D);
}

struct nlop *nlop_transmission_create(const struct linop *A, const long idims[], const void *I0)
{
	const enum dtype type = linop_type(A);
	const long n = md_calc_size(DIMS, idims);

	demand_real(type, "a transmission");

	for (int d = 0; d < DIMS; d++)
		if (idims[d] != linop_codomain(A)[d] && 1 != idims[d])
			error("the intensity has %ld elements along dimension %d, expected %ld or 1",
			        idims[d], d, linop_codomain(A)[d]);

	for (long i = 0; i < n; i++) {
		const double v = (DT_FLOAT32 == type) ? ((const float *)I0)[i] : ((const double *)I0)[i];

		if (!(v > 0.) || v > 1e300)
			error("the intensity without object is %g, expected a finite value above 0", v);
	}

	struct nlop *L = nlop_from_linop(A);
	struct nlop *E = beer(type, linop_codomain_rank(A), linop_codomain(A), idims, I0);
	struct nlop *T = nlop_chain(E, L);

	nlop_free(L);
	nlop_free(E);

	return T;
}
