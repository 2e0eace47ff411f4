#ifndef CT_FBP_SCAN_H
#define CT_FBP_SCAN_H

#include "ct/geometry/geom.h"

/**
 * How the views of a circular scan share the circle: the angle each stands for, and how often each ray was
 * measured.
 *
 * A view weighs half the gap to its angular neighbours [rad], so repeated end points, golden angles and
 * interlaced scans are right. On top of that a ray weighs by its redundancy:
 *  - parallel beam: views are counted modulo 180 degrees, weight 1;
 *  - fan and cone over 360 degrees: every ray is measured from both ends, 1/2;
 *  - over less than 360 degrees but at least 180 + fan angle: Parker's weights [1], in
 * Silver's form [2] for the arc really covered;
 *  - 360 degrees with a detector that reaches further to one side of the axis (parallel or fan): 1 where a
 * ray is measured once, 1/2 where twice, with a smooth transition [3].
 */
struct scan;

/** What a short scan that turns further than 180 degrees + fan angle does with the rest: Silver's weights use
 * all of it, as if the fan were wider [2]; Parker's the first 180 degrees + fan angle alone [1]. */
enum scan_short { SCAN_SILVER, SCAN_PARKER };
#define SCAN_SHORT_NAMES "silver|parker"

/** error() naming the geometry file when the views cover too little; says what was found and what is needed.
 */
extern struct scan *scan_create(const struct geom *g, enum scan_short form, const char *name);
extern void scan_free(struct scan *s);

/** weight[cols] of the rays of one view [rad]; the sum over all views of a line's weights is pi. */
extern void scan_weights(const struct scan *s, long view, double *weight);

/** Columns to add before the first and behind the last of the detector, so that filtered views reach equally
 * far to both sides of the axis. Not 0 where the weights are those of a displaced detector: a weighted view
 * ends in zeros there, but its filtered one does not. */
extern void scan_beyond(const struct scan *s, long extra[2]);

/** One sentence on what was found ("short scan over 220.0 degrees, Parker weights"). */
extern const char *scan_describe(const struct scan *s);

/** Whether rays get the weights of a short scan. */
extern bool scan_is_short(const struct scan *s);

/** Point of the z axis that the view is centred on [mm]: at the source's height where the detector sees the
 * axis there, else where it sees the axis best. Parallel: the origin. */
extern void scan_centre(const struct geom *g, long view, double c[3]);

/** Where the ray of a column stands in its view, positive counter-clockwise of the axis as seen from the
 * source: angle to the axis [rad], for a parallel beam the distance from it [mm]. */
extern double scan_place(const struct geom *g, long view, double a);

/** weight[n]: half the gaps between neighbours among angles modulo period, in their order; gaps[n]: the gaps
 * in ascending order of angle, the gap behind the i-th; order[n]: the angles' indices in ascending order. */
extern void scan_half_gaps(
        long n, const double angle[], double period, double weight[], double gap[], long order[]);

#endif
