#ifndef CT_GEOMETRY_VIEW_OFFSETS_H
#define CT_GEOMETRY_VIEW_OFFSETS_H

#include <stdint.h>

#include "ct/geometry/geom.h"

/**
 * How a scanner deviates from view to view: up to nine numbers in the frame of the view's detector, whose
 * axes are the direction of increasing columns (right), the direction of increasing rows (up), and the normal
 * towards the source. Numbers 0, 1, 2 are the shift of the detector right, up and towards the source [mm].
 * Numbers 3, 4, 5 are roll, tilt and yaw of the detector, as in geom_turn_detector() [degrees]. Numbers 6, 7,
 * 8 are the shift of the source right, up and away from the detector [mm]; a parallel beam has no source.
 */
enum { VIEW_OFFSET_NUMBERS = 9 };

/** Moves view k by value[0 .. n). error() if the beam is parallel and one of the numbers 6, 7, 8 is not 0. */
extern void view_offsets_apply(struct geom *g, long view, int n, const double value[]);

/** Moves every view by normally distributed random numbers with these standard deviations. Each random number
 * depends only on the seed, on the view, and on which of the nine numbers it is. */
extern void view_offsets_random(struct geom *g, int n, const double deviation[], uint64_t seed);

#endif
