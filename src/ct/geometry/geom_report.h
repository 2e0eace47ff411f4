#ifndef CT_GEOMETRY_GEOM_REPORT_H
#define CT_GEOMETRY_GEOM_REPORT_H

#include "ct/geometry/geom.h"

/** Prints descriptions of a geometry to standard output. */

/** Prints kind, distances, detector, angles, field of view and default grid, one line each. */
extern void geom_print(const struct geom *g);

/** Prints a table, one line per view: angle, source (direction of a parallel beam), centre and directions of
 * the detector. */
extern void geom_print_views(const struct geom *g);

/** How well the views see a volume. */
struct geom_coverage {
	double every;     // part of the volume that every view sees, 0 .. 1
	double some;      // part that at least one view sees
	double worst;     // part of the volume that the worst view sees
	long worst_view;  // which it is
	double common;    // radius of the ball about the origin that every view sees whole [mm]
	double fine[2];   // smallest pitch of columns and rows, seen at the volume's nearest point [mm]
	double coarse[2]; // largest pitch, at its farthest point [mm]
	double magnification[2]; // smallest and largest in the volume
	double inside;           // distance from the source to the volume's box, 0 when it is in there [mm]
};

/** Computes the coverage from a lattice of points in the largest elliptic cylinder along z inside the box of
 * the volume. */
extern void geom_cover(struct geom_coverage *c, const struct geom *g, const struct grid *volume);

/** Prints one line per check (ok, FAILED or note); returns false if a check failed. Coverage of the volume is
 * a check if `demanded`, else a note. */
extern bool geom_report(const struct geom *g, const struct grid *volume, bool demanded);

#endif
