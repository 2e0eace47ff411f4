#ifndef LINOPS_PROBE_H
#define LINOPS_PROBE_H

#include <complex.h>
#include <stdbool.h>

#include "misc/dtype.h"

/** Random vectors to test operators with. */

/** n elements with normal deviates in every real part, from this seed; the caller frees them. */
extern void *probe_vector(enum dtype type, long n, unsigned long seed);

/** sum a conj(b) in float64; with `real` only its real part. */
extern complex double probe_dot(enum dtype type, bool real, long n, const void *a, const void *b);

/** |a - b| / scale, |a - b| where scale is 0. */
extern double probe_distance(enum dtype type, long n, const void *a, const void *b, double scale);

#endif
