#ifndef CT_PROJECTOR_GPU_ANY_ORIENTATION_PLAN_H
#define CT_PROJECTOR_GPU_ANY_ORIENTATION_PLAN_H

#include <stdbool.h>

#include "ct/projector/gpu/any_orientation.h"

/**
 * Host code of the GPU kernels for tilted detectors. The code computes data of each view, and divides rays
 * into tiles. A frame is an order of the axes x, y, z (any_orientation.h). Voxel indices count from 0, along
 * the axes of a frame.
 */

struct xray;

/** The dominant axes of the rays of a view, and the columns in which each dominant axis occurs. */
struct any_orientation_look {
	int lo[3], hi[3];  // columns [lo, hi) with rays of dominant axis x, y and z
	int fast, other;   // axis 2 of the frame; `other` is for rays with dominant axis `fast`
	bool steep;        // axis 2 of the frame may be the dominant axis of some rays
	bool forward;      // the forward kernel supports the view, if windows fit
	bool adjoint;      // the adjoint kernel supports the view, see gpu_any_orientation_fits()
	float least, lean; // smallest distance of rows in the volume [voxels]; largest slope of columns
	                   // [lines per slice]
	float near;        // largest any_orientation_anchor.near
};

/** Returns true if more than four rows of a detector column may contribute to a voxel. Also returns true if a
 * detector column may cross more than four lines of voxels within 32 slices. */
extern bool any_orientation_close(const struct any_orientation_look *l);

struct any_orientation {
	const struct xray *x;
	long views, cols, rows, size[3];      // views, columns and rows of the geometry; size of the grid
	struct any_orientation_look *look;    // [views]
	struct any_orientation_view *view[3]; // [views], for frames with axis 2 = x, y, z; whole detector
};

/** Examines the views k for which open[k] is true. `open` may be NULL, which means all views. Only Joseph's
 * method with a flat detector and several slices is supported. Release the result by
 * any_orientation_free(). */
extern struct any_orientation *any_orientation_create(const struct xray *x, const bool *open);
extern void any_orientation_free(struct any_orientation *t);

/** Sets order[i] to the axis of the volume that is axis i of a frame. The numbers 0, 1 and 2 mean x, y and
 * z. `fast` is axis 2 of the frame. */
extern void any_orientation_order(int order[3], int fast);
/** Returns the data of the scan in the frame whose axis 2 is `fast`. */
extern struct any_orientation_scan any_orientation_scan_of(const struct any_orientation *t, int fast);

/** Returns a view in the frame whose axis 2 is `fast`. The result is for detector rows [row, row + rows). */
extern struct any_orientation_view any_orientation_view_of(
        const struct any_orientation *t, long view, int fast, long row, long rows);

/** Rays that one block traces together through the planes of an axis. The rays are those of columns [u, u +
 * across) of views [view, view + views). */
struct any_orientation_tile {
	int view, views, u, axis;
};

/** Size of a window, which is a rectangle of voxels in a plane. `lines` is the number of lines. `width` is
 * the number of voxels along axis 2 of the frame. */
struct any_orientation_need {
	int lines, width;
};

/** Sets need[k] to the largest window of view k, for tiles of `across` columns and `rows` rows. The window
 * is an upper bound for tiles at any position. */
extern void any_orientation_view_needs(
        const struct any_orientation *t, int across, int rows, struct any_orientation_need need[]);
/** Returns the largest window of tiles of `across` columns, `rows` rows and `together` successive views. Of
 * `every` successive groups of views, only one is examined. */
extern struct any_orientation_need any_orientation_need(
        const struct any_orientation *t, int across, int together, int rows, int every);

/** Divides the rays of views [first, first + n) into tiles, in the frame whose axis 2 is `fast`. A tile has
 * at most `across` columns and `together` views. A tile has fewer views if the window might exceed *most. For
 * a tile of one view, the window may be as large as any_orientation_view_needs(). Returns the number of
 * tiles. Release *out by free(). */
extern long any_orientation_tiles(const struct any_orientation *t, int fast, long first, long n, int across,
        int together, int rows, const struct any_orientation_need *most, struct any_orientation_tile **out);

/** Size of the part of the detector that contributes to a block of voxels. Neighbouring pixels are included.
 */
struct any_orientation_patch {
	int columns, rows;
};

/** Sets patch[k] to the largest patch of view k for any block in the volume. The block has block[0] planes,
 * block[1] lines and block[2] slices. The patch has size 0 if the adjoint kernel does not support the
 * view. `close` tells whether any_orientation_close() is true for any supported view. */
extern void any_orientation_patches(const struct any_orientation *t, const int block[3], bool close,
        struct any_orientation_patch patch[]);

#endif
