#ifndef VOLUME_THRESHOLD_H
#define VOLUME_THRESHOLD_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Each element becomes the number of levels that it exceeds; with `invert`, which needs one level, 1 if the
 * element does not exceed the level. NaN becomes 0, with a warning. out: bool or uint8. */
extern void threshold_levels(struct cfl *out, struct cfl *in, int levels, const double level[], bool invert);

/** Selects components (6, 18 or 26 neighbours) of elements greater than `low`, volume by volume. A component
 * is selected if it contains an element greater than `high`. NaN is background. */
extern void threshold_hysteresis(struct cfl *out, struct cfl *in, double low, double high, int neighbours);

/** Selects elements greater than the mean of the box of 2 radius + 1 voxels around them, minus `offset`.
 * Voxels of the box outside the volume are ignored. `invert` selects the other elements. Sums are
 * computed in float64. error() on NaN and infinities. */
extern void threshold_adaptive(
        struct cfl *out, struct cfl *in, const long radius[3], double offset, bool invert);

#endif
