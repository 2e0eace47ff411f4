#ifndef NUM_EXPR_OPENCL_PASS_H
#define NUM_EXPR_OPENCL_PASS_H

#include "misc/file/cfl.h"
#include "num/device/opencl.h"
#include "num/expr/expr_pass.h"

/** What passes with and without neighbourhoods share. */

/** An operand: all elements in host memory, or an output file that is written in order. */
struct opencl_operand {
	enum dtype type;
	const long *dims; // DIMS of them
	char *host;       // NULL: an output, written to `file`
	struct cfl *file;
};

/** Returns the program of library.cl and `text`. Equal texts return the same object. Frees `text`. */
extern const struct opencl_source *opencl_pass_source(char *text);

/** Creates the buffer of counters of a run: values that do not fit, values outside the domain. */
extern void *opencl_pass_counters(const struct expr_run *r);
/** Adds the counters to the run, and sets them to 0. */
extern void opencl_pass_count(struct expr_run *r, void *counters);

/** Sets acc[i].v.f[0] to reductions of the device, for i < n. */
extern void opencl_pass_sums(struct kern_acc *acc, const void *sums, long n);

/** Copies n elements of an output from the device. The elements begin at element `first`, or are the next of
 * the file. */
extern void opencl_pass_store(const struct opencl_operand *o, long first, const void *there, long n);

/** Computes a pass with neighbourhoods. If device memory does not suffice for one slab, nothing is computed,
 * and the result is false. */
extern bool stencil_opencl_pass(struct expr_run *r, const struct expr_pass *q,
        const struct opencl_operand out[], const struct opencl_operand in[]);
/** Returns whether a pass with neighbourhoods can be computed. */
extern bool stencil_opencl_can(const struct expr_plan *p, const struct expr_pass *q);

#endif
