/*
 * Maximum likelihood for emission data, y Poisson with mean A x, x >= 0: MLEM and OSEM, x *= A'(y / (A x)) /
 * A'1 over all rows or each subset. L. A. Shepp and Y. Vardi, Maximum likelihood reconstruction for emission
 * tomography, IEEE TMI 1(2), 1982; H. M. Hudson and R. S. Larkin, Accelerated image reconstruction using
 * ordered subsets of projection data, IEEE TMI 13(4), 1994.
 */

#include <math.h>

#include "iter/algorithm.h"
#include "iter/fold.h"
#include "misc/error.h"
#include "num/flpmath.h"

enum { FACTOR, SENSITIVITY };

struct ratio {
	enum dtype type;
	const void *y;
	void *p; // in: A x; out: y / (A x)
};

/** Kullback and Leibler's divergence of y from p, and the ratio; rows that the volume does not reach say
 * nothing. */
#define RATIO(T)                                                                                             \
	static void ratio_##T(void *ctx, long first, long n, double sum[FOLD_SUMS])                          \
	{                                                                                                    \
		const struct ratio *q = ctx;                                                                 \
		const T *y = q->y;                                                                           \
		T *p = q->p;                                                                                 \
                                                                                                             \
		for (long i = first; i < first + n; i++) {                                                   \
			const double yi = (double)y[i], pi = (double)p[i];                                   \
                                                                                                             \
			sum[0] += (yi > 0. && pi > 0.) ? pi - yi + yi * log(yi / pi) : pi;                   \
			sum[1] += (pi - yi) * (pi - yi);                                                     \
			p[i] = (pi > 0.) ? (T)(yi / pi) : 0;                                                 \
		}                                                                                            \
	}                                                                                                    \
	static void update_##T(void *ctx, long first, long n, double sum[FOLD_SUMS])                         \
	{                                                                                                    \
		struct run *r = ctx;                                                                         \
		const T *f = r->v[FACTOR], *s = r->v[SENSITIVITY];                                           \
		T *x = r->x;                                                                                 \
                                                                                                             \
		for (long i = first; i < first + n; i++) {                                                   \
			const T before = x[i];                                                               \
                                                                                                             \
			x[i] = (s[i] > 0) ? before * (f[i] / s[i]) : before;                                 \
			sum[0] += ((double)x[i] - (double)before) * ((double)x[i] - (double)before);         \
		}                                                                                            \
	}
RATIO(float)
RATIO(double)

static void sensitivity(struct run *r, const struct linop *A)
{
	run_fill(r->type, linop_codomain_size(A), r->w[0], 1.);
	linop_adjoint(A, r->v[SENSITIVITY], r->w[0]);
}

/** w[0] = y / (A x); adds the divergence and |A x - y|^2 to sum. */
static void compare(struct run *r, const struct iter_subset *s, double total[2])
{
	double sum[FOLD_SUMS];
	struct ratio q = {r->type, s->y, r->w[0]};

	linop_forward(s->A, r->w[0], r->x);
	fold(linop_codomain_size(s->A), (DT_FLOAT32 == r->type) ? ratio_float : ratio_double, &q, sum);
	total[0] += sum[0];
	total[1] += sum[1];
}

static void begin(struct run *r)
{
	double total[2] = {0, 0};

	if (1 == run_subsets(r))
		sensitivity(r, r->p->A);

	compare(r, &(const struct iter_subset){r->p->A, r->p->y, NULL, NULL}, total);
	r->objective = total[0];
	r->residual = sqrt(total[1]);
}

/** The values are those met on the way: with one subset, those before the step. */
static void iterate(struct run *r)
{
	double total[2] = {0, 0}, moved = 0;

	for (int i = 0; i < run_subsets(r); i++) {
		const struct iter_subset s = run_subset(r, i);
		double sum[FOLD_SUMS];

		if (1 < run_subsets(r)) {
			sensitivity(r, s.A);
			compare(r, &s, total);
		}

		linop_adjoint(s.A, r->v[FACTOR], r->w[0]);
		fold(r->n, (DT_FLOAT32 == r->type) ? update_float : update_double, r, sum);
		moved += sum[0];

		if (1 == run_subsets(r))
			compare(r, &s, total);
	}

	r->objective = total[0];
	r->residual = sqrt(total[1]);
	r->gradient = sqrt(moved);
	r->minimum = 0. == moved;
}

const struct algorithm algorithm_mlem = {
        .name = "mlem",
        .about = "maximum likelihood of Poisson counts with mean A x by expectation maximisation (Shepp and "
                 "Vardi 1982)",
        .takes = NEEDS_NONNEGATIVE | MONOTONE,
        .volumes = 2,
        .projections = 1,
        .start = 1.,
        .begin = begin,
        .iterate = iterate,
};

const struct algorithm algorithm_osem = {
        .name = "osem",
        .about = "MLEM with each subset of the views in turn (Hudson and Larkin 1994)",
        .takes = TAKES_SUBSETS | NEEDS_NONNEGATIVE,
        .volumes = 2,
        .projections = 1,
        .start = 1.,
        .begin = begin,
        .iterate = iterate,
};
