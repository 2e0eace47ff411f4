#ifndef CORRECT_RINGS_RUNNING_MEDIAN_H
#define CORRECT_RINGS_RUNNING_MEDIAN_H

#include "correct/mirrored.h"

/** out[i] = median of the `size` (odd) values of in[n] around i, mirrored at the ends (the end value is
 * repeated). step: distance between values in out and in; work: size doubles. out and in do not overlap. No
 * NaN. */
extern void running_median(long n, long size, long step, double *out, const double *in, double *work);

#endif
