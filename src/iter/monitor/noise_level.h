#ifndef ITER_MONITOR_NOISE_LEVEL_H
#define ITER_MONITOR_NOISE_LEVEL_H

#include "iter/step/weights.h"

/**
 * Standard deviation of white noise in an array (real parts) of any type, from the median of |x[i-1] - 2 x[i]
 * + x[i+1]| along dimension `dim`. For normal noise the standard deviation of the second differences is
 * sqrt(6) times that of the noise, and the median of their moduli is 0.6745 times their standard deviation.
 * Edges are rare and hardly change the median. W (NULL: 1): inverse variances up to a factor; the result is
 * then the standard deviation for weight 1, and elements of weight 0 are ignored. NAN if there are fewer than
 * 3 elements along dim.
 */
extern double noise_level(
        enum dtype type, const long dims[DIMS], int dim, const void *data, const struct weights *W);

#endif
