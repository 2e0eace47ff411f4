#ifndef NUM_STAT_HISTOGRAM_H
#define NUM_STAT_HISTOGRAM_H

#include "misc/file/cfl.h"
#include "num/stat/region.h"

struct histogram {
	long bins;
	double lo, hi;          // limits of the bins, which have equal widths
	long *count;            // [bins], owned by the caller
	long below, above, bad; // number of values below lo, above hi, and NaN
};

/** Counts the values of a real array in bins. A value between two bins belongs to the upper bin, and hi to
 * the last bin. If `region` is not NULL, only elements inside the region are counted. If `mask` is not NULL,
 * only elements with a nonzero mask are counted. Mask dims of length 1 are repeated. */
extern void histogram(struct histogram *h, struct cfl *f, const struct region *region, struct cfl *mask);

#endif
