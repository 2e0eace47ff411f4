#ifndef CT_PROJECTOR_GPU_UNTILTED_H
#define CT_PROJECTOR_GPU_UNTILTED_H

#include <stdbool.h>

#include "ct/fbp/detector_hit.h"
#include "ct/projector/model/column.h"

/**
 * Host code of the GPU kernels for columns parallel to z: data of each view, and the partition of rays into
 * tiles, in voxel index coordinates of the whole grid (first voxel at 0). Rows count upwards in z.
 */

struct xray;
struct fbp;
struct grid;

enum { ALIGNED_ITEMS = 128 }; // columns of a tile, over all of its views

struct untilted_view {
	struct hit_view hit;
	double s[3], d[3], u[3], n[3]; // as in struct xray_view
	double up;                     // distance of rows along z [voxels]
	double pitch;                  // of columns [mm]
	bool fits; // columns parallel to z, no ray dominated by it, the whole volume in front of the source
	bool slice_parallel; // parallel, flat, horizontal: every row sees one height, the same in all columns
	bool down;           // rows of the file count downwards
	int lo[2], hi[2];    // columns dominated by x and by y lie in [lo, hi)
	double least, most;  // distance of rows in the volume [voxels]
	double apart;        // of columns across the dominant axis, at least [voxels]; level views
	double amount;       // footprints: of footprints (detector_hit.h), in units of hit_footprint.amount
	double wide, narrow; // of footprints: both boxes at most, the larger one at least [columns]
	double steep;        // voxels along z that a ray rises per plane, at most
};

struct untilted {
	const struct xray *x;
	long views, cols, rows, size[3];   // of the geometry and the grid
	double spacing[3], radius;         // [mm]; radius 0: flat
	bool parallel, footprints, siddon; // neither of the two: Joseph's method, or filtered views
	struct untilted_view *view;
};

extern struct untilted *untilted_create(const struct xray *x);
extern void untilted_free(struct untilted *a);
/** A copy of `a` in which exactly the views k with marked[k] are supported. */
extern struct untilted *untilted_only(const struct untilted *a, const bool *marked);

/** Data of the views of a filtered back projection (struct hit_view). A view is supported if all voxels are
 * in front of the source. */
extern struct untilted *untilted_create_fbp(const struct fbp *f, const struct grid *grid);

/** Returns v->hit for a part of the data. Rows count upwards from the lowest of [row, row + rows). Slices
 * count from `slice`. */
extern struct hit_view untilted_part(const struct untilted_view *v, long row, long rows, long slice);

/** Sets *c to column a of a view, in voxel index coordinates; its row 0 is the lowest of
 * [row, row + rows). */
extern void untilted_column(struct column *c, const struct xray *x, const struct untilted_view *v, long view,
        long a, long row, long rows);

/** Rays that one block traces together through the planes of one axis: columns [u, u + across) of views
 * [view, view + views).
 */
struct untilted_tile {
	int view, views, u, axis;
};

/** The largest windows of tiles in a plane: lines of voxels across, and voxels along z for 32, 64, 96 and 128
 * rows of the detector. */
struct untilted_need {
	int lines, depth[4];
};
extern struct untilted_need untilted_tile_need(
        const struct untilted *a, const struct untilted_tile *t, int across);
/** The maximum of untilted_tile_need() over all tiles of `across` columns and `most` views; ignores
 * unsupported views. */
extern struct untilted_need untilted_need(const struct untilted *a, int across, int most);

/** Tiles of supported views [first, first + n): `across` columns and at most ALIGNED_ITEMS / across views
 * each, fewer if the window would exceed `most`. Returns the number of tiles; release *out by free(). */
extern long untilted_tiles(const struct untilted *a, long first, long n, int across,
        const struct untilted_need *most, struct untilted_tile **out);

/** Largest patch of the detector, in columns and rows, that sees a block of voxels in any supported view,
 * including neighbouring pixels. */
extern void untilted_patch(const struct untilted *a, const int block[3], int *columns, int *rows);

#endif
