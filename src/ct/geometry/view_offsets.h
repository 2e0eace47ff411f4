#ifndef CT_GEOMETRY_VIEW_OFFSETS_H
#define CT_GEOMETRY_VIEW_OFFSETS_H

#include <stdint.h>

#include "ct/geometry/geom.h"

/** Up to nine numbers describe the offsets of source and detector in one view. Right and up are the
 * directions of increasing columns and rows.
 * - Numbers 0, 1 and 2 shift the detector right, up and towards the source along the normal [mm].
 * - Numbers 3, 4 and 5 are roll, tilt and yaw of the detector in geom_turn_detector() [degrees].
 * - Numbers 6, 7 and 8 shift the source right, up and away from the detector along the normal [mm]. */
enum { VIEW_OFFSET_NUMBERS = 9 };

/** Moves source and detector of view k by the n numbers in `value`. A parallel beam has no source: numbers 6,
 * 7 and 8 must be 0, otherwise error(). */
extern void view_offsets_apply(struct geom *g, long view, int n, const double value[]);

/** Moves source and detector of every view by normally distributed random numbers. The standard deviation of
 * number i is deviation[i]. Each random number depends only on the seed, the view and i. */
extern void view_offsets_random(struct geom *g, int n, const double deviation[], uint64_t seed);

#endif
