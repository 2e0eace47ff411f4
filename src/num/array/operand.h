#ifndef NUM_ARRAY_OPERAND_H
#define NUM_ARRAY_OPERAND_H

#include "misc/file/cfl.h"

/**
 * An input file or stream as operand of a walk over a shape. Elements are given in the order of the shape
 * (dim 0 fastest), repeated along dims of length 1, and converted to a work type (num/kern/ops.h).
 */
struct operand {
	struct cfl *file;
	enum dtype want;
	bool repeated;
	const char *data; // repeated: the whole array; in order: the window
	long window;      // number of the window's first element
	int D;            // repeated: merged dims of the shape and steps in the file [bytes]
	long dims[DIMS], strs[DIMS];
};

/** Opens file f as an operand. Each dim of f equals that of the shape or is 1; else error() naming f and
 * `shape_name`. */
extern void operand_open(
        struct operand *o, struct cfl *f, enum dtype want, const long shape[DIMS], const char *shape_name);

/** Whether the elements are only available in order: for a stream, or a file in foreign order. */
extern bool operand_in_order(const struct operand *o);

/** Reads the next window of an operand in order: n elements from element `first` on. */
extern void operand_window(struct operand *o, long first, long n);

/** Returns elements [first, first + n), from the window if there is one: in place, or converted in buf. raw:
 * memory for n unconverted elements. Called by any thread. */
extern const void *operand_load(const struct operand *o, long first, long n, void *buf, void *raw);

/** The common shape of n arrays: the largest length of each dim. */
extern void operand_shape(long shape[DIMS], int n, struct cfl *const in[]);

#endif
