#include "iter/irgnm.h"

#include <math.h>

#include "misc/error.h"
#include "num/flpmath.h"

enum { HALVINGS = 12 };

static void check(const struct irgnm_conf *c)
{
	if (!(c->alpha > 0.) || isinf(c->alpha) || !(c->alpha_min >= 0.))
		error("regularisation from %g down to %g, expected finite numbers above 0 and of at least 0",
		        c->alpha, c->alpha_min);

	if (!(c->factor > 0. && c->factor <= 1.))
		error("regularisation times %g in every iteration, expected above 0 and at most 1",
		        c->factor);

	if (c->inner.iterations < 1)
		error("%ld inner iterations, expected at least 1", c->inner.iterations);
}

/* alpha |x - reference|^2; tmp: of the domain */
static double penalty(
        const struct gauss_newton *g, double alpha, const void *reference, const void *x, void *tmp)
{
	if (NULL == reference)
		return alpha * vec_dot(g->type, g->n, x, x);

	vec_axpby(g->type, g->n, tmp, 1., x, -1., reference);

	return alpha * vec_dot(g->type, g->n, tmp, tmp);
}

static void report(const struct irgnm_conf *conf, const struct gauss_newton *g, struct iter_result *res,
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

/* One iteration from x, a copy of which is in old; the new |r|_W^2, or -1 where nothing is lower. */
static double iterate(struct gauss_newton *g, const struct irgnm_conf *conf, double alpha, double r2,
        struct iter_result *res, void *x, void *old)
{
	const double before = r2 + penalty(g, alpha, conf->reference, x, g->d);

	vec_copy(g->type, g->n, old, x);
	gauss_newton_step(g, alpha, conf->reference, &conf->inner, x, &res->gradient);

	for (int k = 0; k <= HALVINGS; k++) {
		r2 = gauss_newton_move(g, x, res->iterations + 1);

		if (r2 + penalty(g, alpha, conf->reference, x, g->d) <= before)
			return r2;

		vec_axpby(g->type, g->n, x, 0.5, x, 0.5, old);
	}

	vec_copy(g->type, g->n, x, old);
	gauss_newton_move(g, x, res->iterations);

	return -1.;
}

struct iter_result irgnm(const struct newton_problem *p, const struct irgnm_conf *conf, void *x)
{
	struct iter_result res = {.end = ITER_ALL, .gradient = NAN};
	struct gauss_newton g;
	double alpha = conf->alpha;

	check(conf);
	gauss_newton_init(&g, p, x);

	void *old = md_alloc_sameplace(1, &g.n, dtype_size(g.type), x);
	double r2 = gauss_newton_move(&g, x, 0);

	report(conf, &g, &res, r2, NAN, x);

	while (res.iterations < conf->iterations && ITER_ALL == res.end) {
		if (sqrt(r2) <= conf->noise) {
			res.end = ITER_NOISE;
			break;
		}

		const double next = iterate(&g, conf, alpha, r2, &res, x, old);

		if (next < 0.) {
			res.end = ITER_MINIMUM;
			break;
		}

		r2 = next;
		alpha = fmax(alpha * conf->factor, conf->alpha_min);
		res.iterations++;
		vec_axpby(g.type, g.n, g.d, 1., x, -1., old);

		const double step = vec_norm(g.type, g.n, g.d);

		report(conf, &g, &res, r2, step, x);

		if (conf->change > 0. && step <= conf->change * vec_norm(g.type, g.n, x))
			res.end = ITER_CHANGE;
	}

	md_free(old);
	gauss_newton_free(&g);

	return res;
}
