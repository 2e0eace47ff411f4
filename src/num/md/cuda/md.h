#ifndef NUM_MD_CUDA_MD_H
#define NUM_MD_CUDA_MD_H

#ifdef __cplusplus
extern "C" {
#endif
#include "num/kern/ops.h"
#include "num/md/cuda/divide.h"

/** Declarations shared by backend_gpu.c and GPU kernels of md_ functions. Pointers are device addresses
 * unless stated otherwise. Functions enqueue work on the stream and return immediately. Only gpu_md_digits()
 * waits for its result. */

enum { LOOP_OPERANDS = 5, PROGRAM_VALUES = 24, LOOP_PACK = 4 };

/** A loop over strided arrays. Dim 0 counts packs of `pack` neighbouring elements. Steps [bytes] along dim 0
 * lead from pack to pack. */
struct loop {
	int D, N;
	int pack;        // 1 or LOOP_PACK
	bool small;      // count is below 2^31, and div is set
	long count;      // number of packs
	long dims[DIMS]; // dims[0] in packs
	long strs[LOOP_OPERANDS][DIMS];
	long inner[LOOP_OPERANDS]; // from one element of a pack to the next [bytes]
	struct loop_div div[DIMS];
};

/** Kinds of values in a chain (num/md/flpmath_chain.h). */
enum { VALUE_OPERAND, VALUE_CONSTANT, VALUE_CONVERT, VALUE_OP };
struct program_value {
	unsigned char kind, type, op, work, args, in[3];
};

struct program {
	int operands, values;
	struct program_value value[PROGRAM_VALUES];
	double constant[PROGRAM_VALUES][2] __attribute__((aligned(16))); // bytes of the constants
};

struct loop_pointers {
	char *p[LOOP_OPERANDS];
};

/** A reduction of the results of a program. With `add`, the result is added to the output in double precision
 * and rounded once. */
struct reduce_job {
	enum reduction red;
	enum dtype work, value, type; // types of the reduced elements, the result and the output
	bool plain;                   // RED_DOT: nothing is conjugated
	bool add;
	bool has_post;
	struct program pre, post;
	struct loop keep, fold; // loops over the output (operand 0) and over the reduced dims
};

/** Computes `operand 0 = f(other operands)`, with type t for operand 0. */
extern void gpu_md_chain(
        const struct program *f, enum dtype t, const struct loop *l, const struct loop_pointers *p);

/** Applies a single operator to n contiguous elements of type t, or to constants. Returns false and does
 * nothing if there is no kernel for the operator. */
struct gpu_operand {
	const void *p;
	double constant[2];
	bool is_constant;
};
extern bool gpu_md_line(enum op op, enum dtype t, long n, void *out, int args, const struct gpu_operand in[]);
/** Computes out = f a + g b for n elements of float32 or float64. The products and the sum are rounded
 * separately. */
extern void gpu_md_axpby(enum dtype t, long n, void *out, double f, const void *a, double g, const void *b);

extern void gpu_md_reduce(const struct reduce_job *j, const struct loop_pointers *p);

/** The function gpu_integer_line() is gpu_md_line() for int64 and uint64. The function gpu_integer_reduce()
 * reduces without applying an operator first. Results are bool, 64-bit integers or float64. `how` is the
 * result of expr_fold_of(). */
extern bool gpu_integer_line(
        enum op op, enum dtype t, long n, void *out, int args, const struct gpu_operand in[]);
extern void gpu_integer_reduce(const struct reduce_job *j, int how, const struct loop_pointers *p);

/** Computes cumulative sums of n elements at each position of the loop. Elements are ostep bytes apart in the
 * output (operand 0), and istep bytes apart in the input. */
extern void gpu_md_cumsum(
        enum dtype t, long n, long ostep, long istep, const struct loop *l, const struct loop_pointers *p);

/** Counts each value of bits `shift` to `shift + 7` of float64 magnitudes, in `counts` on the host. Only
 * magnitudes whose higher bits equal `prefix` are counted. The input is operand 0 of the loop. */
extern void gpu_md_digits(enum dtype t, int shift, unsigned long prefix, const struct loop *l, const void *in,
        long counts[256]);

/** Copies words of 1, 2, 4, 8 or 16 bytes. The loop must have pack 1. */
extern void gpu_md_copy(int word, const struct loop *l, void *out, const void *in);
/** Works like gpu_md_copy(). Dim 0 is the fastest of the output, and dim 1 is the fastest of the input. */
extern void gpu_md_transpose(int word, const struct loop *l, void *out, const void *in);
/** Fills the output with `period` words, repeated along dim 0. `value` is on the host and has at most 64
 * bytes. */
extern void gpu_md_fill(int word, int period, const struct loop *l, void *out, const void *value);

/** A product of matrices: `out += a b` or `out += a conj(b)`. The output has m rows and n columns; each sum
 * has k terms. `batch` is the loop over further dims, with operands out, a, b. */
struct gemm_job {
	enum dtype type, out_type;
	bool conj_b;
	long m, n, k;
	long o_row, o_col, a_row, a_term, b_term, b_col; // steps [elements]
	struct loop batch;
};
extern void gpu_md_gemm(const struct gemm_job *j, const struct loop_pointers *p);

#ifdef __cplusplus
}
#endif

#endif
