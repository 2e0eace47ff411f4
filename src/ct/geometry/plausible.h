#ifndef CT_GEOMETRY_PLAUSIBLE_H
#define CT_GEOMETRY_PLAUSIBLE_H

#include "ct/geometry/geom.h"

/** Whether a scan of a volume can be meant as it is: other lengths than mm, radians for degrees. */
struct plausible {
	bool meets;       // some ray meets the volume's box, grown by a voxel
	long inside;      // views whose source is inside that box (as it is)
	double across;    // part of the volume's width that a view sees, on average
	double along;     // part of its height that the views see together; 1 for a detector of one row
	double footprint; // columns that the whole volume covers, on average
	double voxel;     // width of a voxel [columns]
	double spread;    // largest angle between the first view's direction and another's [degrees]
	bool is_radians;  // the views go evenly around by about pi or 2 pi degrees
};

/** Measured in every view, but across, along, footprint and voxel in a few: well below a millisecond per
 * thousand views. grid NULL: meets, and spread and is_radians are all there is. */
extern void plausible_measure(struct plausible *p, const struct geom *g, const struct grid *grid);

/** What the geometry is used for: few degrees are enough to project, not to reconstruct. */
enum plausible_use { PLAUSIBLE_PROJECTS, PLAUSIBLE_RECONSTRUCTS };

/** One warning per finding, naming the geometry's file; error() where no ray meets the volume, a warning too
 * with --force. */
extern void plausible_warn(
        const struct geom *g, const struct grid *grid, const char *name, enum plausible_use use);

/** The finding on the angles as a sentence's end, malloc'd; NULL when there is none. */
extern char *plausible_angles(const struct plausible *p, const struct geom *g, enum plausible_use use);

#endif
