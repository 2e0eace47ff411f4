#ifndef VOLUME_OTSU_H
#define VOLUME_OTSU_H

#include "misc/file/cfl.h"
#include "num/stat/histogram.h"

/**
 * The threshold between two classes of values for which the variance between the classes is largest (N. Otsu:
 * A threshold selection method from gray-level histograms, IEEE Trans. SMC 9, 1979). It is computed from a
 * histogram of at most 4096 bins between the smallest and the largest finite value. For integers, no element
 * equals the threshold. Thresholds within a gap of empty bins are equally good: the middle of the gap is
 * returned. error() if f is complex, has no finite element, or only one value.
 */
extern double otsu_threshold(struct cfl *f);

/** Otsu's threshold for counts of bins of equal width: the number k of the last bin of the lower class; the
 * threshold is the upper end of bin k. k is a real number: the mean of the first and last of equally good
 * bins. NAN if fewer than two bins are occupied. */
extern double otsu_bin(long bins, const long count[]);

/** Otsu's threshold between the finite values lo < hi, estimated for large volumes from about a million
 * elements: complete lines along x, evenly distributed. n: numbers of elements along the three dimensions.
 * NAN if the sample does not have two classes. */
extern double otsu_sample(enum dtype type, const void *data, const long n[3], double lo, double hi);

/** The histogram of otsu_threshold(); error() in the same cases. The caller frees h->count. */
extern void otsu_histogram(struct histogram *h, struct cfl *f);

#endif
