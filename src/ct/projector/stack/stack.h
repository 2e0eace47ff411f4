#ifndef CT_PROJECTOR_STACK_STACK_H
#define CT_PROJECTOR_STACK_STACK_H

#include "ct/projector/bricks.h"

/**
 * Stacks of fans on the CPU: every detector row has a separate source at the height of the row, so that each
 * ray stays at one height. A is the transform of one slice, which is the same for all slices, times the
 * weights of slices in rows. Joseph's method interpolates between the two slices next to a row. For Siddon's
 * method, a row is in one slice. For separable footprints, a row extends along z by the row spacing, so that
 * it may overlap several slices. The volume is processed in layers of complete slices.
 */
enum {
	STACK_DEPTH = 256, // slices of a layer, at most
	STACK_EDGE = 32,   // voxels of a brick along x and y
};

/** Distance of successive lines along z [elements]: an odd number of cache lines. */
static inline int stack_pitch(int depth)
{
	const int lines = (depth + 15) / 16 | 1;

	return lines * 16;
}

/** The transform of one slice at z = 0, with one detector row. */
extern struct xray *stack_plane(const struct xray *x);

/** The height of a row [slices]; snapped to a slice if it differs only by rounding. */
extern double stack_row(const struct xray *x, long view, long row);

/** The slices that a row meets among slices [lo, hi): stack_weight() gives the weight of a slice in [first,
 * end); all other slices have weight 0. */
struct stack_slices {
	long first, end; // that weigh anything
	double z, high;
	enum xray_model model;
};
extern struct stack_slices stack_slices(const struct xray *x, long view, long row, long lo, long hi);
extern double stack_weight(const struct stack_slices *s, long slice);

/** Rows of a view in which slices [lo, hi) may have weight: [*first, *end). */
extern void stack_rows(const struct xray *x, long view, long lo, long hi, long *first, long *end);

/** Computes a part of the data slice by slice, using the paths for one slice. Any type. */
extern void stack_general_forward(const struct xray_call *p);
extern void stack_general_adjoint(const struct xray_call *p);

/** The fast path, float32: the weights are computed once for all slices of a layer, and multiplied with lines
 * along z. */
struct stack_fan;
extern struct stack_fan *stack_fan_create(const struct xray *x);
extern void stack_fan_free(struct stack_fan *f);
extern double stack_fan_memory(const struct stack_fan *f);
extern void stack_fan_forward(void *plan, const struct xray_call *p);
extern void stack_fan_adjoint(void *plan, const struct xray_call *p);

#endif
