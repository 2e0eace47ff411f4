#ifndef NUM_ARRAY_ARRAY_LOOP_H
#define NUM_ARRAY_ARRAY_LOOP_H

#include "num/array/array.h"
#include "num/kern/kern.h"

/**
 * Loops over an output and up to three inputs of one shape, in lines short enough for the kernels
 * (num/kern/kern.h). Dims are sorted by the steps of the output and merged. If an input and the output are
 * contiguous along different dims, tiles of the input are first copied in the order of the output. If the
 * innermost dim is very short, lines run along a longer dim. Lines are distributed over threads.
 */
enum { ARRAY_OPERANDS = 4, ARRAY_TILE = 64 };

/** Processes n <= KERN_BLOCK elements of each operand from ptr[k] on, step[k] bytes apart. Called by any
 * thread. */
typedef void array_line_fn(void *ctx, long n, const long step[], char *const ptr[]);

struct array_loop {
	int N, D;
	long dims[DIMS];
	long strs[ARRAY_OPERANDS][DIMS];
	char *ptr[ARRAY_OPERANDS];
	size_t size[ARRAY_OPERANDS]; // of an element
};

/** The normal form of a loop over arr[0] (the output, which gives the shape) and N - 1 inputs, whose dims are
 * equal to the shape or 1. Returns false if there are no elements. */
extern bool array_loop_init(struct array_loop *l, int N, const struct array *const arr[]);

extern void array_loop_run(const struct array_loop *l, array_line_fn *fn, void *ctx);

/** Prefetches bytes that will be read soon. Inlined: gcc drops calls of a function that only prefetches. */
static inline __attribute__((always_inline)) void array_fetch(const char *p, long bytes)
{
	enum { LINE = 64 };

	for (long b = 0; b < bytes; b += LINE)
		__builtin_prefetch(p + b);
}

/** Whether an output of so many bytes should bypass the caches. */
extern bool array_streams(const struct array *out);

#endif
