/*
 * Iteratively reweighted norms [1, 2]: conjugate gradients on 1/2 |A x - y|^2 + lambda/2 |x|^2 + 1/2 sum w |B
 * x|^2, whose weights are chosen anew after some steps such that the sums touch the terms g(B x) at x: w z =
 * gradient of g at z = B x. Of norms, which have none at 0, that of the Moreau envelope, (z - prox_tg(z)) /
 * t: kinks are rounded below a length that shrinks from one choice to the next.
 *
 * [1] P. Rodriguez, B. Wohlberg, Efficient minimization method for a generalized total variation functional,
 * IEEE Transactions on Image Processing 18, 2009. [2] A. Biguri, M. Dosanjh, S. Hancock, M. Soleimani, TIGRE:
 * a MATLAB-GPU toolbox for CBCT image reconstruction, Biomedical Physics and Engineering Express 2, 2016
 * (IRN-TV-CGLS).
 */

#include <math.h>
#include <string.h>

#include "iter/algorithm.h"
#include "iter/fold.h"
#include "misc/error.h"
#include "num/flpmath.h"

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

struct ratio {
	enum dtype type;
	const void *z;
	void *w; // in: the gradient times t, or prox_tg(z); out: weights
	double t;
	bool prox;
};

static double weight(const struct ratio *q, double z, double w)
{
	const double slope = q->prox ? (z - w) / q->t : w;

	return (0. == z) ? (q->prox ? 1. / q->t : 0.) : fmax(0., slope / z);
}

static void weigh(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct ratio *q = ctx;

	(void)sum;

	for (long i = first; i < first + n; i++)
		if (DT_FLOAT32 == q->type)
			((float *)q->w)[i] =
			        (float)weight(q, ((const float *)q->z)[i], ((const float *)q->w)[i]);
		else
			((double *)q->w)[i] = weight(q, ((const double *)q->z)[i], ((const double *)q->w)[i]);
}

/** New weights at x. Where B x = 0 nothing is known of their size: none. */
static void reweigh(struct run *r)
{
	const double rounded = fmax(least, exp2(-r->s[ROUND]));
	double sum[FOLD_SUMS];

	for (int i = 0; i < r->p->terms; i++) {
		const struct functional *g = r->p->term[i].g;
		const long n = functional_size(g);
		struct ratio q = {r->type, of_term(r, Z, i), of_term(r, W, i), 1., !functional_is_smooth(g)};
		const double value = functional_value(g, q.z), z2 = vec_dot(r->type, n, q.z, q.z);

		if (q.prox && !(value > 0.)) {
			vec_clear(r->type, n, q.w);
			continue;
		}

		if (q.prox) {
			q.t = rounded * z2 / value;
			functional_prox(g, q.t, q.w, q.z);
		} else {
			functional_gradient(g, q.w, q.z);
		}

		fold(n, weigh, &q, sum);
	}

	r->s[ROUND] += 1.;
	r->s[STEPS] = 0.;
}

/** s = A' r - lambda x - sum B' w z; returns its length squared. */
static double descent(struct run *r)
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

	return vec_dot(r->type, r->n, r->v[S], r->v[S]);
}

static void tell(struct run *r)
{
	const double r2 = vec_dot(r->type, r->m, r->w[R], r->w[R]);

	r->residual = sqrt(r2);
	r->objective = 0.5 * r2 + run_penalty(r, r->x);

	for (int i = 0; i < r->p->terms; i++)
		r->objective += functional_value(r->p->term[i].g, of_term(r, Z, i));
}

static void begin(struct run *r)
{
	static const char *const can[] = {"l1", "l21", "l2sq", "huber", "pseudo-huber"};

	for (int i = 0; i < r->p->terms; i++) {
		const char *name = functional_name(r->p->term[i].g);
		bool known = false;

		for (size_t k = 0; k < sizeof can / sizeof *can; k++)
			known = known || 0 == strcmp(name, can[k]);

		if (!known)
			error("irn takes sums of lengths or of squares (tv, htv, wavelet, l1, l2, smooth), "
			      "found %s",
			        name);

		apply(r->p->term[i].B, r->type, r->n, of_term(r, Z, i), r->x);
	}

	linop_forward(r->p->A, r->w[R], r->x);
	vec_axpby(r->type, r->m, r->w[R], 1., r->p->y, -1., r->w[R]);
	r->s[ROUND] = 0.;
	reweigh(r);
	tell(r);
}

static void iterate(struct run *r)
{
	const long inner = r->conf->newton.inner.iterations;

	if (r->s[STEPS] >= (double)(0 < inner ? inner : INNER))
		reweigh(r);

	const double gamma = descent(r);

	r->gradient = sqrt(gamma);

	if (0. == gamma) { // of these weights
		r->minimum = exp2(-r->s[ROUND]) < least || 0 == r->p->terms;
		r->s[STEPS] = INFINITY;
		tell(r);
		return;
	}

	if (0. == r->s[STEPS])
		vec_copy(r->type, r->n, r->v[D], r->v[S]);
	else
		vec_xpay(r->type, r->n, r->v[D], gamma / r->s[GAMMA], r->v[S]);

	linop_forward(r->p->A, r->w[Q], r->v[D]);

	double curvature = vec_dot(r->type, r->m, r->w[Q], r->w[Q]) +
	                   r->p->lambda * vec_dot(r->type, r->n, r->v[D], r->v[D]);

	for (int i = 0; i < r->p->terms; i++) {
		const long n = functional_size(r->p->term[i].g);
		void *Bd = of_term(r, BD, i), *tmp = of_term(r, W + 1, i);

		apply(r->p->term[i].B, r->type, r->n, Bd, r->v[D]);
		vec_mul(r->type, n, tmp, of_term(r, W, i), Bd);
		curvature += vec_dot(r->type, n, tmp, Bd);
	}

	r->step = (curvature > 0.) ? gamma / curvature : 0.;
	vec_axpy(r->type, r->n, r->x, r->step, r->v[D]);
	vec_axpy(r->type, r->m, r->w[R], -r->step, r->w[Q]);

	for (int i = 0; i < r->p->terms; i++)
		vec_axpy(r->type, functional_size(r->p->term[i].g), of_term(r, Z, i), r->step,
		        of_term(r, BD, i));

	r->s[GAMMA] = gamma;
	r->s[STEPS] += 1.;
	r->minimum = 0. == r->step;
	tell(r);
}

const struct algorithm algorithm_irn = {
        .name = "irn",
        .about = "iteratively reweighted norms (Rodriguez and Wohlberg 2009; with tv known as IRN-TV-CGLS): "
                 "conjugate gradients with sums of squares that touch the terms, renewed every --inner steps",
        .takes = TAKES_LAMBDA | TAKES_TERMS,
        .volumes = 3,
        .projections = 2,
        .terms = 4,
        .begin = begin,
        .iterate = iterate,
};
