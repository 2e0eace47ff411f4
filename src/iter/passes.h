#ifndef ITER_PASSES_H
#define ITER_PASSES_H

#include <math.h>

#include "misc/dtype.h"
#include "num/cuda/device_fn.h"

/**
 * Passes over long vectors that lie on a device: what fold.h, dual.h, groups.h, pointwise.h and cg.c do with
 * loops on the CPU. Sums are float64 in an order that depends on sizes only. One table per device, chosen by
 * the address of the vectors; that of builds without CUDA is empty, since no address is a device's there.
 */

struct field;
struct groups;

/** What a group is multiplied by, of its norm t; or what is summed over groups. */
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

/** Sums over elements of a function of the element that a device knows. */
enum point_rule { POINT_ELSEWHERE, POINT_BOX, POINT_L2SQ, POINT_L1, POINT_HUBER };

enum point_action { POINT_VALUE, POINT_PROX, POINT_GRADIENT, POINT_CURVATURE };

struct iter_passes {
	/** As field_ascend(), field_climb(), field_measure(). */
	double (*ascend)(
	        const struct field *f, double s, double radius, double beta, void *p, void *q, const void *g);
	void (*climb)(const struct field *f, double s, double radius, void *p, void *g);
	double (*measure)(const struct field *f, const void *g, const void *p, double *inner);
	/** As groups_scale() and groups_sum(). */
	void (*groups_scale)(
	        const struct groups *g, enum groups_rule rule, double radius, void *dst, const void *src);
	double (*groups_sum)(const struct groups *g, enum groups_rule rule, double radius, const void *src);
	/** n elements of `type`. Returns the value, or 0. The result of POINT_CURVATURE is real. */
	double (*point)(enum point_rule rule, enum point_action action, const double param[], double gamma,
	        enum dtype type, long n, void *dst, const void *src);
	/** y += a x, and the sum of the squares of y: n numbers of a real type. */
	double (*step)(enum dtype real, long n, void *y, double a, const void *x);
};

extern const struct iter_passes iter_passes_gpu;

#endif
