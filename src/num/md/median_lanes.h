#ifndef NUM_MD_MEDIAN_LANES_H
#define NUM_MD_MEDIAN_LANES_H

#include "misc/dtype.h"

/**
 * A sorting network, Batcher's merge exchange [1], reduced to the exchanges that affect the median. A network
 * never changes after its creation.
 *
 * [1] D. E. Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M
 */
struct median_network;

/** Creates the network for n elements, with n odd and at most 65535; other n are an error(). */
extern struct median_network *median_network_create(long n);
extern void median_network_free(struct median_network *m);

/** Number of medians that one call computes. */
enum { MEDIAN_LANES = 32 };

/** Writes the median of the n values v[i + k MEDIAN_LANES], 0 <= k < n, to out[i]. The median is NaN if a
 * value is NaN, and +0 if it is zero. The type is float32 or float64. The values v are overwritten. */
extern void median_lanes(const struct median_network *m, enum dtype type, void *out, void *v);

#endif
