/*
 * [1] A. Bjorck, Numerical Methods for Least Squares Problems, SIAM 1996, section 7.4.1; M. R. Hestenes and
 * E. Stiefel, Methods of conjugate gradients for solving linear systems, J. Res. Nat. Bur. Standards 49,
 * 1952.
 */
#include <math.h>

#include "iter/algorithm/cg.h"

#include "iter/algorithm/algorithm.h"
#include "iter/step/fold.h"
#include "iter/step/mean_weight.h"
#include "iter/step/passes.h"
#include "misc/error.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

enum { S, D, MEAN }; // minus the gradient, A'W r - lambda x; direction; elements of M, with weights
enum { R, Q };       // y - A x; A d, and W r
enum {
	GAMMA,
	STOP,
	FIRST, // <s, M s> of the last step; gradient to stop at; the larger objective of 0, start
	KNOWN, // s is that at x, and so are the next two numbers
	GRADIENT,
	NEXT,  // |s|, <s, M s>
	CURVED // the largest curvature along a direction
};

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

/* *sum = the squares of the new y; it and the numbers of the step lie where y does. */
static void make_step(enum dtype t, long n, void *y, const struct step_length *a, const void *x, double *sum)
{
	const long numbers = dtype_is_complex(t) ? 2 * n : n;
	double part[FOLD_SUMS];

	if (device_holds(y)) {
		iter_passes_gpu.step(dtype_real(t), numbers, y, a, x, sum);
		return;
	}

	fold(numbers, (DT_FLOAT32 == dtype_real(t)) ? step_float : step_double,
	        &(struct step){step_length(a), y, x}, part);
	*sum = part[0];
}

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

/* Numbers that are asked for: |s|^2, and <s, M s> where there is M. */
struct asked {
	int s2, gamma;
};

/* s = A'W r - lambda x (x NULL: 0). */
static struct asked ask_descent(struct run *r, const void *of, const void *x)
{
	const struct weights *M = preconditioner(r);
	struct asked a;

	if (r->p->W != NULL) {
		weights_apply(r->p->W, r->type, r->m, r->w[Q], of);
		of = r->w[Q];
	}

	linop_adjoint(r->p->A, r->v[S], of);

	if (x != NULL && r->p->lambda > 0.)
		vec_axpy(r->type, r->n, r->v[S], -r->p->lambda, x);

	a.s2 = a.gamma = run_ask_dot(r, r->n, r->v[S], r->v[S]);

	if (M != NULL)
		a.gamma = run_ask_weighted(r, M, r->n, r->v[S]);

	return a;
}

/* s is that at x, of which no more needs to be known. */
static void tell_descent(struct run *r, const struct asked *a)
{
	r->s[KNOWN] = 1.;
	r->s[GRADIENT] = sqrt(run_told(r, a->s2));
	r->s[NEXT] = run_told(r, a->gamma);
}

/* From |r|^2_W and |x|^2. */
static void evaluate(struct run *r, double r2, double x2)
{
	r->residual = sqrt(r2);
	r->objective = 0.5 * r2 + 0.5 * r->p->lambda * x2;
	r->size2 = x2;
}

static void cg_begin(struct run *r)
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
	r->s[STOP] = -1.;
	r->s[CURVED] = 0.;
	r->s[KNOWN] = 0.;

	if (r->conf->tolerance > 0.) {
		const struct asked a = ask_descent(r, p->y, NULL);

		run_fetch(r);
		r->s[STOP] = r->conf->tolerance * sqrt(run_told(r, a.s2));
	}

	r->s[FIRST] = fmax(r->objective, 0.5 * weights_norm2(p->W, r->type, r->m, p->y));
}

/* d = M s + beta d; q = A d; the length of the step along d to the minimum, or 0 where d has no effect. */
static struct step_length line_search(struct run *r, double gamma, double beta, int asked[2])
{
	struct step_length a = {.sign = 1., .gamma = gamma, .lambda = r->p->lambda};

	weights_xpay(r->M, r->type, r->n, r->v[D], beta, r->v[S]);
	linop_forward(r->p->A, r->w[Q], r->v[D]);
	asked[0] = run_ask_weighted(r, r->p->W, r->m, r->w[Q]);
	a.q2 = r->asked + asked[0];

	if (r->p->lambda > 0.) {
		asked[1] = run_ask_dot(r, r->n, r->v[D], r->v[D]);
		a.d2 = r->asked + asked[1];
	}

	return a;
}

/* The gradient is what roundings of the residual make of it: further steps would lead anywhere, above all
 * where A has no effect. */
static bool is_rounding(const struct run *r)
{
	const double e = run_rounding(r);

	return r->s[NEXT] <= e * e * r->s[CURVED] * 2. * r->before.objective;
}

/* The step, and the gradient behind it where another step may follow: everything on the way, where the
 * vectors lie, and the numbers at the end. */
static void advance(struct run *r)
{
	const double gamma = r->s[NEXT];
	const bool more = r->k + 1 < r->conf->iterations;
	int asked[2] = {0, 0}, x2, r2;
	struct asked next = {0};
	struct step_length a = line_search(r, gamma, r->s[GAMMA] > 0. ? gamma / r->s[GAMMA] : 0., asked);
	double *sum = run_ask(r, &x2);

	make_step(r->type, r->n, r->x, &a, r->v[D], sum);
	a.sign = -1.;
	sum = run_ask(r, &r2);
	make_step(r->type, r->m, r->w[R], &a, r->w[Q], sum);

	if (r->p->W != NULL)
		r2 = run_ask_weighted(r, r->p->W, r->m, r->w[R]);

	if (more)
		next = ask_descent(r, r->w[R], r->x);

	run_fetch(r);
	a.sign = 1.;
	a.q2 = r->told + asked[0];
	a.d2 = (r->p->lambda > 0.) ? r->told + asked[1] : NULL;
	r->step = step_length(&a);
	r->s[GAMMA] = gamma;
	r->s[KNOWN] = 0.;
	evaluate(r, run_told(r, r2), run_told(r, x2));

	if (more)
		tell_descent(r, &next);
}

static void cg_iterate(struct run *r)
{
	const struct run_values before = r->before;

	if (r->s[KNOWN] == 0.) { // at the start, or in a resumed run
		const struct asked a = ask_descent(r, r->w[R], r->x);

		run_fetch(r);
		tell_descent(r, &a);
	}

	r->gradient = r->s[GRADIENT];

	if (!isfinite(r->s[NEXT]))
		error("iteration %ld: the gradient is %g, expected a finite value (the data are too large "
		      "for their type)",
		        r->k + 1, r->gradient);

	if (is_rounding(r) || r->gradient <= r->s[STOP]) {
		r->stay = (r->s[NEXT] > 0. && r->gradient <= r->s[STOP]) ? ITER_TOLERANCE : ITER_MINIMUM;
		return;
	}

	advance(r);

	if (r->step == 0.) {
		r->stay = ITER_MINIMUM;
		return;
	}

	r->s[CURVED] = fmax(r->s[CURVED], 1. / r->step);

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
        .distributed = true,
        .begin = cg_begin,
        .iterate = cg_iterate,
};

struct iter_result cg(const struct iter_problem *p, const struct iter_conf *conf, void *x)
{
	return algorithm_solve(&algorithm_cg, p, conf, x);
}
