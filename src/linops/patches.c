/* Patches: one shifted block of the input per element of a patch. */

#include <stdlib.h>

#include "linops/shapes.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

struct patches {
	enum dtype type;
	int D;
	long dims[DIMS], kdims[DIMS]; // of input and patch
	long places[DIMS];            // n - k + 1
	long istrs[DIMS], ostrs[DIMS];
	long n, m; // elements of the input, of the places
};

/** The input from the element at pos of a patch on. */
static long offset(const struct patches *p, const long pos[DIMS])
{
	return md_calc_offset(p->D, p->istrs, pos);
}

static void patches_forward(const void *self, void *dst, const void *src)
{
	const struct patches *p = self;
	const size_t size = dtype_size(p->type);
	long pos[DIMS] = {0};
	char *d = dst;

	do {
		md_copy2(p->D, p->places, p->ostrs, d, p->istrs, (const char *)src + offset(p, pos), size);
		d += p->m * (long)size;
	} while (md_next(p->D, p->kdims, ~0ul, pos));
}

static void patches_adjoint(const void *self, void *dst, const void *src)
{
	const struct patches *p = self;
	long pos[DIMS] = {0};
	const char *s = src;

	vec_clear(p->type, p->n, dst);

	do {
		md_axpy_t(p->type, p->D, p->places, p->istrs, (char *)dst + offset(p, pos), 1., p->ostrs, s);
		s += p->m * (long)dtype_size(p->type);
	} while (md_next(p->D, p->kdims, ~0ul, pos));
}

static const struct linop_ops patches_ops = {
        .name = "patches", .forward = patches_forward, .adjoint = patches_adjoint, .destroy = free};

struct linop *linop_patches_create(enum dtype type, int D, const long dims[], const long kdims[])
{
	if (D < 1 || D >= DIMS)
		error("patches of an array with %d dimensions are not supported, expected 1 to %d", D,
		        DIMS - 1);

	for (int d = 0; d < D; d++)
		if (kdims[d] < 1 || kdims[d] > dims[d])
			error("the patches have %ld elements along dimension %d, expected 1 to %ld", kdims[d],
			        d, dims[d]);

	struct patches *p = NEW(struct patches);
	long odims[DIMS];

	*p = (struct patches){.type = type, .D = D};
	md_copy_dims(D, p->dims, dims);
	md_copy_dims(D, p->kdims, kdims);

	for (int d = 0; d < D; d++)
		p->places[d] = dims[d] - kdims[d] + 1;

	md_calc_strides(D, p->istrs, dims, dtype_size(type));
	md_calc_strides(D, p->ostrs, p->places, dtype_size(type));
	p->n = md_calc_size(D, dims);
	p->m = md_calc_size(D, p->places);
	md_copy_dims(D, odims, p->places);
	odims[D] = md_calc_size(D, kdims);

	return linop_create(&patches_ops, p, type, D + 1, odims, D, dims);
}
