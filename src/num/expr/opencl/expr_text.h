#ifndef NUM_EXPR_OPENCL_EXPR_TEXT_H
#define NUM_EXPR_OPENCL_EXPR_TEXT_H

#include "num/expr/expr_loop.h"

/**
 * The source of a kernel for a pass in OpenCL C. A work-item computes one element. In a pass with reductions,
 * a work-item computes every 256th element of a part of EXPR_OPENCL_PART elements. The work-group then
 * combines the results in a tree.
 *
 * Parameters of gantry_expr(), in this order:
 * - the elements [first, last);
 * - words, 8 bytes each: extents, the steps of all lanes [bytes], scalars;
 * - counters, 32 bits each: per output, the number of values that do not fit; then, per check, the number of
 *   values outside the domain;
 * - sums, of type `total` of library.cl: the reductions of each part; part 0 begins at element 0 of the pass;
 * - for each lane, its buffer and the offset [bytes] of element 0 from the start of the buffer.
 * Each buffer is followed by its own offset (struct opencl_argument).
 */
enum { EXPR_OPENCL_THREADS = 256, EXPR_OPENCL_PART = 256 * 64 };

/** Whether all steps of a pass can be written in OpenCL C. */
extern bool expr_text_can(const struct expr_plan *p, const struct expr_pass *q);

/** The source that follows library.cl; the caller frees it. */
extern char *expr_text_of(const struct loop *l);

/** The buffer `words`: its length, and its content. */
extern long expr_text_words(const struct loop *l);
extern void expr_text_fill(const struct loop *l, int64_t *words);

#endif
