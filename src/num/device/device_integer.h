#ifndef NUM_DEVICE_DEVICE_INTEGER_H
#define NUM_DEVICE_DEVICE_INTEGER_H

#include <stdbool.h>

#include "misc/dtype.h"

/** out = s x + y (out = s x if y is NULL) for n elements of type t, int64 or uint64, on the device. The exact
 * result is clipped to the type. Returns the number of clipped elements. Elements clipped at the lower limit
 * are counted only if counts[0] is true, those at the upper limit only if counts[1] is true. */
extern long device_axpy_integer(
        enum dtype t, long n, void *out, long s, const void *x, const void *y, const bool counts[2]);

/** out = x y; clipping and result as for device_axpy_integer(). */
extern long device_multiply_integer(
        enum dtype t, long n, void *out, const void *x, const void *y, const bool counts[2]);

#endif
