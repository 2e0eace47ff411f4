#ifndef NUM_EXPR_EXPR_OPENCL_H
#define NUM_EXPR_EXPR_OPENCL_H

#include "misc/file/cfl.h"
#include "num/expr/expr_pass.h"

/**
 * Passes of expressions over files by an OpenCL device: a kernel generated for each pass, compiled once and
 * kept in the user's cache folder. Elements are float32, float64 or bool; sums, means, norms, inner products
 * and extremes have a fixed order.
 */

/** Whether it can: all passes of the plan, for files of these types. */
extern bool expr_opencl_takes(const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[]);

/** A pass, in slabs that fit its memory. */
extern void expr_opencl_pass_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

#endif
