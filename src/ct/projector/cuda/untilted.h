#ifndef CT_PROJECTOR_CUDA_UNTILTED_H
#define CT_PROJECTOR_CUDA_UNTILTED_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The fastest X-ray transform A on the GPU, float32. The models are Joseph's method, Siddon's method and
 * separable footprints. Detector columns must be parallel to z. Beams may be parallel, fan or cone beams,
 * with circular or helical trajectories. Detectors may be flat or curved. Source and detector may have any
 * position in each view. Each output is summed by one thread, in a fixed order. Every run gives bit-identical
 * results.
 *
 * Arrays are in device memory, in the user's layout. In volumes, x is contiguous. In projections, columns are
 * contiguous.
 */
struct xray;
struct fbp;
struct grid;
struct gpu_untilted;
struct gpu_fdk;

/**
 * The tile of a call is a part of the volume and of the projections. The tile has views [view, view + views)
 * of the geometry. The tile has rows [row, row + rows) of the detector. The tile has slices [slice, slice +
 * slices) of the grid. `vol` has shape (nx, ny, slices), and `proj` has shape (cols, rows, views). Data
 * outside the tile count as zero.
 *
 * With `add`, the result is added to the output, otherwise the output is replaced. `pass` is 1 or 2 for one
 * pass of A', or 0 for both passes.
 */
struct gpu_tile {
	long view, views;
	long row, rows;
	long slice, slices;
	bool add;
	int pass;
};

/** Dividing the data as follows keeps the result of A' bit-identical. Views may be divided at multiples of
 * GPU_BATCH_VIEWS. Compute the parts of the views in ascending order, and set gpu_tile.add. Smaller parts are
 * described at gpu_untilted_run(). Slices may be divided at multiples of GPU_SLAB_SLICES. A part of the
 * slices needs all detector rows that see the part. */
enum { GPU_BATCH_VIEWS = 256, GPU_SLAB_SLICES = 32 };

/** Plans the transform x for the device in use. The transform x must outlive the plan. Too little device
 * memory is an error(). Release the plan by gpu_untilted_free(). */
extern struct gpu_untilted *gpu_untilted_create(const struct xray *x);
extern void gpu_untilted_free(struct gpu_untilted *p);

/** Returns whether these kernels support a view, for A if `forward`, otherwise for A'. Views with tilted
 * detector columns are not supported. Views with z as the dominant axis of a ray are not supported. The
 * windows of the volume and of the views must fit into shared memory. Detector rows and columns must not be
 * too close together or too far apart. */
extern bool gpu_untilted_fits(const struct gpu_untilted *p, long view, bool forward);

/**
 * Kinds of kernels.
 *
 * - GPU_SLICE_PARALLEL: These kernels support parallel beams perpendicular to z, by Joseph's method.
 * - GPU_SINGLE_SLICE: These kernels support a single slice and a detector of one row.
 * - GPU_UNTILTED: These kernels support all other views.
 */
enum gpu_untilted_kind { GPU_UNTILTED, GPU_SLICE_PARALLEL, GPU_SINGLE_SLICE };
/** Returns the kind of kernels for a view. */
extern enum gpu_untilted_kind gpu_untilted_kind(const struct gpu_untilted *p, long view);

/** Returns the device memory that a call needs besides vol and proj [bytes]. */
extern double gpu_untilted_memory(const struct gpu_untilted *p, const struct gpu_tile *tile);

/** Returns the end of the run of views that begins at `view`. The result is at most `end`. A run is a range
 * of views that A' sums together, in two passes. Pass 1 computes all views of the run before pass 2
 * begins. A run may be split into parts. Call pass 1 for all parts in order, and then pass 2 for all
 * parts in order. */
extern long gpu_untilted_run(const struct gpu_untilted *p, long view, long end);
/** Returns whether pass `pass` of A' does anything for these views. The views must be in one run. */
extern bool gpu_untilted_passes(const struct gpu_untilted *p, long view, long views, int pass);

/**
 * These functions compute one tile of the transform. The kernels must support all views of the tile.
 *
 * - gpu_untilted_forward(): Computes proj = A vol, or proj += A vol with tile->add.
 * - gpu_untilted_adjoint(): Computes vol = A' proj, or vol += A' proj with tile->add.
 */
extern void gpu_untilted_forward(
        struct gpu_untilted *p, float *proj, const float *vol, const struct gpu_tile *tile);
extern void gpu_untilted_adjoint(
        struct gpu_untilted *p, float *vol, const float *proj, const struct gpu_tile *tile);

/**
 * These functions work on a transposed copy of the volume. The copy has the layout of the kernels. The copy
 * saves transposing the volume in every call. Single slices are not supported.
 *
 * - gpu_untilted_transposed(): Returns the size of a copy of some slices [elements].
 * - gpu_untilted_transpose(): Copies slices [z, z + n) from vol (nx, ny, n). The call with the last slices
 *   also sets the copy's padding.
 * - gpu_untilted_untranspose(): Copies slices [z, z + n) back to vol (nx, ny, n).
 * - gpu_untilted_forward_transposed(): Computes proj = A vol, or proj += A vol, from the copy.
 * - gpu_untilted_adjoint_transposed(): Computes vol = A' proj, or vol += A' proj, in the copy.
 */
extern long gpu_untilted_transposed(const struct gpu_untilted *p, long slices);
extern void gpu_untilted_transpose(
        const struct gpu_untilted *p, float *copy, long slices, long z, long n, const float *vol);
extern void gpu_untilted_untranspose(
        const struct gpu_untilted *p, float *vol, const float *copy, long slices, long z, long n);
extern void gpu_untilted_forward_transposed(
        struct gpu_untilted *p, float *proj, const float *copy, const struct gpu_tile *tile);
extern void gpu_untilted_adjoint_transposed(
        struct gpu_untilted *p, float *copy, const float *proj, const struct gpu_tile *tile);

/**
 * Back projection of filtered views (fbp.h). This back projection is not the transpose A'. Weights are
 * float32, and interpolation is bilinear. `q` has shape (filtered columns, rows, views).
 *
 * - gpu_fdk_create(): Plans the back projection to a grid. Too little device memory is an error().
 * - gpu_fdk_free(): Releases the plan of gpu_fdk_create().
 * - gpu_fdk_fits(): Returns whether the kernels support a view.
 * - gpu_fdk_memory(): Returns the device memory that a call needs besides vol and q [bytes].
 * - gpu_fdk_backproject(): Computes the back projection of q in vol. With tile->add, the result is added to
 *   vol.
 */
extern struct gpu_fdk *gpu_fdk_create(const struct fbp *f, const struct grid *grid);
extern void gpu_fdk_free(struct gpu_fdk *p);
extern bool gpu_fdk_fits(const struct gpu_fdk *p, long view);
extern double gpu_fdk_memory(const struct gpu_fdk *p, const struct gpu_tile *tile);
extern void gpu_fdk_backproject(struct gpu_fdk *p, float *vol, const float *q, const struct gpu_tile *tile);

#ifdef __cplusplus
}
#endif

#endif
