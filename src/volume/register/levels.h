#ifndef VOLUME_REGISTER_LEVELS_H
#define VOLUME_REGISTER_LEVELS_H

#include "misc/file/cfl.h"
#include "volume/register/register.h"

/** Registration of volumes in files, from coarse to fine grids. */

/** A volume in a file. */
struct register_volume {
	struct cfl *file;
	struct space space; // grid of the file
	struct space part;  // the part of `space` that is compared
};

/** Opens a volume and selects the whole volume. An array that is not one real volume is an error(). */
extern void register_open(struct register_volume *v, const char *name);

/** Resamples v->part on a grid with voxels about f times as large. The caller frees member `x` of the result.
 * A NaN or infinite voxel is an error(). */
extern struct register_image register_coarsen(const struct register_volume *v, double f);

/** Calls error() if all values of `im` are equal up to rounding. */
extern void register_refuse_constant(const struct register_volume *v, const struct register_image *im);

/** Similarity at the start and at the end of a registration. */
struct register_result {
	struct register_fit before, after;
};

/** Improves a pose on increasingly fine grids of up to 2^26 voxels. `reach` is the largest shift tried in one
 * step [voxels of the fixed volume]. `reach = 0` means about a sixth of the longest edge of fixed->part.
 * Member how->points is not used. Calls error() if all compared values of a volume are equal. */
extern struct register_result register_volumes(struct register_pose *pose, const struct register_how *how,
        const struct register_volume *fixed, const struct register_volume *moving, double reach);

#endif
