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
 * For n regions (NULL: the whole array) in one pass over f, a real array; with a mask, whose dims of length 1
 * are repeated, only where it is not 0. float64, fixed order.
 */
extern void region_stats(
        struct region_stats *out, int n, const struct region *regions, struct cfl *f, struct cfl *mask);

#endif
