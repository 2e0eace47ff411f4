#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/blas.h"
#include "num/md/lapack.h"

typedef void geqrf(const int *m, const int *n, void *A, const int *lda, void *tau, void *work,
        const int *lwork, int *info);
typedef void orgqr(const int *m, const int *n, const int *k, void *A, const int *lda, const void *tau,
        void *work, const int *lwork, int *info);

enum { WORK_COLUMNS = 64 }; // LAPACK's blocks are 32 columns; more room does not help

/** Both functions for a type; false if one is absent. */
static bool find(enum dtype t, geqrf **factor, orgqr **form)
{
	const bool is_complex = DT_COMPLEX128 == t;

	*factor = (geqrf *)blas_function(is_complex ? "zgeqrf_" : "dgeqrf_");
	*form = (orgqr *)blas_function(is_complex ? "zungqr_" : "dorgqr_");

	return *factor && *form;
}

/** The upper triangle of the first k rows of A; zeros below. */
static void copy_triangle(long size, long m, long n, long k, const char *A, char *R)
{
	for (long j = 0; j < n; j++) {
		const long rows = (j < k) ? j + 1 : k;

		memcpy(R + j * k * size, A + j * m * size, (size_t)(rows * size));
		memset(R + (j * k + rows) * size, 0, (size_t)((k - rows) * size));
	}
}

/** Row i of R and column i of Q change sign where the diagonal is negative; reals: numbers of an element. */
static void make_diagonal_positive(long reals, long m, long n, long k, double *Q, double *R)
{
	for (long i = 0; i < k; i++) {
		if (!signbit(R[(i * k + i) * reals]))
			continue;

		for (long j = i; j < n; j++)
			for (long c = 0; c < reals; c++)
				R[(j * k + i) * reals + c] *= -1.;

		for (long c = 0; c < m * reals; c++)
			Q[i * m * reals + c] *= -1.;
	}

	for (long i = 0; i < k && 2 == reals; i++)
		R[(i * k + i) * 2 + 1] = 0.; // not -0
}

bool lapack_qr(enum dtype t, long m, long n, void *A, void *R)
{
	const long size = (long)dtype_size(t), k = (m < n) ? m : n, work = WORK_COLUMNS * n;
	geqrf *factor;
	orgqr *form;

	if (m < 1 || n < 1 || m > INT_MAX || work > INT_MAX || !find(t, &factor, &form))
		return false;

	const int im = (int)m, in = (int)n, ik = (int)k, room = (int)work;
	void *tau = mem_alloc((size_t)(k * size)), *space = mem_alloc((size_t)(work * size));
	int info = 0;

	factor(&im, &in, A, &im, tau, space, &room, &info);

	if (0 == info) {
		copy_triangle(size, m, n, k, A, R);
		form(&im, &ik, &ik, A, &im, tau, space, &room, &info);
	}

	if (0 != info)
		error("LAPACK refuses argument %d of a QR decomposition of %ld x %ld", -info, m, n);

	make_diagonal_positive(size / (long)sizeof(double), m, n, k, A, R);
	free(space);
	free(tau);

	return true;
}
