#ifndef NUM_STAT_HISTOGRAM_H
#define NUM_STAT_HISTOGRAM_H

#include "misc/file/cfl.h"
#include "num/stat/region.h"

struct histogram {
	long bins;
	double lo,
	        hi; // bin b holds values from lo + b (hi - lo) / bins on, below the next; the last one hi too
	long *count;            // [bins]; owned by the caller
	long below, above, bad; // outside, and NaN
};

/** Counts the values of a real array in one pass. Only elements inside the region (NULL: all) at which the
 * mask (NULL: none) is not 0 are counted; dims of length 1 of the mask are repeated. */
extern void histogram(struct histogram *h, struct cfl *f, const struct region *region, struct cfl *mask);

#endif
