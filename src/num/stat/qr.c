#include <complex.h>
#include <float.h>
#include <math.h>

#include "num/stat/qr.h"

#include "misc/error.h"

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

/** Column j of a (and of r), when those before it are done. */
static void finish_column(struct array *a, struct array *r, long j, long k)
{
	const long before = (j < k) ? j : k;
	struct array *column = array_at(a, 1, j);
	struct array *work =
	        array_cast(column, dtype_is_complex(a->type) ? DT_COMPLEX128 : DT_FLOAT64, array_default);
	struct array *q = array_slice(a, 1, 0, 1, before);
	struct array *rj = array_at(r, 1, j), *above = array_slice(rj, 0, 0, 1, before);
	const double size = norm(column);

	if (!isfinite(size))
		error("%s: column %ld holds NaN, infinity or numbers too large to square, expected finite "
		      "numbers",
		        (NULL != a->name) ? a->name : "qr", j);

	for (int pass = 0; pass < 2 && 0 < before; pass++)
		project_out(work, q, above);

	if (j < k) {
		const double left = norm(work);
		const bool depends = !(left > size * rounding(a->type) * (double)(before + 1));

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

void array_qr(struct array *a, struct array *r)
{
	const long m = a->dims[0], n = a->dims[1], k = (m < n) ? m : n;
	const double zero = 0;

	if (k != r->dims[0] || n != r->dims[1] || array_count(a) != m * n || array_count(r) != k * n)
		error("qr of %ld x %ld into %ld x %ld, expected matrices, the second of %ld x %ld", m, n,
		        r->dims[0], r->dims[1], k, n);

	if (dtype_is_integer(a->type))
		error("qr in place of %s, expected a float or complex type", dtype_name(a->type));

	array_fill(r, &zero, DT_FLOAT64);

	for (long j = 0; j < n; j++)
		finish_column(a, r, j, k);
}
