/*
 * The alternating direction method of multipliers for 1/2 |A x - y|^2_W + lambda/2 |x|^2 + sum_i g_i(B_i x),
 * z_i = B_i x: the least-squares problem of x by a few steps of conjugate gradients from the last x, or by
 * one gradient step (linearised); rho is balanced by the residuals. S. Boyd et al., Distributed optimization
 * and statistical learning via the alternating direction method of multipliers, Found. Trends Mach. Learn.
 * 3(1), 2011.
 */

#include <math.h>

#include "iter/step/quadratic.h"
#include "misc/error.h"
#include "linops/norm.h"
#include "num/md/flpmath.h"

enum { Z, U };
enum { RHO, L, LINEAR, WEIGHT }; // LINEAR: sum weight |B_i|^2; from WEIGHT on rho_i / rho

static void *of_term(const struct run *r, int vector, int term)
{
	return r->z[vector * r->p->terms + term];
}

/** z_i - u_i */
static void target(struct run *r, int i, void *t)
{
	vec_axpby(r->type, functional_size(r->p->term[i].g), t, 1., of_term(r, Z, i), -1., of_term(r, U, i));
}

static struct quadratic problem(const struct run *r)
{
	return (struct quadratic){.rho = r->s[RHO], .weights = &r->s[WEIGHT], .target = target};
}

/** z_i = prox(B_i x + u_i), u_i += B_i x - z_i; asks for the squared residuals |z - last z| and, behind it,
 * |B x - z|. */
static int ask_split(struct run *r, int i)
{
	const struct iter_term *t = &r->p->term[i];
	const long n = functional_size(t->g);
	void *z = of_term(r, Z, i), *u = of_term(r, U, i), *v = quadratic_spare(r, i);
	int place;
	double *moved = run_ask_some(r, 2, &place);

	quadratic_apply(r, i, v, r->x);
	vec_axpy(r->type, n, u, 1., v);
	vec_copy(r->type, n, v, z); // the last one
	functional_prox(t->g, 1. / (r->s[RHO] * r->s[WEIGHT + i]), z, u);
	run_mix(r, n, v, factor_of(-1.), z, factor_of(1.), moved);
	quadratic_apply(r, i, v, r->x);
	vec_axpy(r->type, n, u, -1., z);
	run_mix(r, n, v, factor_of(-1.), z, factor_of(1.), moved + 1);

	return place;
}

/** Those of all terms, one behind the other. */
static int ask_splits(struct run *r)
{
	int first = -1;

	for (int i = 0; i < r->p->terms; i++) {
		const int place = ask_split(r, i);

		first = (first < 0) ? place : first;
	}

	return first;
}

/** rho is a part of the curvature of the data, and operators count as if all had norm 1; with plain steps it
 * is the same for all terms. */
static void choose_rho(struct run *r)
{
	const bool plain = quadratic_is_plain(r);
	const double curved = quadratic_curvature(r);
	double norms = 0.;

	r->s[LINEAR] = 0.;

	for (int i = 0; i < r->p->terms; i++) {
		const double b = linop_norm(r->p->term[i].B), b2 = (b > 0.) ? b * b : 1.;

		norms += b * b;
		r->s[WEIGHT + i] = plain ? 1. : 1. / b2;
		r->s[LINEAR] += r->s[WEIGHT + i] * b * b;
	}

	r->s[RHO] = (r->conf->step > 0.)          ? r->conf->step
	            : (norms > 0. && curved > 0.) ? 0.05 * curved / r->s[LINEAR]
	                                          : 1.;
	r->minimum = 0. == curved && 0. == norms;
}

static void admm_begin(struct run *r)
{
	if (r->p->terms > RUN_NUMBERS - WEIGHT)
		error("%s supports up to %d terms, found %d", r->alg->name, RUN_NUMBERS - WEIGHT,
		        r->p->terms);

	choose_rho(r);

	for (int i = 0; i < r->p->terms; i++)
		quadratic_apply(r, i, of_term(r, Z, i), r->x);

	quadratic_begin(r);
	quadratic_evaluate(r, r->x);
}

/** rho grows where z is far from B x, and shrinks where z moves. */
static void balance(struct run *r, double primal, double dual)
{
	if (r->conf->step > 0. || r->k > 50)
		return;

	const double factor = (primal > 10. * dual) ? 2. : (dual > 10. * primal) ? 0.5 : 1.;

	if (1. == factor)
		return;

	r->s[RHO] *= factor;

	for (int i = 0; i < r->p->terms; i++)
		vec_scale(r->type, functional_size(r->p->term[i].g), of_term(r, U, i), 1. / factor);
}

/** What the step is worth and how far the residuals are, all in one copy; slope: a number besides, or -1. */
static void settle(struct run *r, int splits, int slope)
{
	const struct quadratic_asked value = quadratic_ask(r, r->x);
	double primal = 0., dual = 0.;

	run_fetch(r);
	quadratic_told(r, &value);

	for (int i = 0; i < r->p->terms; i++) {
		dual += r->s[WEIGHT + i] * run_told(r, splits + 2 * i);
		primal += r->s[WEIGHT + i] * run_told(r, splits + 2 * i + 1);
	}

	r->gradient = r->s[RHO] * sqrt(primal + dual) + ((slope < 0) ? 0. : run_told(r, slope));
	balance(r, sqrt(primal), sqrt(dual));
}

static void admm_iterate(struct run *r)
{
	const struct quadratic q = problem(r);

	quadratic_solve(r, &q, r->x);
	r->step = r->s[RHO];

	// without terms, the splitting says nothing
	const int slope = (0 == r->p->terms) ? run_ask_norm(r, r->n, r->v[QUADRATIC_SLOPE]) : -1;

	settle(r, ask_splits(r), slope);
}

const struct algorithm algorithm_admm = {
        .name = "admm",
        .about = "alternating directions: conjugate gradients for the data, proximal operators for the terms "
                 "(Boyd 2011)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_STEPS | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_TERMS |
                 TAKES_COMPLEX,
        .volumes = QUADRATIC_VOLUMES,
        .projections = 1,
        .terms = 2,
        .begin = admm_begin,
        .iterate = admm_iterate,
};

static void begin_linear(struct run *r)
{
	admm_begin(r);
	r->s[L] = run_lipschitz(r, r->v[QUADRATIC_SLOPE], r->w[0]);
}

static void iterate_linear(struct run *r)
{
	const struct quadratic q = problem(r);

	quadratic_slope(r, &q, r->x);
	r->step = 1. / (r->s[L] + r->s[RHO] * r->s[LINEAR]);
	vec_axpy(r->type, r->n, r->x, r->step, r->v[QUADRATIC_SLOPE]);

	const int slope = run_ask_norm(r, r->n, r->v[QUADRATIC_SLOPE]);

	settle(r, ask_splits(r), slope);
}

const struct algorithm algorithm_ladmm = {
        .name = "ladmm",
        .about = "alternating directions with one gradient step for the data and the splitting (linearised "
                 "ADMM)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_STEPS | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_TERMS |
                 TAKES_COMPLEX,
        .volumes = QUADRATIC_VOLUMES,
        .projections = 1,
        .terms = 2,
        .begin = begin_linear,
        .iterate = iterate_linear,
};
