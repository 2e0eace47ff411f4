#ifndef NUM_ARRAY_ARRAY_LOOP_H
#define NUM_ARRAY_ARRAY_LOOP_H

#include "num/array/array.h"
#include "num/kern/kern.h"

/** This loop visits the elements of an output and up to three inputs. Threads process lines of at most
 * KERN_BLOCK elements (num/kern/kern.h). */
enum { ARRAY_OPERANDS = 4, ARRAY_TILE = 64 };

/** Processes n <= KERN_BLOCK elements of each operand k. The elements begin at ptr[k], step[k] bytes apart.
 * Any thread may call the function. */
typedef void array_line_fn(void *ctx, long n, const long step[], char *const ptr[]);

struct array_loop {
	int N, D;
	long dims[DIMS];
	long strs[ARRAY_OPERANDS][DIMS];
	char *ptr[ARRAY_OPERANDS];
	size_t size[ARRAY_OPERANDS]; // of an element [bytes]
};

/** Prepares a loop over the output arr[0] and N - 1 inputs. Inputs have the shape of the output; a dim of
 * length 1 is repeated. Returns false if there are no elements. */
extern bool array_loop_init(struct array_loop *l, int N, const struct array *const arr[]);

extern void array_loop_run(const struct array_loop *l, array_line_fn *fn, void *ctx);

/** Prefetches `bytes` bytes from p on. The function is inlined, because gcc drops calls of functions that
 * only prefetch. */
static inline __attribute__((always_inline)) void array_fetch(const char *p, long bytes)
{
	enum { LINE = 64 };

	for (long b = 0; b < bytes; b += LINE)
		__builtin_prefetch(p + b);
}

/** Returns whether `out` is so large that writes should bypass the caches. */
extern bool array_streams(const struct array *out);

#endif
