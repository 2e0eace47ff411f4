#ifndef CT_PROJECTOR_STACK_STACK_H
#define CT_PROJECTOR_STACK_STACK_H

#include "ct/projector/bricks.h"

/**
 * Stacks of fan beams on the CPU. In a stack of fans, each detector row has a separate source at the height
 * of the row. Every ray therefore stays at one height. The forward projection computes each slice
 * separately, with one transform for all slices. A detector row is a weighted sum of projected slices. The
 * weights depend on the projector model:
 * - Joseph's method interpolates between the two slices next to the row.
 * - Siddon's method uses the slice that contains the row.
 * - Separable footprints use all slices that the row overlaps.
 */
enum {
	STACK_DEPTH = 256, // largest number of slices that are processed together
	STACK_EDGE = 32,   // voxels of a brick along x and y
};

/** Returns the distance of successive lines along z [elements]. The distance is an odd number of cache
 * lines. */
static inline int stack_pitch(int depth)
{
	const int lines = (depth + 15) / 16 | 1;

	return lines * 16;
}

/** Returns the transform of one slice at z = 0, with one detector row. The caller frees the transform with
 * xray_free(). */
extern struct xray *stack_plane(const struct xray *x);

/** Returns the height of a detector row [slices]. A height that differs from a whole number only by rounding
 * is replaced by the whole number. */
extern double stack_row(const struct xray *x, long view, long row);

/** Describes which slices among [lo, hi) a detector row meets. Slices outside [first, end) have weight 0.
 * The function stack_weight() returns the weight of a slice in [first, end). */
struct stack_slices {
	long first, end; // slices with a weight
	double z, high;
	enum xray_model model;
};
extern struct stack_slices stack_slices(const struct xray *x, long view, long row, long lo, long hi);
extern double stack_weight(const struct stack_slices *s, long slice);

/** Finds the detector rows [*first, *end) of a view in which slices [lo, hi) may have a weight. */
extern void stack_rows(const struct xray *x, long view, long lo, long hi, long *first, long *end);

/** These functions compute a tile of the transform slice by slice, for any data type. */
extern void stack_general_forward(const struct xray_call *p);
extern void stack_general_adjoint(const struct xray_call *p);

/** The fast path for float32. The weights are computed once for many slices. The function stack_fan_create()
 * returns NULL if the path does not support the scan. */
struct stack_fan;
extern struct stack_fan *stack_fan_create(const struct xray *x);
extern void stack_fan_free(struct stack_fan *f);
extern double stack_fan_memory(const struct stack_fan *f);
extern void stack_fan_forward(void *plan, const struct xray_call *p);
extern void stack_fan_adjoint(void *plan, const struct xray_call *p);

#endif
