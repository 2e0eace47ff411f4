#ifndef CT_PHANTOM_PHANTOMS_H
#define CT_PHANTOM_PHANTOMS_H

#include "ct/phantom/shapes.h"

/**
 * The built-in test objects. Published coordinates are multiplied by R, half the width of the grid along x
 * [mm]. The range [-1, 1] therefore spans the grid along x. If the grid has one slice, every shape extends
 * through the slice along z. On a grid of one slice, ellipsoids become elliptic cylinders.
 *
 * [1] L. A. Shepp and B. F. Logan, The Fourier reconstruction of a head section, IEEE Transactions on
 * Nuclear Science 21(3), 1974.
 * [2] P. Toft, The Radon transform: theory and implementation, PhD thesis, DTU, 1996.
 */
enum phantom_kind {
	PHANTOM_MODIFIED,    // Shepp-Logan with the contrast of Toft [2]
	PHANTOM_SHEPP_LOGAN, // Shepp-Logan with the original values [1]
	PHANTOM_LETTER_F,    // an asymmetric object that shows every flip and rotation
	PHANTOM_CYLINDER,    // uniform cylinder along z
	PHANTOM_DISK,        // uniform disk; in 3-D a ball
	PHANTOM_BALL
};

/** The names of the test objects in the order of the enum: "modified|shepp-logan|...". */
extern const char phantom_kinds[];

/** Adds the shapes of a test object to o. Published values are multiplied by mu [1/mm]. */
extern void phantom_make(struct shapes *o, enum phantom_kind kind, const struct grid *grid, double mu);

/** Reads a list of shapes from a text file and adds the shapes to o. Each line is "[ellipsoid|box|cylinder]
 * value x y z a b c phi theta psi". The word ellipsoid and trailing angles [degrees] may be omitted. Lengths
 * are in units of half the grid's width along x. After a line "unit mm", lengths are in mm. A comment starts
 * with '#'. Values are multiplied by mu [1/mm]. An invalid line is an error() naming the file and the line.
 */
extern void phantom_read(struct shapes *o, const char *path, const struct grid *grid, double mu);

#endif
