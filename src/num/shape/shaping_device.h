#ifndef NUM_SHAPE_SHAPING_DEVICE_H
#define NUM_SHAPE_SHAPING_DEVICE_H

#include "num/shape/shaping.h"

/** Fills the output on the GPU. Only the needed parts of the input are uploaded, slab by slab. Arrays that
 * already reside on the GPU are used in place. Returns false and does nothing if the CPU is to be used. Warns
 * if GPU memory is too small. */
extern bool shaping_on_device(const struct shaping *s, struct cfl *out, struct cfl *in, const char *what);

#endif
