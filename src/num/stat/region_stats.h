#ifndef NUM_STAT_REGION_STATS_H
#define NUM_STAT_REGION_STATS_H

#include "misc/file/cfl.h"
#include "num/stat/region.h"

/** Statistics of the elements of a region. */
struct region_stats {
	long n, bad;      // numbers of finite and of other elements
	double min, max;  // NAN without finite elements
	double mean, std; // std = sqrt(sum (x - mean)^2 / n)
};

/** Computes statistics of n regions of a real array f in one pass. If `regions` is NULL, the region is the
 * whole array. If `mask` is not NULL, only elements with a nonzero mask are used. Mask dims of length 1 are
 * repeated. Sums are in float64 and in a fixed order. */
extern void region_stats(
        struct region_stats *out, int n, const struct region *regions, struct cfl *f, struct cfl *mask);

#endif
