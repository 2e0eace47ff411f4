#include <stdlib.h>

#include "linops/linop.h"

#include "linops/fit.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

/**
 * Operators made of operators.
 */
struct compound {
	int n;
	const struct linop **A;
	complex double factor;
	struct scratch tmp;
};

static struct compound *compound_create(int n, const struct linop *const A[])
{
	struct compound *c = NEW(struct compound);

	c->n = n;
	c->A = mem_calloc((size_t)n, sizeof c->A[0]);

	for (int i = 0; i < n; i++)
		c->A[i] = linop_ref(A[i]);

	return c;
}

static void compound_destroy(void *self)
{
	struct compound *c = self;

	for (int i = 0; i < c->n; i++)
		linop_free(c->A[i]);

	scratch_free(&c->tmp);
	free(c->A);
	free(c);
}

static int compound_parts(const void *self, const struct linop *const **A)
{
	const struct compound *c = self;

	*A = c->A;

	return c->n;
}

/* ---- chain: x -> B(A x) ---- */

static void *chain_tmp(const struct compound *c, const void *ref)
{
	const struct linop *A = c->A[0];

	return scratch_get((struct scratch *)&c->tmp, linop_type(A), linop_codomain_size(A), ref);
}

static void chain_forward(const void *self, void *dst, const void *src)
{
	const struct compound *c = self;
	void *tmp = chain_tmp(c, src);

	linop_forward(c->A[0], tmp, src);
	linop_forward(c->A[1], dst, tmp);
}

static void chain_adjoint(const void *self, void *dst, const void *src)
{
	const struct compound *c = self;
	void *tmp = chain_tmp(c, src);

	linop_adjoint(c->A[1], tmp, src);
	linop_adjoint(c->A[0], dst, tmp);
}

static const struct linop_ops chain_ops = {.name = "chain",
        .forward = chain_forward,
        .adjoint = chain_adjoint,
        .destroy = compound_destroy,
        .parts = compound_parts,
        .anywhere = true};

struct linop *linop_chain(const struct linop *B, const struct linop *A)
{
	fit_types(A, B);

	if (!md_check_equal_dims(DIMS, linop_codomain(A), linop_domain(B), ~0UL))
		error("cannot chain operators: %s gives %s, but %s takes %s", linop_name(A),
		        fit_shape(linop_codomain(A)), linop_name(B), fit_shape(linop_domain(B)));

	return linop_create(&chain_ops, compound_create(2, (const struct linop *[]){A, B}), linop_type(A),
	        linop_codomain_rank(B), linop_codomain(B), linop_domain_rank(A), linop_domain(A));
}

/* ---- plus ---- */

static void *plus_tmp(const struct compound *c, const void *ref)
{
	const struct linop *A = c->A[0];
	long m = linop_codomain_size(A);
	long n = linop_domain_size(A);

	return scratch_get((struct scratch *)&c->tmp, linop_type(A), m > n ? m : n, ref);
}

static void plus_forward(const void *self, void *dst, const void *src)
{
	const struct compound *c = self;
	void *tmp = plus_tmp(c, src);

	linop_forward(c->A[0], dst, src);
	linop_forward(c->A[1], tmp, src);
	vec_axpy(linop_type(c->A[0]), linop_codomain_size(c->A[0]), dst, 1., tmp);
}

static void plus_adjoint(const void *self, void *dst, const void *src)
{
	const struct compound *c = self;
	void *tmp = plus_tmp(c, src);

	linop_adjoint(c->A[0], dst, src);
	linop_adjoint(c->A[1], tmp, src);
	vec_axpy(linop_type(c->A[0]), linop_domain_size(c->A[0]), dst, 1., tmp);
}

static const struct linop_ops plus_ops = {.name = "plus",
        .forward = plus_forward,
        .adjoint = plus_adjoint,
        .destroy = compound_destroy,
        .parts = compound_parts,
        .anywhere = true};

struct linop *linop_plus(const struct linop *A, const struct linop *B)
{
	fit_types(A, B);
	fit_same(A, linop_codomain(A), B, linop_codomain(B), "outputs");
	fit_same(A, linop_domain(A), B, linop_domain(B), "inputs");

	return linop_create(&plus_ops, compound_create(2, (const struct linop *[]){A, B}), linop_type(A),
	        linop_codomain_rank(A), linop_codomain(A), linop_domain_rank(A), linop_domain(A));
}

/* ---- scale ---- */

static void scale_by(enum dtype type, long n, void *x, complex double f)
{
	long strs[1];

	md_calc_strides(1, strs, &n, dtype_size(type));
	md_smul_t(type, 1, &n, strs, x, strs, x, f);
}

static void scale_forward(const void *self, void *dst, const void *src)
{
	const struct compound *c = self;

	linop_forward(c->A[0], dst, src);
	scale_by(linop_type(c->A[0]), linop_codomain_size(c->A[0]), dst, c->factor);
}

static void scale_adjoint(const void *self, void *dst, const void *src)
{
	const struct compound *c = self;

	linop_adjoint(c->A[0], dst, src);
	scale_by(linop_type(c->A[0]), linop_domain_size(c->A[0]), dst, conj(c->factor));
}

static double scale_norm(const void *self)
{
	const struct compound *c = self;

	return cabs(c->factor) * linop_closed_norm(c->A[0]);
}

static const struct linop_ops scale_ops = {.name = "scale",
        .forward = scale_forward,
        .adjoint = scale_adjoint,
        .destroy = compound_destroy,
        .norm = scale_norm,
        .parts = compound_parts,
        .anywhere = true};

struct linop *linop_scale(complex double a, const struct linop *A)
{
	if (cimag(a) != 0. && !dtype_is_complex(linop_type(A)))
		error("operator %s of type %s is multiplied by %g%+gi, expected a real factor", linop_name(A),
		        dtype_name(linop_type(A)), creal(a), cimag(a));

	struct compound *c = compound_create(1, &A);

	c->factor = a;

	return linop_create(&scale_ops, c, linop_type(A), linop_codomain_rank(A), linop_codomain(A),
	        linop_domain_rank(A), linop_domain(A));
}

/* ---- adjoint ---- */

static void adjoint_forward(const void *self, void *dst, const void *src)
{
	linop_adjoint(((const struct compound *)self)->A[0], dst, src);
}

static void adjoint_adjoint(const void *self, void *dst, const void *src)
{
	linop_forward(((const struct compound *)self)->A[0], dst, src);
}

static double adjoint_norm(const void *self)
{
	return linop_closed_norm(((const struct compound *)self)->A[0]);
}

static const struct linop_ops adjoint_ops = {.name = "adjoint",
        .forward = adjoint_forward,
        .adjoint = adjoint_adjoint,
        .destroy = compound_destroy,
        .norm = adjoint_norm,
        .parts = compound_parts,
        .anywhere = true};

struct linop *linop_adjoint_create(const struct linop *A)
{
	return linop_create(&adjoint_ops, compound_create(1, &A), linop_type(A), linop_domain_rank(A),
	        linop_domain(A), linop_codomain_rank(A), linop_codomain(A));
}

/* ---- stack ---- */

static long part_bytes(const struct compound *c)
{
	return linop_codomain_size(c->A[0]) * (long)dtype_size(linop_type(c->A[0]));
}

static void stack_forward(const void *self, void *dst, const void *src)
{
	const struct compound *c = self;

	for (int i = 0; i < c->n; i++)
		linop_forward(c->A[i], (char *)dst + i * part_bytes(c), src);
}

static void stack_adjoint(const void *self, void *dst, const void *src)
{
	const struct compound *c = self;
	enum dtype type = linop_type(c->A[0]);
	long n = linop_domain_size(c->A[0]);

	linop_adjoint(c->A[0], dst, src);

	for (int i = 1; i < c->n; i++) {
		void *tmp = scratch_get((struct scratch *)&c->tmp, type, n, src);

		linop_adjoint(c->A[i], tmp, (const char *)src + i * part_bytes(c));
		vec_axpy(type, n, dst, 1., tmp);
	}
}

static const struct linop_ops stack_ops = {.name = "stack",
        .forward = stack_forward,
        .adjoint = stack_adjoint,
        .destroy = compound_destroy,
        .parts = compound_parts,
        .anywhere = true};

struct linop *linop_stack(int n, const struct linop *const A[])
{
	if (n < 1)
		error("a stack has %d operators, expected at least 1", n);

	int D = linop_codomain_rank(A[0]);

	if (D >= DIMS)
		error("the outputs of a stack of operators have %d dimensions, expected fewer than %d", D,
		        DIMS);

	for (int i = 1; i < n; i++) {
		fit_types(A[0], A[i]);
		fit_same(A[0], linop_codomain(A[0]), A[i], linop_codomain(A[i]), "outputs");
		fit_same(A[0], linop_domain(A[0]), A[i], linop_domain(A[i]), "inputs");
	}

	long odims[DIMS];

	md_copy_dims(DIMS, odims, linop_codomain(A[0]));
	odims[D] = n;

	return linop_create(&stack_ops, compound_create(n, A), linop_type(A[0]), D + 1, odims,
	        linop_domain_rank(A[0]), linop_domain(A[0]));
}
