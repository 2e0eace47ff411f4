#ifndef NUM_SHAPE_SHAPING_DEVICE_H
#define NUM_SHAPE_SHAPING_DEVICE_H

#include "num/shape/shaping.h"

/** Fills the output on the GPU, slab by slab of its last dim: of the input what a slab needs is brought
 * there. Arrays that lie there already are used in place. False, and nothing done, where the CPU is to do it
 * (with a warning where the user asked for the GPU and it has no room for one step of a slab). */
extern bool shaping_on_device(const struct shaping *s, struct cfl *out, struct cfl *in, const char *what);

#endif
