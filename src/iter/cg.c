/*
 * [1] A. Bjorck, Numerical Methods for Least Squares Problems, SIAM 1996, section 7.4.1; M. R. Hestenes and
 * E. Stiefel, Methods of conjugate gradients for solving linear systems, J. Res. Nat. Bur. Standards 49,
 * 1952.
 */
#include <math.h>

#include "iter/cg.h"

#include "iter/algorithm.h"
#include "iter/fold.h"
#include "iter/mean_weight.h"
#include "iter/passes.h"
#include "misc/error.h"
#include "num/device.h"
#include "num/flpmath.h"

enum { S, D, MEAN }; // minus the gradient, A'W r - lambda x; direction; elements of M, with weights
enum { R, Q };       // y - A x; A d, and W r
enum {
	GAMMA,
	STOP,
	FIRST
}; // <s, M s> of the last step; gradient to stop at; the larger objective of 0, start

/* y += a x and sum y^2 in one pass over memory, of real numbers, of which complex vectors have 2 n. */
struct step {
	double a;
	void *y;
	const void *x;
};

#define STEP(T)                                                                                              \
	static void step_##T(void *ctx, long first, long n, double sum[FOLD_SUMS])                           \
	{                                                                                                    \
		const struct step *s = ctx;                                                                  \
		const T *restrict x = (const T *)s->x + first;                                               \
		T *restrict y = (T *)s->y + first;                                                           \
		const T a = (T)s->a;                                                                         \
		double y2 = 0.;                                                                              \
                                                                                                             \
		_Pragma("omp simd reduction(+ : y2)") for (long i = 0; i < n; i++)                           \
		{                                                                                            \
			y[i] += a * x[i];                                                                    \
			y2 += (double)y[i] * (double)y[i];                                                   \
		}                                                                                            \
                                                                                                             \
		sum[0] += y2;                                                                                \
	}
STEP(float)
STEP(double)

static double make_step(enum dtype t, long n, void *y, double a, const void *x)
{
	double sum[FOLD_SUMS];

	if (device_holds(y))
		return iter_passes_gpu.step(dtype_real(t), dtype_is_complex(t) ? 2 * n : n, y, a, x);

	fold(dtype_is_complex(t) ? 2 * n : n, (DT_FLOAT32 == dtype_real(t)) ? step_float : step_double,
	        &(struct step){a, y, x}, sum);

	return sum[0];
}

/* Where a step begins. */
struct point {
	double gradient; // |s|
	double gamma;    // <s, M s>
};

/* Weights that vary make some voxels' curvature small; M evens it out. NULL without weights. */
static const struct weights *preconditioner(struct run *r)
{
	long dims[DIMS];

	if (r->p->W == NULL || r->M != NULL)
		return r->M;

	md_singleton_dims(DIMS, dims);
	dims[0] = r->n;

	return r->M = weights_create_array(dims, dims, dtype_real(r->type), r->v[MEAN]);
}

/* s = A'W r - lambda x (x NULL: 0). */
static struct point descent(struct run *r, const void *of, const void *x)
{
	const struct weights *M = preconditioner(r);

	if (r->p->W != NULL) {
		weights_apply(r->p->W, r->type, r->m, r->w[Q], of);
		of = r->w[Q];
	}

	linop_adjoint(r->p->A, r->v[S], of);

	if (x != NULL && r->p->lambda > 0.)
		vec_axpy(r->type, r->n, r->v[S], -r->p->lambda, x);

	double s2 = vec_dot(r->type, r->n, r->v[S], r->v[S]);

	return (struct point){sqrt(s2), M != NULL ? weights_norm2(M, r->type, r->n, r->v[S]) : s2};
}

/* From |r|^2_W and |x|^2. */
static void evaluate(struct run *r, double r2, double x2)
{
	r->residual = sqrt(r2);
	r->objective = 0.5 * r2 + 0.5 * r->p->lambda * x2;
	r->size2 = x2;
}

static void begin(struct run *r)
{
	const struct iter_problem *p = r->p;

	if (p->W != NULL)
		mean_weight_inverse(r->v[MEAN], p, r->v[S], r->v[D], r->w[Q]);

	vec_copy(r->type, r->m, r->w[R], p->y);

	if (r->conf->warm) {
		linop_forward(p->A, r->w[Q], r->x);
		vec_axpy(r->type, r->m, r->w[R], -1., r->w[Q]);
	}

	evaluate(r, weights_norm2(p->W, r->type, r->m, r->w[R]), vec_dot(r->type, r->n, r->x, r->x));
	r->s[GAMMA] = 0.;
	r->s[STOP] = (r->conf->tolerance > 0.) ? r->conf->tolerance * descent(r, p->y, NULL).gradient : -1.;
	r->s[FIRST] = fmax(r->objective, 0.5 * weights_norm2(p->W, r->type, r->m, p->y));
}

/* d = M s + beta d; q = A d; the length of the step along d to the minimum, or 0 where d has no effect. */
static double line_search(struct run *r, double gamma, double beta)
{
	weights_xpay(r->M, r->type, r->n, r->v[D], beta, r->v[S]);
	linop_forward(r->p->A, r->w[Q], r->v[D]);

	double delta = weights_norm2(r->p->W, r->type, r->m, r->w[Q]);

	if (r->p->lambda > 0.)
		delta += r->p->lambda * vec_dot(r->type, r->n, r->v[D], r->v[D]);

	return delta > 0. ? gamma / delta : delta == 0. ? 0. : NAN;
}

static void iterate(struct run *r)
{
	const struct run_values before = r->before;
	const struct point at = descent(r, r->w[R], r->x);

	r->gradient = at.gradient;

	if (!isfinite(at.gamma))
		error("iteration %ld: the gradient is %g, expected a finite value: the data are too large "
		      "for their type",
		        r->k + 1, r->gradient);

	if (at.gamma == 0. || at.gradient <= r->s[STOP]) {
		r->stay = at.gamma == 0. ? ITER_MINIMUM : ITER_TOLERANCE;
		return;
	}

	r->step = line_search(r, at.gamma, r->s[GAMMA] > 0. ? at.gamma / r->s[GAMMA] : 0.);
	r->s[GAMMA] = at.gamma;

	if (r->step == 0.) {
		r->stay = ITER_MINIMUM;
		return;
	}

	const double x2 = make_step(r->type, r->n, r->x, r->step, r->v[D]);
	const double r2 = make_step(r->type, r->m, r->w[R], -r->step, r->w[Q]);

	evaluate(r, r->p->W == NULL ? r2 : weights_norm2(r->p->W, r->type, r->m, r->w[R]), x2);

	if (iter_diverged(r->objective, before.objective, r->s[FIRST], r->k + 1)) {
		vec_axpy(r->type, r->n, r->x, -r->step, r->v[D]);
		r->stay = ITER_DIVERGED;
	}
}

const struct algorithm algorithm_cg = {
        .name = "cg",
        .about = "conjugate gradients on the normal equations (Hestenes and Stiefel 1952); with weights "
                 "preconditioned by the mean weight of the rays through each voxel",
        .takes = ANYWHERE | TAKES_LAMBDA | TAKES_WEIGHTS | TAKES_COMPLEX | SETS_TOLERANCE | WEIGHTS_VOLUME,
        .volumes = 2,
        .projections = 2,
        .begin = begin,
        .iterate = iterate,
};

struct iter_result cg(const struct iter_problem *p, const struct iter_conf *conf, void *x)
{
	return algorithm_solve(&algorithm_cg, p, conf, x);
}
