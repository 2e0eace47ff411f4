#ifndef NUM_EXPR_CUDA_EXPR_DEVICE_H
#define NUM_EXPR_CUDA_EXPR_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kernels of expressions on the device: C interface for num/expr/cuda/expr_gpu.c. */

/* ---- generated ones (num/expr/cuda/expr_module.cu) ---- */

/** The kernel of a source, `library` and then `text`, from this process, the cache on disk or the compiler
 * (NVRTC, opened on first use). NULL without a compiler, or if it refuses this source, which is then not
 * tried again. */
extern const void *expr_kernel_of(const char *library, const char *text);
extern bool expr_kernel_compiler(void); // whether there is one
/** Launches it: `words` of 8 bytes are its arguments. */
extern void expr_kernel_run(const void *kernel, long blocks, const int64_t *args, long words);

/** The numbers of kernels taken from the process, from disk and from the compiler. */
struct expr_kernel_counts {
	long process, disk, compiled;
};
extern struct expr_kernel_counts expr_kernel_counts(void);
/** Drops the kernels of the process: for tests and measurements. */
extern void expr_kernel_forget(void);

/* ---- the one that interprets, for all (num/expr/cuda/expr_interpret.cu) ---- */

enum expr_order_kind {
	ORDER_LOAD,
	ORDER_INDEX,
	ORDER_COORDINATE,
	ORDER_OP,
	ORDER_CONVERT,
	ORDER_REDUCE,
	ORDER_STORE
};

/** A step. Values are in cells of 16 bytes; arguments below 0 are scalars: word -1 - arg. */
struct expr_order {
	int kind;  // enum expr_order_kind
	int id;    // enum op or enum reduction; of a coordinate: word of its origin and spacing
	int inner; // what is applied to the arguments first, or -1
	int work;  // enum dtype of the arguments
	int type;  // enum dtype of the value; of LOAD and STORE: in memory
	int to;    // of LOAD: enum dtype of the value
	int args;
	int arg[3];
	int cell;    // of the value
	int word;    // of LOAD, INDEX, COORDINATE, STORE: address and steps
	int counter; // of values that do not fit, or outside a domain; -1 = none
	int swapped, wrap;
	int number, how; // of REDUCE
};

struct expr_program {
	int orders, cells, reductions, D;
	int dims; // word of the dims
};

/** Elements [first, end) with these arguments, blocks of `part`; all but the program on the host. */
extern void expr_interpret(const struct expr_program *p, const struct expr_order *orders, const int64_t *args,
        long words, long blocks);

/* ---- frequent forms by kernels of the build (num/expr/cuda/expr_forms.cu) ---- */

/** The kernel of a form, as expr_kernel_of(); NULL if there is none. signature: the operations of the pass,
 * as num/expr/cuda/expr_gpu.c writes them. */
struct expr_form;
extern const struct expr_form *expr_form_of(const char *signature);
extern void expr_form_run(const struct expr_form *f, long n, float *out, const float *const in[3], float a);

/* ---- sums over blocks ---- */

/** out[k] = the accumulators in[block * reductions + k] of all blocks, in their order. */
extern void expr_fold_blocks(void *out, const void *in, long blocks, int reductions, const int *how);

#ifdef __cplusplus
}
#endif

#endif
