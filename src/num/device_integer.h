#ifndef NUM_DEVICE_INTEGER_H
#define NUM_DEVICE_INTEGER_H

#include "misc/dtype.h"

/** out = s x + y (y may be NULL: s x), n elements of t, int64 or uint64, on the device: exact, then clipped
 * to the type. */
extern void device_axpy_integer(enum dtype t, long n, void *out, long s, const void *x, const void *y);

#endif
