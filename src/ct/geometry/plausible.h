#ifndef CT_GEOMETRY_PLAUSIBLE_H
#define CT_GEOMETRY_PLAUSIBLE_H

#include "ct/geometry/geom.h"

/** Checks whether the scan of a volume is plausible. Typical faults are lengths in another unit than mm, and
 * radians instead of degrees. */
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

/** The members `across`, `along`, `footprint` and `voxel` are computed from a few views, the other members
 * from all views. A call takes less than a millisecond per thousand views. With grid NULL, only spread and
 * is_radians are measured. */
extern void plausible_measure(struct plausible *p, const struct geom *g, const struct grid *grid);

/** The use of the geometry: a scan of a few degrees is plausible for projection, but not for reconstruction.
 */
enum plausible_use { PLAUSIBLE_PROJECTS, PLAUSIBLE_RECONSTRUCTS };

/** Prints one warning per finding, naming the geometry file; error() if no ray meets the volume (a warning
 * with --force). */
extern void plausible_warn(
        const struct geom *g, const struct grid *grid, const char *name, enum plausible_use use);

/** The finding about the angles, worded as a clause of a message, malloc'd; NULL if there is none. */
extern char *plausible_angles(const struct plausible *p, const struct geom *g, enum plausible_use use);

#endif
