#ifndef NUM_LINE_STENCIL_ROWS_H
#define NUM_LINE_STENCIL_ROWS_H

#include "num/expr/stencil.h"

/** Computes a pass row by row in one thread. A row is a line of elements along dim 0. A row of an input is
 * copied only if elements beyond the ends of the row are needed. */
struct stencil_rows;

/** Returns whether a pass can be computed row by row. */
extern bool stencil_rows_fit(const struct stencil *s, const struct stencil_work *work);

/** Number of slices in a group. Row y of all slices of a group is computed before row y + 1. */
enum { STENCIL_ROWS_DEEP = 4 };

/** Creates the state of a thread. */
extern struct stencil_rows *stencil_rows_create(
        const struct expr_run *r, const struct stencil *s, const struct stencil_work *work);
extern void stencil_rows_free(struct stencil_rows *w);

/** Computes rows [from[1], to[1]) of slices [from[2], to[2]) at position `rest` along the other dims. The
 * memory of the outputs begins with slice `window_first`. The array `lost` counts the values that do not fit
 * into each output. */
extern void stencil_rows_run(struct stencil_rows *w, const long from[3], const long to[3],
        const long rest[DIMS], long window_first, long *lost);

#endif
