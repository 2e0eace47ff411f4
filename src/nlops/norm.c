/* Roots of sums of squares along some dims. */

#include <math.h>
#include <stdlib.h>

#include "linops/fit.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "nlops/nlop.h"
#include "num/md/flpmath.h"

struct norm {
	enum dtype type;
	double epsilon;
	unsigned long flags;
	long dims[DIMS], strs[DIMS];   // of x
	long odims[DIMS], ostrs[DIMS]; // of y
	struct scratch unit;           // x / y, 0 where y is 0
};

static void norm_forward(void *self, void *const out[], const void *const in[])
{
	struct norm *p = self;
	struct md_chain square = {0}, root = {0}, unit = {0};

	void *units = scratch_get(&p->unit, p->type, md_calc_size(DIMS, p->dims), in[0]);

	chain_op1(&square, OP_ABS2, chain_operand(&square, p->type));

	const int s = chain_operand(&root, DT_FLOAT64);
	const int e = chain_constant(&root, DT_FLOAT64, p->epsilon * p->epsilon);

	chain_convert(&root, p->type, chain_op1(&root, OP_SQRT, chain_op2(&root, OP_ADD, s, e)));
	md_reduction_t(&(struct md_reduction){.red = RED_SUM, .pre = &square, .post = &root}, p->type, DIMS,
	        p->dims, p->flags, p->ostrs, out[0], 1, (const long *const[]){p->strs},
	        (const void *const[]){in[0]});

	const int x = chain_operand(&unit, p->type), y = chain_operand(&unit, p->type);
	const int real = dtype_is_complex(p->type) ? chain_op1(&unit, OP_REAL, y) : y;
	const int zero = chain_constant(&unit, p->type, 0.);
	const int test = chain_op2(&unit, OP_GT, real, chain_constant(&unit, dtype_real(p->type), 0.));

	chain_op3(&unit, OP_SELECT, test, chain_by_parts(&unit, OP_DIV, x, real), zero);
	md_chain(&unit, p->type, DIMS, p->dims, p->strs, units, (const long *const[]){p->strs, p->ostrs},
	        (const void *const[]){in[0], out[0]});
}

/* Re sum dx conj(x) / y */
static void norm_derivative(void *self, int o, int i, void *dst, const void *src)
{
	const struct norm *p = self;
	struct md_chain product = {0};
	const int a = chain_operand(&product, p->type), b = chain_operand(&product, p->type);

	(void)o;
	(void)i;

	if (dtype_is_complex(p->type))
		chain_op1(&product, OP_REAL, chain_op2(&product, OP_MULC, a, b));
	else
		chain_op2(&product, OP_MUL, a, b);

	md_reduction_t(&(struct md_reduction){.red = RED_SUM, .pre = &product}, p->type, DIMS, p->dims,
	        p->flags, p->ostrs, dst, 2, (const long *const[]){p->strs, p->strs},
	        (const void *const[]){src, p->unit.p});
}

/* Re(dy) x / y */
static void norm_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	const struct norm *p = self;
	struct md_chain product = {0};
	const int u = chain_operand(&product, p->type), dy = chain_operand(&product, p->type);

	(void)o;
	(void)i;
	chain_by_parts(
	        &product, OP_MUL, u, dtype_is_complex(p->type) ? chain_op1(&product, OP_REAL, dy) : dy);
	md_chain(&product, p->type, DIMS, p->dims, p->strs, dst, (const long *const[]){p->strs, p->ostrs},
	        (const void *const[]){p->unit.p, src});
}

static bool norm_real_linear(const void *self)
{
	return dtype_is_complex(((const struct norm *)self)->type);
}

static void norm_destroy(void *self)
{
	struct norm *p = self;

	scratch_free(&p->unit);
	free(p);
}

static const struct nlop_ops norm_ops = {.name = "norm",
        .forward = norm_forward,
        .derivative = norm_derivative,
        .adjoint = norm_adjoint,
        .real_linear = norm_real_linear,
        .anywhere = nlop_always,
        .destroy = norm_destroy};

struct nlop *nlop_norm_create(enum dtype type, int D, const long dims[], unsigned long flags, double epsilon)
{
	fit_flags(D, flags, "a norm");

	if (!(epsilon >= 0.) || isinf(epsilon))
		error("epsilon of a norm is %g, expected a finite number of at least 0", epsilon);

	struct norm *p = NEW(struct norm);
	struct nlop_shape out = {.D = D}, in = {.D = D};

	*p = (struct norm){.type = type, .epsilon = epsilon, .flags = flags};
	md_singleton_dims(DIMS, p->dims);
	md_copy_dims(D, p->dims, dims);
	md_select_dims(DIMS, ~flags, p->odims, p->dims);
	md_calc_strides(DIMS, p->strs, p->dims, dtype_size(type));
	md_calc_strides(DIMS, p->ostrs, p->odims, dtype_size(type));
	md_copy_dims(DIMS, out.dims, p->odims);
	md_copy_dims(DIMS, in.dims, p->dims);

	return nlop_create(&norm_ops, p, type, 1, &out, 1, &in);
}
