#ifndef ITER_STEP_FOLD_H
#define ITER_STEP_FOLD_H

/**
 * Passes over long vectors that also sum: blocks of at most FOLD_BLOCK elements go to fn, which adds to its
 * sums. Blocks run in parallel; sums are added in an order that depends on n only, so the result has the same
 * bits for any number of threads.
 */
enum { FOLD_BLOCK = 4096, FOLD_SUMS = 4 };

typedef void fold_fn(void *ctx, long first, long n, double sum[FOLD_SUMS]);

extern void fold(long n, fold_fn *fn, void *ctx, double sum[FOLD_SUMS]);

#endif
