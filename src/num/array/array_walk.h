#ifndef NUM_ARRAY_ARRAY_WALK_H
#define NUM_ARRAY_ARRAY_WALK_H

#include "misc/dtype.h"

/** A walk over the elements of up to three arrays of one shape, dim 0 fastest, in runs along dim 0. */
enum { WALK_OPERANDS = 3 };

struct array_walk {
	int N, D; // D >= 1
	long dims[DIMS];
	long strs[WALK_OPERANDS][DIMS]; // [bytes]
	long pos[DIMS];                 // current position
	long offset[WALK_OPERANDS];     // of the current element [bytes]
};

/** A walk over all elements in the order of the dims, from the first one on; neighbouring dims are merged
 * where possible. strs NULL: all steps are 0. */
extern void array_walk_init(struct array_walk *w, int N, int D, const long dims[], const long *const strs[]);

/** Moves to element number `at`. */
extern void array_walk_to(struct array_walk *w, long at);

/** Returns the length of the next run, of at most n elements along dim 0, and moves to its end. offset[]:
 * offsets of the first element of the run. */
extern long array_walk_run(struct array_walk *w, long n, long offset[]);

#endif
