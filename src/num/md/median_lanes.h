#ifndef NUM_MD_MEDIAN_LANES_H
#define NUM_MD_MEDIAN_LANES_H

#include "misc/dtype.h"

/** A sorting network reduced to the steps that lead to the median: Batcher's merge exchange (D. E. Knuth, The
 * Art of Computer Programming 3, 5.2.2, algorithm M). Immutable after its creation. */
struct median_network;

/** For an odd number n >= 1 of elements, at most 65535. */
extern struct median_network *median_network_create(long n);
extern void median_network_free(struct median_network *m);

/** Number of medians that are computed side by side. */
enum { MEDIAN_LANES = 32 };

/** out[i] = the median of the n values v[i + k MEDIAN_LANES], 0 <= k < n; NaN if an element is NaN; the
 * median of zeros is +0. type float32 or float64; v is overwritten. */
extern void median_lanes(const struct median_network *m, enum dtype type, void *out, void *v);

#endif
