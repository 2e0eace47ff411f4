#ifndef ITER_STEP_FOLD_H
#define ITER_STEP_FOLD_H

#include "num/md/distributed.h"

/** FOLD_BLOCK is the largest number of elements in one call of fold_fn(). FOLD_SUMS is the number of
 * sums. */
enum { FOLD_BLOCK = DISTRIBUTED_BLOCK, FOLD_SUMS = 4 };

/** Processes elements [first, first + n) of a vector and adds their contributions to sum[]. Calls for
 * different elements may run in different threads. */
typedef void fold_fn(void *ctx, long first, long n, double sum[FOLD_SUMS]);

/** Calls fn() for all n elements of the vectors and writes the total sums to sum[]. The order of summation
 * depends only on n, not on the number of threads. If vectors are distributed (num/md/distributed.h), each
 * rank calls fn() for its own elements. Every rank receives the total sums of all ranks. */
extern void fold(long n, fold_fn *fn, void *ctx, double sum[FOLD_SUMS]);

#endif
