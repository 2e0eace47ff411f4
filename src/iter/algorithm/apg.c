/*
 * [1] A. Beck and M. Teboulle, A fast iterative shrinkage-thresholding algorithm for linear inverse problems,
 * SIAM J. Imaging Sciences 2(1), 2009; the monotone variant: Fast gradient-based algorithms for constrained
 * total variation image denoising and deblurring problems, IEEE TIP 18(11), 2009. [2] B. O'Donoghue and E.
 * Candes, Adaptive restart for accelerated gradient schemes, Found. Comput. Math. 15, 2015. [3] H. Erdogan
 * and J. A. Fessler, Ordered subsets algorithms for transmission tomography, Phys. Med. Biol. 44, 1999.
 */
#include <math.h>

#include "iter/algorithm/apg.h"

#include "iter/algorithm/algorithm.h"
#include "iter/step/updates.h"
#include "misc/error.h"
#include "num/md/flpmath.h"

enum { XP, G, DC }; // x before, or the trial; gradient of the data term; curvature bound
enum { R, RP, T };  // A x - y, that before; of the trial
enum {
	MOMENTUM,
	NESTEROV,
	STOP,
	FIRST,
	SIZE2
}; // z = x + momentum (x - xp); its sequence; size of a step to stop at; the larger objective of 0, start;
   // |x|^2

/* Sums of the projected step: |d (z - x)|^2, and whether it turned back. */
enum { SUM_STEP2, SUM_RESTART };

static void swap(void **a, void **b)
{
	void *t = *a;

	*a = *b;
	*b = t;
}

/* d = A'W A 1 + lambda. */
static void curvature(struct run *r)
{
	int place;

	run_fill(r->type, r->n, r->v[XP], 1.);
	linop_forward(r->p->A, r->w[T], r->v[XP]);
	weights_apply(r->p->W, r->type, r->m, r->w[T], r->w[T]);
	linop_adjoint(r->p->A, r->v[DC], r->w[T]);

	if (vec_count_nonfinite(r->type, r->n, r->v[DC]) > 0)
		error("the weights are too large for %s", dtype_name(r->type));

	double *sum = run_ask(r, &place);

	iter_updates_of(r->x)->add(r->type, r->n, r->v[DC], r->p->lambda, sum);
	run_fetch(r);

	if (run_told(r, place) > 0.)
		error("operator %s has negative elements, expected none for a solution >= 0 (A'W A 1 is "
		      "negative at %.0f places)",
		        linop_name(r->p->A), run_told(r, place));
}

static void start(struct run *r)
{
	int place;

	if (!r->conf->warm) {
		vec_axpby(r->type, r->m, r->w[R], -1., r->p->y, 0., r->p->y);
		return;
	}

	double *sum = run_ask(r, &place);

	iter_updates_of(r->x)->clip(r->type, r->n, r->x, sum);
	run_fetch(r);

	if (run_told(r, place) > 0.)
		info("%.0f negative values of the starting volume are set to 0", run_told(r, place));

	linop_forward(r->p->A, r->w[R], r->x);
	vec_axpy(r->type, r->m, r->w[R], -1., r->p->y);
}

/* Norm of A'W y. */
static double gradient_at_zero(struct run *r)
{
	weights_apply(r->p->W, r->type, r->m, r->w[T], r->p->y);
	linop_adjoint(r->p->A, r->v[G], r->w[T]);

	return vec_norm(r->type, r->n, r->v[G]);
}

/* Of x with that residual: what the objective is made of, and |x|^2. */
struct asked {
	int r2, penalty, size;
};

static struct asked ask_objective(struct run *r, const void *x, const void *residual)
{
	struct asked a;

	a.r2 = run_ask_weighted(r, r->p->W, r->m, residual);
	a.penalty = run_ask_penalty(r, x);
	a.size = run_ask_dot(r, r->n, x, x);

	return a;
}

static void tell_objective(struct run *r, const struct asked *a)
{
	r->residual = sqrt(run_told(r, a->r2));
	r->objective = 0.5 * run_told(r, a->r2) + run_told_penalty(r, a->penalty);
}

static void restart(struct run *r)
{
	r->s[NESTEROV] = 1.;
	r->s[MOMENTUM] = 0.;
}

static void apg_begin(struct run *r)
{
	restart(r);
	curvature(r);
	r->s[STOP] = (r->conf->tolerance > 0.) ? r->conf->tolerance * gradient_at_zero(r) : -1.;
	start(r);

	const struct asked a = ask_objective(r, r->x, r->w[R]);
	const int zero = run_ask_weighted(r, r->p->W, r->m, r->p->y);

	run_fetch(r);
	tell_objective(r, &a);
	r->s[SIZE2] = run_told(r, a.size);
	r->s[FIRST] = fmax(r->objective, 0.5 * run_told(r, zero));
}

/* xp = the projected gradient step from z, t = A xp - y; asks for two sums. */
static int ask_trial(struct run *r)
{
	const double momentum = r->s[MOMENTUM];
	int place, next;
	double *sum = run_ask(r, &place);

	run_ask(r, &next);

	if (momentum > 0.)
		vec_axpby(r->type, r->m, r->w[T], 1. + momentum, r->w[R], -momentum, r->w[RP]);
	else
		vec_copy(r->type, r->m, r->w[T], r->w[R]);

	weights_apply(r->p->W, r->type, r->m, r->w[T], r->w[T]);
	linop_adjoint(r->p->A, r->v[G], r->w[T]);
	iter_updates_of(r->x)->project(
	        r->type, r->n, r->x, r->v[XP], r->v[G], r->v[DC], momentum, r->p->lambda, sum);
	linop_forward(r->p->A, r->w[T], r->v[XP]);
	vec_axpy(r->type, r->m, r->w[T], -1., r->p->y);

	return place;
}

/* xp becomes the iterate. */
static void accept(struct run *r, bool keep_momentum)
{
	iter_updates_of(r->x)->exchange(r->type, r->n, r->x, r->v[XP]);
	swap(&r->w[R], &r->w[RP]);
	swap(&r->w[R], &r->w[T]);

	if (!keep_momentum) {
		restart(r);
		return;
	}

	double next = 0.5 * (1. + sqrt(1. + 4. * r->s[NESTEROV] * r->s[NESTEROV]));

	r->s[MOMENTUM] = (r->s[NESTEROV] - 1.) / next;
	r->s[NESTEROV] = next;
}

static void apg_iterate(struct run *r)
{
	const int sum = ask_trial(r);
	const struct asked a = ask_objective(r, r->v[XP], r->w[T]);

	run_fetch(r);
	tell_objective(r, &a);
	r->size2 = r->s[SIZE2];
	r->gradient = sqrt(run_told(r, sum + SUM_STEP2));
	r->step = 1.;

	if (r->objective > r->before.objective &&
	        r->s[MOMENTUM] > 0.) { // too far: back to x, next time a plain step
		r->objective = r->before.objective;
		r->residual = r->before.residual;
		r->gradient = r->before.gradient;
		restart(r);
		return;
	}

	if (iter_diverged(r->objective, r->before.objective, r->s[FIRST], r->k + 1)) {
		r->stay = ITER_DIVERGED;
		return;
	}

	r->size2 = r->s[SIZE2] = run_told(r, a.size);
	accept(r, run_told(r, sum + SUM_RESTART) <= 0.);
	r->minimum = r->gradient == 0.;
	r->met = r->gradient <= r->s[STOP];
}

const struct algorithm algorithm_apg = {
        .name = "apg",
        .about = "accelerated projected gradient steps for volumes >= 0, each voxel with its own step (Beck "
                 "and "
                 "Teboulle 2009, O'Donoghue and Candes 2015); the objective never grows",
        .takes = ANYWHERE | TAKES_LAMBDA | TAKES_WEIGHTS | NEEDS_NONNEGATIVE | SETS_TOLERANCE |
                 STAYS_NONNEGATIVE,
        .volumes = 3,
        .projections = 3,
        .begin = apg_begin,
        .iterate = apg_iterate,
};

struct iter_result apg(const struct iter_problem *p, const struct iter_conf *conf, void *x)
{
	if (dtype_is_complex(linop_type(p->A)))
		error("a solution >= 0 needs a real type, found %s", dtype_name(linop_type(p->A)));

	return algorithm_solve(&algorithm_apg, p, conf, x);
}
