#ifndef NUM_EXPR_EXPR_OPENCL_H
#define NUM_EXPR_EXPR_OPENCL_H

#include "misc/file/cfl.h"
#include "num/array/array.h"
#include "num/expr/expr_pass.h"

/** These functions compute expressions on an OpenCL device by generated kernels. Compiled kernels are
 * stored in the user's cache folder. Arrays have float32, float64, bool or integers; arithmetic is that of
 * float32, float64 and bool. Sums, means, norms, inner products and extremes have a fixed order of
 * operations. */

/** Returns whether OpenCL can compute all passes of the plan for these files. */
extern bool expr_opencl_takes(const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[]);

/** Computes a pass in slabs that fit into device memory. If device memory does not suffice for one slab,
 * nothing is computed, and the result is false. */
extern bool expr_opencl_pass_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

/** Runs a plan on contiguous arrays in host memory. Outputs that are single numbers are not supported.
 * Values that do not fit are not reported. Insufficient device memory is an error(). */
extern void expr_opencl_run(
        const struct expr_plan *p, struct array *const out[], const struct array *const in[]);
/** Parses, binds and runs an expression by expr_opencl_run(). */
extern void expr_opencl_eval(const char *text, int nout, struct array *const out[], int nin,
        const char *const names[], const struct array *const in[]);

#endif
