#ifndef NUM_DEVICE_DEVICE_LOAD_H
#define NUM_DEVICE_DEVICE_LOAD_H

#include "misc/dtype.h"

/** Converts n elements on the device, like convert() with NARROW_SATURATE. If `count` is true, returns the
 * number of values that did not fit. Otherwise returns 0 without waiting for the device. */
extern long device_convert(enum dtype to, void *out, enum dtype from, const void *in, long n, bool count);

/** Copies n elements from host or device memory to the device and converts them there to type `to`. */
extern void device_load(enum dtype to, void *out, enum dtype from, const void *in, long n);

#endif
