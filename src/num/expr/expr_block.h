#ifndef NUM_EXPR_EXPR_BLOCK_H
#define NUM_EXPR_EXPR_BLOCK_H

#include "num/expr/expr_loop.h"

/** Runs the steps of a pass on one block of at most EXPR_BLOCK elements in the first-level cache. */

/** Processes n elements from element `number` of the loop on. w->lane[] contains the start of the block in
 * each lane. base[lane] is the address of element 0 of a lane. `fresh`: the first element begins a line. */
extern void expr_block_run(
        const struct loop *l, struct loop_worker *w, char *const base[], long number, long n, bool fresh);

/** The function that runs a step. */
extern order_fn *expr_block_order(const struct step *s);

/** Moves pos to the start of the next line. */
extern void expr_loop_next_row(const struct loop *l, long pos[DIMS]);

#endif
