#ifndef LINOPS_PROBE_H
#define LINOPS_PROBE_H

#include <complex.h>
#include <stdbool.h>

#include "misc/dtype.h"

/** Random vectors for tests of operators. */

/** Returns n elements whose real and imaginary parts are normal random numbers. The numbers depend only on
 * the seed. The caller frees the result. */
extern void *probe_vector(enum dtype type, long n, unsigned long seed);

/** Returns the sum of `a conj(b)`, computed in float64. With `real`, only the real part is returned. */
extern complex double probe_dot(enum dtype type, bool real, long n, const void *a, const void *b);

/** Returns |a - b| / scale, or |a - b| if scale is 0. */
extern double probe_distance(enum dtype type, long n, const void *a, const void *b, double scale);

#endif
