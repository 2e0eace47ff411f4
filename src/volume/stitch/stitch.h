#ifndef VOLUME_STITCH_STITCH_H
#define VOLUME_STITCH_STITCH_H

#include "misc/file/cfl.h"

/** These functions join overlapping real arrays. The overlap is blended linearly in float64. NaN or infinite
 * elements are an error() naming the array. Results do not depend on threads. */

/** An overlap or axis found by correlation, and the correlation of the values. */
struct stitch_match {
	double at; // overlap [elements], or column of the axis
	double correlation;
};

/** Finds by how many elements the end of a overlaps the start of b along dim d. The overlap with the largest
 * correlation is returned. Overlaps from 4 elements to the length of the shorter array are tried. Arrays of
 * fewer than 4 elements overlap completely. */
extern struct stitch_match stitch_find_overlap(struct cfl *a, struct cfl *b, int d);

/** Joins a and b along dim d. The last `overlap` elements of a and the first `overlap` elements of b are
 * blended. */
extern void stitch_side_by_side(struct cfl *out, struct cfl *a, struct cfl *b, int d, long overlap);

/** Finds the rotation axis of a parallel-beam scan (u, v, view, ..) with an offset detector. The scan covers
 * 360 degrees, end point excluded. Of n views, views k and k + n/2 see the same rays, mirrored about the
 * axis. Returns the column, to 1/20 column, where opposite views agree best. At least 1/32 of the columns
 * must be seen from both sides. */
extern struct stitch_match stitch_find_axis(struct cfl *scan);

/** Returns the number of columns of the stitched scan. Sets *stitched_axis to the column of the axis. */
extern long stitch_columns(long columns, double axis, double *stitched_axis);

/** Writes the scan over 180 degrees, with dims (stitch_columns(), v, view / 2, ..). Each view is joined with
 * the mirrored opposite view. */
extern void stitch_half_turn(struct cfl *out, struct cfl *scan, double axis);

/** If `bad` is true, calls error(): f contains NaN or infinite values. */
extern void stitch_refuse_bad(const struct cfl *f, bool bad);

#endif
