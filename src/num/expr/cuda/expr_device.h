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

/** The kernel of a source, `library` followed by `text`. The kernel comes from this process, the cache on
 * disk or the compiler (NVRTC, opened on first use). NULL without a compiler, or if the compiler rejects the
 * source, which is then not compiled again. */
extern const void *expr_kernel_of(const char *library, const char *text);
extern bool expr_kernel_compiler(void); // whether there is one
/** Launches a kernel; args: its arguments, `words` words of 8 bytes. */
extern void expr_kernel_run(const void *kernel, long blocks, const int64_t *args, long words);

/** The numbers of kernels found in this process, found on disk, and compiled. */
struct expr_kernel_counts {
	long process, disk, compiled;
};
extern struct expr_kernel_counts expr_kernel_counts(void);
/** Forgets the kernels of this process: for tests and measurements. */
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

/** A step. Values are stored in cells of 16 bytes; an argument arg < 0 is the scalar in word -1 - arg. */
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

/** Interprets a program in `blocks` blocks. args: `words` words, with the range of elements and the elements
 * per block (num/expr/cuda/expr_fold.h). All pointers are host addresses. */
extern void expr_interpret(const struct expr_program *p, const struct expr_order *orders, const int64_t *args,
        long words, long blocks);

/* ---- frequent forms by kernels of the build (num/expr/cuda/expr_forms.cu) ---- */

/** The kernel that this build has for a pass with these operations; NULL if there is none. signature: the
 * operations of the pass as text, from num/expr/cuda/expr_gpu.c. */
struct expr_form;
extern const struct expr_form *expr_form_of(const char *signature);
extern void expr_form_run(const struct expr_form *f, long n, float *out, const float *const in[3], float a);

/* ---- sums over blocks ---- */

/** out[k] = the accumulators in[block * reductions + k] combined over all blocks, in the order of the blocks.
 */
extern void expr_fold_blocks(void *out, const void *in, long blocks, int reductions, const int *how);

#ifdef __cplusplus
}
#endif

#endif
