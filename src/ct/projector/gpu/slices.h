#ifndef CT_PROJECTOR_GPU_SLICES_H
#define CT_PROJECTOR_GPU_SLICES_H

#include "ct/projector/gpu/untilted.h"

/**
 * Host code for the GPU kernels that compute a single slice with one detector row. The functions select the
 * supported views and divide their rays into tiles. A tile is a group of rays that one GPU block traces
 * together. The window of a tile is the part of a plane of voxels that its rays meet. Coordinates are those
 * of untilted.h.
 */

enum {
	SLICES_RUN = 16 /* successive planes with a common window */,
	SLICES_RAYS = 2048 /* rays of a tile, at most */,
	SLICES_SIDE = 64 /* side of a block of voxels */
};

/** Returns whether the kernels support this view. The volume must have one slice, and the detector must have
 * one row. Every ray must stay at one height z, inside or outside the slice. */
extern bool slices_view(const struct untilted *a, long view);

/** Returns the largest shift of a point's projection if the point moves by one voxel [columns]. The maximum
 * is over moves along x and y, all points of the volume and all supported views. */
extern double slices_rate(const struct untilted *a);

/** Returns the width of a tile's window, in voxels across the tile's axis. The window is valid for
 * SLICES_RUN successive planes of the tile's axis. Returns 0 if no ray of the tile meets a voxel. */
extern int slices_need(const struct untilted *a, const struct untilted_tile *t, int across);

/** Divides the supported views among [first, first + n) into tiles. A tile has `across` columns and at most
 * SLICES_RAYS / across views. A tile gets fewer views if its window would be wider than `most` voxels.
 * Returns the number of tiles. Returns -1 if the window of a single view is wider than `most` voxels. The
 * caller frees *out with free() in either case. */
extern long slices_tiles(
        const struct untilted *a, long first, long n, int across, int most, struct untilted_tile **out);

/** Returns the largest number of columns that see a block of block x block voxels. The maximum is over all
 * supported views. The number includes the neighbouring columns that the kernels read. */
extern int slices_columns(const struct untilted *a, int block);

#endif
