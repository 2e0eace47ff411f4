#ifndef LINOPS_PROBE_H
#define LINOPS_PROBE_H

#include <complex.h>
#include <stdbool.h>

#include "misc/dtype.h"

/** Random vectors for tests of operators. */

/** n elements whose real and imaginary parts are normal random numbers from this seed; the caller frees them.
 */
extern void *probe_vector(enum dtype type, long n, unsigned long seed);

/** The sum of a conj(b) in float64; `real`: only the real part of the sum. */
extern complex double probe_dot(enum dtype type, bool real, long n, const void *a, const void *b);

/** |a - b| / scale, or |a - b| if scale is 0. */
extern double probe_distance(enum dtype type, long n, const void *a, const void *b, double scale);

#endif
