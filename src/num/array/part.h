#ifndef NUM_ARRAY_PART_H
#define NUM_ARRAY_PART_H

#include "misc/file/cfl.h"
#include "num/array/array.h"

/** Ranks share the arithmetic on files (misc/ranks/ranks.h). Along dim d, a rank computes positions [first,
 * end) of the output. The rank needs positions [from, to) of the inputs, and its arrays contain only these
 * positions. If the work is not shared, d is -1, and functions behave like those of num/array/array_as.h. */
struct part {
	int d;
	long first, end;
	long from, to;
	bool idle; // more ranks than positions; the result of this rank is not used
};

/** Divides an output along the last dim longer than 1 that is not in the mask `whole`. If the divided dim is
 * in the mask `around`, results need `halo` input positions on both sides. If no dim can be divided,
 * ranks_alone() is called. Call part_choose() before the first output is opened. */
extern struct part part_choose(const long dims[DIMS], unsigned long whole, unsigned long around, long halo);

/** Copies `dims` to `own`. If dim d is divided, its length becomes to - from. */
extern void part_dims(const struct part *p, long own[DIMS], const long dims[DIMS]);

/** Opens positions [from, to) of an input along dim d. An input of length 1 along d is opened whole. The
 * array is contiguous, with elements of type t. */
extern struct array *part_open(const struct part *p, struct cfl *f, enum dtype t, bool on_device);
/** Returns the bytes of host memory that part_open() allocates. */
extern long part_open_memory(const struct part *p, const struct cfl *f, enum dtype t);

/**
 * These functions write an output:
 * - part_out(): Returns memory of type t for positions [from, to).
 * - part_finish(): Writes positions [first, end) to the file and frees the array.
 */
extern struct array *part_out(const struct part *p, struct cfl *f, enum dtype t, bool on_device);
/** Returns the bytes of host memory that part_out() allocates for an output with header h. */
extern long part_out_memory(const struct part *p, const struct hdr *h, enum dtype t, const char *name);
extern void part_finish(const struct part *p, struct cfl *f, struct array *a);

#endif
