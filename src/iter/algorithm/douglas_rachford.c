/*
 * Douglas and Rachford's splitting for 1/2 |A x - y|^2_W + lambda/2 |x|^2 + sum_i g_i(B_i x) over the
 * arguments z_i of the terms: one proximal operator is that of all g_i, the other one is a least-squares
 * problem of x, z_i = B_i x, by a few steps of conjugate gradients from the last x. J. Eckstein and D. P.
 * Bertsekas, On the Douglas-Rachford splitting method and the proximal point algorithm for maximal monotone
 * operators, Math. Program. 55, 1992; P. L. Combettes and J.-C. Pesquet, A Douglas-Rachford splitting
 * approach to nonsmooth convex variational signal recovery, IEEE J. Sel. Top. Signal Process. 1(4), 2007.
 */

#include <math.h>

#include "iter/step/quadratic.h"
#include "misc/error.h"
#include "linops/norm.h"
#include "num/md/flpmath.h"

enum { S, U };
enum { RHO, WEIGHT }; // 1 / gamma; from here on 1 / |B_i|^2: operators count as if all had norm 1

static void *of_term(const struct run *r, int vector, int term)
{
	return r->z[vector * r->p->terms + term];
}

static void target(struct run *r, int i, void *t)
{
	vec_copy(r->type, functional_size(r->p->term[i].g), t, of_term(r, S, i));
}

/** s_i += relaxation (prox of g_i at 2 B_i x - s_i, less B_i x); asks for how far, squared. */
static int ask_reflect(struct run *r, int i)
{
	const struct iter_term *t = &r->p->term[i];
	const long n = functional_size(t->g);
	void *s = of_term(r, S, i), *u = of_term(r, U, i), *Bx = quadratic_spare(r, i);
	int place;
	double *moved = run_ask(r, &place);

	quadratic_apply(r, i, Bx, r->x);
	vec_axpby(r->type, n, u, 2., Bx, -1., s);
	functional_prox(t->g, 1. / (r->s[RHO] * r->s[WEIGHT + i]), u, u);
	run_mix(r, n, u, factor_of(-1.), Bx, factor_of(1.), moved);
	vec_axpy(r->type, n, s, run_relaxation(r), u);

	return place;
}

static void douglas_rachford_begin(struct run *r)
{
	const struct iter_problem *p = r->p;
	const double curved = quadratic_curvature(r);

	if (p->terms > RUN_NUMBERS - WEIGHT)
		error("%s supports up to %d terms, found %d", r->alg->name, RUN_NUMBERS - WEIGHT, p->terms);

	for (int i = 0; i < p->terms; i++) {
		const double b = linop_norm(p->term[i].B);

		r->s[WEIGHT + i] = (b > 0.) ? 1. / (b * b) : 1.;
		quadratic_apply(r, i, of_term(r, S, i), r->x);
	}

	r->s[RHO] = (r->conf->step > 0.)            ? 1. / r->conf->step
	            : (curved > 0. && p->terms > 0) ? 0.05 * curved / p->terms
	                                            : 1.;
	r->minimum = 0. == curved && 0 == p->terms;
	quadratic_begin(r);
	quadratic_evaluate(r, r->x);
}

static void douglas_rachford_iterate(struct run *r)
{
	const struct quadratic q = {.rho = r->s[RHO], .weights = &r->s[WEIGHT], .target = target};
	double moved = 0.;
	int first = -1, slope = -1;

	quadratic_solve(r, &q, r->x);

	if (0 == r->p->terms)
		slope = run_ask_norm(r, r->n, r->v[QUADRATIC_SLOPE]);

	for (int i = 0; i < r->p->terms; i++) {
		const int place = ask_reflect(r, i);

		first = (first < 0) ? place : first;
	}

	const struct quadratic_asked value = quadratic_ask(r, r->x);

	run_fetch(r);
	quadratic_told(r, &value);

	for (int i = 0; i < r->p->terms; i++)
		moved += run_told(r, first + i) * r->s[WEIGHT + i];

	r->gradient = (slope < 0) ? r->s[RHO] * sqrt(moved) : run_told(r, slope);
	r->step = 1. / r->s[RHO];
}

const struct algorithm algorithm_dr = {
        .name = "douglas-rachford",
        .about = "Douglas and Rachford's splitting: conjugate gradients for the data, proximal operators for "
                 "the terms (Eckstein and Bertsekas 1992)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_STEPS | TAKES_RELAXATION | TAKES_WEIGHTS | TAKES_LAMBDA |
                 TAKES_TERMS | TAKES_COMPLEX,
        .volumes = QUADRATIC_VOLUMES,
        .projections = 1,
        .terms = 2,
        .begin = douglas_rachford_begin,
        .iterate = douglas_rachford_iterate,
};
