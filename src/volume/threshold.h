#ifndef VOLUME_THRESHOLD_H
#define VOLUME_THRESHOLD_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Each element becomes the number of levels that it exceeds; with `invert` and one level, 1 if it does not
 * exceed it. NaN becomes 0, counted with a warning. out: bool or uint8. */
extern void threshold_levels(struct cfl *out, struct cfl *in, int levels, const double level[], bool invert);

/** The components (6, 18, 26 neighbours) of elements greater than `low` that contain an element greater than
 * `high`, volume by volume. NaN is background. */
extern void threshold_hysteresis(struct cfl *out, struct cfl *in, double low, double high, int neighbours);

/** Elements greater than the mean of the box of 2 radius + 1 voxels around them, minus `offset`; only the
 * part of the box in the volume counts. With `invert` the others. Sliding sums in float64. error() on NaN and
 * infinities. */
extern void threshold_adaptive(
        struct cfl *out, struct cfl *in, const long radius[3], double offset, bool invert);

#endif
