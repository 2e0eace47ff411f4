#ifndef ITER_STEP_PASSES_H
#define ITER_STEP_PASSES_H

#include <math.h>

#include "misc/dtype.h"
#include "num/device/cuda/device_fn.h"

/**
 * Passes over long vectors on a device: the counterparts of the CPU's loops in fold.h, dual.h, groups.h,
 * pointwise.h and cg.c. Sums are float64 in an order that depends on sizes only. There is one table per
 * device, chosen by the address of the vectors; the table of builds without CUDA is empty.
 */

struct field;
struct groups;

/** The factor of a group with norm t, or the value that is summed over groups. */
enum groups_rule {
	GROUPS_NORM,    // t
	GROUPS_SHRINK,  // 1 - radius / t, at least 0
	GROUPS_PROJECT, // radius / t, at most 1
	GROUPS_ESCAPE   // infinity where t > radius, else 0
};

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

/** Nesterov's momentum after t. */
DEVICE_FN double momentum_after(double t)
{
	return .5 * (1. + sqrt(1. + 4. * t * t));
}

/** For expectation maximisation: an element of the divergence of y from p = A x, and of the ratio y / p,
 * which is 0 for rays that miss the volume. */
DEVICE_FN double divergence_from(double y, double p)
{
	return (y > 0. && p > 0.) ? p - y + y * log(y / p) : p;
}

DEVICE_FN double ratio_to(double y, double p)
{
	return (p > 0.) ? y / p : 0.;
}

/** A step gamma / (|q|^2 + lambda |d|^2) of conjugate gradients, times `sign`; 0 if the denominator is 0. The
 * squares q2 and d2 are on the device of the vectors; d2 NULL: |d|^2 is 0. */
struct step_length {
	double sign, gamma, lambda;
	const double *q2, *d2;
};

DEVICE_FN double step_length(const struct step_length *s)
{
	const double delta = (0 == s->d2) ? *s->q2 : *s->q2 + s->lambda * *s->d2;

	return s->sign * (delta > 0. ? s->gamma / delta : delta == 0. ? 0. : (double)NAN);
}

/** Functions whose sum over the elements is a functional, for passes on the device; POINT_ELSEWHERE: not
 * available on the device. */
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

enum point_action { POINT_VALUE, POINT_PROX, POINT_GRADIENT, POINT_CURVATURE, POINT_SECOND };

/** Per-element parameters (iter/functional/functionals.h), on the device; NULL: none. */
struct point_data {
	const void *y, *b; // of the type of the elements
	const double *w;
};

/** Sums are written to `sum`, on the device too. */
struct iter_passes {
	/** The passes of field_ascend(), field_accelerate(), field_climb() and field_measure()
	 * (iter/step/dual.h); the last one has two sums. */
	void (*ascend)(const struct field *f, double s, double radius, double beta, void *p, void *q,
	        const void *g, double *sum);
	void (*accelerate)(const struct field *f, double s, double radius, double *momentum, void *p, void *q,
	        const void *g);
	void (*climb)(const struct field *f, double s, double radius, void *p, void *g);
	void (*measure)(const struct field *f, const void *g, const void *p, double sum[2]);
	/** The passes of groups_scale() and groups_sum() (iter/step/groups.h). */
	void (*groups_scale)(
	        const struct groups *g, enum groups_rule rule, double radius, void *dst, const void *src);
	void (*groups_sum)(
	        const struct groups *g, enum groups_rule rule, double radius, const void *src, double *sum);
	/** n elements of `type`. POINT_VALUE writes the value to `sum`; other actions do not change `sum`.
	 * The results of POINT_CURVATURE and POINT_SECOND are real. */
	void (*point)(enum point_rule rule, enum point_action action, const double param[], double gamma,
	        enum dtype type, long n, const struct point_data *d, void *dst, const void *src, double *sum);
	/** y += a x, and the sum of the squares of the new y; x and y are n numbers of a real type. */
	void (*step)(
	        enum dtype real, long n, void *y, const struct step_length *a, const void *x, double *sum);
	/** x = 1 / x for x > limit, else 0; *below: how many x are below -limit. */
	void (*invert)(enum dtype real, long n, void *x, double limit, double *below);
	/** p = y / p. sum[2], for the old p: the divergence of y from p, and |p - y|^2. */
	void (*ratio)(enum dtype real, long n, void *p, const void *y, double sum[2]);
	/** x *= f / s where s > 0; *sum: the squared distance that x moved. */
	void (*multiply)(enum dtype real, long n, void *x, const void *f, const void *s, double *sum);
};

extern const struct iter_passes iter_passes_gpu;

#endif
