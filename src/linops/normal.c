/* A'A as an operator, and (A'A + lambda)^-1 by conjugate gradients [1].
 *
 * [1] M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, J. Res. Nat.
 * Bur. Standards 49, 1952. */

#include <math.h>
#include <stdlib.h>

#include "linops/linop.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

struct normal {
	const struct linop *A;
	double lambda, tolerance;
	long iterations;
	struct scratch r, d, q; // residual, direction, (A'A + lambda) d
};

static void normal_destroy(void *self)
{
	struct normal *o = self;

	linop_free(o->A);
	scratch_free(&o->r);
	scratch_free(&o->d);
	scratch_free(&o->q);
	free(o);
}

static int normal_parts(const void *self, const struct linop *const **A)
{
	struct normal *o = (struct normal *)self;

	*A = &o->A;

	return 1;
}

static void normal_forward(const void *self, void *dst, const void *src)
{
	linop_normal(((const struct normal *)self)->A, dst, src);
}

static const struct linop_ops normal_ops = {.name = "normal",
        .forward = normal_forward,
        .adjoint = normal_forward,
        .destroy = normal_destroy,
        .parts = normal_parts,
        .anywhere = true};

static struct linop *on_domain(const struct linop_ops *ops, struct normal *o, const struct linop *A)
{
	o->A = linop_ref(A);

	return linop_create(ops, o, linop_type(A), linop_domain_rank(A), linop_domain(A),
	        linop_domain_rank(A), linop_domain(A));
}

struct linop *linop_normal_create(const struct linop *A)
{
	return on_domain(&normal_ops, NEW(struct normal), A);
}

static void closed_forward(const void *self, void *dst, const void *src)
{
	const struct normal *o = self;

	linop_normal_inverse(o->A, o->lambda, dst, src);
}

static const struct linop_ops closed_ops = {.name = "regularised inverse",
        .forward = closed_forward,
        .adjoint = closed_forward,
        .destroy = normal_destroy,
        .parts = normal_parts,
        .anywhere = true};

static void cg_forward(const void *self, void *dst, const void *src)
{
	struct normal *o = (struct normal *)self;
	const enum dtype t = linop_type(o->A);
	const long n = linop_domain_size(o->A);
	void *r = scratch_get(&o->r, t, n, src);
	void *d = scratch_get(&o->d, t, n, src);
	void *q = scratch_get(&o->q, t, n, src);

	vec_clear(t, n, dst);
	vec_copy(t, n, r, src);
	vec_copy(t, n, d, src);

	double rho = vec_dot(t, n, r, r);
	const double stop = rho * o->tolerance * o->tolerance;

	for (long i = 0; i < o->iterations && rho > stop; i++) {
		linop_normal(o->A, q, d);
		vec_axpy(t, n, q, o->lambda, d);

		const double curvature = vec_dot(t, n, d, q);

		if (!isfinite(rho) || !isfinite(curvature))
			error("cannot invert A'A + %g for A = %s: conjugate gradients reach a value that is "
			      "not finite",
			        o->lambda, linop_name(o->A));

		if (curvature <= 0.)
			break;

		const double alpha = rho / curvature, old = rho;

		vec_axpy(t, n, dst, alpha, d);
		vec_axpy(t, n, r, -alpha, q);
		rho = vec_dot(t, n, r, r);
		vec_xpay(t, n, d, rho / old, r);
	}
}

static const struct linop_ops cg_ops = {.name = "regularised inverse",
        .forward = cg_forward,
        .adjoint = cg_forward,
        .destroy = normal_destroy,
        .parts = normal_parts,
        .anywhere = true};

struct linop *linop_regularised_inverse_create(
        const struct linop *A, double lambda, double tolerance, long iterations)
{
	if (!(lambda >= 0.) || isinf(lambda))
		error("cannot invert A'A + %g: expected a finite number of at least 0", lambda);

	if (!(tolerance >= 0.) || iterations < 1)
		error("cannot invert A'A + %g with tolerance %g and %ld iterations: expected a tolerance "
		      ">= 0 and at least 1 iteration",
		        lambda, tolerance, iterations);

	struct normal *o = NEW(struct normal);

	o->lambda = lambda;
	o->tolerance = tolerance;
	o->iterations = iterations;

	return on_domain(linop_has_normal_inverse(A) ? &closed_ops : &cg_ops, o, A);
}
