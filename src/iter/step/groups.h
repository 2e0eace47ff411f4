#ifndef ITER_STEP_GROUPS_H
#define ITER_STEP_GROUPS_H

#include "iter/step/passes.h"
#include "misc/dtype.h"

/**
 * Groups of the elements of an array: elements of a group differ only in their index along the dims in flags.
 * Both parts of a complex element are in the same group.
 */
struct groups {
	enum dtype real;
	long count;       // of groups
	int kept, inside; // number of dims across and inside groups, in real numbers; contiguous dims are
	                  // merged
	long kdims[DIMS + 1], kstrs[DIMS + 1];
	long gdims[DIMS + 1], gstrs[DIMS + 1];
};

extern void groups_init(struct groups *g, enum dtype type, int D, const long dims[DIMS], unsigned long flags);

/** dst = src times the factor that the rule gives for the norm of the group; dst may be src. */
extern void groups_scale(
        const struct groups *g, enum groups_rule rule, double radius, void *dst, const void *src);

/** Sum over all groups of the value that the rule gives for the norm of the group, in float64. */
extern double groups_sum(const struct groups *g, enum groups_rule rule, double radius, const void *src);

/** Writes the sum of groups_sum() to *out, on the device of src, without a transfer. */
extern void groups_sum_to(
        const struct groups *g, enum groups_rule rule, double radius, const void *src, double *out);

#endif
