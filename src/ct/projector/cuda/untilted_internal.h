#ifndef CT_PROJECTOR_CUDA_UNTILTED_INTERNAL_H
#define CT_PROJECTOR_CUDA_UNTILTED_INTERNAL_H

#include "num/device/cuda/gpu.h"

extern "C" {
#include "ct/projector/cuda/untilted.h"
#include "ct/fbp/detector_hit.h"
#include "ct/projector/model/column.h"
}

/** Internals of the kernels for columns parallel to z. */

/** One view on the device, in voxel indices of the whole grid. Members are as in struct xray_view. */
struct gpu_view {
	double s[3], d[3], u[3], n[3];
	double up;    // distance of rows along z [voxels]
	double pitch; // of columns [mm]
	int lo[2], hi[2];
	int down;
	float amount; // of footprints (detector_hit.h), in units of hit_footprint.amount
};

/** Data that all views of a plan share. */
struct gpu_scan {
	long cols, rows;
	double radius; // [mm], 0: flat
	double spacing[3];
	int parallel, siddon;
};

/** A detector column in plane i of its dominant axis: its rays are at position y0 + i dy across the axis, and
 * the ray of row r is at height za + i zb + r (sa + i sb). Heights count from slice 0 of the grid, rows from
 * the lowest row. */
struct gpu_column {
	double y0, dy, za, zb, sa, sb;
};

/** For a detector column: its dominant axis, and the path length of row r between planes, sqrt(flat + (rise +
 * r * more)^2) [mm]. */
struct gpu_pace {
	float flat, rise, more;
	int axis;
};

/** The views of a call that are computed together, with tables and transposed projections in device memory.
 */
struct gpu_batch {
	int first, views;                // of the geometry
	int row, all_rows, slice;        // where the rows of the call begin, of how many; its first slice
	int cols, rows, pitch;           // elements from column to column of the copy: a multiple of 4
	int n[3], depth;                 // volume; elements from line to line of the copy: a multiple of 4
	const struct gpu_view *view;     // of the first view
	const struct hit_view *hit;      // in rows and slices of the call
	const struct gpu_column *column; // cols of each view
	const struct gpu_pace *pace;
	float *proj; // copy: [view][column][row upwards]; level views: [view][column][slice]
	float *vol;  // copy: [x][y][z]
};

/** The number of the call's lowest row among all rows of a view, counted upwards from 0. */
static __device__ __forceinline__ int gpu_lowest(const struct gpu_batch &b, const struct gpu_view &w)
{
	return w.down ? b.all_rows - b.row - b.rows : b.row;
}

/** Returns n[axis] without taking an address, so that kernel parameters stay in constant memory. */
static __device__ __forceinline__ int gpu_extent(const struct gpu_batch &b, int axis)
{
	return axis == 0 ? b.n[0] : b.n[1];
}

/** Path length of a row between planes. */
static __device__ __forceinline__ float gpu_length(const struct gpu_pace *p, long row)
{
	const float h = fmaf((float)row, p->more, p->rise);

	return sqrtf(fmaf(h, h, p->flat));
}

/** For single slices: gpu_length() times the fraction of the slice that the row meets (1 or 0 for Siddon's
 * method). */
static __device__ __forceinline__ float gpu_slice_length(const struct gpu_batch &b, long at, bool siddon)
{
	const double z = b.column[at].za;

	return gpu_length(b.pace + at, 0) * (siddon ? (z >= -0.5 && z < 0.5) : (float)fmax(0., 1. - fabs(z)));
}

/** Rays that one block traces together through the planes of an axis; members as in struct untilted_tile. */
struct gpu_ray_tile {
	int view, views, u, axis;
};

/** Sizes of a ring of stages in shared memory. */
struct gpu_ring_size {
	int lines, width; // of a stage: lines of so many elements
	int stages;
};

/** Largest number of columns that the footprint of a line of voxels may touch. */
enum { GPU_FOOTPRINT_COLUMNS = 8 };

/** For footprints: first row and first slice of the call, counted in the whole detector and volume. For
 * footprints, gpu_batch.hit counts rows and slices in the same way. */
struct gpu_footprints {
	int slice, row, all_rows, parallel;
	double spacing[3];
};

/** Shared memory that a block may have [bytes]. */
extern size_t gpu_block_room(void);

/* transpose.cu: copies in other layouts; scaled by path lengths where they are projections */
/** Writes `fill` >= n[2] elements of each line; elements from n[2] on are 0. */
extern void gpu_transpose_volume(float *copy, const float *vol, const int n[3], int depth, int fill);
extern void gpu_untranspose_volume(float *vol, const float *copy, const int n[3], int depth, bool add);
extern void gpu_transpose_views(const struct gpu_batch *b, const float *proj, bool slice_parallel);
extern void gpu_untranspose_views(const struct gpu_batch *b, float *proj, bool slice_parallel, bool add);
extern void gpu_untranspose_plain(const struct gpu_batch *b, float *proj, bool add); // not scaled
extern void gpu_transpose_filtered(const struct gpu_batch *b, const float *q);
extern void gpu_columns(const struct gpu_batch *b, const struct gpu_scan *s);

/* One file of kernels each. A ring's lines and width tell what the largest window or patch needs; false:
 * there is no kernel of that size on this device. */
extern bool gpu_cone_forward_shape(
        int planes, const int depth_of_rows[4], int lines, struct gpu_ring_size *r, int *rows);
extern void gpu_cone_forward(const struct gpu_batch *b, const struct gpu_ray_tile *tiles, long n, int across,
        const struct gpu_ring_size *r, int rows);
extern bool gpu_cone_adjoint_shape(int columns, int rows, int slices, struct gpu_ring_size *r);
extern void gpu_cone_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r, int slices, bool close,
        bool curved, int axis, bool add);
extern bool gpu_slice_parallel_forward_shape(int planes, int slices, int lines, struct gpu_ring_size *r);
extern void gpu_slice_parallel_forward(const struct gpu_batch *b, const struct gpu_ray_tile *tiles, long n,
        int across, const struct gpu_ring_size *r);
extern bool gpu_slice_parallel_adjoint_shape(int columns, int slices, struct gpu_ring_size *r);
extern void gpu_slice_parallel_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r, bool add);
extern bool gpu_fdk_shape(int columns, int rows, int slices, bool curved, struct gpu_ring_size *r);
extern void gpu_fdk_add(
        const struct gpu_batch *b, const struct gpu_ring_size *r, int slices, bool curved, bool add);
extern bool gpu_footprint_adjoint_shape(int columns, int rows, int slices, struct gpu_ring_size *r);
extern void gpu_footprint_adjoint(const struct gpu_batch *b, const struct gpu_footprints *s,
        const struct gpu_ring_size *r, int slices, bool curved, bool add);
/** The forward projection plane by plane, by Siddon's method or by footprints. */
enum gpu_march { GPU_MARCH_SIDDON, GPU_MARCH_FOOTPRINTS };
extern bool gpu_march_forward_shape(
        int planes, const int depth_of_rows[4], int lines, struct gpu_ring_size *r, int *rows);
extern void gpu_march_forward(enum gpu_march method, const struct gpu_batch *b,
        const struct gpu_footprints *s, const struct gpu_ray_tile *tiles, long n, int across,
        const struct gpu_ring_size *r, int rows, bool curved);
extern bool gpu_siddon_adjoint_shape(int columns, int rows, int slices, struct gpu_ring_size *r);
/** Heights in b->column count from slice 0 of the grid. */
extern void gpu_siddon_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r, int slices,
        bool curved, int axis, bool add);

/** A slice stored twice, as [x][y] and [y][x]; lines begin at multiples of 4 elements and are padded with 0.
 */
struct gpu_slice {
	const float *plane[2];
	int pitch[2];
};
extern bool gpu_slice_forward_shape(int planes, int window, struct gpu_ring_size *r);
extern void gpu_slice_forward(const struct gpu_batch *b, const struct gpu_ray_tile *tiles, long n, int across,
        const struct gpu_ring_size *r, bool siddon, const struct gpu_slice *slice, float *proj, bool add);
/** How columns of a view are computed: equally spaced, on a line, on an arc, or as footprints on a flat
 * detector. */
enum gpu_slice_columns { GPU_SLICE_EVEN, GPU_SLICE_FLAT, GPU_SLICE_BENT, GPU_SLICE_FOOTPRINTS };
/** columns: largest number of columns that see a block of SLICES_SIDE^2 voxels. rate: largest number of
 * columns per voxel across a ray. */
extern bool gpu_slice_adjoint_shape(
        int columns, double rate, enum gpu_slice_columns kind, bool siddon, struct gpu_ring_size *r);
extern void gpu_slice_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r,
        enum gpu_slice_columns kind, bool siddon, int axis, float *vol, const float *proj, bool add);
/** Computes the adjoint with footprints on flat detectors; `spacing` is the size of a voxel [mm]. */
extern void gpu_slice_footprints(const struct gpu_batch *b, const struct gpu_ring_size *r,
        const double spacing[3], bool parallel, float *vol, const float *proj, bool add);

#endif
