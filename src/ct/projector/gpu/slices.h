#ifndef CT_PROJECTOR_GPU_SLICES_H
#define CT_PROJECTOR_GPU_SLICES_H

#include "ct/projector/gpu/untilted.h"

/**
 * Host code of the GPU kernels for single slices and one detector row. Selects the views that these kernels
 * support, and divides rays into tiles with narrow windows. Coordinates are those of untilted.h.
 */

enum {
	SLICES_RUN = 16 /* planes that share a window */,
	SLICES_RAYS = 2048 /* of a tile */,
	SLICES_SIDE = 64 /* of a block of voxels */
};

/** Whether the view is supported, the volume has one slice, the detector has one row, and each ray stays at
 * one height, inside or outside the slice. */
extern bool slices_view(const struct untilted *a, long view);

/** Largest number of columns per voxel across a ray, over the volume and all supported views. */
extern double slices_rate(const struct untilted *a);

/** Elements that the window of a tile needs for SLICES_RUN planes of the tile's axis; 0 if no ray of the tile
 * meets a voxel. */
extern int slices_need(const struct untilted *a, const struct untilted_tile *t, int across);

/** Tiles of supported views [first, first + n): `across` columns and at most SLICES_RAYS / across views each,
 * fewer if the window would exceed `most`. Returns the number of tiles, or -1 if the window of a single view
 * exceeds `most`. Release *out by free(). */
extern long slices_tiles(
        const struct untilted *a, long first, long n, int across, int most, struct untilted_tile **out);

/** Largest number of columns that see a block of block x block voxels in any supported view, including
 * neighbouring columns. */
extern int slices_columns(const struct untilted *a, int block);

#endif
