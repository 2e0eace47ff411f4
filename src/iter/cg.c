/*
 * [1] A. Bjorck, Numerical Methods for Least Squares Problems, SIAM 1996, section 7.4.1; M. R. Hestenes and
 * E. Stiefel, Methods of conjugate gradients for solving linear systems, J. Res. Nat. Bur. Standards 49,
 * 1952.
 */
#include <math.h>

#include "iter/cg.h"

#include "iter/mean_weight.h"
#include "misc/error.h"
#include "num/flpmath.h"

struct cg {
	const struct iter_problem *p;
	enum dtype type;
	long m, n;         // elements of codomain and domain
	void *r;           // y - A x
	void *q;           // A d, and W r
	void *s;           // minus the gradient: A'W r - lambda x
	void *d;           // direction
	void *mean;        // elements of M
	struct weights *M; // preconditioner; NULL: identity
};

/* Where a step begins. */
struct point {
	double gradient; // |s|
	double gamma;    // <s, M s>
};

static void allocate(struct cg *c, const void *x, const struct iter_problem *p)
{
	c->p = p;
	c->type = linop_type(p->A);
	c->m = linop_codomain_size(p->A);
	c->n = linop_domain_size(p->A);

	size_t size = dtype_size(c->type);

	c->r = md_alloc_sameplace(1, &c->m, size, x);
	c->q = md_alloc_sameplace(1, &c->m, size, x);
	c->s = md_alloc_sameplace(1, &c->n, size, x);
	c->d = md_alloc_sameplace(1, &c->n, size, x);
	c->mean = NULL;
	c->M = NULL;
}

/* Weights that vary make some voxels' curvature small; M evens it out. */
static void precondition(struct cg *c, const void *x)
{
	enum dtype real = dtype_real(c->type);
	long dims[DIMS];

	if (c->p->W == NULL)
		return;

	md_singleton_dims(DIMS, dims);
	dims[0] = c->n;
	c->mean = md_alloc_sameplace(1, &c->n, dtype_size(real), x);
	mean_weight_inverse(c->mean, c->p, c->s, c->d, c->q);
	c->M = weights_create_array(dims, dims, real, c->mean);
}

static void release(struct cg *c)
{
	md_free(c->r);
	md_free(c->q);
	md_free(c->s);
	md_free(c->d);

	if (c->mean != NULL)
		md_free(c->mean);

	weights_free(c->M);
}

/* s = A'W r - lambda x (x NULL: 0). */
static struct point descent(const struct cg *c, const void *r, const void *x)
{
	if (c->p->W != NULL) {
		weights_apply(c->p->W, c->type, c->m, c->q, r);
		r = c->q;
	}

	linop_adjoint(c->p->A, c->s, r);

	if (x != NULL && c->p->lambda > 0.)
		vec_axpy(c->type, c->n, c->s, -c->p->lambda, x);

	double s2 = vec_dot(c->type, c->n, c->s, c->s);

	return (struct point){sqrt(s2), c->M != NULL ? weights_norm2(c->M, c->type, c->n, c->s) : s2};
}

/* r = y - A x for the starting point. */
static void start(const struct cg *c, const struct iter_conf *conf, void *x)
{
	vec_copy(c->type, c->m, c->r, c->p->y);

	if (!conf->warm) {
		vec_clear(c->type, c->n, x);
		return;
	}

	linop_forward(c->p->A, c->q, x);
	vec_axpy(c->type, c->m, c->r, -1., c->q);
}

/* Residual and objective, from r and x. */
static void evaluate(const struct cg *c, const void *x, struct iter_result *res)
{
	double r2 = weights_norm2(c->p->W, c->type, c->m, c->r);
	double x2 = c->p->lambda > 0. ? vec_dot(c->type, c->n, x, x) : 0.;

	res->residual = sqrt(r2);
	res->objective = 0.5 * r2 + 0.5 * c->p->lambda * x2;
}

static void report(const struct cg *c, const struct iter_conf *conf, const struct iter_result *res,
        double step, const void *x)
{
	monitor_step(conf->monitor,
	        &(struct monitor_state){.iteration = res->iterations,
	                .residual = res->residual,
	                .objective = res->objective,
	                .gradient = res->gradient,
	                .step = step},
	        c->type, c->n, x);
}

/* d = M s + beta d; q = A d; the length of the step along d to the minimum, or 0 where d has no effect. */
static double line_search(const struct cg *c, double gamma, double beta)
{
	weights_xpay(c->M, c->type, c->n, c->d, beta, c->s);
	linop_forward(c->p->A, c->q, c->d);

	double delta = weights_norm2(c->p->W, c->type, c->m, c->q);

	if (c->p->lambda > 0.)
		delta += c->p->lambda * vec_dot(c->type, c->n, c->d, c->d);

	return delta > 0. ? gamma / delta : delta == 0. ? 0. : NAN;
}

/* One step; false when there is nothing left to do. */
static bool iterate(const struct cg *c, const struct iter_conf *conf, struct iter_result *res, double *gamma,
        double stop, double first, void *x)
{
	struct point at = descent(c, c->r, x);

	res->gradient = at.gradient;

	if (!isfinite(at.gamma))
		error("iteration %ld: the gradient is %g, expected a finite value: the data are too large "
		      "for their type",
		        res->iterations + 1, res->gradient);

	if (at.gamma == 0. || at.gradient <= stop) {
		res->end = at.gamma == 0. ? ITER_MINIMUM : ITER_TOLERANCE;
		return false;
	}

	double alpha = line_search(c, at.gamma, *gamma > 0. ? at.gamma / *gamma : 0.);

	*gamma = at.gamma;

	if (alpha == 0.) {
		res->end = ITER_MINIMUM;
		return false;
	}

	struct iter_result old = *res;

	vec_axpy(c->type, c->n, x, alpha, c->d);
	vec_axpy(c->type, c->m, c->r, -alpha, c->q);
	evaluate(c, x, res);

	if (iter_diverged(res->objective, old.objective, first, old.iterations + 1)) {
		vec_axpy(c->type, c->n, x, -alpha, c->d);
		*res = old;
		res->end = ITER_DIVERGED;
		return false;
	}

	res->iterations++;
	report(c, conf, res, alpha, x);

	return true;
}

struct iter_result cg(const struct iter_problem *p, const struct iter_conf *conf, void *x)
{
	struct iter_result res = {.end = ITER_ALL, .gradient = NAN};
	struct cg c;
	double gamma = 0.; // <s, M s> of the last step
	double stop = -1.; // norm of the gradient [that of A'W y]

	allocate(&c, x, p);
	precondition(&c, x);
	start(&c, conf, x);
	evaluate(&c, x, &res);
	report(&c, conf, &res, NAN, x);

	if (conf->tolerance > 0.)
		stop = conf->tolerance * descent(&c, p->y, NULL).gradient;

	double first = fmax(res.objective, 0.5 * weights_norm2(p->W, c.type, c.m, p->y));

	while (res.iterations < conf->iterations && iterate(&c, conf, &res, &gamma, stop, first, x))
		;

	release(&c);

	return res;
}
