/*
 * Maximum likelihood for emission data, y Poisson with mean A x, x >= 0: MLEM and OSEM, x *= A'(y / (A x)) /
 * A'1 over all rows or each subset. L. A. Shepp and Y. Vardi, Maximum likelihood reconstruction for emission
 * tomography, IEEE TMI 1(2), 1982; H. M. Hudson and R. S. Larkin, Accelerated image reconstruction using
 * ordered subsets of projection data, IEEE TMI 13(4), 1994.
 */

#include <math.h>
#include <string.h>

#include "iter/algorithm/algorithm.h"
#include "iter/step/fold.h"
#include "iter/step/passes.h"
#include "misc/error.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

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
			sum[0] += divergence_from(yi, pi);                                                   \
			sum[1] += (pi - yi) * (pi - yi);                                                     \
			p[i] = (T)ratio_to(yi, pi);                                                          \
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

/** w[0] = y / (A x); asks for the divergence and for |A x - y|^2. */
static int ask_compare(struct run *r, const struct iter_subset *s)
{
	const long m = linop_codomain_size(s->A);
	double part[FOLD_SUMS];
	int place, next;
	double *sum = run_ask(r, &place);

	run_ask(r, &next);
	linop_forward(s->A, r->w[0], r->x);

	if (device_holds(r->w[0])) {
		iter_passes_gpu.ratio(r->type, m, r->w[0], s->y, sum);
		return place;
	}

	fold(m, (DT_FLOAT32 == r->type) ? ratio_float : ratio_double, &(struct ratio){r->type, s->y, r->w[0]},
	        part);
	memcpy(sum, part, 2 * sizeof *sum);

	return place;
}

/** x *= A' w[0] / A'1; asks for how far that moved it, squared. */
static int ask_update(struct run *r, const struct linop *A)
{
	double part[FOLD_SUMS];
	int place;
	double *sum = run_ask(r, &place);

	linop_adjoint(A, r->v[FACTOR], r->w[0]);

	if (device_holds(r->x)) {
		iter_passes_gpu.multiply(r->type, r->n, r->x, r->v[FACTOR], r->v[SENSITIVITY], sum);
		return place;
	}

	fold(r->n, (DT_FLOAT32 == r->type) ? update_float : update_double, r, part);
	*sum = part[0];

	return place;
}

static void em_begin(struct run *r)
{
	if (1 == run_subsets(r))
		sensitivity(r, r->p->A);

	const int all = ask_compare(r, &(const struct iter_subset){r->p->A, r->p->y, NULL, NULL});

	run_fetch(r);
	r->objective = run_told(r, all);
	r->residual = sqrt(run_told(r, all + 1));
}

/** With several subsets, the values are those met on the way. */
static void em_iterate(struct run *r)
{
	const int subsets = run_subsets(r);
	double total[2] = {0, 0}, moved = 0;
	int first = 0;

	for (int i = 0; i < subsets; i++) {
		const struct iter_subset s = run_subset(r, i);
		int place;

		if (1 < subsets) {
			sensitivity(r, s.A);
			place = ask_compare(r, &s);
			ask_update(r, s.A);
		} else {
			place = ask_update(r, s.A);
			ask_compare(r, &s);
		}

		first = (0 == i) ? place : first;
	}

	const int size = run_ask_size(r);

	run_fetch(r);
	run_told_size(r, size);

	// of each subset the divergence, the square and how far x moved; of one alone this comes first
	for (int i = 0; i < subsets; i++) {
		const int at = first + 3 * i, values = (1 < subsets) ? at : at + 1;

		total[0] += run_told(r, values);
		total[1] += run_told(r, values + 1);
		moved += run_told(r, (1 < subsets) ? at + 2 : at);
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
        .takes = ANYWHERE | NEEDS_NONNEGATIVE | MONOTONE | STAYS_NONNEGATIVE,
        .volumes = 2,
        .projections = 1,
        .start = 1.,
        .distributed = true,
        .begin = em_begin,
        .iterate = em_iterate,
};

const struct algorithm algorithm_osem = {
        .name = "osem",
        .about = "MLEM with each subset of the views in turn (Hudson and Larkin 1994)",
        .takes = ANYWHERE | TAKES_SUBSETS | NEEDS_NONNEGATIVE | STAYS_NONNEGATIVE,
        .volumes = 2,
        .projections = 1,
        .start = 1.,
        .distributed = true,
        .begin = em_begin,
        .iterate = em_iterate,
};
