#ifndef NUM_EXPR_CUDA_EXPR_FOLD_H
#define NUM_EXPR_CUDA_EXPR_FOLD_H

/** Constants for code that generates or launches kernels of expressions; C and C++. */

/** How two accumulators of a reduction are combined. */
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

/** Threads of a block. */
enum { EXPR_THREADS = 256 };

/** The first arguments of a kernel, in words of 8 bytes: elements [first, end) of the pass, elements per
 * block, and the addresses of accumulators and counters. */
enum { EXPR_FIRST, EXPR_END, EXPR_PART_OF_BLOCK, EXPR_ACCUMULATORS, EXPR_COUNTERS, EXPR_WORDS };

#endif
