#ifndef CT_GEOMETRY_GEOM_EDIT_H
#define CT_GEOMETRY_GEOM_EDIT_H

#include "ct/geometry/geom.h"

/** These functions change or copy a geometry. */

/** Moves source and detector of every view by a vector [mm]. Moving source and detector is equivalent to a
 * shift of the object in the opposite direction. */
extern void geom_move(struct geom *g, const double by[3]);

/** Rotates source and detector of every view about the origin. The rotations are about x, then y, then z
 * [degrees]. Angles are counter-clockwise as seen from the positive end of the axis. Rotations by multiples
 * of 90 degrees are exact. */
extern void geom_rotate(struct geom *g, const double angle[3]);

/** Reverses the sense of rotation. A view at the angle a from view 0 is rotated about z by `-2 * a`. */
extern void geom_reverse(struct geom *g);

/** Returns a copy of a geometry. */
extern struct geom *geom_copy(const struct geom *g);

/** Returns a new geometry of the n views view[0..n-1], in the given order. Views may be repeated. */
extern struct geom *geom_pick(const struct geom *g, long n, const long view[]);

/** Bins the detector in blocks of columns x rows pixels. Incomplete blocks at the last columns and rows are
 * dropped. A detector without a complete block is an error(). A curved detector keeps its radius. */
extern void geom_bin(struct geom *g, long columns, long rows);

/** Returns the detector column of the rotation axis, averaged over the views. The position of the axis is the
 * projection of the point scan_centre(). A view that does not see this point is an error() naming `name`. */
extern double geom_axis_column(const struct geom *g, const char *name);

#endif
