#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "num/stat/qr.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/lapack.h"

static const unsigned long rows = 1, columns = 2; // dims 0 and 1 as masks

/** Relative rounding error of numbers of that type. */
static double rounding(enum dtype t)
{
	switch (dtype_real(t)) {
	case DT_FLOAT16:
		return 0x1p-10;
	case DT_FLOAT32:
		return FLT_EPSILON;
	default:
		return DBL_EPSILON;
	}
}

/** What the work is done in. */
static enum dtype wide(enum dtype t)
{
	return dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;
}

static double norm(const struct array *column)
{
	struct array *n = array_reduction(RED_NORM, ~0ul, &column, array_default);
	const double v = *(const double *)n->data;

	array_free(n);

	return v;
}

/** column -= q (q' column); coefficients += q' column, unless NULL. */
static void project_out(struct array *column, const struct array *q, struct array *coefficients)
{
	struct array *c =
	        array_reduction(RED_DOT, rows, (const struct array *const[]){column, q}, array_default);
	struct array *conj = array_op(OP_CONJ, (const struct array *const[]){c}, array_default);
	struct array *p =
	        array_reduction(RED_DOT, columns, (const struct array *const[]){q, conj}, array_default);

	array_apply(OP_SUB, column, (const struct array *const[]){column, p}, array_default);

	if (NULL != coefficients) {
		struct array *down = array_transpose(c, 0, 1);

		array_apply(OP_ADD, coefficients, (const struct array *const[]){coefficients, down},
		        array_default);
		array_free(down);
	}

	array_free(p);
	array_free(conj);
	array_free(c);
}

static void divide(struct array *column, double by)
{
	const long one[1] = {1};
	struct array *d = array_borrow(DT_FLOAT64, 1, one, NULL, &by);

	array_apply(OP_DIV, column, (const struct array *const[]){column, d}, array_default);
	array_free(d);
}

static void set(struct array *a, long i, long j, double value)
{
	struct array *row = array_at(a, 0, i), *element = array_at(row, 1, j);

	array_fill(element, &value, DT_FLOAT64);
	array_free(element);
	array_free(row);
}

/** column = a unit vector orthogonal to q: from the axis that q covers least. */
static void make_orthogonal(struct array *column, const struct array *q)
{
	const double zero = 0;
	struct array *covered = array_reduction(RED_NORM, columns, &q, array_default);
	struct array *least =
	        array_reduction(RED_ARGMIN, ~0ul, (const struct array *const[]){covered}, array_default);

	array_fill(column, &zero, DT_FLOAT64);
	set(column, *(const int64_t *)least->data, 0, 1.);

	for (int pass = 0; pass < 2; pass++)
		project_out(column, q, NULL);

	divide(column, norm(column));
	array_free(least);
	array_free(covered);
}

/** The norm of column j. */
static double column_size(const struct array *a, long j)
{
	struct array *column = array_at(a, 1, j);
	const double size = norm(column);

	if (!isfinite(size))
		error("%s: column %ld contains NaN, infinity or numbers too large to square, expected finite "
		      "numbers",
		        (NULL != a->name) ? a->name : "qr", j);

	array_free(column);

	return size;
}

/** Whether what is left of column j, orthogonal to those before it, is rounding. */
static bool is_rounding(const struct array *a, long j, double size, double left)
{
	return !(
	        left > size * (rounding(a->type) * (double)(j + 1) + DBL_EPSILON * sqrt((double)a->dims[0])));
}

/** Column j of a (and of r), when those before it are done. */
static void finish_column(struct array *a, struct array *r, long j, long k)
{
	const long before = (j < k) ? j : k;
	const double size = column_size(a, j);
	struct array *column = array_at(a, 1, j);
	struct array *work = array_cast(column, wide(a->type), array_default);
	struct array *q = array_slice(a, 1, 0, 1, before);
	struct array *rj = array_at(r, 1, j), *above = array_slice(rj, 0, 0, 1, before);

	for (int pass = 0; pass < 2 && 0 < before; pass++)
		project_out(work, q, above);

	if (j < k) {
		const double left = norm(work);
		const bool depends = is_rounding(a, j, size, left);

		set(rj, j, 0, depends ? 0. : left);

		if (depends)
			make_orthogonal(work, q);
		else
			divide(work, left);

		array_copy(column, work, array_default);
	}

	array_free(above);
	array_free(rj);
	array_free(q);
	array_free(work);
	array_free(column);
}

/** By LAPACK; false where it is absent. */
static bool by_lapack(struct array *a, struct array *r, long k)
{
	struct array *w = array_cast(a, wide(a->type), array_default);
	struct array *triangle = array_create(w->type, 2, (const long[2]){k, a->dims[1]});

	double *sizes = mem_alloc((size_t)a->dims[1] * sizeof *sizes);

	for (long j = 0; j < a->dims[1]; j++)
		sizes[j] = column_size(a, j);

	const bool done = lapack_qr(w->type, a->dims[0], a->dims[1], w->data, triangle->data);

	if (done) {
		char *diagonal = triangle->data;

		for (long j = 0; j < k; j++, diagonal += triangle->strs[0] + triangle->strs[1])
			if (is_rounding(a, j, sizes[j], *(const double *)diagonal))
				*(double *)diagonal = 0.;

		struct array *q = array_slice(w, 1, 0, 1, k), *to = array_slice(a, 1, 0, 1, k);

		array_copy(to, q, array_default);
		array_copy(r, triangle, array_default);
		array_free(to);
		array_free(q);
	}

	free(sizes);
	array_free(triangle);
	array_free(w);

	return done;
}

void array_qr(struct array *a, struct array *r)
{
	const long m = a->dims[0], n = a->dims[1], k = (m < n) ? m : n;
	const double zero = 0;

	if (array_count(a) != m * n)
		error("a QR decomposition has an input of %s elements, expected a single matrix",
		        array_shape(a));

	if (k != r->dims[0] || n != r->dims[1] || array_count(r) != k * n)
		error("the output R of a QR decomposition has %s elements, expected %ld x %ld",
		        array_shape(r), k, n);

	if (dtype_is_integer(a->type))
		error("an in-place QR decomposition has type %s, expected a float or complex type",
		        dtype_name(a->type));

	if (by_lapack(a, r, k))
		return;

	array_fill(r, &zero, DT_FLOAT64);

	for (long j = 0; j < n; j++)
		finish_column(a, r, j, k);
}
