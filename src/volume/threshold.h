#ifndef VOLUME_THRESHOLD_H
#define VOLUME_THRESHOLD_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Writes how many levels each element exceeds. With `invert` and one level, writes 1 for elements that do
 * not exceed the level. NaN becomes 0, with a warning. `out` is bool or uint8. */
extern void threshold_levels(struct cfl *out, struct cfl *in, int levels, const double level[], bool invert);

/** In each volume, the elements greater than `low` form connected components. Selects components with an
 * element greater than `high`. `neighbours` is 6, 18 or 26. NaN is background. */
extern void threshold_hysteresis(struct cfl *out, struct cfl *in, double low, double high, int neighbours);

/** Selects elements greater than the local mean minus `offset`. The local mean is computed in float64 over a
 * box of `2 radius + 1` voxels around the element. Voxels of the box outside the volume are ignored. `invert`
 * selects the other elements. NaN and infinities are an error(). */
extern void threshold_adaptive(
        struct cfl *out, struct cfl *in, const long radius[3], double offset, bool invert);

#endif
