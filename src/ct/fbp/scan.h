#ifndef CT_FBP_SCAN_H
#define CT_FBP_SCAN_H

#include "ct/geometry/geom.h"

/**
 * Angular weights of a circular scan. The weights account for the angle that each view represents, and for
 * the number of times that each ray is measured.
 *
 * Each view is weighted by half the sum of the angular gaps to its two neighbours [rad], also for repeated
 * end points, golden angles and interlaced scans. In addition, each ray is weighted by its redundancy:
 * - Parallel beam: the weight is 1, and angles of views are taken modulo 180 degrees. If the beam is inclined
 *   and the views cover 360 degrees, the weight is 1/2.
 * - Fan and cone beam over 360 degrees: the weight is 1/2, since every ray is measured in both directions.
 * - Fan and cone beam over less than 360 degrees, but at least 180 degrees + fan angle: Parker's weights [1],
 *   or Silver's form of them for the covered arc [2].
 * - Offset detector over 360 degrees (any beam): the weight is 1 for rays measured once and 1/2
 *   for rays measured twice, with a smooth transition [3].
 */
struct scan;

/** Treatment of a short scan over more than 180 degrees + fan angle: Silver's weights use all views, as if
 * the fan were wider [2]; Parker's weights use only the first 180 degrees + fan angle [1]. */
enum scan_short { SCAN_SILVER, SCAN_PARKER };
#define SCAN_SHORT_NAMES "silver|parker"

/** If the views cover too small an angle, error() names the geometry file, the covered angle and the needed
 * angle. */
extern struct scan *scan_create(const struct geom *g, enum scan_short form, const char *name);
extern void scan_free(struct scan *s);

/** weight[cols] of the rays of one view [rad]; over all views, the weights of the rays through a point sum to
 * pi. */
extern void scan_weights(const struct scan *s, long view, double *weight);

/** Numbers of columns to add before the first and after the last column of the detector, so that filtered
 * views extend equally far on both sides of the axis. Columns are only added for an offset detector and views
 * over 360 degrees. Weighted views are 0 in the added columns; filtered views are not. */
extern void scan_beyond(const struct scan *s, long extra[2]);

/** A description of the scan ("short scan over 220.0 degrees, Parker weights"). */
extern const char *scan_describe(const struct scan *s);

/** Whether rays are weighted as in a short scan. */
extern bool scan_is_short(const struct scan *s);

/** The point of the z axis on which the view is centred [mm]. The point is at the height of the source if the
 * detector sees the axis there. Otherwise it is at the height at which the ray through the detector's centre
 * passes the axis. For a parallel beam it is the origin. */
extern void scan_centre(const struct geom *g, long view, double c[3]);

/** Position of a column's ray in its view: the angle between the ray and the axis [rad], for a parallel beam
 * the distance from the axis [mm]. The value is positive if the ray is counter-clockwise of the axis as seen
 * from the source. */
extern double scan_place(const struct geom *g, long view, double a);

/** Computes the gaps between n angles modulo `period`. weight[n]: half the sum of the gaps to both
 * neighbours, in the order of the input. order[n]: indices of the angles in ascending order. gap[i]: the gap
 * after the i-th angle in ascending order. */
extern void scan_half_gaps(
        long n, const double angle[], double period, double weight[], double gap[], long order[]);

#endif
