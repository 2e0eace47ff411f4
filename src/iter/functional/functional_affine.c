/* The affine set {x: M x = b} of a few rows. Complex rows become two real-linear ones, for the real and the
 * imaginary part of each equation. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/functional/functionals.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

struct affine {
	enum dtype type;
	long n, rows;   // rows: real-linear ones
	char *M;        // rows x n, row by row
	double *b;      // rows
	double *factor; // rows x rows: lower triangular L of L L' = M M', row by row
	double *r;      // rows
};

static const void *row(const struct affine *a, long i)
{
	return a->M + i * a->n * (long)dtype_size(a->type);
}

/** r = M x - b; its norm relative to what rounding may leave of it. */
static double residual(const struct affine *a, const void *x)
{
	const double size = vec_norm(a->type, a->n, x);
	const double eps = (DT_FLOAT32 == dtype_real(a->type)) ? 1e-6 : 1e-14;
	double worst = 0.;

	for (long i = 0; i < a->rows; i++) {
		double diagonal = 0.; // |row|^2

		for (long j = 0; j <= i; j++)
			diagonal += a->factor[i * a->rows + j] * a->factor[i * a->rows + j];

		a->r[i] = vec_dot(a->type, a->n, x, row(a, i)) - a->b[i];
		worst = fmax(worst, fabs(a->r[i]) / (8. * eps * (sqrt(diagonal) * size + fabs(a->b[i]))));

		if (isnan(a->r[i]))
			return NAN;
	}

	return worst;
}

static double value(const void *self, const void *x)
{
	return (residual(self, x) <= 1.) ? 0. : INFINITY;
}

/** x - M' (M M')^-1 (M x - b) */
static void prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct affine *a = self;
	const long n = a->rows;

	(void)gamma;
	residual(a, src);

	for (long i = 0; i < n; i++) {
		for (long j = 0; j < i; j++)
			a->r[i] -= a->factor[i * n + j] * a->r[j];

		a->r[i] /= a->factor[i * n + i];
	}

	for (long i = n - 1; i >= 0; i--) {
		for (long j = i + 1; j < n; j++)
			a->r[i] -= a->factor[j * n + i] * a->r[j];

		a->r[i] /= a->factor[i * n + i];
	}

	if (dst != src)
		vec_copy(a->type, a->n, dst, src);

	for (long i = 0; i < n; i++)
		vec_axpy(a->type, a->n, dst, -a->r[i], row(a, i));
}

static void destroy(void *self)
{
	struct affine *a = self;

	free(a->M);
	free(a->b);
	free(a->factor);
	free(a->r);
	free(a);
}

/** Cholesky's factor of M M'. */
static void factorise(struct affine *a)
{
	const long n = a->rows;

	for (long i = 0; i < n; i++) {
		const double all = vec_dot(a->type, a->n, row(a, i), row(a, i));

		for (long j = 0; j <= i; j++) {
			double s = vec_dot(a->type, a->n, row(a, i), row(a, j));

			for (long k = 0; k < j; k++)
				s -= a->factor[i * n + k] * a->factor[j * n + k];

			if (j < i)
				a->factor[i * n + j] = s / a->factor[j * n + j];
			else if (s > 1e-12 * all)
				a->factor[i * n + i] = sqrt(s);
			else
				error("affine set: row %ld of the matrix is not finite or depends on earlier "
				      "rows",
				        i / (dtype_is_complex(a->type) ? 2 : 1));
		}
	}
}

/** Rows for Re <., m> and Im: the real part of sum m_k x_k is Re <x, conj(m)>, the imaginary Re <x, i
 * conj(m)>. */
static void split_row(enum dtype type, long n, void *re, void *im, const void *m)
{
	double *wide = mem_alloc(sizeof(double) * 2 * (size_t)n);

	convert(DT_COMPLEX128, wide, type, m, n, NARROW_SATURATE);

	for (long k = 0; k < n; k++)
		wide[2 * k + 1] = -wide[2 * k + 1];

	convert(type, re, DT_COMPLEX128, wide, n, NARROW_SATURATE);

	for (long k = 0; k < n; k++) {
		const double real = wide[2 * k];

		wide[2 * k] = -wide[2 * k + 1];
		wide[2 * k + 1] = real;
	}

	convert(type, im, DT_COMPLEX128, wide, n, NARROW_SATURATE);
	free(wide);
}

struct functional *functional_affine_create(
        enum dtype type, int D, const long dims[], long rows, const void *M, const void *b)
{
	static const struct functional_ops ops = {
	        .name = "affine", .value = value, .prox = prox, .destroy = destroy};

	const bool pairs = dtype_is_complex(type);
	struct affine *a = NEW(struct affine);
	struct functional *g = functional_create(&ops, a, type, D, dims);

	if (rows < 1)
		error("an affine set has %ld rows, expected at least 1", rows);

	a->type = type;
	a->n = functional_size(g);
	a->rows = pairs ? 2 * rows : rows;

	const long bytes = a->n * (long)dtype_size(type);

	a->M = mem_alloc((size_t)mul_checked(a->rows, bytes, "the matrix of an affine set"));
	a->b = mem_alloc(sizeof(double) * (size_t)a->rows);
	a->r = mem_alloc(sizeof(double) * (size_t)a->rows);
	a->factor = mem_calloc((size_t)mul_checked(a->rows, a->rows, "an affine set"), sizeof(double));
	convert(pairs ? DT_COMPLEX128 : DT_FLOAT64, a->b, type, b, rows, NARROW_SATURATE);

	for (long i = 0; i < rows; i++) {
		const char *m = (const char *)M + i * bytes;

		if (pairs)
			split_row(type, a->n, a->M + 2 * i * bytes, a->M + (2 * i + 1) * bytes, m);
		else
			memcpy(a->M + i * bytes, m, (size_t)bytes);
	}

	factorise(a);

	return g;
}
