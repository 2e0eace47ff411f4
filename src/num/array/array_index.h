#ifndef NUM_ARRAY_ARRAY_INDEX_H
#define NUM_ARRAY_ARRAY_INDEX_H

#include <stdbool.h>

/** Internals of index objects, for loops that gather and scatter elements. The number at position i of the
 * list is at[i], or start + i step for a range. */
struct index {
	long extent, n;
	bool is_range;
	bool ascending; // strictly: no number twice
	long start, step;
	long *at;
};

#endif
