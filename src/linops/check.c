/* Tests for every linear operator. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/linop.h"
#include "linops/probe.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

double linop_dot_test(const struct linop *A, unsigned long seed)
{
	const enum dtype t = linop_type(A);
	const bool real = linop_is_real_linear(A);
	const long m = linop_codomain_size(A), n = linop_domain_size(A);
	void *x = probe_vector(t, n, 2 * seed), *y = probe_vector(t, m, 2 * seed + 1);
	void *Ax = mem_alloc((size_t)m * dtype_size(t)), *Ay = mem_alloc((size_t)n * dtype_size(t));

	linop_forward(A, Ax, x);
	linop_adjoint(A, Ay, y);

	const double diff = cabs(probe_dot(t, real, m, Ax, y) - probe_dot(t, real, n, x, Ay));
	const double size =
	        fmax(vec_norm(t, m, Ax) * vec_norm(t, m, y), vec_norm(t, n, x) * vec_norm(t, n, Ay));

	free(x);
	free(y);
	free(Ax);
	free(Ay);

	return (size > 0.) ? diff / size : diff;
}

typedef void apply_fn(const struct linop *A, void *dst, const void *src);

/* y = a y + b z */
static void combine(enum dtype t, long n, void *y, complex double a, complex double b, const void *z)
{
	long strs[1];

	md_calc_strides(1, strs, &n, dtype_size(t));
	md_smul_t(t, 1, &n, strs, y, strs, y, a);
	md_axpy_t(t, 1, &n, strs, y, b, strs, z);
}

/* |A(ax + by) - aAx - bAy| / (|aAx| + |bAy|); n and m: elements of source and result. */
static double linearity(
        const struct linop *A, apply_fn *apply, long n, long m, unsigned long seed, bool *repeatable)
{
	const enum dtype t = linop_type(A);
	const bool real = linop_is_real_linear(A) || !dtype_is_complex(t);
	const complex double a = real ? 2.5 : 2.5 - 1.5i, b = real ? -0.75 : 0.5 + 0.75i;
	void *x = probe_vector(t, n, 2 * seed + 1000), *y = probe_vector(t, n, 2 * seed + 1001);
	void *Ax = mem_alloc((size_t)m * dtype_size(t)), *Ay = mem_alloc((size_t)m * dtype_size(t));
	void *Az = mem_alloc((size_t)m * dtype_size(t));

	apply(A, Ax, x);
	apply(A, Ay, y);
	apply(A, Az, x);
	*repeatable = *repeatable && 0 == memcmp(Ax, Az, (size_t)m * dtype_size(t));
	combine(t, n, x, a, b, y);
	apply(A, Az, x);

	const double scale = cabs(a) * vec_norm(t, m, Ax) + cabs(b) * vec_norm(t, m, Ay);

	combine(t, m, Ax, a, b, Ay);

	const double e = probe_distance(t, m, Az, Ax, scale);

	free(x);
	free(y);
	free(Ax);
	free(Ay);
	free(Az);

	return e;
}

static double normal_error(const struct linop *A, unsigned long seed)
{
	const enum dtype t = linop_type(A);
	const long m = linop_codomain_size(A), n = linop_domain_size(A);
	void *x = probe_vector(t, n, 2 * seed + 2000), *y = mem_alloc((size_t)n * dtype_size(t));
	void *Ax = mem_alloc((size_t)m * dtype_size(t)), *z = mem_alloc((size_t)n * dtype_size(t));

	linop_forward(A, Ax, x);
	linop_adjoint(A, y, Ax);
	linop_normal(A, z, x);

	const double e = probe_distance(t, n, z, y, vec_norm(t, n, y));

	free(x);
	free(y);
	free(z);
	free(Ax);

	return e;
}

/* Passes NaN on, unlike fmax(). */
static double worse(double a, double b)
{
	return (a >= b || isnan(a)) ? a : b;
}

struct linop_check linop_check(const struct linop *A, int seeds)
{
	struct linop_check c = {.repeatable = true};
	const long m = linop_codomain_size(A), n = linop_domain_size(A);

	for (unsigned long seed = 0; seed < (unsigned long)seeds; seed++) {
		c.dot = worse(c.dot, linop_dot_test(A, seed));
		c.linearity = worse(c.linearity, linearity(A, linop_forward, n, m, seed, &c.repeatable));
		c.linearity = worse(c.linearity, linearity(A, linop_adjoint, m, n, seed, &c.repeatable));
		c.normal = worse(c.normal, normal_error(A, seed));
	}

	return c;
}
