/* The nuclear norm. With A = U S V', the prox is U f(S) V' = A W, W = V f(S)/S V', so that U is not needed: V
 * and the singular values come from one-sided Jacobi rotations (num/stat/svd.h), of A itself where it is
 * small or float64, of A'A (in float64) where the elements are float32. Small matrices are divided among
 * threads. */

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "iter/functional/functionals.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/kern/convert.h"
#include "num/md/blas.h"
#include "num/md/flpmath.h"
#include "num/stat/svd.h"

enum { SMALL = 512 }; // elements

struct nuclear {
	enum dtype type;
	long m, n;  // of a matrix, m >= n
	bool small; // many of few elements
	/* The dims of a matrix, those of an index of its rows first, and those of the matrices; steps in
	 * bytes. */
	int D, B;
	long dims[DIMS], strs[DIMS], bdims[DIMS], bstrs[DIMS];
};

/** One matrix: A (m x n), V (n x n), singular values. */
struct svd {
	double complex *A, *V, *work, *W, *F;
	double *sigma;
	void *narrow; // elements as they are stored
};

static struct svd svd_create(const struct nuclear *t)
{
	const size_t size = sizeof(double complex), n = (size_t)t->n;
	const size_t all = (size_t)mul_checked(t->m, t->n, "a matrix of singular values");

	return (struct svd){
	        .A = mem_alloc(all * size),
	        .V = mem_alloc(n * n * size),
	        .W = mem_alloc(n * n * size),
	        .F = mem_alloc(n * n * size),
	        .work = mem_alloc(all * size),
	        .sigma = mem_alloc(n * sizeof(double)),
	        .narrow = mem_alloc(all * dtype_size(t->type)),
	};
}

static void svd_free(struct svd *s)
{
	free(s->A);
	free(s->V);
	free(s->W);
	free(s->F);
	free(s->work);
	free(s->sigma);
	free(s->narrow);
}

/** The matrix that begins at x. */
static void decompose(const struct nuclear *t, struct svd *s, const void *x)
{
	long packed[DIMS];
	const long size = t->m * t->n;

	md_calc_strides(t->D, packed, t->dims, dtype_size(t->type));
	md_copy2(t->D, t->dims, packed, s->narrow, t->strs, x, dtype_size(t->type));
	convert(DT_COMPLEX128, s->A, t->type, s->narrow, size, NARROW_SATURATE);

	if (t->small || DT_FLOAT64 == dtype_real(t->type)) {
		vec_copy(DT_COMPLEX128, size, s->work, s->A);
		svd_jacobi(t->m, t->n, s->work, s->V, s->sigma);
		return;
	}

	blas_gemm(DT_COMPLEX128, 'C', 'N', t->n, t->n, t->m, 1., s->A, t->m, s->A, t->m, 0., s->work, t->n);
	svd_jacobi(t->n, t->n, s->work, s->V, s->sigma);

	for (long j = 0; j < t->n; j++)
		s->sigma[j] = sqrt(s->sigma[j]);
}

/** C (m x k) = A (m x n) B (n x k), or A B' of a B (k x n). */
static void multiply(const struct nuclear *t, bool adjoint, long m, long k, long n, double complex *C,
        const double complex *A, const double complex *B)
{
	if (!t->small) {
		blas_gemm(DT_COMPLEX128, 'N', adjoint ? 'C' : 'N', m, k, n, 1., A, m, B, adjoint ? k : n, 0.,
		        C, m);
		return;
	}

	for (long j = 0; j < k; j++)
		for (long i = 0; i < m; i++) {
			double complex sum = 0.;

			for (long l = 0; l < n; l++)
				sum += A[l * m + i] * (adjoint ? conj(B[l * k + j]) : B[j * n + l]);

			C[j * m + i] = sum;
		}
}

/** A W, with W = V f V' for factors f in place of the singular values; to the matrix that begins at x. */
static void recompose(const struct nuclear *t, struct svd *s, void *x)
{
	const long n = t->n, size = t->m * n;
	long packed[DIMS];

	for (long j = 0; j < n; j++)
		for (long i = 0; i < n; i++)
			s->F[j * n + i] = s->V[j * n + i] * s->sigma[j];

	multiply(t, true, n, n, n, s->W, s->F, s->V);
	multiply(t, false, t->m, n, n, s->work, s->A, s->W);

	for (long i = 0; i < size && !dtype_is_complex(t->type); i++)
		s->work[i] = creal(s->work[i]); // roundings

	convert(t->type, s->narrow, DT_COMPLEX128, s->work, size, NARROW_SATURATE);
	md_calc_strides(t->D, packed, t->dims, dtype_size(t->type));
	md_copy2(t->D, t->dims, t->strs, x, packed, s->narrow, dtype_size(t->type));
}

/** What is done to every matrix. */
struct pass {
	const struct nuclear *t;
	double gamma;
	void *dst; // NULL: singular values are summed
	const void *src;
	double *sum; // of each matrix
};

static void work_on(const struct pass *p, struct svd *s, long number)
{
	const struct nuclear *t = p->t;
	long at = 0;

	for (int d = 0; d < t->B; d++) {
		at += number % t->bdims[d] * t->bstrs[d];
		number /= t->bdims[d];
	}

	decompose(t, s, (const char *)p->src + at);

	for (long j = 0; NULL != p->dst && j < t->n; j++)
		s->sigma[j] = (s->sigma[j] <= p->gamma) ? 0. : 1. - p->gamma / s->sigma[j];

	if (NULL != p->dst)
		recompose(t, s, (char *)p->dst + at);
}

static double sum_of(const struct nuclear *t, const struct svd *s)
{
	double sum = 0.;

	for (long j = 0; j < t->n; j++)
		sum += s->sigma[j];

	return sum;
}

/** Matrices do not depend on each other, and large ones have threads of their own. */
static void nuclear_run(const struct pass *p)
{
	const struct nuclear *t = p->t;
	const long count = md_calc_size(t->B, t->bdims);
	const double work = t->small ? 100. * (double)(count * t->m * t->n) : 0.;

#pragma omp parallel num_threads(threads_for(work))
	{
		struct svd s = svd_create(t);

#pragma omp for schedule(static)
		for (long k = 0; k < count; k++) {
			work_on(p, &s, k);

			if (NULL != p->sum)
				p->sum[k] = sum_of(t, &s);
		}

		svd_free(&s);
	}
}

static double value(const void *self, const void *x)
{
	const struct nuclear *t = self;
	const long count = md_calc_size(t->B, t->bdims);
	double *each = mem_alloc((size_t)count * sizeof *each), sum = 0.;

	nuclear_run(&(struct pass){.t = t, .src = x, .sum = each});

	for (long k = 0; k < count; k++)
		sum += each[k];

	free(each);

	return sum;
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	nuclear_run(&(struct pass){.t = self, .gamma = gamma, .dst = dst, .src = src});
}

/** Dims in flags go to the matrices. */
static long add_dims(struct nuclear *t, const long dims[DIMS], const long strs[DIMS], unsigned long flags)
{
	long size = 1;

	for (int d = 0; d < DIMS; d++)
		if (flags & (1ul << d)) {
			t->dims[t->D] = dims[d];
			t->strs[t->D++] = strs[d];
			size *= dims[d];
		}

	return size;
}

struct functional *functional_nuclear_create(
        enum dtype type, int D, const long dims[], unsigned long flags, unsigned long batch)
{
	static const struct functional_ops ops = {
	        .name = "nuclear norm", .value = value, .prox = prox, .destroy = free};

	if (0 != (flags & batch))
		error("nuclear norm: flags and batch share the dimensions of bit mask 0x%lx, expected no "
		      "shared dimension",
		        flags & batch);

	struct nuclear *t = NEW(struct nuclear);
	struct functional *g = functional_create(&ops, t, type, D, dims);
	const unsigned long columns = ((1ul << DIMS) - 1) & ~(flags | batch);
	long strs[DIMS], rows = 1;

	dims = functional_dims(g);
	md_calc_strides(DIMS, strs, dims, dtype_size(type));
	t->type = type;

	for (int d = 0; d < DIMS; d++) {
		if (flags & (1ul << d))
			rows *= dims[d];

		if (batch & (1ul << d)) {
			t->bdims[t->B] = dims[d];
			t->bstrs[t->B++] = strs[d];
		}
	}

	const long others = functional_size(g) / (rows * md_calc_size(t->B, t->bdims));
	const bool tall = rows >= others; // the transpose has the same singular values

	t->m = add_dims(t, dims, strs, tall ? flags : columns);
	t->n = add_dims(t, dims, strs, tall ? columns : flags);
	t->small = t->m * t->n <= SMALL && 1 < md_calc_size(t->B, t->bdims);

	return g;
}
