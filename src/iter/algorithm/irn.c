/*
 * Iteratively reweighted norms [1, 2]: conjugate gradients on 1/2 |A x - y|^2 + lambda/2 |x|^2 + 1/2 sum w |B
 * x|^2, whose weights are chosen anew after some steps such that the sums touch the terms g(B x) at x: w z =
 * gradient of g at z = B x. Norms have no such weights at 0, so that of the Moreau envelope is used, (z -
 * prox_tg(z)) / t: kinks are rounded below a length that shrinks from one choice to the next.
 *
 * [1] P. Rodriguez, B. Wohlberg, Efficient minimization method for a generalized total variation functional,
 * IEEE Transactions on Image Processing 18, 2009. [2] A. Biguri, M. Dosanjh, S. Hancock, M. Soleimani, TIGRE:
 * a MATLAB-GPU toolbox for CBCT image reconstruction, Biomedical Physics and Engineering Express 2, 2016
 * (IRN-TV-CGLS).
 */

#include <math.h>
#include <string.h>

#include "iter/algorithm/algorithm.h"
#include "iter/step/updates.h"
#include "misc/error.h"
#include "num/md/flpmath.h"

enum { S, D, BACK }; // minus the gradient, direction, a term's part of the gradient
enum { R, Q };       // y - A x, A d
enum { Z, BD, W };   // of the terms: B x, B d, weights
enum { GAMMA, STEPS, ROUND };

enum { INNER = 10 };
/* Lengths below which kinks are rounded, in units of the root mean square of z: halved until they are the
 * least.
 */
static const double least = 1e-5;

static void *of_term(const struct run *r, int vector, int i)
{
	return r->z[vector * r->p->terms + i];
}

/** dst = B x. */
static void apply(const struct linop *B, enum dtype t, long n, void *dst, const void *x)
{
	if (NULL == B)
		vec_copy(t, n, dst, x);
	else
		linop_forward(B, dst, x);
}

/** Values of the terms, and the squares of what they are of: two numbers for each. */
static int ask_terms(struct run *r)
{
	int first = 0;

	for (int i = 0; i < r->p->terms; i++) {
		const struct functional *g = r->p->term[i].g;
		const void *z = of_term(r, Z, i);
		const int place = run_ask_value(r, g, z);

		first = (0 == i) ? place : first;

		run_ask_dot(r, functional_size(g), z, z);
	}

	return first;
}

/** New weights at x, from the told values of the terms. If B x = 0 their size is unknown: none. */
static void reweigh(struct run *r, int told)
{
	const double rounded = fmax(least, exp2(-r->s[ROUND]));

	for (int i = 0; i < r->p->terms; i++) {
		const struct functional *g = r->p->term[i].g;
		const bool prox = !functional_is_smooth(g);
		const long n = functional_size(g);
		const void *z = of_term(r, Z, i);
		void *w = of_term(r, W, i);
		const double value = run_told(r, told + 2 * i);
		double t = 1.;

		if (prox && !(value > 0.)) {
			vec_clear(r->type, n, w);
			continue;
		}

		if (prox) {
			t = rounded * run_told(r, told + 2 * i + 1) / value;
			functional_prox(g, t, w, z);
		} else {
			functional_gradient(g, w, z);
		}

		iter_updates_of(w)->weigh(r->type, n, w, z, prox, t);
	}

	r->s[ROUND] += 1.;
	r->s[STEPS] = 0.;
}

/** s = A' r - lambda x - sum B' w z; asks for its length squared. */
static int ask_descent(struct run *r)
{
	linop_adjoint(r->p->A, r->v[S], r->w[R]);
	vec_axpy(r->type, r->n, r->v[S], -r->p->lambda, r->x);

	for (int i = 0; i < r->p->terms; i++) {
		const struct linop *B = r->p->term[i].B;
		void *wz = of_term(r, BD, i), *back = wz;

		vec_mul(r->type, functional_size(r->p->term[i].g), wz, of_term(r, W, i), of_term(r, Z, i));

		if (NULL != B)
			linop_adjoint(B, back = r->v[BACK], wz);

		vec_axpy(r->type, r->n, r->v[S], -1., back);
	}

	return run_ask_dot(r, r->n, r->v[S], r->v[S]);
}

/** From |r|^2, |x|^2 and the terms. */
static void tell(struct run *r, int r2, int size, int terms)
{
	run_told_size(r, size);
	r->residual = sqrt(run_told(r, r2));
	r->objective = 0.5 * run_told(r, r2) + 0.5 * r->p->lambda * run_told(r, size);

	for (int i = 0; i < r->p->terms; i++)
		r->objective += run_told(r, terms + 2 * i);
}

static void irn_begin(struct run *r)
{
	static const char *const can[] = {"l1", "l21", "l2sq", "huber", "pseudo-huber"};

	for (int i = 0; i < r->p->terms; i++) {
		const char *name = functional_name(r->p->term[i].g);
		bool known = false;

		for (size_t k = 0; k < sizeof can / sizeof *can; k++)
			known = known || 0 == strcmp(name, can[k]);

		if (!known)
			error("irn supports only the terms tv, htv, wavelet, l1, l2 and smooth, found %s",
			        name);

		apply(r->p->term[i].B, r->type, r->n, of_term(r, Z, i), r->x);
	}

	linop_forward(r->p->A, r->w[R], r->x);
	vec_axpby(r->type, r->m, r->w[R], 1., r->p->y, -1., r->w[R]);
	const int r2 = run_ask_dot(r, r->m, r->w[R], r->w[R]), size = run_ask_size(r), terms = ask_terms(r);

	run_fetch(r);
	tell(r, r2, size, terms);
	r->s[ROUND] = 0.;
	reweigh(r, terms);
}

/** d, from s and the d before; q = A d, and B d. Asks for the curvature along it. */
static int ask_direction(struct run *r, int gamma)
{
	int place;

	if (0. == r->s[STEPS])
		vec_copy(r->type, r->n, r->v[D], r->v[S]);
	else
		run_mix(r, r->n, r->v[D], factor_of(1.), r->v[S],
		        factor_times(1. / r->s[GAMMA], r->asked + gamma), NULL);

	linop_forward(r->p->A, r->w[Q], r->v[D]);
	place = run_ask_dot(r, r->m, r->w[Q], r->w[Q]);

	const int size = run_ask_dot(r, r->n, r->v[D], r->v[D]);

	vec_axpy(DT_FLOAT64, 1, r->asked + place, r->p->lambda, r->asked + size);

	for (int i = 0; i < r->p->terms; i++) {
		const long n = functional_size(r->p->term[i].g);
		void *Bd = of_term(r, BD, i), *tmp = of_term(r, W + 1, i);

		apply(r->p->term[i].B, r->type, r->n, Bd, r->v[D]);
		vec_mul(r->type, n, tmp, of_term(r, W, i), Bd);
		vec_axpy(DT_FLOAT64, 1, r->asked + place, 1., r->asked + run_ask_dot(r, n, tmp, Bd));
	}

	return place;
}

/** The numbers of a step: everything on the way where the vectors lie, told together at its end. */
static void irn_iterate(struct run *r)
{
	const long inner = r->conf->newton.inner.iterations;
	const bool last = r->s[STEPS] + 1. >= (double)(0 < inner ? inner : INNER);
	const int asked = ask_descent(r), curvature = ask_direction(r, asked);
	struct update_factor step = {.times = 1., .over = r->asked + asked, .under = r->asked + curvature},
	                     back = step;
	int size, r2;
	double *sum = run_ask(r, &size);

	back.times = -1.;
	run_mix(r, r->n, r->x, step, r->v[D], factor_of(1.), sum);
	sum = run_ask(r, &r2);
	run_mix(r, r->m, r->w[R], back, r->w[Q], factor_of(1.), sum);

	for (int i = 0; i < r->p->terms; i++)
		run_mix(r, functional_size(r->p->term[i].g), of_term(r, Z, i), step, of_term(r, BD, i),
		        factor_of(1.), NULL);

	const int terms = ask_terms(r);

	run_fetch(r);
	tell(r, r2, size, terms);
	r->s[GAMMA] = run_told(r, asked);
	r->gradient = sqrt(r->s[GAMMA]);

	if (0. == r->s[GAMMA]) { // of these weights
		r->minimum = exp2(-r->s[ROUND]) < least || 0 == r->p->terms;
		reweigh(r, terms);
		return;
	}

	step.over = r->told + asked;
	step.under = r->told + curvature;
	r->step = update_factor(&step);
	r->s[STEPS] += 1.;
	r->minimum = 0. == r->step;

	if (last)
		reweigh(r, terms);
}

const struct algorithm algorithm_irn = {
        .name = "irn",
        .about = "iteratively reweighted norms (Rodriguez and Wohlberg 2009; with tv known as IRN-TV-CGLS): "
                 "conjugate gradients on weighted least squares that majorise the terms; the weights are "
                 "updated every --inner steps",
        .takes = ANYWHERE | TAKES_LAMBDA | TAKES_TERMS | TAKES_INNER,
        .volumes = 3,
        .projections = 2,
        .terms = 4,
        .begin = irn_begin,
        .iterate = irn_iterate,
};
