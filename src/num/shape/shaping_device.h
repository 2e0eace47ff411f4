#ifndef NUM_SHAPE_SHAPING_DEVICE_H
#define NUM_SHAPE_SHAPING_DEVICE_H

#include "num/shape/shaping.h"

/** Fills the output on the GPU, slab by slab of its last dim: the needed parts of the input are uploaded.
 * Arrays that already reside there are used in place. Returns false and does nothing if the CPU is to be used
 * (with a warning if the user requested the GPU and it has no memory for one step of a slab). */
extern bool shaping_on_device(const struct shaping *s, struct cfl *out, struct cfl *in, const char *what);

#endif
