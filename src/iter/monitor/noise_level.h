#ifndef ITER_MONITOR_NOISE_LEVEL_H
#define ITER_MONITOR_NOISE_LEVEL_H

#include "iter/step/weights.h"

/**
 * Estimates the standard deviation of white noise in an array of any type. The estimate uses second
 * differences of the real parts along dimension `dim`. The estimate is
 * `median(|x[i-1] - 2 x[i] + x[i+1]|) / (0.6745 sqrt(6))`. For normal noise, the estimate equals the standard
 * deviation. Edges are rare and hardly change the median.
 *
 * W contains the inverse variances up to a common factor. The result is the standard deviation of an element
 * of weight 1. Elements of weight 0 are ignored. If W is NULL, all weights are 1. Returns NAN if there are
 * fewer than 3 elements along `dim`, or if all weights are 0.
 */
extern double noise_level(
        enum dtype type, const long dims[DIMS], int dim, const void *data, const struct weights *W);

#endif
