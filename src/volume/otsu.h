#ifndef VOLUME_OTSU_H
#define VOLUME_OTSU_H

#include "misc/file/cfl.h"
#include "num/stat/histogram.h"

/**
 * The threshold between two classes of values whose variance between the classes is largest (N. Otsu: A
 * threshold selection method from gray-level histograms, IEEE Trans. SMC 9, 1979), on a histogram of at most
 * 4096 bins from the smallest to the largest finite value; for integers it is between two of them. If several
 * are equal, the middle of the first run of them. error() if f is complex, has no finite element, or only one
 * value.
 */
extern double otsu_threshold(struct cfl *f);

/** The same for counts of bins of equal width: the number k of the last bin of the lower class, so that the
 * threshold is the upper end of bin k; as a real number, the middle of equally good ones. NAN if fewer than
 * two bins are occupied. */
extern double otsu_bin(long bins, const long count[]);

/** The same between the finite values lo < hi on a sample of about a million elements (whole lines along x,
 * evenly spread; n: elements of the three dimensions), as an estimate for a large volume; NAN if the sample
 * does not have two classes. */
extern double otsu_sample(enum dtype type, const void *data, const long n[3], double lo, double hi);

/** That histogram; the caller frees h->count. The same error(). */
extern void otsu_histogram(struct histogram *h, struct cfl *f);

#endif
