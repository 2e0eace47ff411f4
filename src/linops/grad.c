#include <stdlib.h>

#include "linops/linop.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/flpmath.h"

/**
 * Forward differences with a free end. Along one dim an array is (inner, n, outer); a complex element counts
 * as two real ones.
 */
struct grad {
	enum dtype type;
	int parts; // dims differentiated along
	long size; // elements of the input
	struct part {
		long inner, n, outer;
		double factor; // 1 / h
	} part[DIMS];
};

#define REAL        float
#define NAMED(name) name##_float
#include "linops/grad_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "linops/grad_impl.inc"

static void grad_forward(const void *self, void *dst, const void *src)
{
	const struct grad *g = self;
	const long bytes = g->size * (long)dtype_size(g->type);

	for (int k = 0; k < g->parts; k++) {
		void *d = (char *)dst + k * bytes;

		if (dtype_real(g->type) == DT_FLOAT32)
			difference_float(&g->part[k], d, src);
		else
			difference_double(&g->part[k], d, src);
	}
}

static void grad_adjoint(const void *self, void *dst, const void *src)
{
	const struct grad *g = self;
	const long bytes = g->size * (long)dtype_size(g->type);

	vec_clear(g->type, g->size, dst);

	for (int k = 0; k < g->parts; k++) {
		const void *s = (const char *)src + k * bytes;

		if (dtype_real(g->type) == DT_FLOAT32)
			divergence_float(&g->part[k], dst, s);
		else
			divergence_double(&g->part[k], dst, s);
	}
}

static const struct linop_ops grad_ops = {
        .name = "grad", .forward = grad_forward, .adjoint = grad_adjoint, .destroy = free};

struct linop *linop_grad_create(
        enum dtype type, int D, const long dims[], unsigned long flags, const double h[])
{
	if (D < 0 || D >= DIMS)
		error("a gradient of an array with %d dimensions, expected at most %d", D, DIMS - 1);

	if (flags == 0 || (flags >> D) != 0)
		error("a gradient along dimensions 0x%lx, expected some of 0 to %d", flags, D - 1);

	struct grad *g = NEW(struct grad);
	long odims[DIMS];

	g->type = type;

	for (int d = 0; d < D; d++) {
		if (!(flags & (1UL << d)))
			continue;

		if (!(h[d] > 0.))
			error("a voxel of %g mm along dimension %d, expected more than 0", h[d], d);

		g->part[g->parts++] = (struct part){
		        .inner = md_calc_size(d, dims) * (dtype_is_complex(type) ? 2 : 1),
		        .n = dims[d],
		        .outer = md_calc_size(D - d - 1, dims + d + 1),
		        .factor = 1. / h[d],
		};
	}

	md_copy_dims(D, odims, dims);
	odims[D] = g->parts;

	struct linop *A = linop_create(&grad_ops, g, type, D + 1, odims, D, dims);

	g->size = linop_domain_size(A);

	return A;
}
