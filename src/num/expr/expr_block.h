#ifndef NUM_EXPR_EXPR_BLOCK_H
#define NUM_EXPR_EXPR_BLOCK_H

#include "num/expr/expr_loop.h"

/** These functions compute the steps of a pass on a block of at most EXPR_BLOCK elements. */

/** Computes n elements of the loop from element `number` on. The array w->lane[] contains the start of the
 * block in each operand. The array base[] contains the addresses of element 0. `fresh` must be true if the
 * first element begins a line along dim 0. */
extern void expr_block_run(
        const struct loop *l, struct loop_worker *w, char *const base[], long number, long n, bool fresh);

/** Returns the function that computes step s. */
extern order_fn *expr_block_order(const struct step *s);

/** Moves pos to the start of the next line along dim 0. */
extern void expr_loop_next_row(const struct loop *l, long pos[DIMS]);

#endif
