#ifndef CT_PHANTOM_PHANTOMS_H
#define CT_PHANTOM_PHANTOMS_H

#include "ct/phantom/shapes.h"

/**
 * The known test objects. In all directions, the published coordinates are in units of R = size * spacing / 2
 * along x, so that [-1, 1] spans the grid along x. On a grid of one slice (nz = 1) every shape extends along
 * z through the slice, and ellipsoids become elliptic cylinders.
 */
enum phantom_kind {
	PHANTOM_MODIFIED,    // Shepp-Logan with the contrast of Toft [2]
	PHANTOM_SHEPP_LOGAN, // original values [1]
	PHANTOM_LETTER_F,    // orientation: no flip or turn maps it to itself
	PHANTOM_CYLINDER,    // uniform, axis z
	PHANTOM_DISK,        // uniform disk, in 3-D a ball
	PHANTOM_BALL
};

/** The names in the order of the enum: "modified|shepp-logan|...". */
extern const char phantom_kinds[];

/** Fills o; the published value 1 becomes mu [1/mm]. */
extern void phantom_make(struct shapes *o, enum phantom_kind kind, const struct grid *grid, double mu);

/** Reads a list of shapes. Each line is "[ellipsoid|box|cylinder] value x y z a b c phi theta psi". The word
 * ellipsoid and trailing angles [degrees] may be omitted. Lengths are in units of R, or in mm after a line
 * "unit mm"; '#' starts a comment. If a line is invalid, error() names file and line. */
extern void phantom_read(struct shapes *o, const char *path, const struct grid *grid, double mu);

#endif
