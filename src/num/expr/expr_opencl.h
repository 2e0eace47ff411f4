#ifndef NUM_EXPR_EXPR_OPENCL_H
#define NUM_EXPR_EXPR_OPENCL_H

#include "misc/file/cfl.h"
#include "num/array/array.h"
#include "num/expr/expr_pass.h"

/**
 * Passes of expressions over files on an OpenCL device. A kernel is generated for each pass, compiled once
 * and stored in the user's cache folder. Elements are float32, float64 or bool; sums, means, norms, inner
 * products and extremes are computed in a fixed order.
 */

/** Whether OpenCL can compute all passes of the plan for files of these types. */
extern bool expr_opencl_takes(const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[]);

/** Computes a pass in slabs that fit into the memory of the device. */
extern void expr_opencl_pass_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

/** expr_opencl_run() runs a plan on contiguous arrays in host memory. Outputs that are single numbers are not
 * supported. expr_opencl_eval() runs the text of an expression in the same way. Values that do not fit are
 * not reported. */
extern void expr_opencl_run(
        const struct expr_plan *p, struct array *const out[], const struct array *const in[]);
extern void expr_opencl_eval(const char *text, int nout, struct array *const out[], int nin,
        const char *const names[], const struct array *const in[]);

#endif
