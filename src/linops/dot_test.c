#include <math.h>
#include <stdlib.h>

#include "linops/linop.h"

#include "misc/mem.h"
#include "num/flpmath.h"
#include "num/rand.h"

/* Normal deviates in every real part. */
static void *random_vector(enum dtype type, long n, unsigned long seed)
{
	long reals = n * (dtype_is_complex(type) ? 2 : 1);
	void *x = mem_alloc((size_t)n * dtype_size(type));

#pragma omp parallel for schedule(static)
	for (long i = 0; i < reals; i++) {
		double r = rand_normal(seed, (uint64_t)i);

		if (dtype_real(type) == DT_FLOAT32)
			((float *)x)[i] = (float)r;
		else
			((double *)x)[i] = r;
	}

	return x;
}

static complex double dot(enum dtype type, long n, const void *a, const void *b)
{
	long strs[1];

	md_calc_strides(1, strs, &n, dtype_size(type));

	return md_scalar_t(type, 1, &n, strs, a, strs, b);
}

double linop_dot_test(const struct linop *A, unsigned long seed)
{
	enum dtype t = linop_type(A);
	long m = linop_codomain_size(A);
	long n = linop_domain_size(A);
	void *x = random_vector(t, n, 2 * seed);
	void *y = random_vector(t, m, 2 * seed + 1);
	void *Ax = mem_alloc((size_t)m * dtype_size(t));
	void *Ay = mem_alloc((size_t)n * dtype_size(t));

	linop_forward(A, Ax, x);
	linop_adjoint(A, Ay, y);

	double diff = cabs(dot(t, m, Ax, y) - dot(t, n, x, Ay));
	double size = fmax(vec_norm(t, m, Ax) * vec_norm(t, m, y), vec_norm(t, n, x) * vec_norm(t, n, Ay));

	free(x);
	free(y);
	free(Ax);
	free(Ay);

	return size > 0. ? diff / size : diff;
}
