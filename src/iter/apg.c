/*
 * [1] A. Beck and M. Teboulle, A fast iterative shrinkage-thresholding algorithm for linear inverse problems,
 * SIAM J. Imaging Sciences 2(1), 2009; the monotone variant: Fast gradient-based algorithms for constrained
 * total variation image denoising and deblurring problems, IEEE TIP 18(11), 2009. [2] B. O'Donoghue and E.
 * Candes, Adaptive restart for accelerated gradient schemes, Found. Comput. Math. 15, 2015. [3] H. Erdogan
 * and J. A. Fessler, Ordered subsets algorithms for transmission tomography, Phys. Med. Biol. 44, 1999.
 */
#include <math.h>

#include "iter/apg.h"

#include "iter/algorithm.h"
#include "iter/fold.h"
#include "misc/error.h"
#include "num/flpmath.h"

enum { XP, G, DC }; // x before, or the trial; gradient of the data term; curvature bound
enum { R, RP, T };  // A x - y, that before; of the trial
enum {
	MOMENTUM,
	NESTEROV,
	STOP,
	FIRST
}; // z = x + momentum (x - xp); its sequence; size of a step to stop at

/* What the passes over the voxels work on. */
struct apg {
	enum dtype type;
	void *x, *xp, *g, *d;
	double momentum, lambda;
};

/* Sums of the projected step. */
enum { SUM_STEP2, SUM_RESTART, SUM_NEGATIVE };

#define APG_KERNELS(T, name)                                                                                 \
	static void step_##name(const struct apg *a, long first, long n, double sum[FOLD_SUMS])              \
	{                                                                                                    \
		const T *x = (const T *)a->x + first;                                                        \
		const T *g = (const T *)a->g + first;                                                        \
		const T *d = (const T *)a->d + first;                                                        \
		T *xp = (T *)a->xp + first;                                                                  \
		for (long i = 0; i < n; i++) {                                                               \
			double z = x[i] + a->momentum * ((double)x[i] - xp[i]);                              \
			double next = x[i];                                                                  \
			if (d[i] > 0)                                                                        \
				next = fmax(0., z - (g[i] + a->lambda * z) / d[i]);                          \
			else                                                                                 \
				z = next;                                                                    \
			xp[i] = (T)next;                                                                     \
			sum[SUM_STEP2] += ((z - next) * d[i]) * ((z - next) * d[i]);                         \
			sum[SUM_RESTART] += d[i] * (z - next) * (next - x[i]);                               \
		}                                                                                            \
	}                                                                                                    \
	static void curvature_##name(const struct apg *a, long first, long n, double sum[FOLD_SUMS])         \
	{                                                                                                    \
		T *d = (T *)a->d + first;                                                                    \
		for (long i = 0; i < n; i++) {                                                               \
			sum[SUM_NEGATIVE] += d[i] < 0;                                                       \
			d[i] = (T)(d[i] + a->lambda);                                                        \
		}                                                                                            \
	}                                                                                                    \
	static void project_##name(const struct apg *a, long first, long n, double sum[FOLD_SUMS])           \
	{                                                                                                    \
		T *x = (T *)a->x + first;                                                                    \
		for (long i = 0; i < n; i++) {                                                               \
			sum[SUM_NEGATIVE] += x[i] < 0;                                                       \
			x[i] = x[i] > 0 ? x[i] : 0;                                                          \
		}                                                                                            \
	}                                                                                                    \
	static void exchange_##name(const struct apg *a, long first, long n, double sum[FOLD_SUMS])          \
	{                                                                                                    \
		T *x = (T *)a->x + first, *xp = (T *)a->xp + first;                                          \
		(void)sum;                                                                                   \
		for (long i = 0; i < n; i++) {                                                               \
			T old = x[i];                                                                        \
			x[i] = xp[i];                                                                        \
			xp[i] = old;                                                                         \
		}                                                                                            \
	}                                                                                                    \
	static void ones_##name(const struct apg *a, long first, long n, double sum[FOLD_SUMS])              \
	{                                                                                                    \
		T *x = (T *)a->xp + first;                                                                   \
		(void)sum;                                                                                   \
		for (long i = 0; i < n; i++)                                                                 \
			x[i] = 1;                                                                            \
	}

APG_KERNELS(float, float)
APG_KERNELS(double, double)

#define APG_BLOCK(op)                                                                                        \
	static void op##_block(void *ctx, long first, long n, double sum[FOLD_SUMS])                         \
	{                                                                                                    \
		const struct apg *a = ctx;                                                                   \
		if (a->type == DT_FLOAT32)                                                                   \
			op##_float(a, first, n, sum);                                                        \
		else                                                                                         \
			op##_double(a, first, n, sum);                                                       \
	}

APG_BLOCK(step)
APG_BLOCK(curvature)
APG_BLOCK(project)
APG_BLOCK(exchange)
APG_BLOCK(ones)

static void pass(struct run *r, fold_fn *fn, double sum[FOLD_SUMS])
{
	struct apg a = {r->type, r->x, r->v[XP], r->v[G], r->v[DC], r->s[MOMENTUM], r->p->lambda};

	fold(r->n, fn, &a, sum);
}

static void swap(void **a, void **b)
{
	void *t = *a;

	*a = *b;
	*b = t;
}

/* d = A'W A 1 + lambda. */
static void curvature(struct run *r)
{
	double sum[FOLD_SUMS];

	pass(r, ones_block, sum);
	linop_forward(r->p->A, r->w[T], r->v[XP]);
	weights_apply(r->p->W, r->type, r->m, r->w[T], r->w[T]);
	linop_adjoint(r->p->A, r->v[DC], r->w[T]);

	if (vec_count_nonfinite(r->type, r->n, r->v[DC]) > 0)
		error("the weights are too large for %s, expected smaller ones", dtype_name(r->type));

	pass(r, curvature_block, sum);

	if (sum[SUM_NEGATIVE] > 0.)
		error("operator %s has negative elements (%.0f negative sums), expected none for a solution "
		      ">= 0",
		        linop_name(r->p->A), sum[SUM_NEGATIVE]);
}

static void start(struct run *r)
{
	double sum[FOLD_SUMS];

	if (!r->conf->warm) {
		vec_axpby(r->type, r->m, r->w[R], -1., r->p->y, 0., r->p->y);
		return;
	}

	pass(r, project_block, sum);

	if (sum[SUM_NEGATIVE] > 0.)
		info("%.0f negative values of the starting volume set to 0", sum[SUM_NEGATIVE]);

	linop_forward(r->p->A, r->w[R], r->x);
	vec_axpy(r->type, r->m, r->w[R], -1., r->p->y);
}

/* Norm of A'W y. */
static double gradient_at_zero(struct run *r)
{
	weights_apply(r->p->W, r->type, r->m, r->w[T], r->p->y);
	linop_adjoint(r->p->A, r->v[G], r->w[T]);

	return vec_norm(r->type, r->n, r->v[G]);
}

static void evaluate(struct run *r, const void *x, const void *residual)
{
	double r2 = weights_norm2(r->p->W, r->type, r->m, residual);

	r->residual = sqrt(r2);
	r->objective = 0.5 * r2 + run_penalty(r, x);
}

static void restart(struct run *r)
{
	r->s[NESTEROV] = 1.;
	r->s[MOMENTUM] = 0.;
}

static void begin(struct run *r)
{
	restart(r);
	curvature(r);
	r->s[STOP] = (r->conf->tolerance > 0.) ? r->conf->tolerance * gradient_at_zero(r) : -1.;
	start(r);
	evaluate(r, r->x, r->w[R]);
	r->s[FIRST] = fmax(r->objective, 0.5 * weights_norm2(r->p->W, r->type, r->m, r->p->y));
}

/* xp = the projected gradient step from z, t = A xp - y. */
static void trial(struct run *r, double sum[FOLD_SUMS])
{
	const double momentum = r->s[MOMENTUM];

	if (momentum > 0.)
		vec_axpby(r->type, r->m, r->w[T], 1. + momentum, r->w[R], -momentum, r->w[RP]);
	else
		vec_copy(r->type, r->m, r->w[T], r->w[R]);

	weights_apply(r->p->W, r->type, r->m, r->w[T], r->w[T]);
	linop_adjoint(r->p->A, r->v[G], r->w[T]);
	pass(r, step_block, sum);
	linop_forward(r->p->A, r->w[T], r->v[XP]);
	vec_axpy(r->type, r->m, r->w[T], -1., r->p->y);
}

/* xp becomes the iterate. */
static void accept(struct run *r, bool keep_momentum)
{
	double sum[FOLD_SUMS];

	pass(r, exchange_block, sum);
	swap(&r->w[R], &r->w[RP]);
	swap(&r->w[R], &r->w[T]);

	if (!keep_momentum) {
		restart(r);
		return;
	}

	double next = 0.5 * (1. + sqrt(1. + 4. * r->s[NESTEROV] * r->s[NESTEROV]));

	r->s[MOMENTUM] = (r->s[NESTEROV] - 1.) / next;
	r->s[NESTEROV] = next;
}

static void iterate(struct run *r)
{
	double sum[FOLD_SUMS];

	trial(r, sum);
	evaluate(r, r->v[XP], r->w[T]);
	r->gradient = sqrt(sum[SUM_STEP2]);
	r->step = 1.;

	if (r->objective > r->before.objective &&
	        r->s[MOMENTUM] > 0.) { // too far: back to x, next time a plain step
		r->objective = r->before.objective;
		r->residual = r->before.residual;
		r->gradient = r->before.gradient;
		restart(r);
		return;
	}

	if (iter_diverged(r->objective, r->before.objective, r->s[FIRST], r->k + 1)) {
		r->stay = ITER_DIVERGED;
		return;
	}

	accept(r, sum[SUM_RESTART] <= 0.);
	r->minimum = r->gradient == 0.;
	r->met = r->gradient <= r->s[STOP];
}

const struct algorithm algorithm_apg = {
        .name = "apg",
        .about = "accelerated projected gradient steps for volumes >= 0, each voxel with its own step (Beck "
                 "and "
                 "Teboulle 2009, O'Donoghue and Candes 2015); the objective never grows",
        .takes = TAKES_LAMBDA | TAKES_WEIGHTS | NEEDS_NONNEGATIVE | SETS_TOLERANCE,
        .volumes = 3,
        .projections = 3,
        .begin = begin,
        .iterate = iterate,
};

struct iter_result apg(const struct iter_problem *p, const struct iter_conf *conf, void *x)
{
	if (dtype_is_complex(linop_type(p->A)))
		error("a solution >= 0 of type %s, expected a real type", dtype_name(linop_type(p->A)));

	return algorithm_solve(&algorithm_apg, p, conf, x);
}
