#ifndef CT_GEOMETRY_GEOM_REPORT_H
#define CT_GEOMETRY_GEOM_REPORT_H

#include "ct/geometry/geom.h"

/** These functions print descriptions of a geometry to standard output. */

/** Prints kind, distances, detector, angles, field of view and default grid, one line each. */
extern void geom_print(const struct geom *g);

/** Prints a table with one line per view. The table lists the angle, the source or beam direction, and the
 * detector's centre and directions. */
extern void geom_print_views(const struct geom *g);

/** Numbers that describe how well the views see a volume. */
struct geom_coverage {
	double every;            // fraction of the volume that every view sees, 0 to 1
	double some;             // fraction that at least one view sees
	double worst;            // fraction that the worst view sees
	long worst_view;         // number of the worst view
	double common;           // radius of the ball about the origin that every view sees completely [mm]
	double fine[2];          // pitch of columns and rows at the volume's nearest point [mm]
	double coarse[2];        // pitch of columns and rows at the volume's farthest point [mm]
	double magnification[2]; // smallest and largest in the volume
	double inside;           // distance from the source to the volume's box [mm]; 0 inside the box
};

/** Computes the coverage of a volume from a lattice of points. The points are in the largest elliptic
 * cylinder along z inside the box of the volume. */
extern void geom_cover(struct geom_coverage *c, const struct geom *g, const struct grid *volume);

/** Prints one line per check, marked ok, FAILED or note. Returns false if a check failed. Incomplete coverage
 * of the volume is a failure if `demanded`, otherwise a note. */
extern bool geom_report(const struct geom *g, const struct grid *volume, bool demanded);

#endif
