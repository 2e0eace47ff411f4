#ifndef NUM_DEVICE_DEVICE_INTEGER_H
#define NUM_DEVICE_DEVICE_INTEGER_H

#include <stdbool.h>

#include "misc/dtype.h"

/** out = s x + y (y may be NULL: s x), n elements of t, int64 or uint64, on the device: exact, then clipped
 * to the type. Returns how many were clipped: at the lower limit if counts[0], at the upper one if counts[1].
 */
extern long device_axpy_integer(
        enum dtype t, long n, void *out, long s, const void *x, const void *y, const bool counts[2]);

/** out = x y, clipped; likewise. */
extern long device_multiply_integer(
        enum dtype t, long n, void *out, const void *x, const void *y, const bool counts[2]);

#endif
