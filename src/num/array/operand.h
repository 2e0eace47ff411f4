#ifndef NUM_ARRAY_OPERAND_H
#define NUM_ARRAY_OPERAND_H

#include "misc/file/cfl.h"

/** An operand is an input file or stream, read in the order of a given shape. Dim 0 varies fastest. Dims of
 * length 1 are repeated. Elements are converted to the type `want`. */
struct operand {
	struct cfl *file;
	enum dtype want;
	bool repeated;
	const char *data; // the whole array, or the current window
	long window;      // first element of the window
	int D;            // for repeated arrays: dims of the shape and steps in the file [bytes]
	long dims[DIMS], strs[DIMS];
};

/** Opens f as an operand. Each dim of f must have the length of the shape, or length 1. Otherwise error()
 * names f and `shape_name`. */
extern void operand_open(
        struct operand *o, struct cfl *f, enum dtype want, const long shape[DIMS], const char *shape_name);

/** Returns true if elements must be read in order, because the input is neither mapped nor repeated. */
extern bool operand_in_order(const struct operand *o);

/** Reads the next n elements, from element `first` on. Used only if operand_in_order() is true. */
extern void operand_window(struct operand *o, long first, long n);

/** Returns elements [first, first + n) in the type `want`, possibly in `buf`. If operand_in_order() is true,
 * only elements of the last operand_window() are available. `raw` is memory for n unconverted elements. Any
 * thread may call the function. */
extern const void *operand_load(const struct operand *o, long first, long n, void *buf, void *raw);

/** Computes the common shape of n arrays. Each length is the maximum over all arrays. */
extern void operand_shape(long shape[DIMS], int n, struct cfl *const in[]);

#endif
