/*
 * Separable quadratic surrogates: each voxel has its own step 1 / d_i, d = A'W A 1 + lambda + the curvatures
 * of the differentiable terms; over subsets, with Nesterov's momentum. A term without an operator, such as a
 * constraint, is applied after each step if its proximal operator acts on each voxel separately. H. Erdogan
 * and J. A. Fessler, Ordered subsets algorithms for transmission tomography, Phys. Med. Biol. 44, 1999; D.
 * Kim, S. Ramani and J. A. Fessler, Combining ordered subsets and momentum for accelerated X-ray CT image
 * reconstruction, IEEE TMI 34(1), 2015.
 */

#include <math.h>

#include "iter/algorithm/algorithm.h"
#include "iter/step/updates.h"
#include "num/md/flpmath.h"

enum { SLOPE, CURVATURE, AT, LAST };
enum { T, VALUE };

static void sqs_begin(struct run *r)
{
	const struct iter_problem *p = r->p;
	const double terms = run_lipschitz_terms(r);

	run_fill(r->type, r->n, r->v[SLOPE], 1.);
	linop_forward(p->A, r->w[0], r->v[SLOPE]);

	if (NULL != p->W)
		weights_apply(p->W, r->type, r->m, r->w[0], r->w[0]);

	linop_adjoint(p->A, r->v[CURVATURE], r->w[0]);

	if (NULL != p->data)
		vec_scale(r->type, r->n, r->v[CURVATURE], functional_lipschitz(p->data));

	run_expect_bound(r, terms);
	run_expect_bound(r, (NULL != p->data) ? functional_lipschitz(p->data) : 0.);

	vec_axpy(r->type, r->n, r->v[CURVATURE], terms, r->v[SLOPE]);
	vec_copy(r->type, r->n, r->v[AT], r->x);
	r->s[T] = 1.;
	r->s[VALUE] = INFINITY;
	linop_forward(p->A, r->w[0], r->x);
	r->objective = run_data(r, r->w[0], r->w[0]) + run_penalty(r, r->x) + run_terms(r, r->x, true) +
	               run_terms(r, r->x, false);
}

/** slope of a subset's part, taken for a part of the whole like all others; asks for the part of the
 * objective.
 */
static int ask_slope(struct run *r, const struct iter_subset *s, double parts)
{
	const long m = linop_codomain_size(s->A);
	int place;

	linop_forward(s->A, r->w[0], r->v[AT]);

	if (1 == run_subsets(r)) {
		place = run_ask_data(r, r->w[0], r->w[0]);
	} else if (NULL != s->data) {
		place = run_ask_value(r, s->data, r->w[0]);
		functional_gradient(s->data, r->w[0], r->w[0]);
	} else {
		vec_axpby(r->type, m, r->w[0], 1., r->w[0], -1., s->y);
		place = run_ask_weighted(r, s->W, m, r->w[0]);
		weights_apply(s->W, r->type, m, r->w[0], r->w[0]);
	}

	linop_adjoint(s->A, r->v[SLOPE], r->w[0]);

	if (1. != parts)
		vec_scale(r->type, r->n, r->v[SLOPE], parts);

	run_penalty_slope(r, r->v[SLOPE], r->v[AT]);

	return place;
}

/** last x, x = at - relaxation slope / curvature, within bounds; asks for the square of the slope. */
static int ask_step(struct run *r)
{
	int place, next;
	double *sum = run_ask(r, &place);

	run_ask(r, &next);
	iter_updates_of(r->x)->divide(r->type, r->n, r->x, r->v[LAST], r->v[AT], r->v[SLOPE], r->v[CURVATURE],
	        run_relaxation(r), sum);

	if (NULL != run_prox_term(r))
		functional_prox(run_prox_term(r), 1., r->x, r->x);

	return place;
}

/** What a subset's part of the objective is, as asked for. */
static double told_part(struct run *r, int place)
{
	if (1 == run_subsets(r))
		return run_told_data(r, place);

	return (NULL != r->p->data) ? run_told(r, place) : 0.5 * run_told(r, place);
}

/** The objective is that where the gradients were taken. */
static void sqs_iterate(struct run *r, bool momentum)
{
	const int n = run_subsets(r);
	double data = 0.;
	int first = 0, step = 0;

	for (int i = 0; i < n; i++) {
		const struct iter_subset s = run_subset(r, i);
		const double t = r->s[T], next = (1. + sqrt(1. + 4. * t * t)) / 2.;
		const int place = ask_slope(r, &s, n);

		first = (0 == i) ? place : first;
		step = ask_step(r);
		r->s[T] = momentum ? next : 1.;
		vec_axpby(r->type, r->n, r->v[AT], 1. + (momentum ? (t - 1.) / next : 0.), r->x,
		        momentum ? -(t - 1.) / next : 0., r->v[LAST]);
	}

	const int penalty = run_ask_penalty(r, r->x), terms = run_ask_terms(r, r->x, true),
	          size = run_ask_size(r);

	run_fetch(r);
	run_told_size(r, size);

	for (int i = 0; i < n; i++) // a part, and two sums of the step
		data += told_part(r, first + 3 * i);

	r->gradient = sqrt(run_told(r, step));
	r->objective = data + run_told_penalty(r, penalty) + run_told_terms(r, terms, true);
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
	sqs_iterate(r, false);
}

static void fast(struct run *r)
{
	sqs_iterate(r, true);
}

const struct algorithm algorithm_sqs = {
        .name = "sqs",
        .about = "separable quadratic surrogates, of each subset of the views in turn (Erdogan and Fessler "
                 "1999)",
        .takes = ANYWHERE | TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH |
                 TAKES_PROX | BOUNDS_ONLY | TAKES_SUBSETS | NEEDS_NONNEGATIVE,
        .volumes = 4,
        .projections = 1,
        .distributed = true,
        .begin = sqs_begin,
        .iterate = plain,
};

const struct algorithm algorithm_sqs_momentum = {
        .name = "sqs-momentum",
        .about = "sqs with Nesterov's momentum (Kim, Ramani and Fessler 2015)",
        .takes = ANYWHERE | TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH |
                 TAKES_PROX | BOUNDS_ONLY | TAKES_SUBSETS | NEEDS_NONNEGATIVE,
        .volumes = 4,
        .projections = 1,
        .distributed = true,
        .begin = sqs_begin,
        .iterate = fast,
};
