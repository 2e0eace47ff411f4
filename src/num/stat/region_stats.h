#ifndef NUM_STAT_REGION_STATS_H
#define NUM_STAT_REGION_STATS_H

#include "misc/file/cfl.h"
#include "num/stat/region.h"

/** Statistics of the elements of a region. */
struct region_stats {
	long n, bad;      // finite elements, and those that are not
	double min, max;  // NAN when there is none
	double mean, std; // std = sqrt(sum (x - mean)^2 / n)
};

/**
 * Computes statistics of n regions (NULL: the whole array) in one pass over f, a real array. With a mask
 * (dims of length 1 are repeated), only elements where the mask is not 0 are used. Sums are in float64 and in
 * a fixed order.
 */
extern void region_stats(
        struct region_stats *out, int n, const struct region *regions, struct cfl *f, struct cfl *mask);

#endif
