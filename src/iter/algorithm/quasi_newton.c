/*
 * Nonlinear conjugate gradients (Polak and Ribiere's directions, never backwards) and L-BFGS for
 * differentiable objectives, with a line search by Armijo's rule that starts from a good guess. J. Nocedal
 * and S. J. Wright, Numerical Optimization, 2nd ed., Springer 2006, algorithms 5.4, 7.4 and section 3.5.
 */

#include <assert.h>
#include <math.h>

#include "iter/algorithm/algorithm.h"
#include "num/md/flpmath.h"

enum { PAIRS = 5 };
enum { SLOPE, DIRECTION, LAST, PAIRS_ }; // s and y of the pairs follow, the newest first
enum { AX, AD, WORK };
// DOWN: <slope, direction>; SY: <s_i, y_j> of i >= j, YY: <y_i, y_j>, at PAIRS i + j
enum { L, VALUE, GG, KNOWN, DOWN, SY, YY = SY + PAIRS * PAIRS, NUMBERS = YY + PAIRS * PAIRS };

static void quasi_newton_begin(struct run *r)
{
	r->s[L] = run_lipschitz(r, r->v[SLOPE], r->w[WORK]);
	run_expect_bound(r, r->s[L]);
	linop_forward(r->p->A, r->w[AX], r->x);
	vec_copy(r->type, r->m, r->w[WORK], r->w[AX]);
	r->s[VALUE] = r->objective = run_smooth_at(r, r->v[SLOPE], r->w[WORK], r->x);
	r->s[GG] = vec_dot(r->type, r->n, r->v[SLOPE], r->v[SLOPE]);
	r->s[DOWN] = -r->s[GG];
	r->gradient = sqrt(r->s[GG]);
	r->minimum = 0. == r->gradient;
	vec_axpby(r->type, r->n, r->v[DIRECTION], -1., r->v[SLOPE], 0., r->v[SLOPE]);
}

/** x and A x move by t d; the objective there, in one copy. w[WORK] is the gradient of d at A x. */
static double move(struct run *r, double t)
{
	int size;
	double *x2 = run_ask(r, &size);

	run_mix(r, r->n, r->x, factor_of(t), r->v[DIRECTION], factor_of(1.), x2);
	vec_axpy(r->type, r->m, r->w[AX], t, r->w[AD]);

	const int data = run_ask_data(r, r->w[WORK], r->w[AX]), terms = run_ask_terms(r, r->x, true);

	run_fetch(r);
	run_told_size(r, size);

	return run_told_data(r, data) + ((r->p->lambda > 0.) ? 0.5 * r->p->lambda * r->size2 : 0.) +
	       run_told_terms(r, terms, true);
}

/** x += t d with A x by A d: a length that a parabola through two values gives, shortened until the objective
 * falls enough. false: nothing is left to gain. */
static bool search(struct run *r, double t)
{
	const double down = r->s[DOWN];
	double at = 0, tried = t;

	if (!(down < 0.))
		return false;

	linop_forward(r->p->A, r->w[AD], r->v[DIRECTION]);

	for (int k = 0; k < 50; k++) {
		const double value = move(r, tried - at);

		at = tried;

		const double curved = (value - r->s[VALUE] - at * down) / (at * at);
		const double best = (curved > 0.) ? -down / (2. * curved) : 2. * at;
		const bool falls = value <= r->s[VALUE] + 1e-4 * at * down;

		if (!(falls && (k > 0 || fabs(best - at) < 0.1 * at))) {
			if (0 == k && isfinite(best))
				tried = fmin(best, 10. * at);
			else
				tried = falls ? at : 0.5 * at;
		}

		if (tried == at) {
			r->s[VALUE] = r->objective = value;
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
	r->residual = r->before.residual;
	r->size2 = NAN;
	r->minimum = true;
}

/** The gradient where the search ended; the one before is v[LAST]. */
static void slope_there(struct run *r)
{
	void *last = r->v[LAST];

	r->v[LAST] = r->v[SLOPE];
	r->v[SLOPE] = last;
	linop_adjoint(r->p->A, r->v[SLOPE], r->w[WORK]);
	run_penalty_slope(r, r->v[SLOPE], r->x);
}

/** |slope|^2 */
static void settle(struct run *r, double gg)
{
	r->s[GG] = gg;
	r->gradient = sqrt(gg);
	r->minimum = 0. == r->gradient;
}

/** out[i] = <v[i], w>, i < k, where the vectors lie. */
static void inner(const struct run *r, long k, const void *const v[], const void *w, double *out)
{
	const long n = dtype_is_complex(r->type) ? 2 * r->n : r->n;

	iter_updates_of(w)->inner(dtype_real(r->type), n, k, v, w, out);
}

static void nlcg(struct run *r)
{
	int place;

	if (!search(r, (r->k > 0 && r->s[KNOWN] > 0.) ? r->s[KNOWN] : 1. / r->s[L])) {
		give_up(r);
		return;
	}

	r->s[KNOWN] = r->step;
	slope_there(r);

	const void *const all[] = {r->v[SLOPE], r->v[LAST], r->v[DIRECTION]};
	double *sums = run_ask_some(r, 3, &place);

	inner(r, 3, all, r->v[SLOPE], sums);
	run_fetch(r);

	const double gg = run_told(r, place), along = run_told(r, place + 2);
	double beta = fmax(0., (gg - run_told(r, place + 1)) / r->s[GG]);

	if (!(beta * along - gg < 0.)) // never backwards
		beta = 0.;

	r->s[DOWN] = beta * along - gg;
	vec_axpby(r->type, r->n, r->v[DIRECTION], -1., r->v[SLOPE], beta, r->v[DIRECTION]);
	settle(r, gg);
}

const struct algorithm algorithm_nlcg = {
        .name = "nlcg",
        .about = "nonlinear conjugate gradients (Polak and Ribiere) for differentiable objectives",
        .takes = ANYWHERE | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH | TAKES_COMPLEX |
                 MONOTONE | NEEDS_VALUES,
        .volumes = 3,
        .projections = 3,
        .distributed = true,
        .begin = quasi_newton_begin,
        .iterate = nlcg,
};

/** What L-BFGS knows of the pairs and the gradient g: <s_i, g>, <y_i, g>, |g|^2. */
struct products {
	int pairs;
	double sg[PAIRS], yg[PAIRS], gg;
};

/** d = -H slope by the two-loop recursion over pairs s, y, the newest first, in the numbers that say how much
 * of each vector d has. */
static void two_loops(struct run *r, const struct products *p)
{
	const double *sy = &r->s[SY], *yy = &r->s[YY];
	const void *v[2 * PAIRS];
	double of[2 * PAIRS], *s = of, *y = of + p->pairs, a[PAIRS], slope = -1.;

	for (int i = 0; i < p->pairs; i++) {
		double sd = -p->sg[i];

		for (int j = 0; j < i; j++)
			sd += y[j] * sy[PAIRS * i + j];

		a[i] = sd / sy[PAIRS * i + i];
		y[i] = -a[i];
		v[i] = r->v[PAIRS_ + 2 * i];
		v[p->pairs + i] = r->v[PAIRS_ + 2 * i + 1];
	}

	if (p->pairs > 0)
		slope *= sy[0] / yy[0];

	for (int i = 0; i < p->pairs; i++)
		y[i] *= sy[0] / yy[0];

	for (int i = p->pairs - 1; i >= 0; i--) {
		double yd = slope * p->yg[i];

		for (int j = 0; j < p->pairs; j++)
			yd += y[j] * yy[PAIRS * i + j];

		for (int j = i + 1; j < p->pairs; j++)
			yd += s[j] * sy[PAIRS * j + i];

		s[i] = a[i] - yd / sy[PAIRS * i + i];
	}

	// how far down it goes
	r->s[DOWN] = slope * p->gg;

	for (int i = 0; i < p->pairs; i++)
		r->s[DOWN] += s[i] * p->sg[i] + y[i] * p->yg[i];

	const long n = dtype_is_complex(r->type) ? 2 * r->n : r->n;
	void *d = r->v[DIRECTION];

	vec_axpby(r->type, r->n, d, slope, r->v[SLOPE], 0., r->v[SLOPE]);
	iter_updates_of(d)->combine(dtype_real(r->type), n, d, d, 1., 2 * p->pairs, v, of, false, NULL);
}

/** Pair 0, whose products with the y of all and the s of all are known, is in front of the others. */
static void add_pair(struct run *r, int pairs, const double *ys, const double *yy)
{
	for (int i = pairs - 1; i > 0; i--)
		for (int j = pairs - 1; j > 0; j--) {
			r->s[SY + PAIRS * i + j] = r->s[SY + PAIRS * (i - 1) + j - 1];
			r->s[YY + PAIRS * i + j] = r->s[YY + PAIRS * (i - 1) + j - 1];
		}

	for (int i = 0; i < pairs; i++) {
		r->s[SY + PAIRS * i] = ys[i];
		r->s[YY + PAIRS * i] = r->s[YY + i] = yy[i];
	}
}

/** The pair s = step d, y = slope - last slope in the place of the oldest, and the vectors in the new order.
 */
static void make_pair(struct run *r, double step)
{
	void *s = r->v[PAIRS_ + 2 * PAIRS - 2], *y = r->v[PAIRS_ + 2 * PAIRS - 1];

	vec_axpby(r->type, r->n, s, step, r->v[DIRECTION], 0., r->v[DIRECTION]);
	vec_axpby(r->type, r->n, y, 1., r->v[SLOPE], -1., r->v[LAST]);

	for (int i = 2 * PAIRS - 1; i > 1; i--)
		r->v[PAIRS_ + i] = r->v[PAIRS_ + i - 2];

	r->v[PAIRS_] = s;
	r->v[PAIRS_ + 1] = y;
}

/** Pair 0 is the last one again, which is not counted. */
static void drop_pair(struct run *r)
{
	void *s = r->v[PAIRS_], *y = r->v[PAIRS_ + 1];

	for (int i = 0; i < 2 * PAIRS - 2; i++)
		r->v[PAIRS_ + i] = r->v[PAIRS_ + i + 2];

	r->v[PAIRS_ + 2 * PAIRS - 2] = s;
	r->v[PAIRS_ + 2 * PAIRS - 1] = y;
}

static void lbfgs(struct run *r)
{
	static_assert((int)NUMBERS <= (int)RUN_NUMBERS, "the numbers of a run");

	if (!search(r, (r->s[KNOWN] > 0.) ? 1. : 1. / r->s[L])) {
		give_up(r);
		return;
	}

	const int others = (int)fmin(PAIRS - 1, r->s[KNOWN]), all = others + 1;
	const void *v[2 * PAIRS + 1];
	double told[2 * (2 * PAIRS + 1)];
	int place;
	double *sums = run_ask_some(r, 2 * (2 * all + 1), &place);

	slope_there(r);
	make_pair(r, r->step);

	for (int i = 0; i < all; i++) {
		v[i] = r->v[PAIRS_ + 2 * i];
		v[all + i] = r->v[PAIRS_ + 2 * i + 1];
	}

	v[2 * all] = r->v[SLOPE];
	inner(r, 2 * all + 1, v, r->v[SLOPE], sums);
	inner(r, 2 * all + 1, v, r->v[PAIRS_ + 1], sums + 2 * all + 1);
	run_fetch(r);

	for (int i = 0; i < 2 * (2 * all + 1); i++)
		told[i] = run_told(r, place + i);

	const double *g = told, *y = told + 2 * all + 1; // products with the gradient, with the newest y
	const bool good = y[0] > 0.;                     // <s, y>
	struct products p = {.pairs = good ? all : others, .gg = g[2 * all]};

	if (good)
		add_pair(r, all, y, y + all);
	else
		drop_pair(r);

	for (int i = 0; i < p.pairs; i++) {
		p.sg[i] = g[good ? i : i + 1];
		p.yg[i] = g[all + (good ? i : i + 1)];
	}

	r->s[KNOWN] = p.pairs;
	settle(r, p.gg);
	two_loops(r, &p);
}

static bool sound(const struct run *r)
{
	return run_is_count(r->s[KNOWN], PAIRS);
}

const struct algorithm algorithm_lbfgs = {
        .name = "lbfgs",
        .about = "L-BFGS with five pairs for differentiable objectives (Nocedal 1980)",
        .takes = ANYWHERE | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH | TAKES_COMPLEX |
                 MONOTONE | NEEDS_VALUES,
        .volumes = 3 + 2 * PAIRS,
        .projections = 3,
        .sound = sound,
        .distributed = true,
        .begin = quasi_newton_begin,
        .iterate = lbfgs,
};
