#ifndef VOLUME_RESAMPLE_SPACE_H
#define VOLUME_RESAMPLE_SPACE_H

#include "misc/file/hdr.h"
#include "misc/options/opt.h"

/** Positions of voxels [mm], and affine maps between positions. */

/**
 * The centre of voxel (i, j, k) [mm] is:
 *
 *     origin + step[.][0] i + step[.][1] j + step[.][2] k
 *
 * The vector step[.][d] is the spacing times the direction of axis d. Section "# Direction" gives the
 * directions; the default is x, y and z.
 */
struct space {
	long n[3];
	double origin[3], step[3][3];
};

/** The affine map `x -> a x + b` [mm]. */
struct affine {
	double a[3][3], b[3];
};

/** Computes the grid of dims 0 to 2 of an array. Voxels of volume 0 are an error() naming `name`. */
extern void space_from_header(struct space *s, const struct hdr *h, const char *name);

/** Options that choose the grid of an output. The default grid is that of the input, `from`. With --like, the
 * grid and section "# Direction" of another array are used. With --size or --spacing, the centre of `from` is
 * kept. Option --origin sets the centre of the first voxel. The grid is written to h, and to the history
 * unless --like gives a direction. */
struct space_opts {
	struct opt_longs size;
	struct opt_doubles spacing, origin;
	const char *like;
};
extern void space_choose(
        struct space *out, const struct space_opts *o, const struct space *from, struct hdr *h);

/** Computes a grid with the same extent and voxels about f times as large. An axis of 8 or more voxels keeps
 * at least 8. Shorter axes are unchanged. */
extern void space_coarsen(struct space *out, const struct space *in, double f);

/** Selects voxels [first, first + n) along axis d of a grid. */
extern void space_crop(struct space *out, const struct space *in, int d, long first, long n);

/** Computes the centre of the grid [mm]. */
extern void space_centre(const struct space *s, double centre[3]);
/** Computes the map from positions to voxel indices. */
extern void space_to_voxels(struct affine *m, const struct space *s);

extern void affine_identity(struct affine *m);
extern void affine_apply(const struct affine *m, double out[3], const double x[3]);
/** Inverts a map. A map without an inverse is an error(). The message begins with `name`. */
extern void affine_inverse(struct affine *out, const struct affine *m, const char *name);

/** Computes the map from positions in a rotated and shifted object to the original positions. The object is
 * rotated about x, then y, then z [degrees], through `centre`, and then shifted [mm]. Rotations are
 * counter-clockwise seen from the positive end of the axis. */
extern void affine_rigid(
        struct affine *m, const double degrees[3], const double centre[3], const double shift[3]);

/** Reads a map from a text file. Each of three lines has a row of `a`, then an element of `b`. A fourth line
 * must be 0 0 0 1. '#' starts a comment. */
extern void affine_read(struct affine *m, const char *path);
/** Writes a file for affine_read(), with a comment that names both volumes. */
extern void affine_write(const struct affine *m, const char *path, const char *from, const char *to);

/** Computes the map from voxel indices of `out` to voxel indices of `in`. The map m leads from positions in
 * `out` to positions in `in`. */
extern void space_map(
        double at[3][4], const struct space *in, const struct space *out, const struct affine *m);

#endif
