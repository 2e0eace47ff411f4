#ifndef CT_GEOMETRY_GEOM_EDIT_H
#define CT_GEOMETRY_GEOM_EDIT_H

#include "ct/geometry/geom.h"

/** Changes of a geometry. */

/** Moves source and detector of every view by a vector [mm]. This is equivalent to a shift of the object in
 * the opposite direction. */
extern void geom_move(struct geom *g, const double by[3]);

/** Rotates source and detector of every view about the origin: about x, then y, then z [degrees,
 * counter-clockwise as seen from the positive end of the axis]. The rotation is exact at quarter turns. */
extern void geom_rotate(struct geom *g, const double angle[3]);

/** Reverses the sense of rotation: every view is rotated about z by minus twice its angle from view 0. */
extern void geom_reverse(struct geom *g);

extern struct geom *geom_copy(const struct geom *g);

/** A new geometry of n selected views, in the given order; views may be repeated. */
extern struct geom *geom_pick(const struct geom *g, long n, const long view[]);

/** Bins blocks of columns x rows pixels; incomplete blocks at the last columns and rows are dropped. error()
 * if no block is complete. A curved detector keeps its radius. */
extern void geom_bin(struct geom *g, long columns, long rows);

/** The detector column on which the point scan_centre() of the rotation axis is projected, averaged over the
 * views; error() if this point is not projected in a view. */
extern double geom_axis_column(const struct geom *g, const char *name);

#endif
