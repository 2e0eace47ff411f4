#ifndef CT_PROJECTOR_CUDA_UNTILTED_INTERNAL_H
#define CT_PROJECTOR_CUDA_UNTILTED_INTERNAL_H

#include "num/device/cuda/gpu.h"

extern "C" {
#include "ct/projector/cuda/untilted.h"
#include "ct/fbp/detector_hit.h"
#include "ct/projector/model/column.h"
}

/** Internals of the GPU kernels for detector columns parallel to z. */

/** One view on the device, in voxel indices of the whole grid. The vectors s, d, u and n are those of struct
 * xray_view. */
struct gpu_view {
	double s[3], d[3], u[3], n[3];
	double up;    // distance of rows along z [voxels]
	double pitch; // distance of columns [mm]
	int lo[2], hi[2];
	int down;
	float amount; // amount of footprints, in units of hit_footprint.amount (detector_hit.h)
};

/** Data that all views of a plan share. */
struct gpu_scan {
	long cols, rows;
	double radius; // radius of the detector [mm], 0 means flat
	double spacing[3];
	int parallel, siddon;
};

/** Positions of the rays of a detector column in plane i of the dominant axis. The rays are at position `y0 +
 * i * dy` across the axis. The ray of row r is at height `za + i * zb + r * (sa + i * sb)`. Heights count
 * from slice 0 of the grid. Rows count from the lowest row. */
struct gpu_column {
	double y0, dy, za, zb, sa, sb;
};

/** Dominant axis and path lengths of the rays of a detector column. The path length of row r between two
 * planes is sqrt(flat + (rise + r * more)^2) [mm]. */
struct gpu_pace {
	float flat, rise, more;
	int axis;
};

/** Views that the kernels compute together. Tables and transposed projections are in device memory. */
struct gpu_batch {
	int first, views;         // range of views of the geometry
	int row, all_rows, slice; // first row, rows of the detector, first slice
	int cols, rows, pitch;    // pitch: elements from column to column of `proj`, a multiple of 4
	int n[3], depth; // size of the volume; depth: elements from line to line of `vol`, a multiple of 4
	const struct gpu_view *view;     // data of the first view
	const struct hit_view *hit;      // data of the first view, in rows and slices of the call
	const struct gpu_column *column; // `cols` elements per view
	const struct gpu_pace *pace;
	float *proj; // copied projections: [view][column][row upwards], or [view][column][slice]
	float *vol;  // copied volume: [x][y][z]
};

/** Returns the number of the lowest detector row of the call. Rows of the whole detector count upwards from
 * 0. */
static __device__ __forceinline__ int gpu_lowest(const struct gpu_batch &b, const struct gpu_view &w)
{
	return w.down ? b.all_rows - b.row - b.rows : b.row;
}

/** Returns n[axis] for axis 0 or 1. The function takes no address of n. So kernel parameters stay in
 * constant memory. */
static __device__ __forceinline__ int gpu_extent(const struct gpu_batch &b, int axis)
{
	return axis == 0 ? b.n[0] : b.n[1];
}

/** Returns the path length of a row between two planes [mm]. */
static __device__ __forceinline__ float gpu_length(const struct gpu_pace *p, long row)
{
	const float h = fmaf((float)row, p->more, p->rise);

	return sqrtf(fmaf(h, h, p->flat));
}

/** For single slices, returns gpu_length() times the weight of the slice. For Siddon's method, the weight is
 * 0 or 1. */
static __device__ __forceinline__ float gpu_slice_length(const struct gpu_batch &b, long at, bool siddon)
{
	const double z = b.column[at].za;

	return gpu_length(b.pace + at, 0) * (siddon ? (z >= -0.5 && z < 0.5) : (float)fmax(0., 1. - fabs(z)));
}

/** Rays that one block traces together. The members are those of struct untilted_tile (gpu/untilted.h). */
struct gpu_ray_tile {
	int view, views, u, axis;
};

/** Sizes of a ring of stages in shared memory. */
struct gpu_ring_size {
	int lines, width; // a stage has `lines` lines of `width` elements
	int stages;
};

/** Largest number of columns that the footprint of a line of voxels may touch. */
enum { GPU_FOOTPRINT_COLUMNS = 8 };

/** Additional arguments of kernels for separable footprints. `row` and `slice` are the first row and the
 * first slice of the call. For footprints, gpu_batch.hit refers to the whole detector and volume. */
struct gpu_footprints {
	int slice, row, all_rows, parallel;
	double spacing[3];
};

/** Returns the shared memory that a block may have [bytes]. */
extern size_t gpu_block_room(void);

/* transpose.cu: copies of volumes and projections in other layouts */
/** Copies a volume to the layout [x][y][z] of the kernels. In each line, `fill` elements are written.
 * Elements from n[2] on are 0. */
extern void gpu_transpose_volume(float *copy, const float *vol, const int n[3], int depth, int fill);
/** Copies a volume back to the user's layout. With `add`, the copy is added to vol. */
extern void gpu_untranspose_volume(float *vol, const float *copy, const int n[3], int depth, bool add);
/** Copies proj to b->proj, multiplied by path lengths. */
extern void gpu_transpose_views(const struct gpu_batch *b, const float *proj, bool slice_parallel);
/** Copies b->proj to proj, multiplied by path lengths. With `add`, the result is added to proj. */
extern void gpu_untranspose_views(const struct gpu_batch *b, float *proj, bool slice_parallel, bool add);
/** Copies b->proj to proj. With `add`, the result is added to proj. */
extern void gpu_untranspose_plain(const struct gpu_batch *b, float *proj, bool add); // without path lengths
/** Copies q to b->proj, without path lengths. */
extern void gpu_transpose_filtered(const struct gpu_batch *b, const float *q);
/** Computes the tables b->column and b->pace. */
extern void gpu_columns(const struct gpu_batch *b, const struct gpu_scan *s);

/** Kernels for A, A' and the back projection of filtered views. The functions *_shape() choose a ring of
 * stages for the largest window or patch. The functions *_shape() return false if the device has no
 * suitable kernel. */
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
/** Projector models of gpu_march_forward(). */
enum gpu_march { GPU_MARCH_SIDDON, GPU_MARCH_FOOTPRINTS };
extern bool gpu_march_forward_shape(
        int planes, const int depth_of_rows[4], int lines, struct gpu_ring_size *r, int *rows);
extern void gpu_march_forward(enum gpu_march method, const struct gpu_batch *b,
        const struct gpu_footprints *s, const struct gpu_ray_tile *tiles, long n, int across,
        const struct gpu_ring_size *r, int rows, bool curved);
extern bool gpu_siddon_adjoint_shape(int columns, int rows, int slices, struct gpu_ring_size *r);
/** Computes A' of one batch by Siddon's method. Heights in b->column count from slice 0 of the grid. */
extern void gpu_siddon_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r, int slices,
        bool curved, int axis, bool add);

/** A slice that is stored twice, as [x][y] and as [y][x]. Lines begin at multiples of 4 elements. The ends
 * of lines are padded with 0. */
struct gpu_slice {
	const float *plane[2];
	int pitch[2];
};
extern bool gpu_slice_forward_shape(int planes, int window, struct gpu_ring_size *r);
extern void gpu_slice_forward(const struct gpu_batch *b, const struct gpu_ray_tile *tiles, long n, int across,
        const struct gpu_ring_size *r, bool siddon, const struct gpu_slice *slice, float *proj, bool add);
/**
 * Arrangement of the detector columns of a view, for single slices.
 *
 * - GPU_SLICE_EVEN: The beam is parallel and the columns are equally spaced.
 * - GPU_SLICE_FLAT: The beam is a fan and the detector is flat.
 * - GPU_SLICE_BENT: The detector is curved.
 * - GPU_SLICE_FOOTPRINTS: The model is separable footprints and the detector is flat.
 */
enum gpu_slice_columns { GPU_SLICE_EVEN, GPU_SLICE_FLAT, GPU_SLICE_BENT, GPU_SLICE_FOOTPRINTS };
/** Chooses the ring of stages for gpu_slice_adjoint(). `columns` is the largest number of detector columns
 * that see a block of SLICES_SIDE^2 voxels. `rate` is the result of slices_rate(). Returns false if the
 * device has no suitable kernel. */
extern bool gpu_slice_adjoint_shape(
        int columns, double rate, enum gpu_slice_columns kind, bool siddon, struct gpu_ring_size *r);
extern void gpu_slice_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r,
        enum gpu_slice_columns kind, bool siddon, int axis, float *vol, const float *proj, bool add);
/** Computes A' of one batch with footprints on flat detectors. `spacing` is the size of a voxel [mm]. */
extern void gpu_slice_footprints(const struct gpu_batch *b, const struct gpu_ring_size *r,
        const double spacing[3], bool parallel, float *vol, const float *proj, bool add);

#endif
