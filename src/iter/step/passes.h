#ifndef ITER_STEP_PASSES_H
#define ITER_STEP_PASSES_H

#include <math.h>

#include "misc/dtype.h"
#include "num/device/cuda/device_fn.h"

/** Operations on long vectors in GPU memory. The CPU versions are in dual.h, groups.h, pointwise.h and
 * iter/algorithm. Sums are computed in float64. The order of summation depends only on the sizes of the
 * vectors. */

struct field;
struct groups;

/** Selects which function of the norm t groups_apply() computes. */
enum groups_rule {
	GROUPS_NORM,    // t
	GROUPS_SHRINK,  // max(0, 1 - radius / t)
	GROUPS_PROJECT, // min(1, radius / t)
	GROUPS_ESCAPE   // infinity if t > radius, else 0
};

/** Returns the value of the function `rule` at the norm t >= 0. */
DEVICE_FN double groups_apply(enum groups_rule rule, double radius, double t)
{
	switch (rule) {
	case GROUPS_SHRINK:
		return (t <= radius) ? 0. : 1. - radius / t;
	case GROUPS_PROJECT:
		return (t <= radius) ? 1. : radius / t;
	case GROUPS_ESCAPE:
		return (t <= radius) ? 0. : INFINITY;
	default:
		return t;
	}
}

/** Returns the momentum that follows t in Nesterov's sequence. */
DEVICE_FN double momentum_after(double t)
{
	return .5 * (1. + sqrt(1. + 4. * t * t));
}

/** Returns the contribution of one ray to the Kullback-Leibler divergence of y from p = A x. Expectation
 * maximisation uses the sum over all rays. The result is p if y or p is not above 0. */
DEVICE_FN double divergence_from(double y, double p)
{
	return (y > 0. && p > 0.) ? p - y + y * log(y / p) : p;
}

/** Returns y / p, or 0 if p is not above 0. Rays that miss the volume have p = 0. */
DEVICE_FN double ratio_to(double y, double p)
{
	return (p > 0.) ? y / p : 0.;
}

/**
 * A step length of conjugate gradients has the value:
 *
 *     sign gamma / (*q2 + lambda *d2)
 *
 * The step length is 0 if the denominator is 0. `q2` and `d2` point to |q|^2 and |d|^2 on the device of the
 * vectors. `d2` may be NULL, which means 0.
 */
struct step_length {
	double sign, gamma, lambda;
	const double *q2, *d2;
};

/** Returns the step length, or NaN if the denominator is negative or NaN. */
DEVICE_FN double step_length(const struct step_length *s)
{
	const double delta = (0 == s->d2) ? *s->q2 : *s->q2 + s->lambda * *s->d2;

	return s->sign * (delta > 0. ? s->gamma / delta : delta == 0. ? 0. : (double)NAN);
}

/** Selects a functional that is a sum over elements. POINT_ELSEWHERE marks functionals that the GPU cannot
 * compute. */
enum point_rule {
	POINT_ELSEWHERE,
	POINT_BOX,
	POINT_L2SQ,
	POINT_L1,
	POINT_L0,
	POINT_HUBER,
	POINT_PSEUDO_HUBER,
	POINT_KL,
	POINT_TRANSMISSION
};

/** Selects the result of iter_passes.point(). */
enum point_action { POINT_VALUE, POINT_PROX, POINT_GRADIENT, POINT_CURVATURE, POINT_SECOND };

/** Parameter arrays in GPU memory, with one number per element (iter/functional/functionals.h). NULL means
 * that the functional has no such array. */
struct point_data {
	const void *y, *b; // in the type of the elements
	const double *w;
};

/** Operations on vectors in GPU memory. Sums are written to GPU memory. */
struct iter_passes {
	/** These functions are the GPU versions of the functions field_..() in iter/step/dual.h. In
	 * measure(), `sum[0]` is the sum of lengths, and `sum[1]` is the inner product of g and p. */
	void (*ascend)(const struct field *f, double s, double radius, double beta, void *p, void *q,
	        const void *g, double *sum);
	void (*accelerate)(const struct field *f, double s, double radius, double *momentum, void *p, void *q,
	        const void *g);
	void (*climb)(const struct field *f, double s, double radius, void *p, void *g);
	void (*measure)(const struct field *f, const void *g, const void *p, double sum[2]);
	/** These functions are the GPU versions of groups_scale() and groups_sum() in
	 * iter/step/groups.h. */
	void (*groups_scale)(
	        const struct groups *g, enum groups_rule rule, double radius, void *dst, const void *src);
	void (*groups_sum)(
	        const struct groups *g, enum groups_rule rule, double radius, const void *src, double *sum);
	/** Computes the result that `action` selects, for n elements of `type`. POINT_VALUE writes the value
	 * of the functional to `sum`. The other actions write to dst and do not change `sum`. POINT_CURVATURE
	 * and POINT_SECOND write real numbers. */
	void (*point)(enum point_rule rule, enum point_action action, const double param[], double gamma,
	        enum dtype type, long n, const struct point_data *d, void *dst, const void *src, double *sum);
	/** Adds `a x` to y and writes the sum of squares of the new y to `sum`. The vectors x and y have n
	 * numbers of a real type. */
	void (*step)(
	        enum dtype real, long n, void *y, const struct step_length *a, const void *x, double *sum);
	/** Replaces x by 1 / x where x > limit, and by 0 elsewhere. `*below` receives the number of
	 * elements with x < -limit. */
	void (*invert)(enum dtype real, long n, void *x, double limit, double *below);
	/** Replaces p by `ratio_to(y, p)`. `sum[0]` receives the divergence of y from the old p. `sum[1]`
	 * receives |p - y|^2 for the old p. */
	void (*ratio)(enum dtype real, long n, void *p, const void *y, double sum[2]);
	/** Multiplies x by `f / s` where s > 0. `*sum` receives the squared norm of the change of x. */
	void (*multiply)(enum dtype real, long n, void *x, const void *f, const void *s, double *sum);
};

/** The table of operations on the GPU. In builds without CUDA, all function pointers are NULL. */
extern const struct iter_passes iter_passes_gpu;

#endif
