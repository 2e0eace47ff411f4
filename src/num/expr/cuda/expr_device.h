#ifndef NUM_EXPR_CUDA_EXPR_DEVICE_H
#define NUM_EXPR_CUDA_EXPR_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** This C interface runs kernels of expressions on the device, for num/expr/cuda/expr_gpu.c. */

/* ---- generated kernels (num/expr/cuda/expr_module.cu) ---- */

/** Returns the kernel whose source is `library` followed by `text`. The kernel comes from this process, the
 * disk cache or the compiler (NVRTC). Returns NULL without a compiler, or if the compiler rejects the source.
 */
extern const void *expr_kernel_of(const char *library, const char *text);
extern bool expr_kernel_compiler(void); // whether a compiler is available
/** Launches a kernel with `blocks` blocks. `args` has `words` words of 8 bytes. */
extern void expr_kernel_run(const void *kernel, long blocks, const int64_t *args, long words);

/** The numbers of kernels found in this process, found on disk, and compiled. */
struct expr_kernel_counts {
	long process, disk, compiled;
};
extern struct expr_kernel_counts expr_kernel_counts(void);
/** Forgets the kernels of this process, for tests and measurements. */
extern void expr_kernel_forget(void);

/* ---- the interpreting kernel (num/expr/cuda/expr_interpret.cu) ---- */

enum expr_order_kind {
	ORDER_LOAD,
	ORDER_INDEX,
	ORDER_COORDINATE,
	ORDER_OP,
	ORDER_CONVERT,
	ORDER_REDUCE,
	ORDER_STORE
};

/** An instruction of the interpreting kernel. Values are stored in cells of 16 bytes. A negative argument
 * `arg` is the scalar in word `-1 - arg`. */
struct expr_order {
	int kind;  // enum expr_order_kind
	int id;    // enum op or enum reduction; for a coordinate, word of origin and spacing
	int inner; // operator applied to the arguments first, or -1
	int work;  // enum dtype of the arguments
	int type;  // enum dtype of the value; in LOAD and STORE, of the memory
	int to;    // enum dtype of a loaded or converted value
	int args;
	int arg[3];
	int cell;    // cell of the value
	int word;    // LOAD, INDEX, COORDINATE, STORE: word of address and strides
	int counter; // counter of overflows or values outside a domain, or -1
	int swapped, wrap;
	int number, how; // REDUCE: accumulator, enum expr_fold
};

struct expr_program {
	int orders, cells, reductions, D;
	int dims; // first word of the dims
};

/** Runs a program in `blocks` blocks. `args` has `words` words and begins as listed in
 * num/expr/cuda/expr_fold.h. All pointers are host addresses. */
extern void expr_interpret(const struct expr_program *p, const struct expr_order *orders, const int64_t *args,
        long words, long blocks);

/* ---- precompiled kernels of frequent expressions (num/expr/cuda/expr_forms.cu) ---- */

/** Returns the precompiled kernel for the operations in `signature`, or NULL. `signature` is a text such as
 * "mul 0 1". */
struct expr_form;
extern const struct expr_form *expr_form_of(const char *signature);
extern void expr_form_run(const struct expr_form *f, long n, float *out, const float *const in[3], float a);

/* ---- sums over blocks ---- */

/** Combines the accumulators `in[block * reductions + k]` in block order, and sets `out[k]`. */
extern void expr_fold_blocks(void *out, const void *in, long blocks, int reductions, const int *how);

#ifdef __cplusplus
}
#endif

#endif
