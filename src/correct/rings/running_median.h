#ifndef CORRECT_RINGS_RUNNING_MEDIAN_H
#define CORRECT_RINGS_RUNNING_MEDIAN_H

#include "correct/mirrored.h"

/** Computes the running median of in[n] over `size` elements. The number `size` is odd. Beyond the ends,
 * the values are mirrored, and the end value is repeated. Successive elements of `in` and of `out` are
 * `step` elements apart. `work` has `size` doubles. `in` and `out` must not overlap. `in` must not
 * contain NaN. */
extern void running_median(long n, long size, long step, double *out, const double *in, double *work);

#endif
