/* Largest eigenvalues by power iterations. They begin alike, with numbers that are positive and differ: near
 * what operators without negative elements converge to. */

#include <math.h>
#include <stdlib.h>

#include "iter/algorithm.h"
#include "misc/mem.h"
#include "misc/error.h"
#include "num/flpmath.h"
#include "num/place.h"
#include "num/rand.h"

enum { ITERATIONS = 60 };
/* Iterations end once the estimate grows by less than this part; results are larger by the margin. */
static const double settled = 1e-4, margin = 1.01;

/** dst = M src. */
typedef void map_fn(void *ctx, void *dst, const void *src);

static void begin(enum dtype t, long n, void *x)
{
	const double scale = 1. / sqrt((double)n);
	const long parts = dtype_is_complex(t) ? 2 * n : n;
	const size_t bytes = (size_t)n * dtype_size(t);
	void *there = x;

	x = place_take(there, bytes);

	for (long i = 0; i < parts; i++) {
		const double v = scale * (1. + 0.5 * rand_uniform(1, (uint64_t)i));

		if (DT_FLOAT32 == dtype_real(t))
			((float *)x)[i] = (float)v;
		else
			((double *)x)[i] = v;
	}

	place_back(x, there, bytes);
}

static double largest(enum dtype t, long n, void *x, void *y, map_fn *fn, void *ctx)
{
	double value = 0;

	begin(t, n, x);

	for (int k = 0; k < ITERATIONS; k++) {
		const double last = value, size = vec_norm(t, n, x);

		if (!(size > 0.))
			return 0.;

		vec_scale(t, n, x, 1. / size);
		fn(ctx, y, x);
		value = vec_norm(t, n, y);

		void *swap = x;

		x = y;
		y = swap;

		if (fabs(value - last) <= settled * value)
			break;
	}

	return margin * value;
}

static void apply_normal(void *ctx, void *dst, const void *src)
{
	linop_normal(ctx, dst, src);
}

double operator_norm(const struct linop *B)
{
	if (NULL == B)
		return 1.;

	const long n = linop_domain_size(B);
	const size_t size = dtype_size(linop_type(B));
	void *x = mem_alloc((size_t)n * size), *y = mem_alloc((size_t)n * size);
	const double value = largest(linop_type(B), n, x, y, apply_normal, (void *)B);

	free(x);
	free(y);

	return sqrt(value);
}

struct hessian {
	struct run *r;
	void *Ax;
};

static void apply_hessian(void *ctx, void *dst, const void *src)
{
	const struct hessian *h = ctx;
	const struct iter_problem *p = h->r->p;

	linop_forward(p->A, h->Ax, src);

	if (NULL != p->W && NULL == p->data)
		weights_apply(p->W, h->r->type, h->r->m, h->Ax, h->Ax);

	linop_adjoint(p->A, dst, h->Ax);
}

double run_lipschitz(struct run *r, void *tmp, void *Ax)
{
	struct hessian h = {r, Ax};
	void *x = md_alloc_sameplace(1, &r->n, dtype_size(r->type), r->x);
	double value = largest(r->type, r->n, tmp, x, apply_hessian, &h);

	md_free(x);
	value *= (NULL != r->p->data) ? functional_lipschitz(r->p->data) : 1.;

	for (int i = 0; i < r->p->terms; i++) {
		const struct iter_term *t = &r->p->term[i];

		if ((r->alg->takes & TAKES_SMOOTH) && functional_is_smooth(t->g)) {
			const double norm = operator_norm(t->B);

			value += functional_lipschitz(t->g) * norm * norm;
		}
	}

	return value + r->p->lambda;
}

void run_expect_bound(const struct run *r, double curvature)
{
	if (!isfinite(curvature))
		error("%s: the curvature of the objective has no known bound (%suse --algorithm pdhg)",
		        r->alg->name, (r->alg->takes & TAKES_STEP) ? "give --step S, or " : "");
}
