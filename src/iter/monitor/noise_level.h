#ifndef ITER_MONITOR_NOISE_LEVEL_H
#define ITER_MONITOR_NOISE_LEVEL_H

#include "iter/step/weights.h"

/**
 * Standard deviation of white noise in an array (real parts) of any type, from the median of |x[i-1] - 2 x[i]
 * + x[i+1]| along dimension `dim`: these have deviation sqrt(6) times that and, of normal noise, their median
 * at 0.6745 of their own; edges are too few to count. W (NULL: 1): inverse variances up to a factor; the
 * deviation is that of weight 1 then, and elements of weight 0 do not count. NAN where there are fewer than 3
 * elements along dim.
 */
extern double noise_level(
        enum dtype type, const long dims[DIMS], int dim, const void *data, const struct weights *W);

#endif
