#ifndef CORRECT_NORMALIZE_DEVICE_H
#define CORRECT_NORMALIZE_DEVICE_H

#include "correct/normalize.h"

/** normalize_views() for views on a device, with a constant flat. */
extern void normalize_views_device(struct normalizer *z, double *x, long first, long n, const char *name);

/** Returns 1 / air for a view, where air = sum / count is the mean of its values in air; error() if air is
 * not above 0. */
extern double normalize_air_factor(
        const struct normalizer *z, double sum, long count, long view, const char *name);

#endif
