#ifndef NUM_EXPR_OPENCL_EXPR_TEXT_H
#define NUM_EXPR_OPENCL_EXPR_TEXT_H

#include "num/expr/expr_loop.h"

/**
 * Source text of an OpenCL C kernel for one pass. A work-item computes one element. In a pass with
 * reductions, a work-group reduces EXPR_OPENCL_PART elements.
 *
 * The kernel gantry_expr() has these parameters, in this order:
 * - the range of elements [first, last)
 * - `words` of 8 bytes: extents, steps of all lanes [bytes], scalars
 * - `counters` of 32 bits: one per output (values that do not fit), then one per check (outside the domain)
 * - `sums` of type `total` (library.cl): reductions of each part. Part 0 begins at element 0 of the pass.
 * - the buffer of each lane, and the offset of element 0 in the buffer [bytes]
 *
 * Every buffer is followed by the offset of its data (struct opencl_argument).
 */
enum { EXPR_OPENCL_THREADS = 256, EXPR_OPENCL_PART = 256 * 64 };

/** Returns whether all steps of a pass can be written in OpenCL C. */
extern bool expr_text_can(const struct expr_plan *p, const struct expr_pass *q);

/** Returns the source that follows library.cl. The caller frees the text. */
extern char *expr_text_of(const struct loop *l);

/** These functions return the length of the buffer `words` and fill the buffer. */
extern long expr_text_words(const struct loop *l);
extern void expr_text_fill(const struct loop *l, int64_t *words);

#endif
