#ifndef CT_GEOMETRY_PLAUSIBLE_H
#define CT_GEOMETRY_PLAUSIBLE_H

#include "ct/geometry/geom.h"

/** Numbers that show whether the scan of a volume is plausible. Typical faults are lengths in another unit
 * than mm, and radians instead of degrees. */
struct plausible {
	bool meets;    // at least one ray meets the volume's box, enlarged by one voxel
	long inside;   // number of views whose source is inside the volume's box
	double across; // fraction of the volume's width that a view sees, on average
	double along;  // fraction of the volume's height seen by all views together; 1 for one detector row
	double footprint; // columns that the whole volume covers, on average
	double voxel;     // width of a voxel [columns]
	double spread;    // largest angle between the first view and another view [degrees]
	bool is_radians;  // the views span about pi or 2 pi degrees, so angles may be in radians
};

/** Computes *p for a geometry and the grid of a volume. If grid is NULL, only `spread` and `is_radians` are
 * computed. The members `across`, `along`, `footprint` and `voxel` are computed from a few views. A call
 * takes less than a millisecond per thousand views. */
extern void plausible_measure(struct plausible *p, const struct geom *g, const struct grid *grid);

/** The purpose of the scan. A scan of a few degrees is plausible for projection, but not for reconstruction.
 */
enum plausible_use { PLAUSIBLE_PROJECTS, PLAUSIBLE_RECONSTRUCTS };

/** Prints one warning per implausible property, naming the geometry file. If no ray meets the volume, the
 * function calls error(), or warns with --force. */
extern void plausible_warn(
        const struct geom *g, const struct grid *grid, const char *name, enum plausible_use use);

/** Returns a malloc'd text for a message about implausible angles. Returns NULL if the angles are plausible.
 */
extern char *plausible_angles(const struct plausible *p, const struct geom *g, enum plausible_use use);

#endif
