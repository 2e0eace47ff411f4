#ifndef NUM_EXPR_CUDA_EXPR_FOLD_H
#define NUM_EXPR_CUDA_EXPR_FOLD_H

/** These constants are used to generate and to launch kernels of expressions. */

/** Selects how two accumulators of a reduction are combined. */
enum expr_fold {
	FOLD_FLOAT,
	FOLD_WIDE,
	FOLD_PROD,
	FOLD_PROD_I64,
	FOLD_PROD_U64,
	FOLD_PROD_COMPLEX,
	FOLD_ANY,
	FOLD_ALL,
	FOLD_COUNT,
	FOLD_MIN_I64,
	FOLD_MIN_U64,
	FOLD_MIN_F64,
	FOLD_MAX_I64,
	FOLD_MAX_U64,
	FOLD_MAX_F64
};

/** Number of threads of a block. */
enum { EXPR_THREADS = 256 };

/** Indices of the first arguments of a kernel, in words of 8 bytes. EXPR_FIRST and EXPR_END limit the
 * elements of the pass. EXPR_PART_OF_BLOCK is the number of elements per block. EXPR_ACCUMULATORS and
 * EXPR_COUNTERS are addresses. */
enum { EXPR_FIRST, EXPR_END, EXPR_PART_OF_BLOCK, EXPR_ACCUMULATORS, EXPR_COUNTERS, EXPR_WORDS };

#endif
