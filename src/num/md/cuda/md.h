#ifndef NUM_MD_CUDA_MD_H
#define NUM_MD_CUDA_MD_H

#ifdef __cplusplus
extern "C" {
#endif
#include "num/kern/ops.h"
#include "num/md/cuda/divide.h"

/**
 * Declarations shared by the C part of the GPU's md_ back end (backend_gpu.c) and its kernels: loops and
 * chains of operators, which are passed to kernels by value, and the functions that launch kernels. Pointers
 * are device addresses unless stated otherwise. Functions enqueue work on the stream and return immediately,
 * unless they return a value.
 */

enum { LOOP_OPERANDS = 5, PROGRAM_VALUES = 24, LOOP_PACK = 4 };

/** A strided loop: dim 0 in packs of `pack` neighbours, steps [bytes] from pack to pack. */
struct loop {
	int D, N;
	int pack;        // 1 or LOOP_PACK
	bool small;      // places are below 2^31: div may be used
	long count;      // packs of all dims
	long dims[DIMS]; // dims[0] in packs
	long strs[LOOP_OPERANDS][DIMS];
	long inner[LOOP_OPERANDS]; // [bytes] from one element of a pack to the next
	struct loop_div div[DIMS];
};

/** The kinds of values of a chain (num/md/flpmath_chain.h). */
enum { VALUE_OPERAND, VALUE_CONSTANT, VALUE_CONVERT, VALUE_OP };
struct program_value {
	unsigned char kind, type, op, work, args, in[3];
};

struct program {
	int operands, values;
	struct program_value value[PROGRAM_VALUES];
	double constant[PROGRAM_VALUES][2] __attribute__((aligned(16))); // the bytes of an element
};

struct loop_pointers {
	char *p[LOOP_OPERANDS];
};

/** A reduction of the results of a program. `add`: adds the result to the content of out, in double precision
 * and with one rounding.
 */
struct reduce_job {
	enum reduction red;
	enum dtype work, value, type; // of what is reduced, of a result, of the output
	bool plain;                   // RED_DOT: nothing is conjugated
	bool add;
	bool has_post;
	struct program pre, post;
	struct loop keep, fold; // dims of the output (operand 0), and those that are reduced
};

/** out (operand 0, of type t) = f(operands 1, ...). */
extern void gpu_md_chain(
        const struct program *f, enum dtype t, const struct loop *l, const struct loop_pointers *p);

/** Like gpu_md_chain() for a single operator, but without the interpreter of chains. Operands are n
 * contiguous elements of type t, or constants. Returns false and does nothing if there is no such kernel. */
struct gpu_operand {
	const void *p;
	double constant[2];
	bool is_constant;
};
extern bool gpu_md_line(enum op op, enum dtype t, long n, void *out, int args, const struct gpu_operand in[]);
/** out = f a + g b for n elements of float32 or float64; the products and the sum are each rounded. */
extern void gpu_md_axpby(enum dtype t, long n, void *out, double f, const void *a, double g, const void *b);

extern void gpu_md_reduce(const struct reduce_job *j, const struct loop_pointers *p);

/** Functions for int64 and uint64 (num/md/cuda/integer.cu). gpu_integer_line() is like gpu_md_line().
 * gpu_integer_reduce() applies no operator before it reduces; results are bool, 64-bit integers or float64.
 * `how` is from expr_fold_of(). */
extern bool gpu_integer_line(
        enum op op, enum dtype t, long n, void *out, int args, const struct gpu_operand in[]);
extern void gpu_integer_reduce(const struct reduce_job *j, int how, const struct loop_pointers *p);

/** Cumulative sums of n elements, which are ostep and istep bytes apart, at each position of the loop
 * (operands: output, input). */
extern void gpu_md_cumsum(
        enum dtype t, long n, long ostep, long istep, const struct loop *l, const struct loop_pointers *p);

/** counts[256] (on the host): the histogram of bits shift .. shift + 7 of the magnitudes in float64. Only
 * magnitudes whose higher bits equal `prefix` are counted. The input is operand 0 of the loop. */
extern void gpu_md_digits(enum dtype t, int shift, unsigned long prefix, const struct loop *l, const void *in,
        long counts[256]);

/** Copies and fills of words of 1, 2, 4, 8 or 16 bytes; l->pack is 1. */
extern void gpu_md_copy(int word, const struct loop *l, void *out, const void *in);
/** Like gpu_md_copy(), by tiles: dim 0 is the fastest dim of the output, dim 1 of the input. */
extern void gpu_md_transpose(int word, const struct loop *l, void *out, const void *in);
/** value: `period` words (at most 64 bytes), repeated along dim 0. */
extern void gpu_md_fill(int word, int period, const struct loop *l, void *out, const void *value);

/** out += a b or a conj(b) for matrices: m rows, n columns, and sums of k terms. `batch` is the loop over
 * further dims (operands out, a, b). */
struct gemm_job {
	enum dtype type, out_type;
	bool conj_b;
	long m, n, k;
	long o_row, o_col, a_row, a_term, b_term, b_col; // [elements]
	struct loop batch;
};
extern void gpu_md_gemm(const struct gemm_job *j, const struct loop_pointers *p);

#ifdef __cplusplus
}
#endif

#endif
