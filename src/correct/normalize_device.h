#ifndef CORRECT_NORMALIZE_DEVICE_H
#define CORRECT_NORMALIZE_DEVICE_H

#include "correct/normalize.h"

/** normalize_views() for views on a device, with a flat that does not change. */
extern void normalize_views_device(struct normalizer *z, double *x, long first, long n, const char *name);

/** Factor of a view from the sum of its `count` air values: 1 / air; error() if it is not above 0. */
extern double normalize_air_factor(
        const struct normalizer *z, double sum, long count, long view, const char *name);

#endif
