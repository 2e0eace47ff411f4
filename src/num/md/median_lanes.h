#ifndef NUM_MD_MEDIAN_LANES_H
#define NUM_MD_MEDIAN_LANES_H

#include "misc/dtype.h"

/** A sorting network of which only what leads to the median is left: Batcher's merge exchange (D. E. Knuth,
 * The Art of Computer Programming 3, 5.2.2, algorithm M). Constant once it is made. */
struct median_network;

/** For an odd number n >= 1 of elements, at most 65535. */
extern struct median_network *median_network_create(long n);
extern void median_network_free(struct median_network *m);

/** Medians that are computed side by side. */
enum { MEDIAN_LANES = 32 };

/** out[i] = the median of v[i], v[i + MEDIAN_LANES], ... (n of them); NaN where one of them is; of the two
 * zeros +0. type float32 or float64; v is used up. */
extern void median_lanes(const struct median_network *m, enum dtype type, void *out, void *v);

#endif
