#ifndef NUM_ARRAY_ARRAY_WALK_H
#define NUM_ARRAY_ARRAY_WALK_H

#include "misc/dtype.h"

/** A walk visits the elements of up to three arrays with the same shape. Dim 0 varies fastest. */
enum { WALK_OPERANDS = 3 };

struct array_walk {
	int N, D; // D >= 1
	long dims[DIMS];
	long strs[WALK_OPERANDS][DIMS]; // [bytes]
	long pos[DIMS];                 // current position
	long offset[WALK_OPERANDS];     // of the current element [bytes]
};

/** Starts a walk at the first element. If strs[k] is NULL, all steps of array k are 0. */
extern void array_walk_init(struct array_walk *w, int N, int D, const long dims[], const long *const strs[]);

/** Moves the walk to element number `at`. */
extern void array_walk_to(struct array_walk *w, long at);

/** Moves the walk forward by at most n elements, but not beyond the end of dim 0. Returns the length of the
 * move. Sets `offset[k]` to the offset in array k before the move [bytes]. */
extern long array_walk_run(struct array_walk *w, long n, long offset[]);

#endif
