#ifndef VOLUME_STITCH_STITCH_H
#define VOLUME_STITCH_STITCH_H

#include "misc/file/cfl.h"

/** Arrays joined where they overlap, blended linearly across the overlap, in float64. Real elements; NaN or
 * infinite ones are an error() naming the array. Results do not depend on the number of threads. */

/** An overlap found by correlation, and the correlation of the values in it. */
struct stitch_match {
	double at; // elements of overlap, or the column of the axis
	double correlation;
};

/** The number of elements along dim d by which the end of a overlaps the start of b: the one with the largest
 * correlation of up to 256 lines, from 4 (or all available) to the length of the shorter one. */
extern struct stitch_match stitch_find_overlap(struct cfl *a, struct cfl *b, int d);

/** out = a and b side by side along dim d, with `overlap` elements of both at the same position. */
extern void stitch_side_by_side(struct cfl *out, struct cfl *a, struct cfl *b, int d, long overlap);

/** A parallel-beam scan (u, v, view, ..) over 360 degrees, end point excluded, with an offset detector: views
 * k and k + n/2 see the same rays from both sides, mirrored about the axis' column. The column (from 0, to
 * 1/20) where the two agree best, over up to 32 views and 16 rows; at least 1/32 of the columns are seen
 * twice. */
extern struct stitch_match stitch_find_axis(struct cfl *scan);

/** Columns of the stitched scan, and the axis among them. */
extern long stitch_columns(long columns, double axis, double *stitched_axis);

/** out (stitch_columns(), v, view / 2, ..) = the scan over 180 degrees: each view beside its mirrored
 * opposite, which is interpolated linearly between columns. */
extern void stitch_half_turn(struct cfl *out, struct cfl *scan, double axis);

#endif
