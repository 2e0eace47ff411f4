#ifndef VOLUME_THRESHOLD_H
#define VOLUME_THRESHOLD_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Each element becomes the number of levels that it is greater than; with `invert` and one level, 1 where it
 * is not greater. NaN becomes 0, counted with a warning. out: bool or uint8. */
extern void threshold_levels(struct cfl *out, struct cfl *in, int levels, const double level[], bool invert);

/** The components (6, 18, 26 neighbours) of what is greater than `low` that have a voxel greater than `high`,
 * volume by volume. NaN is background. */
extern void threshold_hysteresis(struct cfl *out, struct cfl *in, double low, double high, int neighbours);

/** What is greater than the mean of the box of 2 radius + 1 voxels around it, less `offset`; of the box, what
 * lies in the volume. With `invert` the others. Sliding sums in float64. error() on NaN and infinities. */
extern void threshold_adaptive(
        struct cfl *out, struct cfl *in, const long radius[3], double offset, bool invert);

#endif
