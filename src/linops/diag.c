#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/linop.h"

#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

struct diag {
	enum dtype type;
	int D;
	long dims[DIMS];
	long strs[DIMS];
	long dstrs[DIMS]; // 0 where the diagonal is repeated
	size_t bytes;
	void *d;
	struct scratch there; // the same on a device
};

/** The diagonal on the device of x; caching it does not change the operator. */
static const void *diagonal(const struct diag *g, const void *x)
{
	return scratch_near((struct scratch *)&g->there, g->d, g->bytes, x);
}

static void diag_forward(const void *self, void *dst, const void *src)
{
	const struct diag *g = self;

	md_apply2(OP_MUL, g->type, g->D, g->dims, g->strs, dst, g->strs, src, g->dstrs, diagonal(g, src));
}

static void diag_adjoint(const void *self, void *dst, const void *src)
{
	const struct diag *g = self;

	md_apply2(dtype_is_complex(g->type) ? OP_MULC : OP_MUL, g->type, g->D, g->dims, g->strs, dst, g->strs,
	        src, g->dstrs, diagonal(g, src));
}

/* x / (|d|^2 + lambda), in one pass */
static void diag_inverse(const void *self, double lambda, void *dst, const void *src)
{
	const struct diag *g = self;
	const enum dtype real = dtype_real(g->type);
	struct md_chain c = {0};
	const int x = chain_operand(&c, g->type), d = chain_operand(&c, g->type);
	const int sum = chain_op2(&c, OP_ADD, chain_op1(&c, OP_ABS2, d), chain_constant(&c, real, lambda));

	chain_by_parts(&c, OP_DIV, x, sum);
	md_chain(&c, g->type, g->D, g->dims, g->strs, dst, (const long *const[]){g->strs, g->dstrs},
	        (const void *const[]){src, diagonal(g, src)});
}

/** The largest magnitude. */
static double diag_norm(const void *self)
{
	const struct diag *g = self;
	const long n = (long)(g->bytes / dtype_size(g->type));
	double most = 0.;

	for (long i = 0; i < n; i++) {
		complex double d;

		convert(DT_COMPLEX128, &d, g->type, (const char *)g->d + i * (long)dtype_size(g->type), 1,
		        NARROW_SATURATE);
		most = fmax(most, cabs(d));
	}

	return most;
}

static void diag_destroy(void *self)
{
	struct diag *g = self;

	scratch_free(&g->there);
	free(g->d);
	free(g);
}

static const struct linop_ops diag_ops = {.name = "diag",
        .forward = diag_forward,
        .adjoint = diag_adjoint,
        .destroy = diag_destroy,
        .normal_inverse = diag_inverse,
        .norm = diag_norm,
        .anywhere = true};

struct linop *linop_diag_create(
        enum dtype type, int D, const long dims[], const long ddims[], const void *diag)
{
	struct diag *g = NEW(struct diag);
	struct linop *A = linop_create(&diag_ops, g, type, D, dims, D, dims);

	for (int i = 0; i < D; i++)
		if (ddims[i] != dims[i] && ddims[i] != 1)
			error("the diagonal has %ld elements along dimension %d, expected %ld or 1", ddims[i],
			        i, dims[i]);

	size_t size = dtype_size(type);
	size_t bytes = (size_t)md_calc_size(D, ddims) * size;

	g->type = type;
	g->D = D;
	md_copy_dims(D, g->dims, dims);
	md_calc_strides(D, g->strs, dims, size);
	md_calc_strides(D, g->dstrs, ddims, size);
	g->bytes = bytes;
	g->d = mem_alloc(bytes);
	memcpy(g->d, diag, bytes);

	return A;
}
