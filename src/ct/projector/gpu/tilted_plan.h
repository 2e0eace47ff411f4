#ifndef CT_PROJECTOR_GPU_TILTED_PLAN_H
#define CT_PROJECTOR_GPU_TILTED_PLAN_H

#include <stdbool.h>

#include "ct/projector/gpu/tilted.h"

/**
 * What the GPU's kernels for tilted detectors need to know of each view, and how they share the rays: host
 * code. Voxel indices count from 0, in the order of a frame (tilted.h).
 */

struct xray;

/** A view: which axes dominate its rays, in which columns. */
struct tilted_look {
	int lo[3], hi[3];  // of x, y, z; [lo, hi)
	int fast, other;   // axes of the frame for all rays, and for those that are dominated by `fast`
	bool steep;        // axis 2 of the frame may dominate rays in those columns
	bool forward;      // rays run across planes as the kernel needs, windows apart
	bool adjoint;      // and columns lean little, rows are no closer than 0.26 voxels
	float least, lean; // least distance of rows in the volume [voxels]; most lines per slice
	float near;        // most of tilted_anchor's
};

/** May more than four rows or lines matter to 32 slices of a column? */
extern bool tilted_close(const struct tilted_look *l);

struct tilted {
	const struct xray *x;
	long views, cols, rows, size[3]; // of the geometry and the grid
	struct tilted_look *look;        // [views]
	struct tilted_view *view[3]; // [views] by the fast axis of the frame, whole detector; NULL: no rays
};

/** Looks at the views that are open (NULL: all) of Joseph's method before a flat detector; others do not fit.
 */
extern struct tilted *tilted_create(const struct xray *x, const bool *open);
extern void tilted_free(struct tilted *t);

/** order[i]: which of x, y, z is axis i of that frame. */
extern void tilted_order(int order[3], int fast);
extern struct tilted_scan tilted_scan_of(const struct tilted *t, int fast);

/** A view in a frame, for rows [row, row + rows) of the file. */
extern struct tilted_view tilted_view_of(const struct tilted *t, long view, int fast, long row, long rows);

/** Rays that go through the planes of an axis together: columns [u, u + across) of views [view, view +
 * views).
 */
struct tilted_tile {
	int view, views, u, axis;
};

/** A window of a plane: lines across, voxels along the fast axis. */
struct tilted_need {
	int lines, width;
};

/** Largest windows of tiles of `across` columns and `rows` rows, wherever these begin: of each view, of no
 * place less than it needs; and of `together` views from multiples of that on, tiles from the first column
 * on, where every so manyth group is looked at. */
extern void tilted_view_needs(const struct tilted *t, int across, int rows, struct tilted_need need[]);
extern struct tilted_need tilted_need(const struct tilted *t, int across, int together, int rows, int every);

/** Tiles of views [first, first + n) in a frame, of fewer views than `together` where the window might be
 * larger than `most`; one view alone is tilted_view_needs()'s. Returns their number; *out is for free(). */
extern long tilted_tiles(const struct tilted *t, int fast, long first, long n, int across, int together,
        int rows, const struct tilted_need *most, struct tilted_tile **out);

/** The part of the detector that a block sees, neighbours counted. */
struct tilted_patch {
	int columns, rows;
};

/** The largest of blocks of planes, lines and slices that begin anywhere in the volume, for each view that
 * fits the adjoint (0 for others); close: some view's rows are (tilted_close()). */
extern void tilted_patches(
        const struct tilted *t, const int block[3], bool close, struct tilted_patch patch[]);

#endif
