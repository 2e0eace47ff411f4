#ifndef VOLUME_OTSU_H
#define VOLUME_OTSU_H

#include "misc/file/cfl.h"
#include "num/stat/histogram.h"

/**
 * The threshold between two classes of values whose variance between the classes is largest (N. Otsu: A
 * threshold selection method from gray-level histograms, IEEE Trans. SMC 9, 1979), on a histogram of at most
 * 4096 bins from the smallest to the largest finite value; of integers it lies between two of them. Where
 * several are equal, the middle of the first run of them. error() where f is complex, has no finite element,
 * or only one value.
 */
extern double otsu_threshold(struct cfl *f);

/** The same of counts of bins of equal width: the number k of the last bin of the lower class, so that the
 * threshold is the upper end of bin k; as a real number, the middle of equally good ones. NAN where fewer
 * than two bins hold anything. */
extern double otsu_bin(long bins, const long count[]);

/** The same between the finite values lo < hi on a sample of some million elements (whole lines along x,
 * evenly spread; n: elements of the three dimensions), for a first look at a large volume; NAN where the
 * sample has no two classes. */
extern double otsu_sample(enum dtype type, const void *data, const long n[3], double lo, double hi);

/** That histogram; h->count is the caller's to free. The same error(). */
extern void otsu_histogram(struct histogram *h, struct cfl *f);

#endif
