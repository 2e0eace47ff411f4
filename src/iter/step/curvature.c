/* Bounds on the curvature of objectives. */

#include <math.h>

#include "iter/algorithm/algorithm.h"
#include "linops/norm.h"
#include "misc/error.h"
#include "num/md/flpmath.h"

struct hessian {
	struct run *r;
	void *Ax;
};

static void apply_hessian(void *ctx, void *dst, const void *src)
{
	const struct hessian *h = ctx;
	const struct iter_problem *p = h->r->p;

	linop_forward(p->A, h->Ax, src);
	weights_apply(p->W, h->r->type, h->r->m, h->Ax, h->Ax);
	linop_adjoint(p->A, dst, h->Ax);
}

double run_lipschitz_squares(struct run *r, void *tmp, void *Ax)
{
	if (NULL == r->p->W) {
		const double norm = linop_norm(r->p->A);

		return norm * norm;
	}

	if (NULL != r->p->curvature && !isnan(*r->p->curvature))
		return *r->p->curvature;

	void *x = md_alloc_sameplace(1, &r->n, dtype_size(r->type), r->x);
	const double value = norm_largest(r->type, r->n, tmp, x, linop_is_nonnegative(r->p->A), apply_hessian,
	        &(struct hessian){r, Ax});

	md_free(x);

	if (NULL != r->p->curvature)
		*r->p->curvature = value;

	return value;
}

double run_lipschitz_terms(const struct run *r)
{
	const struct iter_problem *p = r->p;
	double value = p->lambda;

	for (int i = 0; i < p->terms; i++) {
		const struct iter_term *t = &p->term[i];

		if ((r->alg->takes & TAKES_SMOOTH) && functional_is_smooth(t->g)) {
			const double norm = linop_norm(t->B);

			value += functional_lipschitz(t->g) * norm * norm;
		}
	}

	return value;
}

double run_lipschitz(struct run *r, void *tmp, void *Ax)
{
	const struct iter_problem *p = r->p;
	const double data = (NULL == p->data) ? run_lipschitz_squares(r, tmp, Ax)
	                                      : functional_lipschitz(p->data) * pow(linop_norm(p->A), 2.);

	return data + run_lipschitz_terms(r);
}

void run_expect_bound(const struct run *r, double curvature)
{
	if (!isfinite(curvature))
		error("%s: the curvature of the objective has no known bound (%suse --algorithm pdhg)",
		        r->alg->name, (r->alg->takes & TAKES_STEP) ? "give --step S, or " : "");
}
