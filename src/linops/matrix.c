#include <stdlib.h>
#include <string.h>

#include "linops/linop.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/blas.h"
#include "num/md/multind.h"

struct matrix {
	enum dtype type;
	long rows, cols;
	long batch;
	void *M; // column-major
};

static void matrix_forward(const void *self, void *dst, const void *src)
{
	const struct matrix *m = self;

	blas_gemm(m->type, 'N', 'N', m->rows, m->batch, m->cols, 1., m->M, m->rows, src, m->cols, 0., dst,
	        m->rows);
}

static void matrix_adjoint(const void *self, void *dst, const void *src)
{
	const struct matrix *m = self;

	blas_gemm(m->type, 'C', 'N', m->cols, m->batch, m->rows, 1., m->M, m->rows, src, m->rows, 0., dst,
	        m->cols);
}

static void matrix_destroy(void *self)
{
	struct matrix *m = self;

	free(m->M);
	free(m);
}

static const struct linop_ops matrix_ops = {
        .name = "matrix", .forward = matrix_forward, .adjoint = matrix_adjoint, .destroy = matrix_destroy};

struct linop *linop_matrix_create(
        enum dtype type, long rows, long cols, const void *M, int D, const long idims[])
{
	if (D < 1 || idims[0] != cols)
		error("a matrix of %ld columns is applied to vectors of %ld elements, expected equal "
		      "numbers",
		        cols, D < 1 ? 1L : idims[0]);

	long odims[DIMS];
	struct matrix *m = NEW(struct matrix);

	md_copy_dims(D, odims, idims);
	odims[0] = rows;

	struct linop *A = linop_create(&matrix_ops, m, type, D, odims, D, idims);
	size_t bytes =
	        (size_t)mul_checked(mul_checked(rows, cols, "a matrix"), (long)dtype_size(type), "a matrix");

	*m = (struct matrix){.type = type, .rows = rows, .cols = cols, .batch = linop_domain_size(A) / cols};
	m->M = mem_alloc(bytes);
	memcpy(m->M, M, bytes);

	return A;
}
