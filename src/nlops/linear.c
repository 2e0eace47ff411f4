/* Linear operators as nonlinear ones. */

#include "linops/linop.h"
#include "nlops/nlop.h"
#include "num/md/multind.h"

static void linear_forward(void *self, void *const out[], const void *const in[])
{
	linop_forward(self, out[0], in[0]);
}

static void linear_derivative(void *self, int o, int i, void *dst, const void *src)
{
	(void)o;
	(void)i;
	linop_forward(self, dst, src);
}

static void linear_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	(void)o;
	(void)i;
	linop_adjoint(self, dst, src);
}

static bool linear_real(const void *self)
{
	return linop_is_real_linear(self);
}

static bool linear_anywhere(const void *self)
{
	return linop_is_anywhere(self);
}

static void linear_destroy(void *self)
{
	linop_free(self);
}

static const struct nlop_ops linear_ops = {.name = "linear",
        .forward = linear_forward,
        .derivative = linear_derivative,
        .adjoint = linear_adjoint,
        .real_linear = linear_real,
        .anywhere = linear_anywhere,
        .destroy = linear_destroy};

struct nlop *nlop_from_linop(const struct linop *A)
{
	struct nlop_shape out = {.D = linop_codomain_rank(A)}, in = {.D = linop_domain_rank(A)};

	md_copy_dims(DIMS, out.dims, linop_codomain(A));
	md_copy_dims(DIMS, in.dims, linop_domain(A));

	return nlop_create(&linear_ops, linop_ref(A), linop_type(A), 1, &out, 1, &in);
}
