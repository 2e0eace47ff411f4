/*
 * SIRT, SART and OS-SART: x += relaxation C A' R (y - A x), where R and C divide by the sums of A's rows and
 * columns; of each subset in turn. [1] P. Gilbert, Iterative methods for the three-dimensional reconstruction
 * of an object from projections, J. Theor. Biol. 36, 1972; [2] A. H. Andersen and A. C. Kak, Simultaneous
 * algebraic reconstruction technique, Ultrasonic Imaging 6, 1984; [3] M. Jiang and G. Wang, Convergence of
 * the simultaneous algebraic reconstruction technique, IEEE TIP 12(8), 2003.
 */

#include <math.h>

#include "iter/algorithm.h"
#include "iter/fold.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/flpmath.h"

enum { STEP, COLUMNS };

/* Sums below this part of the largest are rays or voxels that hardly meet: they are left alone. */
static const double least = 1e-6;

struct inverse {
	enum dtype type;
	void *x;
	double limit;
};

static void invert_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct inverse *v = ctx;

	(void)sum;

	for (long i = first; i < first + n; i++)
		if (DT_FLOAT32 == v->type) {
			float *x = v->x;

			x[i] = ((double)x[i] > v->limit) ? 1.f / x[i] : 0.f;
		} else {
			double *x = v->x;

			x[i] = (x[i] > v->limit) ? 1. / x[i] : 0.;
		}
}

static void count_below(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct inverse *v = ctx;

	for (long i = first; i < first + n; i++)
		sum[0] += ((DT_FLOAT32 == v->type) ? (double)((const float *)v->x)[i]
		                                   : ((const double *)v->x)[i]) < v->limit;
}

/** x = 1 / x where that is large enough, else 0. */
static void invert(enum dtype t, long n, void *x, const char *what)
{
	long strs[1];
	double sum[FOLD_SUMS];

	md_calc_strides(1, strs, &n, dtype_size(t));

	const double high = md_maxabs_t(t, 1, &n, strs, x);

	fold(n, count_below, &(struct inverse){t, x, -least * high}, sum);

	if (sum[0] > 0.)
		error("the operator has %.0f %s that sum to less than 0, expected none: this algorithm needs "
		      "an "
		      "operator without negative elements",
		        sum[0], what);

	fold(n, invert_block, &(struct inverse){t, x, least * high}, sum);
}

/** rows = 1 / (A 1); v[STEP] is used. */
static void row_sums(struct run *r, const struct linop *A, void *rows)
{
	run_fill(r->type, r->n, r->v[STEP], 1.);
	linop_forward(A, rows, r->v[STEP]);
	invert(r->type, linop_codomain_size(A), rows, "rows");
}

/** v[COLUMNS] = 1 / (A' 1); w[0] is used. */
static void column_sums(struct run *r, const struct linop *A)
{
	run_fill(r->type, linop_codomain_size(A), r->w[0], 1.);
	linop_adjoint(A, r->v[COLUMNS], r->w[0]);
	invert(r->type, r->n, r->v[COLUMNS], "columns");
}

/** The same for a subset by its number, computed once where it can be kept. */
static const void *columns_of(struct run *r, int number, const struct linop *A)
{
	if (number < r->keeps && NULL != r->kept[number])
		return r->kept[number];

	column_sums(r, A);

	if (number >= r->keeps)
		return r->v[COLUMNS];

	r->kept[number] = md_alloc_sameplace(1, &r->n, dtype_size(r->type), r->x);
	vec_copy(r->type, r->n, r->kept[number], r->v[COLUMNS]);

	return r->kept[number];
}

/** w[0] = y - A x; returns its norm squared. */
static double residual(struct run *r, const struct linop *A, const void *y)
{
	const long m = linop_codomain_size(A);

	linop_forward(A, r->w[0], r->x);
	vec_axpby(r->type, m, r->w[0], 1., y, -1., r->w[0]);

	return vec_dot(r->type, m, r->w[0], r->w[0]);
}

/** x += relaxation C A' R w[0]. */
static double correct(struct run *r, const struct linop *A, const void *rows, const void *columns)
{
	vec_mul(r->type, linop_codomain_size(A), r->w[0], r->w[0], rows);
	linop_adjoint(A, r->v[STEP], r->w[0]);
	vec_mul(r->type, r->n, r->v[STEP], r->v[STEP], columns);
	vec_axpy(r->type, r->n, r->x, run_relaxation(r), r->v[STEP]);

	if (r->p->terms > 0)
		run_prox(r, 1., r->x, r->x);

	return vec_norm(r->type, r->n, r->v[STEP]);
}

static void begin_sirt(struct run *r)
{
	row_sums(r, r->p->A, r->w[1]);
	column_sums(r, r->p->A);
	r->residual = sqrt(residual(r, r->p->A, r->p->y));
}

static void sirt(struct run *r)
{
	r->gradient = correct(r, r->p->A, r->w[1], r->v[COLUMNS]);
	r->minimum = 0. == r->gradient;
	r->step = run_relaxation(r);
	r->residual = sqrt(residual(r, r->p->A, r->p->y));
}

const struct algorithm algorithm_sirt = {
        .name = "sirt",
        .about = "simultaneous iterations weighted by the sums of rows and columns (Gilbert 1972); minimises "
                 "|A x - "
                 "y| in the norm of the first",
        .takes = TAKES_PROX | NEEDS_NONNEGATIVE,
        .volumes = 2,
        .projections = 2,
        .begin = begin_sirt,
        .iterate = sirt,
};

static const struct linop *operator_of(const struct run *r, int number)
{
	return (0 == r->p->subsets) ? r->p->A : r->p->subset[number].A;
}

/** Of a subset by its number its rows in w[1]. */
static char *rows_of(const struct run *r, int number)
{
	long at = 0;

	for (int i = 0; i < number; i++)
		at += linop_codomain_size(operator_of(r, i));

	return (char *)r->w[1] + at * (long)dtype_size(r->type);
}

static void begin_sart(struct run *r)
{
	for (int i = 0; i < run_subsets(r); i++)
		row_sums(r, operator_of(r, i), rows_of(r, i));

	r->residual = sqrt(residual(r, r->p->A, r->p->y));
}

/** All subsets; the residual is that met on the way. */
static void sart(struct run *r)
{
	double sum = 0, moved = 0;

	for (int i = 0; i < run_subsets(r); i++) {
		const struct iter_subset s = run_subset(r, i);
		const int number = (0 == r->p->subsets) ? 0 : r->order[i];
		const void *columns = columns_of(r, number, s.A);

		sum += residual(r, s.A, s.y);
		moved += correct(r, s.A, rows_of(r, number), columns);
	}

	r->gradient = moved;
	r->minimum = 0. == moved;
	r->step = run_relaxation(r);
	r->residual = sqrt(sum);
}

const struct algorithm algorithm_ossart = {
        .name = "ossart",
        .about = "SIRT's step for each subset of the views in turn (Andersen and Kak 1984)",
        .takes = TAKES_PROX | TAKES_SUBSETS | NEEDS_NONNEGATIVE | KEEPS_SUMS,
        .volumes = 2,
        .projections = 2,
        .begin = begin_sart,
        .iterate = sart,
};

const struct algorithm algorithm_sart = {
        .name = "sart",
        .about = "SIRT's step for each view in turn (Andersen and Kak 1984)",
        .takes = TAKES_PROX | TAKES_SUBSETS | NEEDS_NONNEGATIVE | KEEPS_SUMS,
        .volumes = 2,
        .projections = 2,
        .begin = begin_sart,
        .iterate = sart,
};
