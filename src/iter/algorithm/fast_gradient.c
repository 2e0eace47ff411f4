/* Accelerated gradient methods: Nesterov's method and the optimised gradient method for differentiable
 * objectives; ISTA, FISTA and POGM for a differentiable part and a term with a proximal operator. */

#include <math.h>

#include "iter/algorithm/algorithm.h"
#include "num/md/flpmath.h"

enum { SLOPE, AT, LAST, EXTRA };
enum { WORK, AX, LAST_AX };
enum { L, T, LAST_VALUE, LAST_GAMMA, FACTOR };

/** A x, which the next step goes out from. */
static void project(struct run *r)
{
	linop_forward(r->p->A, r->w[r->alg->projections > AX ? AX : WORK], r->x);
}

/** The differentiable part at x after project(). */
static struct run_asked ask_value(struct run *r)
{
	struct run_asked a = {
	        .data = run_ask_data(r, r->w[WORK], r->w[r->alg->projections > AX ? AX : WORK])};

	a.penalty = run_ask_penalty(r, r->x);
	a.terms = run_ask_terms(r, r->x, true);

	return a;
}

static void fast_gradient_begin(struct run *r)
{
	r->s[L] = (r->conf->step > 0.) ? 1. / r->conf->step : run_lipschitz(r, r->v[SLOPE], r->w[0]);
	r->s[T] = 1.;

	run_expect_bound(r, r->s[L]);

	if (0. == r->s[L]) {
		r->minimum = true;
		return;
	}

	for (int i = AT; i < r->alg->volumes; i++)
		vec_copy(r->type, r->n, r->v[i], r->x);

	r->s[LAST_GAMMA] = 1.;
	r->s[LAST_VALUE] = INFINITY;
	project(r);

	const struct run_asked value = ask_value(r);
	const int terms = run_ask_terms(r, r->x, false);

	run_fetch(r);
	r->objective = run_told_smooth(r, &value) + run_told_terms(r, terms, false);
}

/** Nesterov 1983, and with `optimised` Kim and Fessler, Optimized first-order methods for smooth convex
 * minimization, Math. Program. 159, 2016. */
static void momentum(struct run *r, bool optimised)
{
	const double t = r->s[T], next = (1. + sqrt(1. + 4. * t * t)) / 2.;

	r->step = 1. / r->s[L];
	linop_forward(r->p->A, r->w[0], r->v[AT]);

	const struct run_asked value = run_ask_smooth_at(r, r->v[SLOPE], r->w[0], r->v[AT]);
	const int gradient = run_ask_norm(r, r->n, r->v[SLOPE]);

	// x = at - slope / L; at = x + (t-1)/t' (x - last) + optimised t/t' (x - at)
	vec_copy(r->type, r->n, r->v[LAST], r->x);
	vec_axpby(r->type, r->n, r->x, 1., r->v[AT], -r->step, r->v[SLOPE]);

	const double a = (t - 1.) / next, b = optimised ? t / next : 0.;

	vec_axpby(r->type, r->n, r->v[AT], 1. + a + b, r->x, -b, r->v[AT]);
	vec_axpy(r->type, r->n, r->v[AT], -a, r->v[LAST]);
	r->s[T] = next;

	const int size = run_ask_size(r);

	run_fetch(r);
	run_told_size(r, size);
	r->objective = run_told_smooth(r, &value);
	r->gradient = run_told(r, gradient);
	r->minimum = 0. == r->gradient;
}

static void fgm(struct run *r)
{
	momentum(r, false);
}

static void ogm(struct run *r)
{
	momentum(r, true);
}

const struct algorithm algorithm_fgm = {
        .name = "fgm",
        .about = "Nesterov's fast gradient method (1983); the reported objective is that of the point where "
                 "the gradient is taken",
        .takes = ANYWHERE | TAKES_STEP | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH |
                 TAKES_COMPLEX,
        .volumes = 3,
        .projections = 1,
        .distributed = true,
        .begin = fast_gradient_begin,
        .iterate = fgm,
};

const struct algorithm algorithm_ogm = {
        .name = "ogm",
        .about = "the optimised gradient method (Kim and Fessler 2016); the reported objective is that of "
                 "the point where the gradient is taken",
        .takes = ANYWHERE | TAKES_STEP | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH |
                 TAKES_COMPLEX,
        .volumes = 3,
        .projections = 1,
        .distributed = true,
        .begin = fast_gradient_begin,
        .iterate = ogm,
};

/** x = prox(at - slope / L), A at being in w[WORK]; the gradient is that of the gradient map. */
static void proximal_step(struct run *r, const void *at)
{
	run_slope_at(r, r->v[SLOPE], r->w[WORK], at);
	r->step = run_relaxation(r) / r->s[L];
	vec_axpby(r->type, r->n, r->v[SLOPE], 1., at, -r->step, r->v[SLOPE]);
	vec_copy(r->type, r->n, r->v[LAST], r->x);

	const int g = run_ask_prox(r, r->step, r->x, r->v[SLOPE]);

	vec_axpby(r->type, r->n, r->v[SLOPE], 1., r->x, -1., at);

	const int moved = run_ask_norm(r, r->n, r->v[SLOPE]), size = run_ask_size(r);

	project(r);

	const struct run_asked value = ask_value(r);

	run_fetch(r);
	run_told_size(r, size);
	r->gradient = run_told(r, moved) / r->step;
	r->minimum = 0. == r->gradient;
	r->objective = run_told_smooth(r, &value) + run_told_prox(r, g);
}

static void ista(struct run *r)
{
	vec_copy(r->type, r->n, r->v[AT], r->x);
	vec_copy(r->type, r->m, r->w[WORK], r->w[AX]);
	proximal_step(r, r->v[AT]);
}

const struct algorithm algorithm_ista = {
        .name = "ista",
        .about = "proximal gradient steps",
        .takes = ANYWHERE | TAKES_STEP | TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA |
                 TAKES_SMOOTH | TAKES_PROX | TAKES_COMPLEX,
        .volumes = 3,
        .projections = 2,
        .distributed = true,
        .begin = fast_gradient_begin,
        .iterate = ista,
};

/** Beck and Teboulle, A fast iterative shrinkage-thresholding algorithm, SIAM J. Imaging Sci. 2(1), 2009; it
 * starts anew where the objective grew (O'Donoghue and Candes, Adaptive restart, Found. Comput. Math. 15,
 * 2015). */
static void fista(struct run *r)
{
	const double last = r->s[FACTOR]; // at = x + last (x - last x)

	vec_axpby(r->type, r->m, r->w[WORK], 1. + last, r->w[AX], -last, r->w[LAST_AX]);

	void *swap = r->w[AX];

	r->w[AX] = r->w[LAST_AX];
	r->w[LAST_AX] = swap;
	proximal_step(r, r->v[AT]);

	if (r->objective > r->s[LAST_VALUE])
		r->s[T] = 1.;

	const double t = r->s[T], next = (1. + sqrt(1. + 4. * t * t)) / 2., a = (t - 1.) / next;

	vec_axpby(r->type, r->n, r->v[AT], 1. + a, r->x, -a, r->v[LAST]);
	r->s[T] = next;
	r->s[FACTOR] = a;
	r->s[LAST_VALUE] = r->objective;
}

const struct algorithm algorithm_fista = {
        .name = "fista",
        .about = "accelerated proximal gradient steps with restarts (Beck and Teboulle 2009)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA |
                 TAKES_SMOOTH | TAKES_PROX | TAKES_COMPLEX,
        .volumes = 3,
        .projections = 3,
        .distributed = true,
        .begin = fast_gradient_begin,
        .iterate = fista,
};

/** The proximal optimised gradient method: Taylor, Hendrickx and Glineur, Exact worst-case performance of
 * first-order methods for composite convex optimization, SIAM J. Optim. 27(3), 2017; with restarts by the
 * objective as in Kim and Fessler, Adaptive restart of the optimized gradient method, JOTA 178, 2018.
 * v[AT]: w, the plain gradient step; v[EXTRA]: z. */
static void pogm(struct run *r)
{
	const double last = r->s[T], theta = (1. + sqrt(1. + 4. * last * last)) / 2.;
	const double L_ = r->s[L] / run_relaxation(r);
	const double a = (last - 1.) / theta, b = last / theta;
	const double gamma = (2. * last + theta - 1.) / (L_ * theta);

	// w = x - slope(x) / L
	vec_copy(r->type, r->m, r->w[WORK], r->w[AX]);
	run_slope_at(r, r->v[SLOPE], r->w[WORK], r->x);
	vec_axpby(r->type, r->n, r->v[SLOPE], 1., r->x, -1. / L_, r->v[SLOPE]);

	// z = w + a (w - last w) + b (w - x) + a / (L last gamma) (z - x)
	const double c = a / (L_ * r->s[LAST_GAMMA]);

	vec_axpby(r->type, r->n, r->v[EXTRA], c, r->v[EXTRA], -(b + c), r->x);
	vec_axpy(r->type, r->n, r->v[EXTRA], 1. + a + b, r->v[SLOPE]);
	vec_axpy(r->type, r->n, r->v[EXTRA], -a, r->v[AT]);
	vec_copy(r->type, r->n, r->v[AT], r->v[SLOPE]);
	vec_copy(r->type, r->n, r->v[LAST], r->x);

	const int g = run_ask_prox(r, gamma, r->x, r->v[EXTRA]);

	vec_axpby(r->type, r->n, r->v[LAST], 1., r->x, -1., r->v[LAST]);

	const int moved = run_ask_norm(r, r->n, r->v[LAST]), size = run_ask_size(r);

	project(r);

	const struct run_asked value = ask_value(r);

	run_fetch(r);
	run_told_size(r, size);
	r->step = gamma;
	r->gradient = run_told(r, moved) * L_;
	r->objective = run_told_smooth(r, &value) + run_told_prox(r, g);
	r->s[T] = theta;
	r->s[LAST_GAMMA] = gamma;

	if (r->objective > r->s[LAST_VALUE]) {
		r->s[T] = r->s[LAST_GAMMA] = 1.;
		vec_copy(r->type, r->n, r->v[AT], r->x);
		vec_copy(r->type, r->n, r->v[EXTRA], r->x);
	}

	r->s[LAST_VALUE] = r->objective;
}

const struct algorithm algorithm_pogm = {
        .name = "pogm",
        .about = "the proximal optimised gradient method with restarts (Taylor, Hendrickx and Glineur 2017)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA |
                 TAKES_SMOOTH | TAKES_PROX | TAKES_COMPLEX,
        .volumes = 4,
        .projections = 2,
        .distributed = true,
        .begin = fast_gradient_begin,
        .iterate = pogm,
};
