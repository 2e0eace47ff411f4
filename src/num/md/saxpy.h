#ifndef NUM_MD_SAXPY_H
#define NUM_MD_SAXPY_H

#include <complex.h>

#include "misc/file/cfl.h"

/**
 * out = s x + y over whole files and streams: shared by the commands saxpy and scale.
 */

/**
 * Element type of s x + y where `t` is the type of x, or the smallest that holds those of x and y: t for
 * floats and for integers times an integral s; float32 (8 and 16 bits) or float64 (32 and 64 bits) for
 * integers times another s; the complex type of the same precision when s is complex.
 */
extern enum dtype saxpy_type(enum dtype t, complex double s);

/**
 * out = s x + y, or s x when y is NULL; x and y are repeated along dims of length 1. Floats are computed in
 * the wider precision of saxpy_type() and out, float16 in float32; s is rounded to that precision first, then
 * product and sum are each rounded. Integers times an integral s are exact. Values outside the range of out's
 * type are clipped, with a warning.
 */
extern void saxpy_run(struct cfl *out, complex double s, struct cfl *x, struct cfl *y);

#endif
