/*
 * SIRT, SART and OS-SART: x += relaxation C A' R (y - A x), where R and C divide by the sums of A's rows and
 * columns; of each subset in turn. [1] P. Gilbert, Iterative methods for the three-dimensional reconstruction
 * of an object from projections, J. Theor. Biol. 36, 1972; [2] A. H. Andersen and A. C. Kak, Simultaneous
 * algebraic reconstruction technique, Ultrasonic Imaging 6, 1984; [3] M. Jiang and G. Wang, Convergence of
 * the simultaneous algebraic reconstruction technique, IEEE TIP 12(8), 2003.
 */

#include <math.h>

#include "iter/algorithm/sirt.h"

#include "iter/step/fold.h"
#include "iter/step/passes.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

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

	if (device_holds(x)) {
		double *below = device_alloc(sizeof *below);

		iter_passes_gpu.invert(t, n, x, least * high, below);
		sum[0] = number_take(below);
	} else {
		fold(n, count_below, &(struct inverse){t, x, -least * high}, sum);
	}

	if (sum[0] > 0.)
		error("%.0f %s of the operator sum to less than 0, expected an operator without negative "
		      "elements",
		        sum[0], what);

	if (!device_holds(x))
		fold(n, invert_block, &(struct inverse){t, x, least * high}, sum);
}

/** rows = 1 / (A 1); v[SIRT_STEP] is used. */
static void row_sums(struct run *r, const struct linop *A, void *rows)
{
	run_fill(r->type, r->n, r->v[SIRT_STEP], 1.);
	linop_forward(A, rows, r->v[SIRT_STEP]);
	invert(r->type, linop_codomain_size(A), rows, "rows");
}

/** v[SIRT_COLUMNS] = 1 / (A' 1); w[SIRT_RESIDUAL] is used. */
static void column_sums(struct run *r, const struct linop *A)
{
	run_fill(r->type, linop_codomain_size(A), r->w[SIRT_RESIDUAL], 1.);
	linop_adjoint(A, r->v[SIRT_COLUMNS], r->w[SIRT_RESIDUAL]);
	invert(r->type, r->n, r->v[SIRT_COLUMNS], "columns");
}

/** The same for a subset by its number, computed once where it can be kept. */
static const void *columns_of(struct run *r, int number, const struct linop *A)
{
	if (number < r->keeps && NULL != r->kept[number])
		return r->kept[number];

	column_sums(r, A);

	if (number >= r->keeps)
		return r->v[SIRT_COLUMNS];

	r->kept[number] = md_alloc_sameplace(1, &r->n, dtype_size(r->type), r->x);
	vec_copy(r->type, r->n, r->kept[number], r->v[SIRT_COLUMNS]);

	return r->kept[number];
}

/** w[SIRT_RESIDUAL] = y - A x, and its square. */
static int ask_residual(struct run *r, const struct linop *A, const void *y)
{
	const long m = linop_codomain_size(A);

	linop_forward(A, r->w[SIRT_RESIDUAL], r->x);
	vec_axpby(r->type, m, r->w[SIRT_RESIDUAL], 1., y, -1., r->w[SIRT_RESIDUAL]);

	return run_ask_dot(r, m, r->w[SIRT_RESIDUAL], r->w[SIRT_RESIDUAL]);
}

double sirt_residual(struct run *r, const struct linop *A, const void *y)
{
	const int place = ask_residual(r, A, y);

	run_fetch(r);

	return run_told(r, place);
}

/** x += relaxation C A' R w[SIRT_RESIDUAL], within the bounds; the norm of that step before them. */
static int ask_correct(
        struct run *r, const struct linop *A, double relaxation, const void *rows, const void *columns)
{
	vec_mul(r->type, linop_codomain_size(A), r->w[SIRT_RESIDUAL], r->w[SIRT_RESIDUAL], rows);
	linop_adjoint(A, r->v[SIRT_STEP], r->w[SIRT_RESIDUAL]);
	vec_mul(r->type, r->n, r->v[SIRT_STEP], r->v[SIRT_STEP], columns);
	vec_axpy(r->type, r->n, r->x, relaxation, r->v[SIRT_STEP]);

	if (NULL != run_prox_term(r))
		functional_prox(run_prox_term(r), 1., r->x, r->x);

	return run_ask_norm(r, r->n, r->v[SIRT_STEP]);
}

static void begin_sirt(struct run *r)
{
	row_sums(r, r->p->A, r->w[SIRT_ROWS]);
	column_sums(r, r->p->A);
	r->residual = sqrt(sirt_residual(r, r->p->A, r->p->y));
}

static void sirt(struct run *r)
{
	const int step = ask_correct(r, r->p->A, run_relaxation(r), r->w[SIRT_ROWS], r->v[SIRT_COLUMNS]),
	          size = run_ask_size(r), residual = ask_residual(r, r->p->A, r->p->y);

	run_fetch(r);
	run_told_size(r, size);
	r->gradient = run_told(r, step);
	r->minimum = 0. == r->gradient;
	r->step = run_relaxation(r);
	r->residual = sqrt(run_told(r, residual));
}

const struct algorithm algorithm_sirt = {
        .name = "sirt",
        .about = "simultaneous iterations weighted by the sums of rows and columns (Gilbert 1972); minimises "
                 "|A x - y| in the norm weighted by the inverse row sums",
        .takes = ANYWHERE | TAKES_RELAXATION | TAKES_PROX | BOUNDS_ONLY | NEEDS_NONNEGATIVE,
        .volumes = SIRT_VOLUMES,
        .projections = SIRT_PROJECTIONS,
        .distributed = true,
        .begin = begin_sirt,
        .iterate = sirt,
};

void sirt_begin(struct run *r)
{
	for (int i = 0; i < run_subsets(r); i++)
		row_sums(r, run_subset_at(r, i).A, run_subset_rows(r, r->w[SIRT_ROWS], i));

	r->residual = sqrt(sirt_residual(r, r->p->A, r->p->y));
}

double sirt_pass(struct run *r, double relaxation, double *moved)
{
	double sum = 0;
	int first = -1;

	for (int i = 0; i < run_subsets(r); i++) {
		const struct iter_subset s = run_subset(r, i);
		const int number = run_subset_number(r, i);
		const void *columns = columns_of(r, number, s.A);

		const int place = ask_residual(r, s.A, s.y);

		ask_correct(r, s.A, relaxation, run_subset_rows(r, r->w[SIRT_ROWS], number), columns);
		first = (i == 0) ? place : first;
	}

	const int size = run_ask_size(r);

	run_fetch(r);
	run_told_size(r, size);
	*moved = 0;

	for (int i = 0; i < run_subsets(r); i++) {
		sum += run_told(r, first + 2 * i);
		*moved += run_told(r, first + 2 * i + 1);
	}

	return sum;
}

/** The residual is that met on the way. */
static void sart(struct run *r)
{
	r->step = run_relaxation(r);
	r->residual = sqrt(sirt_pass(r, r->step, &r->gradient));
	r->minimum = 0. == r->gradient;
}

const struct algorithm algorithm_ossart = {
        .name = "ossart",
        .about = "SIRT's step for each subset of the views in turn (Andersen and Kak 1984)",
        .takes = ANYWHERE | TAKES_RELAXATION | TAKES_PROX | BOUNDS_ONLY | TAKES_SUBSETS | NEEDS_NONNEGATIVE |
                 KEEPS_SUMS,
        .volumes = SIRT_VOLUMES,
        .projections = SIRT_PROJECTIONS,
        .distributed = true,
        .begin = sirt_begin,
        .iterate = sart,
};

const struct algorithm algorithm_sart = {
        .name = "sart",
        .by_view = true,
        .about = "SIRT's step for each view in turn (Andersen and Kak 1984)",
        .takes = ANYWHERE | TAKES_RELAXATION | TAKES_PROX | BOUNDS_ONLY | TAKES_SUBSETS | NEEDS_NONNEGATIVE |
                 KEEPS_SUMS,
        .volumes = SIRT_VOLUMES,
        .projections = SIRT_PROJECTIONS,
        .distributed = true,
        .begin = sirt_begin,
        .iterate = sart,
};
