/*
 * Separable quadratic surrogates: each voxel has its own step 1 / d_i, d = A'W A 1 + lambda + the curvatures
 * of the differentiable terms; over subsets, with Nesterov's momentum. A term without an operator, a
 * constraint say, follows each step where its proximal operator acts on each voxel alone. H. Erdogan and J.
 * A. Fessler, Ordered subsets algorithms for transmission tomography, Phys. Med. Biol. 44, 1999; D. Kim, S.
 * Ramani and J. A. Fessler, Combining ordered subsets and momentum for accelerated X-ray CT image
 * reconstruction, IEEE TMI 34(1), 2015.
 */

#include <math.h>

#include "iter/algorithm.h"
#include "iter/fold.h"
#include "misc/error.h"
#include "num/flpmath.h"

enum { SLOPE, CURVATURE, AT, LAST };
enum { T, VALUE };

struct division {
	enum dtype type;
	void *x;
	const void *d;
};

static void divide_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct division *q = ctx;

	(void)sum;

	for (long i = first; i < first + n; i++)
		if (DT_FLOAT32 == q->type) {
			const float d = ((const float *)q->d)[i];

			((float *)q->x)[i] = (d > 0) ? ((float *)q->x)[i] / d : 0;
		} else {
			const double d = ((const double *)q->d)[i];

			((double *)q->x)[i] = (d > 0) ? ((double *)q->x)[i] / d : 0;
		}
}

static void begin(struct run *r)
{
	const struct iter_problem *p = r->p;
	double terms = p->lambda;

	for (int i = 0; i < p->terms; i++)
		if (functional_is_smooth(p->term[i].g)) {
			const double b = operator_norm(p->term[i].B);

			terms += functional_lipschitz(p->term[i].g) * b * b;
		}

	run_fill(r->type, r->n, r->v[SLOPE], 1.);
	linop_forward(p->A, r->w[0], r->v[SLOPE]);

	if (NULL != p->W)
		weights_apply(p->W, r->type, r->m, r->w[0], r->w[0]);

	linop_adjoint(p->A, r->v[CURVATURE], r->w[0]);

	if (NULL != p->data)
		vec_scale(r->type, r->n, r->v[CURVATURE], functional_lipschitz(p->data));

	if (!isfinite(terms) || (NULL != p->data && !isfinite(functional_lipschitz(p->data))))
		error("%s: the curvature of the objective has no known bound", r->alg->name);

	vec_axpy(r->type, r->n, r->v[CURVATURE], terms, r->v[SLOPE]);
	vec_copy(r->type, r->n, r->v[AT], r->x);
	r->s[T] = 1.;
	r->s[VALUE] = INFINITY;
	linop_forward(p->A, r->w[0], r->x);
	r->objective = run_data(r, r->w[0], r->w[0]) + run_penalty(r, r->x) + run_terms(r, r->x, true) +
	               run_terms(r, r->x, false);
}

/** slope of a subset's part, taken for a part of the whole like all others. */
static double slope(struct run *r, const struct iter_subset *s, double parts)
{
	const long m = linop_codomain_size(s->A);
	double r2;

	linop_forward(s->A, r->w[0], r->v[AT]);

	if (1 == run_subsets(r)) {
		r2 = run_data(r, r->w[0], r->w[0]);
	} else if (NULL != s->data) {
		r2 = functional_value(s->data, r->w[0]);
		functional_gradient(s->data, r->w[0], r->w[0]);
	} else {
		vec_axpby(r->type, m, r->w[0], 1., r->w[0], -1., s->y);
		r2 = 0.5 * weights_norm2(s->W, r->type, m, r->w[0]);
		weights_apply(s->W, r->type, m, r->w[0], r->w[0]);
	}

	linop_adjoint(s->A, r->v[SLOPE], r->w[0]);
	vec_scale(r->type, r->n, r->v[SLOPE], parts);
	run_penalty_slope(r, r->v[SLOPE], r->v[AT]);

	return r2;
}

/** The objective is that where the gradients were taken. */
static void iterate(struct run *r, bool momentum)
{
	const int n = run_subsets(r);
	double data = 0, sum[FOLD_SUMS];

	for (int i = 0; i < n; i++) {
		const struct iter_subset s = run_subset(r, i);
		const double t = r->s[T], next = (1. + sqrt(1. + 4. * t * t)) / 2.;

		data += slope(r, &s, n);
		r->gradient = vec_norm(r->type, r->n, r->v[SLOPE]);
		fold(r->n, divide_block, &(struct division){r->type, r->v[SLOPE], r->v[CURVATURE]}, sum);
		vec_copy(r->type, r->n, r->v[LAST], r->x);
		vec_axpby(r->type, r->n, r->x, 1., r->v[AT], -run_relaxation(r), r->v[SLOPE]);
		run_prox(r, 1., r->x, r->x);
		r->s[T] = momentum ? next : 1.;
		vec_axpby(r->type, r->n, r->v[AT], 1. + (momentum ? (t - 1.) / next : 0.), r->x,
		        momentum ? -(t - 1.) / next : 0., r->v[LAST]);
	}

	r->objective = data + run_penalty(r, r->x) + run_terms(r, r->x, true);
	r->residual = (NULL == r->p->data) ? sqrt(2. * data) : NAN;
	r->minimum = 0. == r->gradient && 1 == n;

	if (momentum &&
	        r->objective > r->s[VALUE]) { // subsets and momentum together may grow without a limit
		r->s[T] = 1.;
		vec_copy(r->type, r->n, r->v[AT], r->x);
	}

	r->s[VALUE] = r->objective;
}

static void plain(struct run *r)
{
	iterate(r, false);
}

static void fast(struct run *r)
{
	iterate(r, true);
}

const struct algorithm algorithm_sqs = {
        .name = "sqs",
        .about = "separable quadratic surrogates, of each subset of the views in turn (Erdogan and Fessler "
                 "1999)",
        .takes = TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH | TAKES_PROX |
                 BOUNDS_ONLY | TAKES_SUBSETS | NEEDS_NONNEGATIVE,
        .volumes = 4,
        .projections = 1,
        .begin = begin,
        .iterate = plain,
};

const struct algorithm algorithm_sqs_momentum = {
        .name = "sqs-momentum",
        .about = "the same with Nesterov's momentum (Kim, Ramani and Fessler 2015)",
        .takes = TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH | TAKES_PROX |
                 BOUNDS_ONLY | TAKES_SUBSETS | NEEDS_NONNEGATIVE,
        .volumes = 4,
        .projections = 1,
        .begin = begin,
        .iterate = fast,
};
