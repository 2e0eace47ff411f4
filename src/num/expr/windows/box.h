#ifndef NUM_EXPR_WINDOWS_BOX_H
#define NUM_EXPR_WINDOWS_BOX_H

#include "num/expr/windows/window.h"
#include "num/kern/kern.h"

/**
 * Means, minima and maxima of boxes. Along dims 1 and 2, the elements are divided into blocks of the length
 * of a box, at fixed positions. A box consists of the end of one block and the beginning of the next, so the
 * time does not depend on its length [1]. Along dim 0, results of lengths 1, 2, 4, .. are combined in the
 * first-level cache. The order of operations depends only on the position of an element.
 *
 * [1] van Herk: A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels.
 * Pattern Recognition Letters 13 (1992)
 */
enum box_function { BOX_MEAN, BOX_MIN, BOX_MAX };

struct box {
	enum box_function function;
	enum dtype type; // work type; of means float64 or complex128
	long r[3];
};

/** Returns the address of the element of slice z of the operand at offset (-r[0], -r[1]) from the first
 * result.
 */
typedef const char *box_slice_fn(void *ctx, long z);

/** Returns a number for the content of slice z. Slices with the same number are equal, for instance slices
 * beyond the borders that the edge rule repeats. */
typedef long box_number_fn(void *ctx, long z);

/** Working memory of a thread, for slices of at most `rows` rows of `pitch` elements, borders included. */
struct box_room;
extern struct box_room *box_room_create(const struct box *b, long rows, long pitch);
extern void box_room_free(struct box_room *r);
extern double box_bytes(const struct box *b, double rows, double pitch);
/** Marks the content as invalid: another tile begins. */
extern void box_room_clear(struct box_room *r);

/** Computes slice z: ny rows of nx results, from row `row` of the array on; lines are `pitch` apart. */
extern void box_run(const struct box *b, struct box_room *r, char *out, long pitch, long nx, long ny,
        long row, long z, box_slice_fn *slice, box_number_fn *number, void *ctx);

#endif
