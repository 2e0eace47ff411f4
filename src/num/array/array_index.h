#ifndef NUM_ARRAY_ARRAY_INDEX_H
#define NUM_ARRAY_ARRAY_INDEX_H

#include <stdbool.h>

/** Contains n element numbers along a dim of length `extent`. The number at position i is at[i], or start + i
 * step in a range. */
struct index {
	long extent, n;
	bool is_range;
	bool ascending; // every number is larger than the one before
	long start, step;
	long *at;
};

#endif
