#ifndef ITER_STEP_FOLD_H
#define ITER_STEP_FOLD_H

#include "num/md/distributed.h"

/**
 * Passes over long vectors with sums: fn is called for blocks of at most FOLD_BLOCK elements and adds to the
 * sums of its block. Different threads process different blocks. The sums of blocks are added in an order
 * that depends on n only, so that the result does not depend on the number of threads. If vectors are
 * distributed (num/md/distributed.h), each rank computes its own blocks.
 */
enum { FOLD_BLOCK = DISTRIBUTED_BLOCK, FOLD_SUMS = 4 };

typedef void fold_fn(void *ctx, long first, long n, double sum[FOLD_SUMS]);

extern void fold(long n, fold_fn *fn, void *ctx, double sum[FOLD_SUMS]);

#endif
