#ifndef CT_GEOMETRY_GEOM_EDIT_H
#define CT_GEOMETRY_GEOM_EDIT_H

#include "ct/geometry/geom.h"

/** Changes of a geometry. */

/** Moves source and detector of every view [mm]; as if the object had moved the other way. */
extern void geom_move(struct geom *g, const double by[3]);

/** Turns source and detector of every view about the origin: about x, then y, then z [degrees,
 * counter-clockwise seen from the axis's positive end]. Exact at quarter turns. */
extern void geom_rotate(struct geom *g, const double angle[3]);

/** Reverses the sense of rotation: every view turns about z by minus twice its angle from view 0. */
extern void geom_reverse(struct geom *g);

extern struct geom *geom_copy(const struct geom *g);

/** A new geometry of n of the views, in that order; repetitions are allowed. */
extern struct geom *geom_pick(const struct geom *g, long n, const long view[]);

/** Bins columns x rows pixels; remaining pixels at the last edges are dropped. error() if nothing is left. A
 * curved detector keeps its radius. */
extern void geom_bin(struct geom *g, long columns, long rows);

/** The mean column of the middle of the rotation axis over the views; error() if a view does not see it.
 */
extern double geom_axis_column(const struct geom *g, const char *name);

#endif
