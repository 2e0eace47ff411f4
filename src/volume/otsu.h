#ifndef VOLUME_OTSU_H
#define VOLUME_OTSU_H

#include "misc/file/cfl.h"
#include "num/stat/histogram.h"

/**
 * Returns the threshold that maximises the variance between two classes of values [1]. A histogram of the
 * finite values, with at most 4096 bins, is used. For integers, no element equals the threshold. If all
 * thresholds in a gap of empty bins are equally good, the middle of the gap is returned. A complex or
 * constant array, or an array without finite elements, is an error().
 *
 * [1] N. Otsu, A threshold selection method from gray-level histograms, IEEE Trans. SMC 9, 1979.
 */
extern double otsu_threshold(struct cfl *f);

/** Applies Otsu's criterion to the counts of bins of equal width. Returns the number k of the last bin of the
 * lower class. The threshold is the upper end of bin k. If several bins are equally good, k is the mean of
 * the first and the last. Returns NAN if fewer than two bins are occupied. */
extern double otsu_bin(long bins, const long count[]);

/** Estimates Otsu's threshold of the values in [lo, hi] from about a million elements of a large volume.
 * Returns NAN if the sample does not have two classes. */
extern double otsu_sample(enum dtype type, const void *data, const long n[3], double lo, double hi);

/** Computes the histogram of otsu_threshold(), and calls error() in the same cases. The caller frees
 * h->count. */
extern void otsu_histogram(struct histogram *h, struct cfl *f);

#endif
