#ifndef NUM_ARRAY_PART_H
#define NUM_ARRAY_PART_H

#include "misc/file/cfl.h"
#include "num/array/array.h"

/**
 * Files as operands of arithmetic shared by ranks (misc/ranks/ranks.h). Each rank computes positions [first,
 * end) of the output along dim d from positions [from, to) of the inputs. Arrays of a rank contain only these
 * positions. If the work is not shared, d is -1 and the functions return the arrays of num/array/array_as.h.
 */
struct part {
	int d;
	long first, end;
	long from, to;
	bool idle; // more ranks than positions: this rank computes a position whose result is not used
};

/** Divides outputs of these dims along the last dim longer than 1 that is not in `whole`. If this dim is in
 * `around`, results need `halo` positions on both sides. If there is no such dim to divide, only rank 0
 * continues (ranks_alone()). Must be called before the first output. */
extern struct part part_choose(const long dims[DIMS], unsigned long whole, unsigned long around, long halo);

/** own[] = dims, with length to - from along dim d. */
extern void part_dims(const struct part *p, long own[DIMS], const long dims[DIMS]);

/** Opens the part [from, to) of an input along d, or the whole input if it has length 1 along d. The array
 * has elements of type t without gaps. */
extern struct array *part_open(const struct part *p, struct cfl *f, enum dtype t, bool on_device);
/** Private host memory for part_open() [bytes]. */
extern long part_open_memory(const struct part *p, const struct cfl *f, enum dtype t);

/** part_out() returns memory for the part [from, to) of an output, in elements of type t. part_finish()
 * copies the positions [first, end) from this memory into the file. */
extern struct array *part_out(const struct part *p, struct cfl *f, enum dtype t, bool on_device);
/** Private host memory for part_out(), for an output of that name with this header [bytes]. */
extern long part_out_memory(const struct part *p, const struct hdr *h, enum dtype t, const char *name);
extern void part_finish(const struct part *p, struct cfl *f, struct array *a);

#endif
