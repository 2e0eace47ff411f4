/* Sums along dims and copies along dims, which are transposes of each other; the zero operator; circular
 * shifts; real parts. */

#include <stdlib.h>

#include "linops/fit.h"
#include "linops/shapes.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

/** Small elements repeated into large ones along the dims in flags. */
struct repeat {
	enum dtype type;
	int D;
	long dims[DIMS]; // of the large array
	unsigned long flags;
	long small[DIMS], large[DIMS]; // steps [bytes]
};

static void spread(const void *self, void *dst, const void *src)
{
	const struct repeat *r = self;

	md_copy2(r->D, r->dims, r->large, dst, r->small, src, dtype_size(r->type));
}

static void gather(const void *self, void *dst, const void *src)
{
	const struct repeat *r = self;

	md_reduce_t(RED_SUM, r->type, r->D, r->dims, r->flags, r->small, dst, r->large, src);
}

static const struct linop_ops sum_ops = {
        .name = "sum", .forward = gather, .adjoint = spread, .destroy = free, .anywhere = true};
static const struct linop_ops repmat_ops = {
        .name = "repmat", .forward = spread, .adjoint = gather, .destroy = free, .anywhere = true};

struct linop *linop_sum_create(enum dtype type, int D, const long dims[], unsigned long flags)
{
	struct repeat *r = NEW(struct repeat);
	long odims[DIMS];

	fit_flags(D, flags, "a sum");
	*r = (struct repeat){.type = type, .D = D, .flags = flags};
	md_copy_dims(D, r->dims, dims);
	md_calc_strides(D, r->large, dims, dtype_size(type));
	md_select_dims(D, ~flags, odims, dims);
	md_calc_strides(D, r->small, odims, dtype_size(type));

	return linop_create(&sum_ops, r, type, D, odims, D, dims);
}

struct linop *linop_repmat_create(enum dtype type, int D, const long dims[], const long counts[])
{
	struct repeat *r = NEW(struct repeat);
	long odims[DIMS], step = (long)dtype_size(type);

	r->type = type;

	for (int d = 0; d < D && d < DIMS; d++) {
		if (counts[d] < 1)
			error("%ld copies are requested along dimension %d, expected at least 1", counts[d],
			        d);

		if (r->D + (dims[d] > 1) + (counts[d] > 1) > DIMS)
			error("the copies of an array of %d dimensions need more than %d dimensions (a "
			      "repeated dimension longer than 1 counts twice)",
			        D, DIMS);

		odims[d] = mul_checked(dims[d], counts[d], "copies");

		if (dims[d] > 1) {
			r->dims[r->D] = dims[d];
			r->small[r->D++] = step;
		}

		if (counts[d] > 1) {
			r->flags |= 1ul << r->D;
			r->dims[r->D++] = counts[d];
		}

		step *= dims[d];
	}

	md_calc_strides(r->D, r->large, r->dims, dtype_size(type));

	return linop_create(&repmat_ops, r, type, D, odims, D, dims);
}

/* ---- zero ---- */

struct zero {
	enum dtype type;
	long n, m;
};

static void zero_forward(const void *self, void *dst, const void *src)
{
	const struct zero *z = self;

	(void)src;
	vec_clear(z->type, z->m, dst);
}

static void zero_adjoint(const void *self, void *dst, const void *src)
{
	const struct zero *z = self;

	(void)src;
	vec_clear(z->type, z->n, dst);
}

static const struct linop_ops zero_ops = {.name = "zero",
        .forward = zero_forward,
        .adjoint = zero_adjoint,
        .normal = zero_adjoint,
        .destroy = free,
        .anywhere = true};

struct linop *linop_zero_create(enum dtype type, int OD, const long odims[], int ID, const long idims[])
{
	struct zero *z = NEW(struct zero);
	struct linop *A = linop_create(&zero_ops, z, type, OD, odims, ID, idims);

	*z = (struct zero){.type = type, .n = linop_domain_size(A), .m = linop_codomain_size(A)};

	return A;
}

/* ---- circular shifts ---- */

struct circshift {
	enum dtype type;
	int D;
	long dims[DIMS], shift[DIMS], back[DIMS];
};

static void circshift_forward(const void *self, void *dst, const void *src)
{
	const struct circshift *c = self;

	md_circ_shift(c->D, c->dims, c->shift, dst, src, dtype_size(c->type));
}

static void circshift_adjoint(const void *self, void *dst, const void *src)
{
	const struct circshift *c = self;

	md_circ_shift(c->D, c->dims, c->back, dst, src, dtype_size(c->type));
}

static const struct linop_ops circshift_ops = {.name = "circshift",
        .forward = circshift_forward,
        .adjoint = circshift_adjoint,
        .destroy = free,
        .anywhere = true};

struct linop *linop_circshift_create(enum dtype type, int D, const long dims[], const long shift[])
{
	struct circshift *c = NEW(struct circshift);
	struct linop *A = linop_create(&circshift_ops, c, type, D, dims, D, dims);

	c->type = type;
	c->D = D;
	md_copy_dims(D, c->dims, dims);

	for (int d = 0; d < D; d++) {
		c->shift[d] = shift[d] % dims[d];
		c->back[d] = -c->shift[d];
	}

	return A;
}

/* ---- real parts ---- */

struct real {
	enum dtype type;
	long n;
};

static void real_apply(const void *self, void *dst, const void *src)
{
	const struct real *r = self;
	long strs[1];

	md_calc_strides(1, strs, &r->n, dtype_size(r->type));
	md_apply1(OP_REAL, r->type, 1, &r->n, strs, dst, strs, src);
}

static const struct linop_ops real_ops = {.name = "real",
        .forward = real_apply,
        .adjoint = real_apply,
        .normal = real_apply,
        .destroy = free,
        .real_linear = true,
        .anywhere = true};

struct linop *linop_real_create(enum dtype type, int D, const long dims[])
{
	if (!dtype_is_complex(type))
		return linop_identity_create(type, D, dims);

	struct real *r = NEW(struct real);
	struct linop *A = linop_create(&real_ops, r, type, D, dims, D, dims);

	*r = (struct real){.type = type, .n = linop_domain_size(A)};

	return A;
}
