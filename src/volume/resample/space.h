#ifndef VOLUME_RESAMPLE_SPACE_H
#define VOLUME_RESAMPLE_SPACE_H

#include "misc/file/hdr.h"
#include "misc/options/opt.h"

/** Positions of voxels [mm], and affine maps between positions. */

/** Voxel (i, j, k) has its centre at origin + step[.][0] i + step[.][1] j + step[.][2] k [mm]. step[.][d] is
 * the spacing times the direction of axis d (section "# Direction", or x, y and z). */
struct space {
	long n[3];
	double origin[3], step[3][3];
};

/** x -> a x + b [mm]. */
struct affine {
	double a[3][3], b[3];
};

/** The grid of dims 0 to 2 of an array; error() naming `name` if direction and spacing give voxels without
 * volume. */
extern void space_from_header(struct space *s, const struct hdr *h, const char *name);

/** The grid that the options choose for the volume `from`. Default: the grid of `from`. With --like, it is
 * the grid of another array, whose section "# Direction" is copied to h. With --size, --spacing or both, it
 * has the centre of `from`, unless --origin is given. Dims, spacing and origin are written to h, and to the
 * history (except if `like` has a direction). */
struct space_opts {
	struct opt_longs size;
	struct opt_doubles spacing, origin;
	const char *like;
};
extern void space_choose(
        struct space *out, const struct space_opts *o, const struct space *from, struct hdr *h);

/** A grid with the same extent and voxels about f times as large. An axis of 8 or more voxels keeps at least
 * 8; a shorter axis keeps all. */
extern void space_coarsen(struct space *out, const struct space *in, double f);

/** Voxels [first, first + n) along axis d of a grid. */
extern void space_crop(struct space *out, const struct space *in, int d, long first, long n);

/** The position of the centre of the grid; the map from positions to voxel indices. */
extern void space_centre(const struct space *s, double centre[3]);
extern void space_to_voxels(struct affine *m, const struct space *s);

extern void affine_identity(struct affine *m);
extern void affine_apply(const struct affine *m, double out[3], const double x[3]);
/** error() beginning with `name` if m has no inverse. */
extern void affine_inverse(struct affine *out, const struct affine *m, const char *name);

/** The map from positions in a rotated and shifted object to the original positions. The object is rotated
 * about the axes x, y, z through `centre`, in this order [degrees, counter-clockwise seen from the end of the
 * axis], and then shifted [mm]. */
extern void affine_rigid(
        struct affine *m, const double degrees[3], const double centre[3], const double shift[3]);

/** Reads a text file with three or four lines of four numbers, a and b side by side ('#' begins a comment; a
 * fourth line must be 0 0 0 1). */
extern void affine_read(struct affine *m, const char *path);
/** Writes such a file, with a comment that names both volumes. */
extern void affine_write(const struct affine *m, const char *path, const char *from, const char *to);

/** The map from voxel indices of `out` to voxel indices of `in`, for a map m from positions in `out` to
 * positions in `in`. */
extern void space_map(
        double at[3][4], const struct space *in, const struct space *out, const struct affine *m);

#endif
