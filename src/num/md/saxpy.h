#ifndef NUM_MD_SAXPY_H
#define NUM_MD_SAXPY_H

#include <complex.h>

#include "misc/file/cfl.h"

/**
 * out = s x + y over whole files and streams: shared by the commands saxpy and scale.
 */

/**
 * Element type of s x + y, where `t` is the type of x, or the smallest type that holds the types of x and y.
 * The result is t for floats, and for integers with integer s. For integers with other s, the result is
 * float32 (8 and 16 bits) or float64 (32 and 64 bits). For complex s, the result is the complex type of the
 * same precision.
 */
extern enum dtype saxpy_type(enum dtype t, complex double s);

/**
 * out = s x + y, or s x if y is NULL; x and y are repeated along dims of length 1. Floats are computed in the
 * precision of saxpy_type() or of out, whichever is wider (float16 in float32). s is first rounded to this
 * precision; product and sum are then each rounded. Integers times an integer s are exact. Values outside the
 * range of out's type are clipped, with a warning.
 */
extern void saxpy_run(struct cfl *out, complex double s, struct cfl *x, struct cfl *y);

#endif
