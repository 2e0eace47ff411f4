/* Steps along the negative gradient: of fixed length, of Barzilai and Borwein's length, or found by Armijo's
 * rule. Landweber's iteration is gradient descent of fixed length for least squares. */

#include <math.h>

#include "iter/algorithm/algorithm.h"
#include "num/md/flpmath.h"

enum { SLOPE, NEXT, LAST };  // vectors of the domain
enum { L, VALUE, STEP, GG }; // numbers: the last step; |slope|^2

static void settle_at(struct run *r, double value, double gradient)
{
	r->s[VALUE] = value;
	r->objective = value;
	r->gradient = gradient;
	r->minimum = 0. == r->gradient;
}

static void settle(struct run *r, double value)
{
	settle_at(r, value, vec_norm(r->type, r->n, r->v[SLOPE]));
}

static void gradient_descent_begin(struct run *r)
{
	r->s[L] = (r->conf->step > 0.) ? 1. / r->conf->step : run_lipschitz(r, r->v[SLOPE], r->w[0]);

	run_expect_bound(r, r->s[L]);

	settle(r, run_smooth(r, r->v[SLOPE], r->w[0], r->x));
	r->minimum = r->minimum || 0. == r->s[L];
}

static void fixed(struct run *r)
{
	r->step = run_relaxation(r) / r->s[L];
	vec_axpy(r->type, r->n, r->x, -r->step, r->v[SLOPE]);
	linop_forward(r->p->A, r->w[0], r->x);

	const struct run_asked value = run_ask_smooth_at(r, r->v[SLOPE], r->w[0], r->x);
	const int gradient = run_ask_norm(r, r->n, r->v[SLOPE]), size = run_ask_size(r);

	run_fetch(r);
	run_told_size(r, size);
	settle_at(r, run_told_smooth(r, &value), run_told(r, gradient));
}

const struct algorithm algorithm_landweber = {
        .name = "landweber",
        .about =
                "steps of the length relaxation / |A|^2 along the gradient of least squares (Landweber 1951)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_COMPLEX,
        .volumes = 1,
        .projections = 1,
        .distributed = true,
        .begin = gradient_descent_begin,
        .iterate = fixed,
};

const struct algorithm algorithm_gradient = {
        .name = "gradient",
        .about = "gradient descent with steps of the length relaxation / L",
        .takes = ANYWHERE | TAKES_STEP | TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA |
                 TAKES_SMOOTH | TAKES_COMPLEX,
        .volumes = 1,
        .projections = 1,
        .distributed = true,
        .begin = gradient_descent_begin,
        .iterate = fixed,
};

/** Barzilai and Borwein, Two-point step size gradient methods, IMA J. Numer. Anal. 8, 1988: |dx|^2 / <dx,
 * dg>.
 */
static void barzilai_borwein(struct run *r)
{
	double step = (r->k > 0 && r->s[STEP] > 0.) ? r->s[STEP] : 1. / r->s[L];

	vec_copy(r->type, r->n, r->v[LAST], r->v[SLOPE]);
	vec_axpy(r->type, r->n, r->x, -step, r->v[SLOPE]);
	linop_forward(r->p->A, r->w[0], r->x);

	// dx = -step last, dg = slope - last
	const struct run_asked value = run_ask_smooth_at(r, r->v[SLOPE], r->w[0], r->x);
	const int gradient = run_ask_norm(r, r->n, r->v[SLOPE]), size = run_ask_size(r),
	          last = run_ask_dot(r, r->n, r->v[LAST], r->v[LAST]),
	          both = run_ask_dot(r, r->n, r->v[LAST], r->v[SLOPE]);

	run_fetch(r);
	run_told_size(r, size);
	settle_at(r, run_told_smooth(r, &value), run_told(r, gradient));
	r->step = step;

	const double gg = run_told(r, last), curved = gg - run_told(r, both);

	r->s[STEP] = (curved > 0.) ? step * gg / curved : 1. / r->s[L];
}

const struct algorithm algorithm_bb = {
        .name = "bb",
        .about = "gradient descent with steps of Barzilai and Borwein (1988)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH |
                 TAKES_COMPLEX,
        .volumes = 3,
        .projections = 1,
        .distributed = true,
        .begin = gradient_descent_begin,
        .iterate = barzilai_borwein,
};

static void begin_armijo(struct run *r)
{
	gradient_descent_begin(r);
	r->s[GG] = vec_dot(r->type, r->n, r->v[SLOPE], r->v[SLOPE]);
}

/** The objective and its gradient at v[NEXT], in one copy: whether it falls enough; x is there then. */
static bool try_next(struct run *r, double least)
{
	linop_forward(r->p->A, r->w[0], r->v[NEXT]);

	const struct run_asked asked = run_ask_smooth_at(r, r->v[SLOPE], r->w[0], r->v[NEXT]);
	const int gg = run_ask_dot(r, r->n, r->v[SLOPE], r->v[SLOPE]),
	          size = run_ask_dot(r, r->n, r->v[NEXT], r->v[NEXT]);

	run_fetch(r);

	const double value = run_told_smooth(r, &asked);

	if (!(value <= least))
		return false;

	vec_copy(r->type, r->n, r->x, r->v[NEXT]);
	r->s[GG] = run_told(r, gg);
	run_told_size(r, size);
	settle_at(r, value, sqrt(r->s[GG]));

	return true;
}

/** Armijo's rule: twice the last step, halved until the objective falls by a part of what the slope says. */
static void armijo(struct run *r)
{
	const double g2 = r->s[GG];
	double step = (r->k > 0 && r->s[STEP] > 0.) ? 2. * r->s[STEP] : 1. / r->s[L];
	void *slope = r->v[SLOPE];

	r->v[SLOPE] = r->v[LAST];
	r->v[LAST] = slope;

	for (int halved = 0;; halved++, step /= 2.) {
		vec_axpby(r->type, r->n, r->v[NEXT], 1., r->x, -step, r->v[LAST]);

		if (try_next(r, r->s[VALUE] - 1e-4 * step * g2))
			break;

		if (halved == 60) { // roundings hide what is left
			r->objective = r->s[VALUE];
			r->residual = r->before.residual;
			r->gradient = sqrt(g2);
			r->minimum = true;
			return;
		}
	}

	r->step = r->s[STEP] = step;
}

const struct algorithm algorithm_armijo = {
        .name = "armijo",
        .about = "gradient descent with steps by Armijo's rule",
        .takes = ANYWHERE | TAKES_STEP | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH |
                 TAKES_COMPLEX | MONOTONE | NEEDS_VALUES,
        .volumes = 3,
        .projections = 1,
        .distributed = true,
        .begin = begin_armijo,
        .iterate = armijo,
};
