#ifndef NUM_MD_SAXPY_H
#define NUM_MD_SAXPY_H

#include <complex.h>

#include "misc/file/cfl.h"

/** These functions compute s x + y for the commands saxpy and scale. */

/** Returns the default element type of s x + y. `t` is the smallest type that holds x and y. For float types,
 * and for integers with an integer s, the result is t (int8 for bool). For integers with another real s, the
 * result is float32 for 8 and 16 bits, else float64. A complex s gives the complex type of equal precision.
 */
extern enum dtype saxpy_type(enum dtype t, complex double s);

/** Writes s x + y to `out`, or s x if y is NULL. Dims of length 1 in x and y are repeated. Floats are
 * computed with the precision of saxpy_type() or `out`, whichever is higher. Numbers of type float16 are
 * computed in float32. The factor s, the product and the sum are rounded one by one. If x, y and s are
 * integers, an integer result is exact. Values outside the range of `out` are clipped with a warning. */
extern void saxpy_run(struct cfl *out, complex double s, struct cfl *x, struct cfl *y);

#endif
