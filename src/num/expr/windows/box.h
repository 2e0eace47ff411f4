#ifndef NUM_EXPR_WINDOWS_BOX_H
#define NUM_EXPR_WINDOWS_BOX_H

#include "num/expr/windows/window.h"
#include "num/kern/kern.h"

/**
 * Means, minima and maxima over boxes. The computing time does not depend on the box length along dims 1 and
 * 2 [1]. The order of operations depends only on the position of an element.
 *
 * [1] van Herk, A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels,
 *     Pattern Recognition Letters 13 (1992)
 */
enum box_function { BOX_MEAN, BOX_MIN, BOX_MAX };

struct box {
	enum box_function function;
	enum dtype type; // work type; float64 or complex128 for means
	long r[3];
};

/**
 * Returns the address of an element of slice z. The element is at offset (-r[0], -r[1]) from the first
 * result.
 */
typedef const char *box_slice_fn(void *ctx, long z);

/** Returns a number for the content of slice z. Slices with equal numbers have equal content, for instance
 * slices that the edge rule repeats. */
typedef long box_number_fn(void *ctx, long z);

/** Working memory of a thread. A slice has at most `rows` rows of `pitch` elements, including borders. */
struct box_room;
extern struct box_room *box_room_create(const struct box *b, long rows, long pitch);
extern void box_room_free(struct box_room *r);
extern double box_bytes(const struct box *b, double rows, double pitch);
/** Invalidates the stored slices before another tile begins. */
extern void box_room_clear(struct box_room *r);

/** Computes ny rows of nx results in slice z, from row `row` of the array on. Rows are `pitch` elements
 * apart. */
extern void box_run(const struct box *b, struct box_room *r, char *out, long pitch, long nx, long ny,
        long row, long z, box_slice_fn *slice, box_number_fn *number, void *ctx);

#endif
