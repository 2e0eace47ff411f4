#ifndef NUM_DEVICE_DEVICE_LOAD_H
#define NUM_DEVICE_DEVICE_LOAD_H

#include "misc/dtype.h"

/** Converts between arrays on the device, like convert() with NARROW_SATURATE. With `count`, returns the
 * number of values that did not fit; else returns 0 without waiting. */
extern long device_convert(enum dtype to, void *out, enum dtype from, const void *in, long n, bool count);

/** Copies n elements from the host or the device to the device and converts them there. */
extern void device_load(enum dtype to, void *out, enum dtype from, const void *in, long n);

#endif
