/* Products and quotients of two inputs. */

#include <stdlib.h>

#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "nlops/nlop.h"
#include "num/md/contract.h"
#include "num/md/flpmath.h"

struct product {
	enum dtype type;
	long odims[DIMS], ostrs[DIMS];
	long dims[2][DIMS], strs[2][DIMS];
	struct scratch kept[2]; // of a product the inputs; of a quotient 1 / b and - a / b^2
};

static void *keep(struct product *p, int k, const void *ref)
{
	return scratch_get(&p->kept[k], p->type, md_calc_size(DIMS, p->dims[k]), ref);
}

static void product_destroy(void *self)
{
	struct product *p = self;

	for (int k = 0; k < 2; k++)
		scratch_free(&p->kept[k]);

	free(p);
}

static void mul_forward(void *self, void *const out[], const void *const in[])
{
	struct product *p = self;

	for (int k = 0; k < 2; k++)
		vec_copy(p->type, md_calc_size(DIMS, p->dims[k]), keep(p, k, in[k]), in[k]);

	md_tenmul_t(p->type, false, DIMS, p->odims, p->ostrs, out[0], p->dims[0], p->strs[0], in[0],
	        p->dims[1], p->strs[1], in[1]);
}

static void mul_derivative(void *self, int o, int i, void *dst, const void *src)
{
	const struct product *p = self;

	(void)o;
	md_tenmul_t(p->type, false, DIMS, p->odims, p->ostrs, dst, p->dims[i], p->strs[i], src,
	        p->dims[1 - i], p->strs[1 - i], p->kept[1 - i].p);
}

static void mul_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	const struct product *p = self;

	(void)o;
	md_tenmul_t(p->type, true, DIMS, p->dims[i], p->strs[i], dst, p->odims, p->ostrs, src, p->dims[1 - i],
	        p->strs[1 - i], p->kept[1 - i].p);
}

static const struct nlop_ops mul_ops = {.name = "product",
        .forward = mul_forward,
        .derivative = mul_derivative,
        .adjoint = mul_adjoint,
        .anywhere = nlop_always,
        .destroy = product_destroy};

static struct nlop *create(const struct nlop_ops *ops, enum dtype type, int D, const long odims[],
        const long adims[], const long bdims[])
{
	struct product *p = NEW(struct product);
	struct nlop_shape out = {.D = D}, in[2] = {{.D = D}, {.D = D}};

	p->type = type;
	md_singleton_dims(DIMS, p->odims);
	md_singleton_dims(DIMS, p->dims[0]);
	md_singleton_dims(DIMS, p->dims[1]);
	md_copy_dims(D, p->odims, odims);
	md_copy_dims(D, p->dims[0], adims);
	md_copy_dims(D, p->dims[1], bdims);
	md_calc_strides(DIMS, p->ostrs, p->odims, dtype_size(type));
	md_copy_dims(DIMS, out.dims, p->odims);

	for (int k = 0; k < 2; k++) {
		md_calc_strides(DIMS, p->strs[k], p->dims[k], dtype_size(type));
		md_copy_dims(DIMS, in[k].dims, p->dims[k]);
	}

	return nlop_create(ops, p, type, 1, &out, 2, in);
}

struct nlop *nlop_mul_create(
        enum dtype type, int D, const long odims[], const long adims[], const long bdims[])
{
	long loop[DIMS];

	md_tenmul_dims(D, loop, odims, adims, bdims); // error() where they do not fit

	for (int d = 0; d < D; d++)
		if (odims[d] > 1 && 1 == adims[d] && 1 == bdims[d])
			error("a product has %ld elements along dimension %d, but both factors have 1",
			        odims[d], d);

	return create(&mul_ops, type, D, odims, adims, bdims);
}

/* ---- quotients ---- */

static void div_forward(void *self, void *const out[], const void *const in[])
{
	struct product *p = self;
	const long n = md_calc_size(DIMS, p->odims);

	void *inverse = keep(p, 0, in[0]), *slope = keep(p, 1, in[0]);

	md_apply1(OP_INVERT, p->type, DIMS, p->odims, p->ostrs, inverse, p->ostrs, in[1]);
	md_apply2(OP_DIV, p->type, DIMS, p->odims, p->ostrs, out[0], p->ostrs, in[0], p->ostrs, in[1]);
	vec_mul(p->type, n, slope, out[0], inverse);
	vec_scale(p->type, n, slope, -1.);
}

static void div_derivative(void *self, int o, int i, void *dst, const void *src)
{
	const struct product *p = self;

	(void)o;
	vec_mul(p->type, md_calc_size(DIMS, p->odims), dst, src, p->kept[i].p);
}

static void div_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	const struct product *p = self;

	(void)o;
	md_apply2(dtype_is_complex(p->type) ? OP_MULC : OP_MUL, p->type, DIMS, p->odims, p->ostrs, dst,
	        p->ostrs, src, p->ostrs, p->kept[i].p);
}

static const struct nlop_ops div_ops = {.name = "quotient",
        .forward = div_forward,
        .derivative = div_derivative,
        .adjoint = div_adjoint,
        .anywhere = nlop_always,
        .destroy = product_destroy};

struct nlop *nlop_div_create(enum dtype type, int D, const long dims[])
{
	return create(&div_ops, type, D, dims, dims, dims);
}
