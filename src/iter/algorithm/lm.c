#include "iter/algorithm/lm.h"

#include <math.h>

#include "misc/error.h"
#include "num/md/flpmath.h"

enum { MU, GROWTH, MISFIT, SIZE2 }; // numbers; SIZE2: |x|^2

static void lm_begin(struct run *r)
{
	const double damping = r->conf->newton.alpha;

	if (!(damping >= 0.) || isinf(damping))
		error("the damping is %g, expected a finite number not below 0", damping);

	newton_begin(r);

	const int misfit = newton_ask_move(r), size = run_ask_size(r);

	run_fetch(r);
	r->s[MISFIT] = newton_told_move(r, misfit, true);
	r->s[SIZE2] = run_told(r, size);
	r->s[MU] = (damping > 0. ? damping : 1e-3) * newton_curvature(r);
	r->s[GROWTH] = 2.;
	newton_tell(r, r->s[MISFIT]);
}

/* actual: the decrease of the squared misfit; promised: its prediction. Whether the step is good. */
static bool judge(struct run *r, double actual, double promised)
{
	const double ratio = (promised > 0.) ? actual / promised : -1.;

	if (!(ratio > 0.)) {
		r->s[MU] *= r->s[GROWTH];
		r->s[GROWTH] *= 2.;
		return false;
	}

	const double t = 2. * ratio - 1.;

	r->s[MU] *= fmax(1. / 3., 1. - t * t * t);
	r->s[GROWTH] = 2.;

	return true;
}

static void lm_iterate(struct run *r)
{
	void *old = r->v[NEWTON_OLD], *d = r->v[NEWTON_D];

	vec_copy(r->type, r->n, old, r->x);

	newton_step(r, r->s[MU], old);

	const int model = run_ask_weighted(r, r->p->W, r->m, r->w[NEWTON_R]);

	vec_axpby(r->type, r->n, d, 1., r->x, -1., old);

	const int step = run_ask_norm(r, r->n, d), misfit = newton_ask_move(r), size = run_ask_size(r);

	run_fetch(r);
	r->step = run_told(r, step);
	// no step so small lowers it: x is as good as numbers of this type allow
	r->minimum = 0. == r->gradient || 0. == r->step;

	const double next = newton_told_move(r, misfit, false);

	if (judge(r, r->s[MISFIT] - next, r->s[MISFIT] - run_told(r, model))) {
		r->s[MISFIT] = next;
		r->s[SIZE2] = run_told(r, size);
	} else {
		vec_copy(r->type, r->n, r->x, old);
		newton_ask_move(r);
		r->step = 0.;
		r->again = true;
	}

	r->size2 = r->s[SIZE2];
	newton_tell(r, r->s[MISFIT]);
}

const struct algorithm algorithm_lm = {
        .name = "lm",
        .about = "Levenberg and Marquardt's method for counts of transmission (--data transmission:I0): the "
                 "same "
                 "steps as irgnm, damped instead of regularised",
        .takes = ANYWHERE | TAKES_WEIGHTS | TAKES_NONLINEAR | TAKES_INNER | TAKES_COMPLEX | MONOTONE,
        .volumes = NEWTON_VOLUMES,
        .projections = NEWTON_PROJECTIONS,
        .begin = lm_begin,
        .iterate = lm_iterate,
};

struct iter_result lm(const struct newton_problem *p, const struct lm_conf *conf, void *x)
{
	const struct iter_problem problem = newton_problem_of(p);

	if (conf->inner.iterations < 1)
		error("the number of inner iterations is %ld, expected at least 1", conf->inner.iterations);

	return algorithm_solve(&algorithm_lm, &problem,
	        &(const struct iter_conf){.iterations = conf->iterations,
	                .tolerance = conf->tolerance,
	                .warm = true,
	                .monitor = conf->monitor,
	                .noise = conf->noise,
	                .change = conf->change,
	                .newton = {.alpha = conf->damping, .inner = conf->inner}},
	        x);
}
