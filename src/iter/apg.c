/*
 * [1] A. Beck and M. Teboulle, A fast iterative shrinkage-thresholding algorithm for linear inverse problems,
 * SIAM J. Imaging Sciences 2(1), 2009; the monotone variant: Fast gradient-based algorithms for constrained
 * total variation image denoising and deblurring problems, IEEE TIP 18(11), 2009. [2] B. O'Donoghue and E.
 * Candes, Adaptive restart for accelerated gradient schemes, Found. Comput. Math. 15, 2015. [3] H. Erdogan
 * and J. A. Fessler, Ordered subsets algorithms for transmission tomography, Phys. Med. Biol. 44, 1999.
 */
#include <math.h>

#include "iter/apg.h"

#include "iter/fold.h"
#include "misc/error.h"
#include "num/flpmath.h"

struct apg {
	const struct iter_problem *p;
	enum dtype type;
	long m, n;       // elements of codomain and domain
	void *x, *xp;    // iterate and the one before
	void *r, *rp;    // A x - y and the one before
	void *t;         // residual of the trial point
	void *g;         // gradient of the data term
	void *d;         // curvature bound
	double momentum; // z = x + momentum (x - xp)
	double k;        // Nesterov's sequence
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
				next = fmax(0., z - (g[i] + a->p->lambda * z) / d[i]);                       \
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
			d[i] = (T)(d[i] + a->p->lambda);                                                     \
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
APG_BLOCK(ones)

static void allocate(struct apg *a, void *x, const struct iter_problem *p)
{
	a->p = p;
	a->type = linop_type(p->A);
	a->m = linop_codomain_size(p->A);
	a->n = linop_domain_size(p->A);

	size_t size = dtype_size(a->type);

	a->x = x;
	a->xp = md_alloc_sameplace(1, &a->n, size, x);
	a->g = md_alloc_sameplace(1, &a->n, size, x);
	a->d = md_alloc_sameplace(1, &a->n, size, x);
	a->r = md_alloc_sameplace(1, &a->m, size, x);
	a->rp = md_alloc_sameplace(1, &a->m, size, x);
	a->t = md_alloc_sameplace(1, &a->m, size, x);
}

/* Leaves the iterate in x, wherever the swaps have put it. */
static void release(struct apg *a, void *x)
{
	if (a->x != x) {
		vec_copy(a->type, a->n, x, a->x);
		a->xp = a->x;
	}

	md_free(a->xp);
	md_free(a->g);
	md_free(a->d);
	md_free(a->r);
	md_free(a->rp);
	md_free(a->t);
}

static void swap(void **a, void **b)
{
	void *t = *a;

	*a = *b;
	*b = t;
}

/* d = A'W A 1 + lambda. */
static void curvature(struct apg *a)
{
	double sum[FOLD_SUMS];

	fold(a->n, ones_block, a, sum);
	linop_forward(a->p->A, a->t, a->xp);
	weights_apply(a->p->W, a->type, a->m, a->t, a->t);
	linop_adjoint(a->p->A, a->d, a->t);

	if (vec_count_nonfinite(a->type, a->n, a->d) > 0)
		error("the weights are too large for %s, expected smaller ones", dtype_name(a->type));

	fold(a->n, curvature_block, a, sum);

	if (sum[SUM_NEGATIVE] > 0.)
		error("operator %s has negative elements (%.0f negative sums), expected none for a solution "
		      ">= 0",
		        linop_name(a->p->A), sum[SUM_NEGATIVE]);
}

static void start(struct apg *a, bool warm)
{
	double sum[FOLD_SUMS];

	if (!warm) {
		vec_clear(a->type, a->n, a->x);
		vec_axpby(a->type, a->m, a->r, -1., a->p->y, 0., a->p->y);
		return;
	}

	fold(a->n, project_block, a, sum);

	if (sum[SUM_NEGATIVE] > 0.)
		info("%.0f negative values of the starting volume set to 0", sum[SUM_NEGATIVE]);

	linop_forward(a->p->A, a->r, a->x);
	vec_axpy(a->type, a->m, a->r, -1., a->p->y);
}

/* Norm of A'W y. */
static double gradient_at_zero(const struct apg *a)
{
	weights_apply(a->p->W, a->type, a->m, a->t, a->p->y);
	linop_adjoint(a->p->A, a->g, a->t);

	return vec_norm(a->type, a->n, a->g);
}

static void evaluate(const struct apg *a, const void *x, const void *r, struct iter_result *res)
{
	double r2 = weights_norm2(a->p->W, a->type, a->m, r);
	double x2 = a->p->lambda > 0. ? vec_dot(a->type, a->n, x, x) : 0.;

	res->residual = sqrt(r2);
	res->objective = 0.5 * r2 + 0.5 * a->p->lambda * x2;
}

/* xp = the projected gradient step from z, t = A xp - y. */
static void trial(const struct apg *a, double sum[FOLD_SUMS])
{
	if (a->momentum > 0.)
		vec_axpby(a->type, a->m, a->t, 1. + a->momentum, a->r, -a->momentum, a->rp);
	else
		vec_copy(a->type, a->m, a->t, a->r);

	weights_apply(a->p->W, a->type, a->m, a->t, a->t);
	linop_adjoint(a->p->A, a->g, a->t);
	fold(a->n, step_block, (void *)a, sum);
	linop_forward(a->p->A, a->t, a->xp);
	vec_axpy(a->type, a->m, a->t, -1., a->p->y);
}

static void restart(struct apg *a)
{
	a->k = 1.;
	a->momentum = 0.;
}

/* xp becomes the iterate. */
static void accept(struct apg *a, bool keep_momentum)
{
	swap(&a->x, &a->xp);
	swap(&a->r, &a->rp);
	swap(&a->r, &a->t);

	if (!keep_momentum) {
		restart(a);
		return;
	}

	double next = 0.5 * (1. + sqrt(1. + 4. * a->k * a->k));

	a->momentum = (a->k - 1.) / next;
	a->k = next;
}

/* One iteration; sets res->end when there is nothing left to do. */
static void iterate(struct apg *a, struct iter_result *res, double stop, double first)
{
	struct iter_result next = *res;
	double sum[FOLD_SUMS];

	trial(a, sum);
	next.iterations++;
	next.gradient = sqrt(sum[SUM_STEP2]);
	evaluate(a, a->xp, a->t, &next);

	if (next.objective > res->objective &&
	        a->momentum > 0.) { // too far: back to x, next time a plain step
		res->iterations++;
		restart(a);
		return;
	}

	if (iter_diverged(next.objective, res->objective, first, next.iterations)) {
		res->end = ITER_DIVERGED;
		return;
	}

	*res = next;
	accept(a, sum[SUM_RESTART] <= 0.);

	if (next.gradient == 0.)
		res->end = ITER_MINIMUM;
	else if (next.gradient <= stop)
		res->end = ITER_TOLERANCE;
}

static void report(const struct apg *a, const struct iter_conf *conf, const struct iter_result *res)
{
	monitor_step(conf->monitor,
	        &(struct monitor_state){.iteration = res->iterations,
	                .residual = res->residual,
	                .objective = res->objective,
	                .gradient = res->gradient,
	                .step = res->iterations > 0 ? 1. : NAN},
	        a->type, a->n, a->x);
}

struct iter_result apg(const struct iter_problem *p, const struct iter_conf *conf, void *x)
{
	struct iter_result res = {.end = ITER_ALL, .gradient = NAN};
	struct apg a;
	double stop = -1.; // norm of the step

	if (dtype_is_complex(linop_type(p->A)))
		error("a solution >= 0 of type %s, expected a real type", dtype_name(linop_type(p->A)));

	allocate(&a, x, p);
	restart(&a);
	curvature(&a);

	if (conf->tolerance > 0.)
		stop = conf->tolerance * gradient_at_zero(&a);

	start(&a, conf->warm);
	evaluate(&a, a.x, a.r, &res);
	report(&a, conf, &res);

	double first = fmax(res.objective, 0.5 * weights_norm2(p->W, a.type, a.m, p->y));

	while (res.end == ITER_ALL && res.iterations < conf->iterations) {
		iterate(&a, &res, stop, first);

		if (res.end != ITER_DIVERGED)
			report(&a, conf, &res);
	}

	release(&a, x);

	return res;
}
