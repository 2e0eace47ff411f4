#ifndef VOLUME_STITCH_FIT_H
#define VOLUME_STITCH_FIT_H

#include "linops/resample/resample.h"
#include "volume/register/levels.h"

/**
 * Joins two volumes a and b whose relative position is only roughly known. Registration of the overlap finds
 * the shift (and the rotation) of b. b is resampled on the grid of a, extended along one axis, and both are
 * blended linearly across the overlap. Results do not depend on the number of threads.
 */
struct stitch_fit {
	struct register_volume a, b;
	int d;                     // axis along which the end of a overlaps the start of b
	struct register_pose pose; // relative to aligned lateral centres
	struct register_fit match; // in the overlap
	double shift[3];           // of b from aligned lateral centres, apart from axis d [voxels of a]
	double start;              // first slice of b, at the lateral centre of a [voxels of a along d]
	double end;                // last slice of b, likewise
	double at[3][4];           // from voxels of a to voxels of b
	long length;               // of both volumes joined along d [voxels of a]
};

/** Voxels of b along d per voxel of a. */
extern double stitch_fit_finer(const struct stitch_fit *s);

/** Places b beside a with `overlap` voxels of a in common. overlap -1: on coarse grids, overlaps of at least
 * 4 voxels are tried, and the one with the largest correlation is used. Then registers both volumes in the
 * overlap by shifts and, with `rotate`, by rotations. error() if a voxel is NaN or infinite, if values in an
 * overlap are constant, if directions of axes differ, or if the rotation tilts axis d by 45 degrees or more.
 * The caller sets s->a, s->b and s->d before. */
extern void stitch_fit_find(struct stitch_fit *s, bool rotate, long overlap);

/** Private memory of the join [bytes]. */
extern long stitch_fit_memory(const struct stitch_fit *s, enum resample_kernel kernel);

/** out = the joined volume on the grid of a, with s->length voxels along s->d and `fill` outside both
 * volumes. error() if a voxel is NaN or infinite. */
extern void stitch_fit_join(
        struct cfl *out, const struct stitch_fit *s, enum resample_kernel kernel, double fill);

#endif
