/* Operators that make one strided copy: a block of the input becomes a block of the output, and the other
 * elements are 0. */

#include <stdlib.h>

#include "linops/fit.h"
#include "linops/shapes.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

/** Element k of the block lies at to + sum k ostrs in the output and at from + sum k istrs in the input
 * [bytes]. */
struct move {
	enum dtype type;
	long dims[DIMS];
	long ostrs[DIMS], istrs[DIMS];
	long to, from;
	long n, m;            // elements of input and output
	bool all_in, all_out; // the block is all of the input, or of the output
};

static void move_forward(const void *self, void *dst, const void *src)
{
	const struct move *v = self;

	if (!v->all_out)
		vec_clear(v->type, v->m, dst);

	md_copy2(DIMS, v->dims, v->ostrs, (char *)dst + v->to, v->istrs, (const char *)src + v->from,
	        dtype_size(v->type));
}

static void move_adjoint(const void *self, void *dst, const void *src)
{
	const struct move *v = self;

	if (!v->all_in)
		vec_clear(v->type, v->n, dst);

	md_copy2(DIMS, v->dims, v->istrs, (char *)dst + v->from, v->ostrs, (const char *)src + v->to,
	        dtype_size(v->type));
}

/* A permutation: (1 + lambda)^-1 */
static void move_normal_inverse(const void *self, double lambda, void *dst, const void *src)
{
	const struct move *v = self;

	vec_copy(v->type, v->n, dst, src);
	vec_scale(v->type, v->n, dst, 1. / (1. + lambda));
}

/** Made of the block's places; takes v. */
static struct linop *move_create(
        const char *name, struct move v, int OD, const long odims[], int ID, const long idims[])
{
	static const struct linop_ops plain = {
	        .forward = move_forward, .adjoint = move_adjoint, .destroy = free, .anywhere = true};
	struct named {
		struct move v; // first: operators take it for the whole
		struct linop_ops ops;
	} *o = NEW(struct named);

	const long block = md_calc_size(DIMS, v.dims);

	v.n = md_calc_size(ID, idims);
	v.m = md_calc_size(OD, odims);
	v.all_in = block == v.n;
	v.all_out = block == v.m;
	o->v = v;
	o->ops = plain;
	o->ops.name = name;
	o->ops.normal_inverse = v.all_in ? move_normal_inverse : NULL;

	return linop_create(&o->ops, o, v.type, OD, odims, ID, idims);
}

/** Dims and steps of an array of D dims, all else 1 and 0. */
static void whole(enum dtype type, int D, const long dims[], long all[DIMS], long strs[DIMS])
{
	md_singleton_dims(DIMS, all);
	md_singleton_strides(DIMS, strs);
	md_copy_dims(D, all, dims);
	md_calc_strides(D, strs, dims, dtype_size(type));
}

/** D within 0..DIMS and extents of at least 1. */
static void check_dims(const char *name, int D, const long dims[])
{
	if (D < 0 || D > DIMS)
		error("%s of an array with %d dimensions is not supported, expected 0 to %d", name, D, DIMS);

	for (int d = 0; d < D; d++)
		if (!(dims[d] >= 1))
			error("%s of an array with %ld elements along dimension %d is not supported, "
			      "expected at least 1",
			        name, dims[d], d);
}

struct linop *linop_extract_create(
        enum dtype type, int D, const long dims[], const long start[], const long step[], const long count[])
{
	struct move v = {.type = type};
	long strs[DIMS];

	check_dims("an extract", D, dims);
	check_dims("the result of an extract", D, count);
	whole(type, D, dims, v.dims, v.istrs);
	md_copy_strides(DIMS, strs, v.istrs);
	whole(type, D, count, v.dims, v.ostrs);

	for (int d = 0; d < D; d++) {
		const long last = start[d] + (count[d] - 1) * step[d];

		if (start[d] < 0 || start[d] >= dims[d] || last < 0 || last >= dims[d])
			error("an extract needs elements %ld to %ld along dimension %d, expected elements "
			      "from 0 to %ld",
			        start[d], last, d, dims[d] - 1);

		if (0 == step[d] && count[d] > 1)
			error("an extract of %ld elements has step 0 along dimension %d, expected another "
			      "step",
			        count[d], d);

		v.from += start[d] * strs[d];
		v.istrs[d] = step[d] * strs[d];
	}

	return move_create("extract", v, D, count, D, dims);
}

/** The common part of dims, which begins at at[d] of the input or -at[d] of the output. */
static struct linop *shifted(
        const char *name, enum dtype type, int D, const long odims[], const long idims[], const long at[])
{
	struct move v = {.type = type};

	check_dims(name, D, idims);
	check_dims(name, D, odims);
	whole(type, D, odims, v.dims, v.ostrs);
	whole(type, D, idims, v.dims, v.istrs);

	for (int d = 0; d < D; d++) {
		const long from = (at[d] > 0) ? at[d] : 0, to = (at[d] < 0) ? -at[d] : 0;
		const long in = idims[d] - from, out = odims[d] - to;

		v.dims[d] = (in < out) ? in : out;
		v.from += from * v.istrs[d];
		v.to += to * v.ostrs[d];

		if (v.dims[d] < 1)
			return linop_zero_create(type, D, odims, D, idims);
	}

	return move_create(name, v, D, odims, D, idims);
}

struct linop *linop_resize_create(
        enum dtype type, int D, const long odims[], const long idims[], enum resize_anchor anchor)
{
	long at[DIMS] = {0};

	for (int d = 0; d < D && d < DIMS; d++)
		at[d] = (RESIZE_FRONT == anchor)    ? idims[d] - odims[d]
		        : (RESIZE_CENTRE == anchor) ? idims[d] / 2 - odims[d] / 2
		                                    : 0;

	return shifted("resize", type, D, odims, idims, at);
}

struct linop *linop_pad_create(
        enum dtype type, int D, const long dims[], const long before[], const long after[])
{
	long odims[DIMS], at[DIMS];

	check_dims("a padding", D, dims);

	for (int d = 0; d < D; d++) {
		odims[d] = dims[d] + before[d] + after[d];
		at[d] = -before[d];

		if (odims[d] < 1)
			error("a padding of %ld and %ld elements leaves nothing of the %ld elements along "
			      "dimension %d",
			        before[d], after[d], dims[d], d);
	}

	return shifted("pad", type, D, odims, dims, at);
}

struct linop *linop_permute_create(enum dtype type, int D, const long dims[], const int order[])
{
	struct move v = {.type = type};
	long all[DIMS], strs[DIMS], odims[DIMS];

	check_dims("a permutation", D, dims);

	if (!md_check_order_bounds(D, order))
		error("the order of %d dimensions must contain each dimension once", D);

	whole(type, D, dims, all, strs);
	md_permute_dims(D, order, odims, dims);
	whole(type, D, odims, v.dims, v.ostrs);

	for (int d = 0; d < D; d++)
		v.istrs[d] = strs[order[d]];

	return move_create("permute", v, D, odims, D, dims);
}

struct linop *linop_transpose_create(enum dtype type, int D, const long dims[], int d1, int d2)
{
	int order[DIMS];

	if (d1 < 0 || d1 >= D || d2 < 0 || d2 >= D)
		error("cannot exchange dimensions %d and %d, expected dimensions from 0 to %d", d1, d2,
		        D - 1);

	for (int d = 0; d < D && d < DIMS; d++)
		order[d] = (d == d1) ? d2 : (d == d2) ? d1 : d;

	return linop_permute_create(type, D, dims, order);
}

struct linop *linop_flip_create(enum dtype type, int D, const long dims[], unsigned long flags)
{
	struct move v = {.type = type};

	check_dims("a flip", D, dims);
	fit_flags(D, flags, "a flip");
	whole(type, D, dims, v.dims, v.ostrs);
	whole(type, D, dims, v.dims, v.istrs);

	for (int d = 0; d < D; d++)
		if (flags & 1ul << d) {
			v.from += (dims[d] - 1) * v.istrs[d];
			v.istrs[d] = -v.istrs[d];
		}

	return move_create("flip", v, D, dims, D, dims);
}

struct linop *linop_reshape_create(enum dtype type, int OD, const long odims[], int ID, const long idims[])
{
	struct move v = {.type = type};

	check_dims("a reshape", OD, odims);
	check_dims("a reshape", ID, idims);

	if (md_calc_size(OD, odims) != md_calc_size(ID, idims))
		error("%ld elements are reshaped to %ld, expected equal numbers", md_calc_size(ID, idims),
		        md_calc_size(OD, odims));

	whole(type, ID, idims, v.dims, v.istrs);
	md_copy_strides(DIMS, v.ostrs, v.istrs);

	return move_create("reshape", v, OD, odims, ID, idims);
}
