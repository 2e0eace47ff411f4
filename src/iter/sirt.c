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

/** x = 1 / x where that is large enough, else 0. */
static void invert(enum dtype t, long n, void *x, const char *what)
{
	double low = 0, high = 0, sum[FOLD_SUMS];

	for (long i = 0; i < n; i++) {
		const double v = (DT_FLOAT32 == t) ? (double)((const float *)x)[i] : ((const double *)x)[i];

		low = (v < low) ? v : low;
		high = (v > high) ? v : high;
	}

	if (low < -least * high)
		error("the operator has %s that sum to %g, expected none below 0: this algorithm needs an "
		      "operator "
		      "without negative elements",
		        what, low);

	fold(n, invert_block, &(struct inverse){t, x, least * high}, sum);
}

/** w[1] = 1 / (A 1) and v[COLUMNS] = 1 / (A' 1) of these rows; v[STEP] is used. */
static void sums(struct run *r, const struct linop *A)
{
	const long m = linop_codomain_size(A);

	run_fill(r->type, r->n, r->v[STEP], 1.);
	linop_forward(A, r->w[1], r->v[STEP]);
	invert(r->type, m, r->w[1], "rows");
	run_fill(r->type, m, r->w[0], 1.);
	linop_adjoint(A, r->v[COLUMNS], r->w[0]);
	invert(r->type, r->n, r->v[COLUMNS], "columns");
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
static double correct(struct run *r, const struct linop *A)
{
	vec_mul(r->type, linop_codomain_size(A), r->w[0], r->w[0], r->w[1]);
	linop_adjoint(A, r->v[STEP], r->w[0]);
	vec_mul(r->type, r->n, r->v[STEP], r->v[STEP], r->v[COLUMNS]);
	vec_axpy(r->type, r->n, r->x, run_relaxation(r), r->v[STEP]);

	if (r->p->terms > 0)
		run_prox(r, 1., r->x, r->x);

	return vec_norm(r->type, r->n, r->v[STEP]);
}

static void begin_sirt(struct run *r)
{
	sums(r, r->p->A);
	r->residual = sqrt(residual(r, r->p->A, r->p->y));
}

static void sirt(struct run *r)
{
	r->gradient = correct(r, r->p->A);
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

static void begin_sart(struct run *r)
{
	r->residual = sqrt(residual(r, r->p->A, r->p->y));
}

/** All subsets; the residual is that met on the way. */
static void sart(struct run *r)
{
	double sum = 0, moved = 0;

	for (int i = 0; i < run_subsets(r); i++) {
		const struct iter_subset s = run_subset(r, i);

		sums(r, s.A);
		sum += residual(r, s.A, s.y);
		moved += correct(r, s.A);
	}

	r->gradient = moved;
	r->minimum = 0. == moved;
	r->step = run_relaxation(r);
	r->residual = sqrt(sum);
}

const struct algorithm algorithm_ossart = {
        .name = "ossart",
        .about = "SIRT's step for each subset of the views in turn (Andersen and Kak 1984)",
        .takes = TAKES_PROX | TAKES_SUBSETS | NEEDS_NONNEGATIVE,
        .volumes = 2,
        .projections = 2,
        .begin = begin_sart,
        .iterate = sart,
};

const struct algorithm algorithm_sart = {
        .name = "sart",
        .about = "SIRT's step for each view in turn (Andersen and Kak 1984)",
        .takes = TAKES_PROX | TAKES_SUBSETS | NEEDS_NONNEGATIVE,
        .volumes = 2,
        .projections = 2,
        .begin = begin_sart,
        .iterate = sart,
};
