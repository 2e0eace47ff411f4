#ifndef VOLUME_STITCH_FIT_H
#define VOLUME_STITCH_FIT_H

#include "linops/resample/resample.h"
#include "volume/register/levels.h"

/** Joins two volumes a and b whose relative position is only roughly known. Registration of the overlap finds
 * the shift, or shift and rotation, of b. The grid of a is extended along axis d, and b is resampled on this
 * grid. Across the overlap, the volumes are blended linearly. Results do not depend on threads. */
struct stitch_fit {
	struct register_volume a, b;
	int d;                     // axis along which the end of a overlaps the start of b
	struct register_pose pose; // relative to aligned lateral centres
	struct register_fit match; // in the overlap
	double shift[3];           // of b from aligned lateral centres, except along d [voxels of a]
	double start;              // first slice of b at the lateral centre of a [voxels of a along d]
	double end;                // last slice of b at the lateral centre of a [voxels of a along d]
	double at[3][4];           // map from voxels of a to voxels of b
	long length;               // of the joined volume along d [voxels of a]
};

/** Returns the number of voxels of b per voxel of a along d. */
extern double stitch_fit_finer(const struct stitch_fit *s);

/**
 * Places b beside a and registers both volumes in an overlap of `overlap` voxels of a. If `overlap` is -1,
 * the overlap of largest correlation on coarse grids is used. The smallest overlap is 4 coarse slices.
 * Rotations are fitted only with `rotate`. The caller must set s->a, s->b and s->d. These cases are an
 * error():
 *
 * - A voxel is NaN or infinite.
 * - All values in an overlap are equal.
 * - The axes of a and b have different directions.
 * - The rotation tilts axis d by 45 degrees or more.
 */
extern void stitch_fit_find(struct stitch_fit *s, bool rotate, long overlap);

/** Returns how many bytes stitch_fit_join() allocates. */
extern long stitch_fit_memory(const struct stitch_fit *s, enum resample_kernel kernel);

/** Writes the joined volume on the grid of a, with s->length voxels along s->d. Voxels outside both volumes
 * are `fill`. A NaN or infinite voxel is an error(). */
extern void stitch_fit_join(
        struct cfl *out, const struct stitch_fit *s, enum resample_kernel kernel, double fill);

#endif
