#ifndef NUM_LINE_STENCIL_ROWS_H
#define NUM_LINE_STENCIL_ROWS_H

#include "num/expr/stencil.h"

/**
 * Passes whose neighbourhoods consist of rows of inputs, without intermediate stages. The rows are read in
 * place. A row is copied (to the first-level cache) only if elements beyond its ends are needed.
 */
struct stencil_rows;

/** Whether a pass can be computed this way. */
extern bool stencil_rows_fit(const struct stencil *s, const struct stencil_work *work);

/** Number of slices that are computed as a group: row y of all of them is computed before row y + 1. */
enum { STENCIL_ROWS_DEEP = 4 };

/** The state of a thread. */
extern struct stencil_rows *stencil_rows_create(
        const struct expr_run *r, const struct stencil *s, const struct stencil_work *work);
extern void stencil_rows_free(struct stencil_rows *w);

/** Computes rows [from[1], to[1]) of slices [from[2], to[2]) at position rest[] of the further dims.
 * window_first: the first slice in the memory of outputs. lost[] counts values that do not fit into an
 * output. */
extern void stencil_rows_run(struct stencil_rows *w, const long from[3], const long to[3],
        const long rest[DIMS], long window_first, long *lost);

#endif
