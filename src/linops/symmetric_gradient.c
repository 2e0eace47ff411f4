/* The symmetrised Jacobian, made of one gradient per dim. */

#include <math.h>
#include <stdlib.h>

#include "linops/differences.h"
#include "linops/fit.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

struct symgrad {
	enum dtype type;
	int parts;                       // components of the field
	long size;                       // elements of a component
	const struct linop *along[DIMS]; // differences along each dim
	struct scratch tmp;
};

static const void *part(const struct symgrad *g, const void *x, int k)
{
	return (const char *)x + k * g->size * (long)dtype_size(g->type);
}

static void *part_out(const struct symgrad *g, void *x, int k)
{
	return (char *)x + k * g->size * (long)dtype_size(g->type);
}

static void symgrad_forward(const void *self, void *dst, const void *src)
{
	struct symgrad *g = (struct symgrad *)self;
	void *tmp = scratch_get(&g->tmp, g->type, g->size, src);
	int next = g->parts;

	for (int a = 0; a < g->parts; a++)
		linop_forward(g->along[a], part_out(g, dst, a), part(g, src, a));

	for (int a = 0; a < g->parts; a++)
		for (int b = a + 1; b < g->parts; b++) {
			void *e = part_out(g, dst, next++);

			linop_forward(g->along[a], e, part(g, src, b));
			linop_forward(g->along[b], tmp, part(g, src, a));
			vec_axpby(g->type, g->size, e, M_SQRT1_2, e, M_SQRT1_2, tmp);
		}
}

static void symgrad_adjoint(const void *self, void *dst, const void *src)
{
	struct symgrad *g = (struct symgrad *)self;
	void *tmp = scratch_get(&g->tmp, g->type, g->size, src);
	int next = g->parts;

	for (int a = 0; a < g->parts; a++)
		linop_adjoint(g->along[a], part_out(g, dst, a), part(g, src, a));

	for (int a = 0; a < g->parts; a++)
		for (int b = a + 1; b < g->parts; b++) {
			const void *e = part(g, src, next++);

			linop_adjoint(g->along[a], tmp, e);
			vec_axpy(g->type, g->size, part_out(g, dst, b), M_SQRT1_2, tmp);
			linop_adjoint(g->along[b], tmp, e);
			vec_axpy(g->type, g->size, part_out(g, dst, a), M_SQRT1_2, tmp);
		}
}

static void symgrad_destroy(void *self)
{
	struct symgrad *g = self;

	for (int a = 0; a < g->parts; a++)
		linop_free(g->along[a]);

	scratch_free(&g->tmp);
	free(g);
}

static const struct linop_ops symgrad_ops = {.name = "symmetric gradient",
        .forward = symgrad_forward,
        .adjoint = symgrad_adjoint,
        .destroy = symgrad_destroy,
        .anywhere = true};

struct linop *linop_symmetric_gradient_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], enum grad_scheme scheme, enum grad_boundary boundary)
{
	fit_flags(D, flags, "a symmetric gradient");

	if (D >= DIMS)
		error("the symmetric gradient of an array with %d dimensions is not supported, expected at "
		      "most %d",
		        D, DIMS - 1);

	struct symgrad *g = NEW(struct symgrad);
	long idims[DIMS], odims[DIMS];

	*g = (struct symgrad){.type = type, .size = md_calc_size(D, dims)};

	for (int d = 0; d < D; d++)
		if (flags & 1ul << d)
			g->along[g->parts++] =
			        linop_gradient_create(type, D, dims, 1ul << d, h, scheme, boundary);

	md_copy_dims(D, idims, dims);
	md_copy_dims(D, odims, dims);
	idims[D] = g->parts;
	odims[D] = g->parts * (g->parts + 1) / 2;

	return linop_create(&symgrad_ops, g, type, D + 1, odims, D + 1, idims);
}
