#include "iter/lm.h"

#include <math.h>

#include "misc/error.h"
#include "num/flpmath.h"

struct damping {
	double mu, growth;
};

/* actual, promised: by how much the squared misfit fell, and should have. Whether the step is good. */
static bool judge(struct damping *d, double actual, double promised)
{
	const double ratio = (promised > 0.) ? actual / promised : -1.;

	if (!(ratio > 0.)) {
		d->mu *= d->growth;
		d->growth *= 2.;
		return false;
	}

	const double t = 2. * ratio - 1.;

	d->mu *= fmax(1. / 3., 1. - t * t * t);
	d->growth = 2.;

	return true;
}

static void report(const struct lm_conf *conf, const struct gauss_newton *g, struct iter_result *res,
        double r2, double step, const void *x)
{
	res->residual = sqrt(r2);
	res->objective = 0.5 * r2;
	monitor_step(conf->monitor,
	        &(struct monitor_state){.iteration = res->iterations,
	                .residual = res->residual,
	                .objective = res->objective,
	                .gradient = res->gradient,
	                .step = step},
	        g->type, g->n, x);
}

/* The reason to stop, ITER_ALL for none. */
static enum iter_end finished(
        const struct lm_conf *conf, const struct iter_result *res, double first, double step, double size)
{
	if (0. == res->gradient)
		return ITER_MINIMUM;

	if (res->gradient <= conf->tolerance * first)
		return ITER_TOLERANCE;

	if (res->residual <= conf->noise)
		return ITER_NOISE;

	/* no step so small lowers it: x is as good as numbers of this type allow */
	if (0. == step)
		return ITER_MINIMUM;

	return (step <= conf->change * size) ? ITER_CHANGE : ITER_ALL;
}

struct iter_result lm(const struct newton_problem *p, const struct lm_conf *conf, void *x)
{
	struct iter_result res = {.end = ITER_ALL, .gradient = NAN};
	struct gauss_newton g;
	struct damping damping = {.growth = 2.};
	double first = NAN; // gradient

	if (!(conf->damping >= 0.) || isinf(conf->damping) || conf->inner.iterations < 1)
		error("damping %g and %ld inner iterations, expected a finite number of at least 0 and 1",
		        conf->damping, conf->inner.iterations);

	gauss_newton_init(&g, p, x);

	void *old = md_alloc_sameplace(1, &g.n, dtype_size(g.type), x);
	double r2 = gauss_newton_move(&g, x, 0);

	damping.mu = (conf->damping > 0. ? conf->damping : 1e-3) * gauss_newton_curvature(&g);
	report(conf, &g, &res, r2, NAN, x);

	while (res.iterations < conf->iterations && ITER_ALL == res.end) {
		vec_copy(g.type, g.n, old, x);

		const double promised =
		        r2 - gauss_newton_step(&g, damping.mu, old, &conf->inner, x, &res.gradient);

		first = isnan(first) ? res.gradient : first;
		vec_axpby(g.type, g.n, g.d, 1., x, -1., old);

		const double step = vec_norm(g.type, g.n, g.d), size = vec_norm(g.type, g.n, x);
		const double next = gauss_newton_move(&g, x, res.iterations + 1);
		const bool good = judge(&damping, r2 - next, promised);

		if (!good) {
			vec_copy(g.type, g.n, x, old);
			gauss_newton_move(&g, x, res.iterations + 1);
		}

		r2 = good ? next : r2;
		res.iterations++;
		report(conf, &g, &res, r2, good ? step : 0., x);
		res.end = finished(conf, &res, first, step, size);
	}

	md_free(old);
	gauss_newton_free(&g);

	return res;
}
