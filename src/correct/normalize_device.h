#ifndef CORRECT_NORMALIZE_DEVICE_H
#define CORRECT_NORMALIZE_DEVICE_H

#include "correct/normalize.h"

/** Normalises n views on a device in place, as normalize_views() does. The flat must be constant. */
extern void normalize_views_device(struct normalizer *z, double *x, long first, long n, const char *name);

/** Returns the factor 1 / air of a view. `air` is sum / count, the mean transmission of the view in air.
 * A mean that is not positive is an error() naming the file and the view. */
extern double normalize_air_factor(
        const struct normalizer *z, double sum, long count, long view, const char *name);

#endif
