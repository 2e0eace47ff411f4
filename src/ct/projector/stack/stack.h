#ifndef CT_PROJECTOR_STACK_STACK_H
#define CT_PROJECTOR_STACK_STACK_H

#include "ct/projector/bricks.h"

/**
 * Stacks of fans on the CPU: every detector row has its own source at its height, so that all rays stay in
 * slices. A is the transform of one slice, the same for all, times the weights of slices in rows. Joseph's
 * method interpolates between the two slices next to a row; by Siddon's method a row is in one slice; for
 * separable footprints a row, as high as the distance of rows, has parts in several slices. The volume is
 * processed in layers of whole slices.
 */
enum {
	STACK_DEPTH = 256, // slices of a layer, at most
	STACK_EDGE = 32,   // voxels of a brick along x and y
};

/** Elements from line to line along z: an odd number of whole cache lines. */
static inline int stack_pitch(int depth)
{
	const int lines = (depth + 15) / 16 | 1;

	return lines * 16;
}

/** The transform of one slice: one row at z = 0. */
extern struct xray *stack_plane(const struct xray *x);

/** The height of a row [slices]; snapped to a slice if it differs only by rounding. */
extern double stack_row(const struct xray *x, long view, long row);

/** Slices of a row: weight[i] of slice first + i, n < STACK_SLICES of them in [0, slices); 0 from there on.
 */
struct stack_slices {
	long first, end; // that weigh anything
	double z, high;
	enum xray_model model;
};
extern struct stack_slices stack_slices(const struct xray *x, long view, long row, long lo, long hi);
extern double stack_weight(const struct stack_slices *s, long slice);

/** Rows of a view in which slices [lo, hi) may have weight: [*first, *end). */
extern void stack_rows(const struct xray *x, long view, long lo, long hi, long *first, long *end);

/** A part of the data slice by slice, by the paths for one slice: any type. */
extern void stack_general_forward(const struct xray_call *p);
extern void stack_general_adjoint(const struct xray_call *p);

/** The fast path, float32: the weights of a slice are computed once for all slices of a layer, and lines
 * along z are added. */
struct stack_fan;
extern struct stack_fan *stack_fan_create(const struct xray *x);
extern void stack_fan_free(struct stack_fan *f);
extern double stack_fan_memory(const struct stack_fan *f);
extern void stack_fan_forward(void *plan, const struct xray_call *p);
extern void stack_fan_adjoint(void *plan, const struct xray_call *p);

#endif
