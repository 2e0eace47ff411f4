#ifndef ITER_STEP_GROUPS_H
#define ITER_STEP_GROUPS_H

#include "iter/step/passes.h"
#include "misc/dtype.h"

/** Groups of elements of an array, such as the vectors of a vector field. Elements of one group differ only
 * in their indices along selected dims. The real and the imaginary part of a complex element are in one
 * group. */
struct groups {
	enum dtype real;  // float32 or float64
	long count;       // number of groups
	int kept, inside; // numbers of dims in kdims[] and gdims[]; contiguous dims are merged
	long kdims[DIMS + 1], kstrs[DIMS + 1]; // extents and strides of the array of groups [real numbers]
	long gdims[DIMS + 1], gstrs[DIMS + 1]; // extents and strides inside a group [real numbers]
};

/** Sets up the groups of an array with D dims. `flags` is the bit mask of the dims along which a group
 * extends. */
extern void groups_init(struct groups *g, enum dtype type, int D, const long dims[DIMS], unsigned long flags);

/** Multiplies each group by groups_apply(rule, radius, t), where t is the norm of the group. `dst` receives
 * the products and may be src. */
extern void groups_scale(
        const struct groups *g, enum groups_rule rule, double radius, void *dst, const void *src);

/** Returns the sum of groups_apply(rule, radius, t) over the norms t of all groups. The sum is computed in
 * float64. */
extern double groups_sum(const struct groups *g, enum groups_rule rule, double radius, const void *src);

/** Writes the result of groups_sum() to *out. `out` is on the device of src. No data are copied to the
 * host. */
extern void groups_sum_to(
        const struct groups *g, enum groups_rule rule, double radius, const void *src, double *out);

#endif
