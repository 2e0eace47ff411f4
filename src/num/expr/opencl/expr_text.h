#ifndef NUM_EXPR_OPENCL_EXPR_TEXT_H
#define NUM_EXPR_OPENCL_EXPR_TEXT_H

#include "num/expr/expr_loop.h"

/**
 * The source of a kernel for a pass in OpenCL C. A work-item computes one element, or, where there are
 * reductions, every 256th of a part of EXPR_OPENCL_PART elements, which its group folds in a tree.
 *
 * Parameters of gantry_expr(): first and last element; words (a buffer of 8-byte words: extents, the steps of
 * all lanes [bytes], scalars); counters (32 bits each: values that do not fit per output, then those outside
 * domains per check); sums (float64: of each part its reductions, from element 0 of the pass on); then per
 * lane its buffer, and where element 0 lies in it [bytes].
 */
enum { EXPR_OPENCL_THREADS = 256, EXPR_OPENCL_PART = 256 * 64 };

/** Whether there are words for all that a pass does. */
extern bool expr_text_can(const struct expr_plan *p, const struct expr_pass *q);

/** What follows the library; free(). */
extern char *expr_text_of(const struct loop *l);

/** The words, and how many there are. */
extern long expr_text_words(const struct loop *l);
extern void expr_text_fill(const struct loop *l, int64_t *words);

#endif
