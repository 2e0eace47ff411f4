#ifndef NUM_DEVICE_DEVICE_INTEGER_H
#define NUM_DEVICE_DEVICE_INTEGER_H

#include <stdbool.h>

#include "misc/dtype.h"

/** Computes out = s x + y for n elements on the device. Type t is int64 or uint64. `y` may be NULL, which
 * means 0. Exact results are clipped to the range of t. Returns the number of clipped elements. Elements
 * clipped at the lower limit are counted only if counts[0] is true. Elements clipped at the upper limit
 * are counted only if counts[1] is true. */
extern long device_axpy_integer(
        enum dtype t, long n, void *out, long s, const void *x, const void *y, const bool counts[2]);

/** Computes out = x y. Clipping, `counts` and return value are as in device_axpy_integer(). */
extern long device_multiply_integer(
        enum dtype t, long n, void *out, const void *x, const void *y, const bool counts[2]);

#endif
