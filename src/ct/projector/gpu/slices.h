#ifndef CT_PROJECTOR_GPU_SLICES_H
#define CT_PROJECTOR_GPU_SLICES_H

#include "ct/projector/gpu/untilted.h"

/**
 * Views of a single slice by one row of a detector, for the GPU's kernels: which there are, and tiles of rays
 * whose windows are narrow. Host code, coordinates as in untilted.h.
 */

enum {
	SLICES_RUN = 16 /* planes that share a window */,
	SLICES_RAYS = 2048 /* of a tile */,
	SLICES_SIDE = 64 /* of a block of voxels */
};

/** Is a view one of these: the rays stay at the height of the one row, in the slice or beside it? */
extern bool slices_view(const struct untilted *a, long view);

/** Columns per voxel across a ray, at most, in the volume and any view that fits. */
extern double slices_rate(const struct untilted *a);

/** Elements that the window of a tile needs for SLICES_RUN planes of its axis; 0: it meets no voxel. */
extern int slices_need(const struct untilted *a, const struct untilted_tile *t, int across);

/** Tiles of views [first, first + n) that fit, `across` columns and at most SLICES_RAYS / across views each,
 * with fewer views where the window would need more than `most`. Returns their number, *out is for free(); or
 * -1 where even one view needs more. */
extern long slices_tiles(
        const struct untilted *a, long first, long n, int across, int most, struct untilted_tile **out);

/** Columns that see a block of so many voxels along either axis, at most, in any view that fits; their
 * neighbours count. */
extern int slices_columns(const struct untilted *a, int block);

#endif
