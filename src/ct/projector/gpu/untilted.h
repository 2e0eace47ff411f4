#ifndef CT_PROJECTOR_GPU_UNTILTED_H
#define CT_PROJECTOR_GPU_UNTILTED_H

#include <stdbool.h>

#include "ct/fbp/detector_hit.h"
#include "ct/projector/model/column.h"

/**
 * Host code for the GPU kernels that support detector columns parallel to z. The functions collect the data
 * of each view and divide the rays into tiles. A tile is a group of rays that one GPU block traces
 * together. The window of a tile is the part of a plane of voxels that its rays meet. Positions are voxel
 * indices of the whole grid, whose first voxel is at 0. Row numbers increase with z.
 *
 * The kernels support a view under three conditions:
 * - The detector columns are parallel to z.
 * - No ray has the dominant axis z.
 * - The whole volume is in front of the source.
 */

struct xray;
struct fbp;
struct grid;

enum { ALIGNED_ITEMS = 128 }; // columns times views of a tile, at most

struct untilted_view {
	struct hit_view hit;
	double s[3], d[3], u[3], n[3]; // defined as in struct xray_view
	double up;                     // distance of neighbouring rows along z [voxels]
	double pitch;                  // distance of neighbouring columns [mm]
	bool fits;                     // the kernels support this view
	bool slice_parallel;           // parallel beam perpendicular to z, flat detector
	bool down;                     // row numbers of the file decrease with z
	int lo[2], hi[2];              // columns with dominant axis m are in [lo[m], hi[m])
	double least, most;            // range of the distance of rows in the volume [voxels]
	double apart;                  // smallest distance of columns across the dominant axis [voxels]
	double amount;                 // amount of a footprint in units of hit_footprint.amount
	double wide, narrow;           // largest and smallest width of a footprint [columns]
	double steep;                  // largest slope of a ray along z [voxels per plane]
};

struct untilted {
	const struct xray *x;
	long views, cols, rows, size[3];   // size of the geometry and of the grid
	double spacing[3], radius;         // [mm]; radius 0 means a flat detector
	bool parallel, footprints, siddon; // footprints, siddon: projector model, else Joseph's method
	struct untilted_view *view;
};

extern struct untilted *untilted_create(const struct xray *x);
extern void untilted_free(struct untilted *a);
/** Returns a copy of `a` in which marked[k] tells whether view k is supported. The caller frees the copy
 * with untilted_free(). */
extern struct untilted *untilted_only(const struct untilted *a, const bool *marked);

/** Creates the data of the views of a filtered back projection. In a supported view, the detector columns
 * are parallel to z. In a supported view, all voxels are in front of the source. */
extern struct untilted *untilted_create_fbp(const struct fbp *f, const struct grid *grid);

/** Returns v->hit for a call with rows [row, row + rows) and first slice `slice`. Row 0 is the row of this
 * range with the lowest z. Slice numbers count from `slice`. */
extern struct hit_view untilted_part(const struct untilted_view *v, long row, long rows, long slice);

/** Sets *c to the path of the rays of detector column `a`, in voxel indices. Row 0 of *c is the row of [row,
 * row + rows) with the lowest z. */
extern void untilted_column(struct column *c, const struct xray *x, const struct untilted_view *v, long view,
        long a, long row, long rows);

/** Describes a tile, whose rays have the dominant axis `axis`. The rays belong to columns [u, u + across) of
 * views [view, view + views). */
struct untilted_tile {
	int view, views, u, axis;
};

/** Holds the size of the largest window of a tile in any plane. `lines` is the size across the dominant axis
 * [voxels]. The array `depth` holds the size along z for 32, 64, 96 and 128 detector rows [voxels]. */
struct untilted_need {
	int lines, depth[4];
};
extern struct untilted_need untilted_tile_need(
        const struct untilted *a, const struct untilted_tile *t, int across);
/** Returns the maximum of untilted_tile_need() over all tiles of `across` columns and `most` views.
 * Unsupported views are ignored. */
extern struct untilted_need untilted_need(const struct untilted *a, int across, int most);

/** Divides the supported views among [first, first + n) into tiles. A tile has `across` columns and at most
 * ALIGNED_ITEMS / across views. A tile of several views is divided if its window would exceed `most`.
 * Returns the number of tiles. The caller frees *out with free(). */
extern long untilted_tiles(const struct untilted *a, long first, long n, int across,
        const struct untilted_need *most, struct untilted_tile **out);

/** Sets *columns and *rows to the largest numbers of columns and rows that see a block of voxels. The block
 * has block[i] voxels along axis i. The maximum is over all supported views. The numbers include
 * neighbouring pixels that the kernels read. */
extern void untilted_patch(const struct untilted *a, const int block[3], int *columns, int *rows);

#endif
