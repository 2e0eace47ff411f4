#include "iter/algorithm/irgnm.h"

#include <math.h>

#include "misc/error.h"
#include "num/md/flpmath.h"

enum { HALVINGS = 12 };
enum { ALPHA, MISFIT, AWAY2 }; // numbers; AWAY2: |x - reference|^2

static double factor(const struct run *r)
{
	return (0. == r->conf->newton.factor) ? 0.5 : r->conf->newton.factor;
}

static int ask_away(struct run *r)
{
	const void *reference = r->conf->newton.reference;
	void *tmp = r->v[NEWTON_D];

	if (NULL == reference)
		return run_ask_dot(r, r->n, r->x, r->x);

	vec_axpby(r->type, r->n, tmp, 1., r->x, -1., reference);

	return run_ask_dot(r, r->n, tmp, tmp);
}

static void irgnm_begin(struct run *r)
{
	const struct newton_conf *c = &r->conf->newton;

	if (!(c->alpha >= 0.) || isinf(c->alpha) || !(r->p->lambda >= 0.))
		error("the regularisation falls from %g to %g, expected finite numbers (the first above 0, "
		      "the last at least 0)",
		        c->alpha, r->p->lambda);

	if (!(factor(r) > 0. && factor(r) <= 1.))
		error("the regularisation factor per iteration is %g, expected above 0 and at most 1",
		        factor(r));

	newton_begin(r);

	const int misfit = newton_ask_move(r), away = ask_away(r);

	run_fetch(r);
	r->s[MISFIT] = newton_told_move(r, misfit, true);
	r->s[AWAY2] = run_told(r, away);
	r->s[ALPHA] = (c->alpha > 0.) ? c->alpha : newton_curvature(r);
	newton_tell(r, r->s[MISFIT]);
}

/* Halves the step from old to x until the objective decreases; the numbers of the objective are fetched once
 * per trial. Returns false if it never decreases. */
static bool shorten(struct run *r, double alpha, double before)
{
	for (int k = 0; k <= HALVINGS; k++) {
		const int misfit = newton_ask_move(r), away = ask_away(r), size = run_ask_size(r);

		vec_axpby(r->type, r->n, r->v[NEWTON_D], 1., r->x, -1., r->v[NEWTON_OLD]);

		const int step = run_ask_norm(r, r->n, r->v[NEWTON_D]);

		run_fetch(r);

		const double next = newton_told_move(r, misfit, false);

		if (next + alpha * run_told(r, away) <= before) {
			run_told_size(r, size);
			r->s[MISFIT] = next;
			r->s[AWAY2] = run_told(r, away);
			r->step = run_told(r, step);
			return true;
		}

		vec_axpby(r->type, r->n, r->x, 0.5, r->x, 0.5, r->v[NEWTON_OLD]);
	}

	return false;
}

static void irgnm_iterate(struct run *r)
{
	const double alpha = fmax(r->s[ALPHA], r->p->lambda);
	const double before = r->s[MISFIT] + alpha * r->s[AWAY2];

	vec_copy(r->type, r->n, r->v[NEWTON_OLD], r->x);
	newton_step(r, alpha, r->conf->newton.reference);

	if (!shorten(r, alpha, before)) {
		vec_copy(r->type, r->n, r->x, r->v[NEWTON_OLD]);
		r->stay = ITER_MINIMUM;
		return;
	}

	r->s[ALPHA] = alpha * factor(r);
	newton_tell(r, r->s[MISFIT]);
}

const struct algorithm algorithm_irgnm = {
        .name = "irgnm",
        .about = "the iteratively regularised Gauss-Newton method (Bakushinskii 1992) for counts of "
                 "transmission (--data transmission:I0): each step solves the problem linearised at x by "
                 "conjugate gradients, with a penalty that falls from step to step, down to lambda",
        .takes = ANYWHERE | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_NONLINEAR | TAKES_FACTOR | TAKES_INNER |
                 TAKES_COMPLEX,
        .volumes = NEWTON_VOLUMES,
        .projections = NEWTON_PROJECTIONS,
        .begin = irgnm_begin,
        .iterate = irgnm_iterate,
};

struct iter_result irgnm(const struct newton_problem *p, const struct irgnm_conf *conf, void *x)
{
	struct iter_problem problem = newton_problem_of(p);

	if (!(conf->alpha > 0.) || !(conf->factor > 0.) || conf->inner.iterations < 1)
		error("the regularisation is %g, the factor %g and the number of inner iterations %ld, "
		      "expected positive numbers",
		        conf->alpha, conf->factor, conf->inner.iterations);

	problem.lambda = conf->alpha_min;

	return algorithm_solve(&algorithm_irgnm, &problem,
	        &(const struct iter_conf){.iterations = conf->iterations,
	                .warm = true,
	                .monitor = conf->monitor,
	                .noise = conf->noise,
	                .change = conf->change,
	                .newton = {conf->alpha, conf->factor, conf->inner, conf->reference}},
	        x);
}
