#ifndef NUM_ARRAY_PART_H
#define NUM_ARRAY_PART_H

#include "misc/file/cfl.h"
#include "num/array/array.h"

/**
 * Files as operands of arithmetic shared by ranks (misc/ranks/ranks.h): each computes positions [first, end)
 * of the output along dim d, from positions [from, to) of the inputs, as arrays of only these. If the work is
 * not shared d is -1 and arrays are those of num/array/array_as.h.
 */
struct part {
	int d;
	long first, end;
	long from, to;
	bool idle; // more ranks than positions: this one computes a position that nobody takes
};

/** Cuts outputs of these dims along the last dim longer than 1 that is not among `whole`; where its bit is in
 * `around`, results need `halo` positions on both sides. If no dim is left, only rank 0 continues
 * (ranks_alone()): call it before the first output. */
extern struct part part_choose(const long dims[DIMS], unsigned long whole, unsigned long around, long halo);

/** own[]: dims with [from, to) along dim d. */
extern void part_dims(const struct part *p, long own[DIMS], const long dims[DIMS]);

/** That part of an input, in elements of type t without gaps; if the input has length 1 along d, all of
 * it.
 */
extern struct array *part_open(const struct part *p, struct cfl *f, enum dtype t, bool on_device);
/** Private memory for that [bytes]. */
extern long part_open_memory(const struct part *p, const struct cfl *f, enum dtype t);

/** Memory for that part of an output, in elements of type t; and the copy of positions [first, end) of it
 * into the file. */
extern struct array *part_out(const struct part *p, struct cfl *f, enum dtype t, bool on_device);
extern void part_finish(const struct part *p, struct cfl *f, struct array *a);

#endif
