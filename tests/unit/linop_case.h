#ifndef TESTS_UNIT_LINOP_CASE_H
#define TESTS_UNIT_LINOP_CASE_H

#include "check.h"
#include "linops/linop.h"
#include "linops/probe.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

/** Shared by the tests of operators. */

static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

/** Upper bound of relative differences: a few rounding errors. */
__attribute__((unused)) static double bound(enum dtype t)
{
	return (DT_FLOAT32 == dtype_real(t)) ? 1e-6 : 1e-13;
}

/** Calls linop_check(); consumes A. */
__attribute__((unused)) static void check_operator(struct linop *A, const char *what)
{
	const enum dtype t = linop_type(A);
	const struct linop_check c = linop_check(A, 3);

	check(c.dot <= bound(t) && c.linearity <= bound(t) && c.normal <= 10. * bound(t) && c.repeatable,
	        "%s %s: dot %.2g, linearity %.2g, normal %.2g%s", what, dtype_name(t), c.dot, c.linearity,
	        c.normal, c.repeatable ? "" : ", other bytes the second time");
	linop_free(A);
}

/** |A x - s B x| / |B x| for a random x; consumes both. */
__attribute__((unused)) static void check_equal(struct linop *A, double s, struct linop *B, const char *what)
{
	const enum dtype t = linop_type(A);
	const long n = linop_domain_size(A), m = linop_codomain_size(A);
	void *x = probe_vector(t, n, 77), *a = mem_alloc((size_t)m * dtype_size(t));
	void *b = mem_alloc((size_t)m * dtype_size(t));

	check(md_check_equal_dims(DIMS, linop_codomain(A), linop_codomain(B), ~0ul), "%s %s: shapes", what,
	        dtype_name(t));
	linop_forward(A, a, x);
	linop_forward(B, b, x);
	vec_scale(t, m, b, s);

	const double e = probe_distance(t, m, a, b, vec_norm(t, m, b));

	check(e <= 2. * bound(t), "%s %s: %.2g", what, dtype_name(t), e);
	free(x);
	free(a);
	free(b);
	linop_free(A);
	linop_free(B);
}

/** B A, both consumed. */
__attribute__((unused)) static struct linop *after(struct linop *B, struct linop *A)
{
	struct linop *BA = linop_chain(B, A);

	linop_free(A);
	linop_free(B);

	return BA;
}

__attribute__((unused)) static struct linop *adjoint_of(struct linop *A)
{
	struct linop *B = linop_adjoint_create(A);

	linop_free(A);

	return B;
}

/** A' A from forward and adjoint, also if the operator has its own normal function. */
__attribute__((unused)) static struct linop *squared(struct linop *A)
{
	return after(linop_adjoint_create(A), A);
}

__attribute__((unused)) static struct linop *normal_of(struct linop *A)
{
	struct linop *B = linop_normal_create(A);

	linop_free(A);

	return B;
}

#endif
