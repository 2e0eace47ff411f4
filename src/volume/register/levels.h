#ifndef VOLUME_REGISTER_LEVELS_H
#define VOLUME_REGISTER_LEVELS_H

#include "misc/file/cfl.h"
#include "volume/register/register.h"

/** Registration of volumes in files, from coarse to fine grids. */

/** A volume in a file, and the grid of the part that is compared. */
struct register_volume {
	struct cfl *file;
	struct space space; // of the file
	struct space part;  // voxels of `space`
};

/** Opens a volume; the part is all of it. error() if the array is not one real volume. */
extern void register_open(struct register_volume *v, const char *name);

/** The part of a volume on a grid whose voxels are about f times as large; the caller frees x. error() if a
 * voxel is NaN or infinite. */
extern struct register_image register_coarsen(const struct register_volume *v, double f);

/** error() if all values of an image of the volume are equal up to rounding. */
extern void register_refuse_constant(const struct register_volume *v, const struct register_image *im);

/** Similarity at the start and at the end. */
struct register_result {
	struct register_fit before, after;
};

/** Improves a pose from coarse to fine grids of up to 2^26 voxels. reach: the largest shift to try in one
 * step [voxels of the fixed volume]; 0: about a sixth of the longest edge of fixed->part. how->points is not
 * used. error() if a part is constant. */
extern struct register_result register_volumes(struct register_pose *pose, const struct register_how *how,
        const struct register_volume *fixed, const struct register_volume *moving, double reach);

#endif
