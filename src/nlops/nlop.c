#include "nlops/nlop.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

struct nlop {
	const struct nlop_ops *ops;
	void *self;
	enum dtype type;
	int outs, ins;
	struct nlop_shape out[NLOP_ARGS], in[NLOP_ARGS];
	atomic_long *refs;
};

static void set_shape(struct nlop_shape *to, const struct nlop_shape *from, const char *name)
{
	if (from->D < 0 || from->D > DIMS)
		error("operator %s has %d dimensions, expected 0 to %d", name, from->D, DIMS);

	*to = *from;

	for (int d = 0; d < DIMS; d++) {
		to->dims[d] = (d < from->D) ? from->dims[d] : 1;

		if (!(to->dims[d] >= 1))
			error("operator %s has %ld elements along dimension %d, expected at least 1", name,
			        to->dims[d], d);
	}

	md_calc_size(DIMS, to->dims); // error() on overflow
}

struct nlop *nlop_create(const struct nlop_ops *ops, void *self, enum dtype type, int outs,
        const struct nlop_shape out[], int ins, const struct nlop_shape in[])
{
	if (type != dtype_compute(type))
		error("operator %s has type %s, expected float32, float64, complex64 or complex128",
		        ops->name, dtype_name(type));

	if (outs < 1 || outs > NLOP_ARGS || ins < 1 || ins > NLOP_ARGS)
		error("operator %s has %d inputs and %d outputs, expected 1 to %d of each", ops->name, ins,
		        outs, NLOP_ARGS);

	struct nlop *F = NEW(struct nlop);

	F->ops = ops;
	F->self = self;
	F->type = type;
	F->outs = outs;
	F->ins = ins;

	for (int o = 0; o < outs; o++)
		set_shape(&F->out[o], &out[o], ops->name);

	for (int i = 0; i < ins; i++)
		set_shape(&F->in[i], &in[i], ops->name);

	F->refs = NEW(atomic_long);
	atomic_init(F->refs, 1);

	return F;
}

struct nlop *nlop_ref(const struct nlop *F)
{
	atomic_fetch_add(F->refs, 1);

	return (struct nlop *)F;
}

void nlop_free(const struct nlop *F)
{
	if (NULL == F || atomic_fetch_sub(F->refs, 1) > 1)
		return;

	if (NULL != F->ops->destroy)
		F->ops->destroy(F->self);

	free(F->refs);
	free((struct nlop *)F);
}

bool nlop_always(const void *self)
{
	(void)self;

	return true;
}

bool nlop_is_anywhere(const struct nlop *F)
{
	return NULL != F->ops->anywhere && F->ops->anywhere(F->self);
}

/** Ends the command: operands are on a device that the operator does not support. */
static bool is_apart(const struct nlop *F, const void *in)
{
	return device_holds(in) && !nlop_is_anywhere(F);
}

static size_t bytes_of(const struct nlop *F, const struct nlop_shape *s)
{
	return (size_t)md_calc_size(DIMS, s->dims) * dtype_size(F->type);
}

static void forward_apart(const struct nlop *F, void *const out[], const void *const in[])
{
	void *here[NLOP_ARGS], *to[NLOP_ARGS] = {NULL};

	for (int i = 0; i < F->ins; i++)
		here[i] = place_take(in[i], bytes_of(F, &F->in[i]));

	for (int o = 0; o < F->outs; o++)
		if (NULL != out[o])
			to[o] = mem_alloc(bytes_of(F, &F->out[o]));

	F->ops->forward(F->self, to, (const void *const *)here);

	for (int i = 0; i < F->ins; i++)
		place_done(here[i], in[i]);

	for (int o = 0; o < F->outs; o++)
		if (NULL != out[o])
			place_back(to[o], out[o], bytes_of(F, &F->out[o]));
}

void nlop_forward(const struct nlop *F, void *const out[], const void *const in[])
{
	if (is_apart(F, in[0]))
		forward_apart(F, out, in);
	else
		F->ops->forward(F->self, out, in);
}

void nlop_apply(const struct nlop *F, void *out, const void *in)
{
	assert(1 == F->ins && 1 == F->outs);
	nlop_forward(F, &out, &in);
}

typedef void jacobian_fn(void *self, int o, int i, void *dst, const void *src);

/** dst, of that shape, = fn(src). */
static void apply(const struct nlop *F, jacobian_fn *fn, int o, int i, const struct nlop_shape *to, void *dst,
        const struct nlop_shape *from, const void *src)
{
	if (!is_apart(F, src)) {
		fn(F->self, o, i, dst, src);
		return;
	}

	void *in = place_take(src, bytes_of(F, from)), *out = mem_alloc(bytes_of(F, to));

	fn(F->self, o, i, out, in);
	place_done(in, src);
	place_back(out, dst, bytes_of(F, to));
}

void nlop_derivative(const struct nlop *F, int o, int i, void *dst, const void *src)
{
	assert(0 <= o && o < F->outs && 0 <= i && i < F->ins && dst != src);

	if (nlop_depends(F, o, i))
		apply(F, F->ops->derivative, o, i, &F->out[o], dst, &F->in[i], src);
	else
		vec_clear(F->type, nlop_out_size(F, o), dst);
}

void nlop_adjoint(const struct nlop *F, int o, int i, void *dst, const void *src)
{
	assert(0 <= o && o < F->outs && 0 <= i && i < F->ins && dst != src);

	if (nlop_depends(F, o, i))
		apply(F, F->ops->adjoint, o, i, &F->in[i], dst, &F->out[o], src);
	else
		vec_clear(F->type, nlop_in_size(F, i), dst);
}

const char *nlop_name(const struct nlop *F)
{
	return F->ops->name;
}

enum dtype nlop_type(const struct nlop *F)
{
	return F->type;
}

int nlop_outs(const struct nlop *F)
{
	return F->outs;
}

int nlop_ins(const struct nlop *F)
{
	return F->ins;
}

const struct nlop_shape *nlop_out(const struct nlop *F, int o)
{
	return &F->out[o];
}

const struct nlop_shape *nlop_in(const struct nlop *F, int i)
{
	return &F->in[i];
}

long nlop_out_size(const struct nlop *F, int o)
{
	return md_calc_size(DIMS, F->out[o].dims);
}

long nlop_in_size(const struct nlop *F, int i)
{
	return md_calc_size(DIMS, F->in[i].dims);
}

bool nlop_depends(const struct nlop *F, int o, int i)
{
	return NULL == F->ops->depends || F->ops->depends(F->self, o, i);
}

bool nlop_is_real_linear(const struct nlop *F)
{
	return NULL != F->ops->real_linear && F->ops->real_linear(F->self);
}

/* ---- the derivative as a linear operator ---- */

struct jacobian {
	const struct nlop *F;
	int o, i;
};

static void jacobian_forward(const void *self, void *dst, const void *src)
{
	const struct jacobian *j = self;

	nlop_derivative(j->F, j->o, j->i, dst, src);
}

static void jacobian_adjoint(const void *self, void *dst, const void *src)
{
	const struct jacobian *j = self;

	nlop_adjoint(j->F, j->o, j->i, dst, src);
}

static void jacobian_destroy(void *self)
{
	struct jacobian *j = self;

	nlop_free(j->F);
	free(j);
}

static const struct linop_ops jacobian_ops = {.name = "derivative",
        .forward = jacobian_forward,
        .adjoint = jacobian_adjoint,
        .destroy = jacobian_destroy,
        .anywhere = true};
static const struct linop_ops jacobian_real_ops = {.name = "derivative",
        .forward = jacobian_forward,
        .adjoint = jacobian_adjoint,
        .destroy = jacobian_destroy,
        .anywhere = true,
        .real_linear = true};

struct linop *nlop_derivative_create(const struct nlop *F, int o, int i)
{
	if (o < 0 || o >= F->outs || i < 0 || i >= F->ins)
		error("no derivative of output %d of %s with respect to input %d: expected an output number "
		      "below %d and an input number below %d",
		        o, nlop_name(F), i, F->outs, F->ins);

	struct jacobian *j = NEW(struct jacobian);

	*j = (struct jacobian){.F = nlop_ref(F), .o = o, .i = i};

	return linop_create(nlop_is_real_linear(F) ? &jacobian_real_ops : &jacobian_ops, j, F->type,
	        F->out[o].D, F->out[o].dims, F->in[i].D, F->in[i].dims);
}
