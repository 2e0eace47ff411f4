#ifndef CT_PROJECTOR_GPU_ANY_ORIENTATION_PLAN_H
#define CT_PROJECTOR_GPU_ANY_ORIENTATION_PLAN_H

#include <stdbool.h>

#include "ct/projector/gpu/any_orientation.h"

/**
 * Host code of the GPU kernels for tilted detectors: data of each view, and the partition of rays into tiles.
 * Voxel indices count from 0, in the order of a frame (any_orientation.h).
 */

struct xray;

/** The dominant axes of the rays of a view, and the range of columns in which each of these axes occurs. */
struct any_orientation_look {
	int lo[3], hi[3];  // of x, y, z; [lo, hi)
	int fast, other;   // fast axis of the frame: for all rays; for rays that `fast` dominates
	bool steep;        // axis 2 of the frame may dominate rays in those columns
	bool forward;      // the forward kernel can be used, if windows fit
	bool adjoint;      // the adjoint, too: columns nearly along slices, rows at least 0.26 voxels apart
	float least, lean; // smallest distance of rows in the volume [voxels]; largest slope of columns
	                   // [lines per slice]
	float near;        // largest `near` of any_orientation_anchor
};

/** Whether a detector column may have more than four rows at a voxel, or cross more than four lines within 32
 * slices. */
extern bool any_orientation_close(const struct any_orientation_look *l);

struct any_orientation {
	const struct xray *x;
	long views, cols, rows, size[3];   // of the geometry and the grid
	struct any_orientation_look *look; // [views]
	struct any_orientation_view
	        *view[3]; // [views] by the fast axis of the frame, whole detector; NULL: no rays
};

/** Examines the views k with open[k] (open is NULL: all views). Supports only Joseph's method with a flat
 * detector. */
extern struct any_orientation *any_orientation_create(const struct xray *x, const bool *open);
extern void any_orientation_free(struct any_orientation *t);

/** Sets order[i] to the axis of the volume (0: x, 1: y, 2: z) that is axis i of the frame with
 * this fast axis. */
extern void any_orientation_order(int order[3], int fast);
extern struct any_orientation_scan any_orientation_scan_of(const struct any_orientation *t, int fast);

/** A view in a frame, for rows [row, row + rows) of the file. */
extern struct any_orientation_view any_orientation_view_of(
        const struct any_orientation *t, long view, int fast, long row, long rows);

/** Rays that one block traces together through the planes of an axis: columns [u, u + across) of views [view,
 * view + views).
 */
struct any_orientation_tile {
	int view, views, u, axis;
};

/** Size of a window of a plane: number of lines, and number of voxels along the fast axis. */
struct any_orientation_need {
	int lines, width;
};

/** The largest windows that tiles of `across` columns and `rows` rows need. any_orientation_view_needs()
 * gives an upper bound for each view, for tiles at any position. any_orientation_need() considers the tiles
 * of groups of `together` successive views, and examines only one in `every` groups. */
extern void any_orientation_view_needs(
        const struct any_orientation *t, int across, int rows, struct any_orientation_need need[]);
extern struct any_orientation_need any_orientation_need(
        const struct any_orientation *t, int across, int together, int rows, int every);

/** Tiles of views [first, first + n) in a frame. A tile has fewer views than `together` if its window might
 * exceed `most`; the window of a single view is that of any_orientation_view_needs(). Returns the number of
 * tiles; release *out by free(). */
extern long any_orientation_tiles(const struct any_orientation *t, int fast, long first, long n, int across,
        int together, int rows, const struct any_orientation_need *most, struct any_orientation_tile **out);

/** The part of the detector that contributes to a block, including neighbouring pixels. */
struct any_orientation_patch {
	int columns, rows;
};

/** For each view, the largest patch of a block with this number of planes, lines and slices anywhere in the
 * volume; 0 for views that the adjoint does not support. close: whether any_orientation_close() is true for
 * any supported view. */
extern void any_orientation_patches(const struct any_orientation *t, const int block[3], bool close,
        struct any_orientation_patch patch[]);

#endif
