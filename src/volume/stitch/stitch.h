#ifndef VOLUME_STITCH_STITCH_H
#define VOLUME_STITCH_STITCH_H

#include "misc/file/cfl.h"

/** Joins overlapping arrays, blended linearly across the overlap, in float64. Elements are real; error()
 * naming the array if an element is NaN or infinite. Results do not depend on the number of threads. */

/** An overlap found by correlation, and the correlation of the values in the overlap. */
struct stitch_match {
	double at; // elements of overlap, or the column of the axis
	double correlation;
};

/** The number of elements along dim d by which the end of a overlaps the start of b: the overlap with the
 * largest correlation, computed from up to 256 lines. Overlaps from 4 elements (or all, if there are fewer)
 * to the length of the shorter array are tried. */
extern struct stitch_match stitch_find_overlap(struct cfl *a, struct cfl *b, int d);

/** out = a and b joined along dim d; the last `overlap` elements of a and the first ones of b are blended. */
extern void stitch_side_by_side(struct cfl *out, struct cfl *a, struct cfl *b, int d, long overlap);

/** Finds the axis of a parallel-beam scan (u, v, view, ..) over 360 degrees, end point excluded, with an
 * offset detector. Views k and k + n/2 see the same rays from both sides, mirrored about the column of the
 * axis. Returns the column of the axis (counted from 0, with a precision of 1/20) for which both views agree
 * best, over up to 32 views and 16 rows. At least 1/32 of the columns must be seen from both sides. */
extern struct stitch_match stitch_find_axis(struct cfl *scan);

/** Number of columns of the stitched scan; *stitched_axis: the column of the axis. */
extern long stitch_columns(long columns, double axis, double *stitched_axis);

/** out (stitch_columns(), v, view / 2, ..) = the scan over 180 degrees: each view beside its mirrored
 * opposite, which is interpolated linearly between columns. */
extern void stitch_half_turn(struct cfl *out, struct cfl *scan, double axis);

/** If `bad`, error(): f contains NaN or infinite values. */
extern void stitch_refuse_bad(const struct cfl *f, bool bad);

#endif
