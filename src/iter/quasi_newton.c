/*
 * Nonlinear conjugate gradients (Polak and Ribiere's directions, never backwards) and L-BFGS for
 * differentiable objectives, with a line search by Armijo's rule that starts from a good guess. J. Nocedal
 * and S. J. Wright, Numerical Optimization, 2nd ed., Springer 2006, algorithms 5.4, 7.4 and section 3.5.
 */

#include <math.h>

#include "iter/algorithm.h"
#include "misc/error.h"
#include "num/flpmath.h"

enum { SLOPE, DIRECTION, LAST, PAIRS_ }; // pairs of L-BFGS follow
enum { AX, AD, WORK };
enum { L, VALUE, GG, KNOWN, RHO_ };
enum { PAIRS = 5 };

static void settle(struct run *r, double value)
{
	r->s[VALUE] = r->objective = value;
	r->gradient = vec_norm(r->type, r->n, r->v[SLOPE]);
	r->minimum = 0. == r->gradient;
}

static void slope_at(struct run *r)
{
	vec_copy(r->type, r->m, r->w[WORK], r->w[AX]);
	settle(r, run_smooth_at(r, r->v[SLOPE], r->w[WORK], r->x));
}

static void begin(struct run *r)
{
	r->s[L] = run_lipschitz(r, r->v[SLOPE], r->w[WORK]);
	linop_forward(r->p->A, r->w[AX], r->x);
	slope_at(r);
	vec_axpby(r->type, r->n, r->v[DIRECTION], -1., r->v[SLOPE], 0., r->v[SLOPE]);
	r->s[GG] = r->gradient * r->gradient;
}

/** The objective at x, A x in w[AX]; w[WORK] is used. */
static double value_at(struct run *r)
{
	vec_copy(r->type, r->m, r->w[WORK], r->w[AX]);

	return run_data(r, r->w[WORK], r->w[WORK]) + run_penalty(r, r->x) + run_terms(r, r->x, true);
}

/** x += t d with A x by A d: a length that a parabola through two values gives, shortened until the objective
 * falls enough. false: nothing is left to gain. */
static bool search(struct run *r, double t)
{
	const double down = vec_dot(r->type, r->n, r->v[SLOPE], r->v[DIRECTION]);
	double at = 0, tried = t;

	if (!(down < 0.))
		return false;

	linop_forward(r->p->A, r->w[AD], r->v[DIRECTION]);

	for (int k = 0; k < 50; k++) {
		vec_axpy(r->type, r->n, r->x, tried - at, r->v[DIRECTION]);
		vec_axpy(r->type, r->m, r->w[AX], tried - at, r->w[AD]);
		at = tried;

		const double value = value_at(r), curved = (value - r->s[VALUE] - at * down) / (at * at);
		const double best = (curved > 0.) ? -down / (2. * curved) : 2. * at;

		if (value <= r->s[VALUE] + 1e-4 * at * down && (k > 0 || fabs(best - at) < 0.1 * at)) {
			r->step = at;
			return true;
		}

		if (0 == k && isfinite(best))
			tried = fmin(best, 10. * at);
		else
			tried = (value <= r->s[VALUE] + 1e-4 * at * down) ? at : 0.5 * at;

		if (tried == at) {
			r->step = at;
			return true;
		}
	}

	vec_axpy(r->type, r->n, r->x, -at, r->v[DIRECTION]);
	vec_axpy(r->type, r->m, r->w[AX], -at, r->w[AD]);

	return false;
}

static void give_up(struct run *r)
{
	r->objective = r->s[VALUE];
	r->minimum = true;
}

static void nlcg(struct run *r)
{
	vec_copy(r->type, r->n, r->v[LAST], r->v[SLOPE]);

	if (!search(r, (r->k > 0 && r->s[KNOWN] > 0.) ? r->s[KNOWN] : 1. / r->s[L])) {
		give_up(r);
		return;
	}

	r->s[KNOWN] = r->step;

	const double step = r->step;

	slope_at(r);
	r->step = step;

	const double gg = r->gradient * r->gradient;
	const double beta = fmax(0., (gg - vec_dot(r->type, r->n, r->v[SLOPE], r->v[LAST])) / r->s[GG]);

	vec_axpby(r->type, r->n, r->v[DIRECTION], -1., r->v[SLOPE], beta, r->v[DIRECTION]);

	if (!(vec_dot(r->type, r->n, r->v[SLOPE], r->v[DIRECTION]) < 0.))
		vec_axpby(r->type, r->n, r->v[DIRECTION], -1., r->v[SLOPE], 0., r->v[DIRECTION]);

	r->s[GG] = gg;
}

const struct algorithm algorithm_nlcg = {
        .name = "nlcg",
        .about = "nonlinear conjugate gradients (Polak and Ribiere) for differentiable objectives",
        .takes = ANYWHERE | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH | TAKES_COMPLEX |
                 MONOTONE | NEEDS_VALUES,
        .volumes = 3,
        .projections = 3,
        .begin = begin,
        .iterate = nlcg,
};

/** d = -H slope by the two-loop recursion over pairs s, y, the newest first. */
static void two_loops(struct run *r)
{
	const int pairs = (int)r->s[KNOWN];
	double a[PAIRS];

	vec_axpby(r->type, r->n, r->v[DIRECTION], -1., r->v[SLOPE], 0., r->v[SLOPE]);

	for (int i = 0; i < pairs; i++) {
		a[i] = r->s[RHO_ + i] * vec_dot(r->type, r->n, r->v[PAIRS_ + 2 * i], r->v[DIRECTION]);
		vec_axpy(r->type, r->n, r->v[DIRECTION], -a[i], r->v[PAIRS_ + 2 * i + 1]);
	}

	if (pairs > 0) {
		const double yy = vec_dot(r->type, r->n, r->v[PAIRS_ + 1], r->v[PAIRS_ + 1]);

		vec_scale(r->type, r->n, r->v[DIRECTION], 1. / (r->s[RHO_] * yy));
	}

	for (int i = pairs - 1; i >= 0; i--) {
		const double b =
		        r->s[RHO_ + i] * vec_dot(r->type, r->n, r->v[PAIRS_ + 2 * i + 1], r->v[DIRECTION]);

		vec_axpy(r->type, r->n, r->v[DIRECTION], a[i] - b, r->v[PAIRS_ + 2 * i]);
	}
}

/** The pair s = step d, y = slope - last slope in front of the others; the oldest goes. */
static void add_pair(struct run *r, double step)
{
	void *s = r->v[PAIRS_ + 2 * PAIRS - 2], *y = r->v[PAIRS_ + 2 * PAIRS - 1];

	vec_axpby(r->type, r->n, s, step, r->v[DIRECTION], 0., r->v[DIRECTION]);
	vec_axpby(r->type, r->n, y, 1., r->v[SLOPE], -1., r->v[LAST]);

	const double sy = vec_dot(r->type, r->n, s, y);

	if (!(sy > 0.))
		return;

	for (int i = PAIRS - 1; i > 0; i--) {
		r->v[PAIRS_ + 2 * i] = r->v[PAIRS_ + 2 * i - 2];
		r->v[PAIRS_ + 2 * i + 1] = r->v[PAIRS_ + 2 * i - 1];
		r->s[RHO_ + i] = r->s[RHO_ + i - 1];
	}

	r->v[PAIRS_] = s;
	r->v[PAIRS_ + 1] = y;
	r->s[RHO_] = 1. / sy;
	r->s[KNOWN] = fmin(PAIRS, r->s[KNOWN] + 1.);
}

static void lbfgs(struct run *r)
{
	two_loops(r);
	vec_copy(r->type, r->n, r->v[LAST], r->v[SLOPE]);

	if (!search(r, (r->s[KNOWN] > 0.) ? 1. : 1. / r->s[L])) {
		give_up(r);
		return;
	}

	const double step = r->step;

	slope_at(r);
	r->step = step;
	add_pair(r, step);
}

const struct algorithm algorithm_lbfgs = {
        .name = "lbfgs",
        .about = "L-BFGS with five pairs for differentiable objectives (Nocedal 1980)",
        .takes = ANYWHERE | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH | TAKES_COMPLEX |
                 MONOTONE | NEEDS_VALUES,
        .volumes = 3 + 2 * PAIRS,
        .projections = 3,
        .begin = begin,
        .iterate = lbfgs,
};
