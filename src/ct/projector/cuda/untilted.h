#ifndef CT_PROJECTOR_CUDA_UNTILTED_H
#define CT_PROJECTOR_CUDA_UNTILTED_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The fastest X-ray transform on the GPU, float32, by Joseph's method, Siddon's method and separable
 * footprints. It supports views whose detector columns are parallel to z: parallel beam, fan, circular and
 * helical cone. Detectors may be flat or curved, with an arbitrary position of source and detector in each
 * view. One thread sums each output in a fixed order, so that every run gives bit-identical results.
 *
 * Arrays reside on the device in the user's layout: x fastest in the volume, columns fastest in the
 * projections.
 */
struct xray;
struct fbp;
struct grid;
struct gpu_untilted;
struct gpu_fdk;

/** The tile of a call: views [view, view + views) of the geometry, rows [row, row + rows) of the detector and
 * slices [slice, slice + slices) of the grid. vol (nx, ny, slices) and proj (cols, rows, views) contain only
 * this tile; everything outside counts as zero. add: the result is added to the output, else it replaces the
 * output. pass: 1 or 2 for a single pass of the adjoint, 0 for both. */
struct gpu_tile {
	long view, views;
	long row, rows;
	long slice, slices;
	bool add;
	int pass;
};

/** Partitions that do not change the bits of the adjoint. The views may be divided at multiples of
 * GPU_BATCH_VIEWS; the parts are computed in order, with `add`. Smaller parts are described at
 * gpu_untilted_run(). The slices may be divided at multiples of GPU_SLAB_SLICES; each part needs all rows
 * that see its slices. */
enum { GPU_BATCH_VIEWS = 256, GPU_SLAB_SLICES = 32 };

/** Plans the transform x (which must outlive the plan) for the device in use. error() if the memory of the
 * device does not suffice. */
extern struct gpu_untilted *gpu_untilted_create(const struct xray *x);
extern void gpu_untilted_free(struct gpu_untilted *p);

/** Do these kernels support this view in this direction? Other views need another path: views with tilted
 * columns, with z as the dominant axis of rays, or with rows or columns so close or so far apart that their
 * window does not fit into shared memory. */
extern bool gpu_untilted_fits(const struct gpu_untilted *p, long view, bool forward);

/** The kernels that compute a view. GPU_SLICE_PARALLEL: for parallel beams perpendicular to z, by Joseph's
 * method. GPU_SINGLE_SLICE: for a single slice and a detector of one row. GPU_UNTILTED: for all other views.
 */
enum gpu_untilted_kind { GPU_UNTILTED, GPU_SLICE_PARALLEL, GPU_SINGLE_SLICE };
extern enum gpu_untilted_kind gpu_untilted_kind(const struct gpu_untilted *p, long view);

/** Device memory for the transposed copies of a call on this tile [bytes]; operands are not counted. */
extern double gpu_untilted_memory(const struct gpu_untilted *p, const struct gpu_tile *tile);

/** Returns the end of the run of views that begins at `view`, at most `end`. The views of a run are summed
 * together: first pass 1 for all views, then pass 2. A run may be split anywhere if pass 1 is called for all
 * parts in order, and then pass 2 for all parts in order. Passes that gpu_untilted_passes() excludes do
 * nothing. */
extern long gpu_untilted_run(const struct gpu_untilted *p, long view, long end);
extern bool gpu_untilted_passes(const struct gpu_untilted *p, long view, long views, int pass);

/** proj = A vol or proj += A vol; vol = A' proj or vol += A' proj. The kernels must support all views of the
 * tile. */
extern void gpu_untilted_forward(
        struct gpu_untilted *p, float *proj, const float *vol, const struct gpu_tile *tile);
extern void gpu_untilted_adjoint(
        struct gpu_untilted *p, float *vol, const float *proj, const struct gpu_tile *tile);

/** The functions above transpose the volume to the layout of the kernels in every call. The following
 * functions work on a copy in this layout; they are not for single slices. gpu_untilted_transposed(): size of
 * a copy of some slices [elements]. gpu_untilted_transpose() and gpu_untilted_untranspose() copy slices [z, z
 * + n) from and to vol (nx, ny, n). Transposing the last slices also sets the padding of the lines. */
extern long gpu_untilted_transposed(const struct gpu_untilted *p, long slices);
extern void gpu_untilted_transpose(
        const struct gpu_untilted *p, float *copy, long slices, long z, long n, const float *vol);
extern void gpu_untilted_untranspose(
        const struct gpu_untilted *p, float *vol, const float *copy, long slices, long z, long n);
extern void gpu_untilted_forward_transposed(
        struct gpu_untilted *p, float *proj, const float *copy, const struct gpu_tile *tile);
extern void gpu_untilted_adjoint_transposed(
        struct gpu_untilted *p, float *copy, const float *proj, const struct gpu_tile *tile);

/** The corresponding functions for the back projection of filtered views (fbp.h), which is not the transpose
 * of A. Weights are float32, the interpolation is bilinear. q is (filtered columns, rows, views). */
extern struct gpu_fdk *gpu_fdk_create(const struct fbp *f, const struct grid *grid);
extern void gpu_fdk_free(struct gpu_fdk *p);
extern bool gpu_fdk_fits(const struct gpu_fdk *p, long view);
extern double gpu_fdk_memory(const struct gpu_fdk *p, const struct gpu_tile *tile);
extern void gpu_fdk_backproject(struct gpu_fdk *p, float *vol, const float *q, const struct gpu_tile *tile);

#ifdef __cplusplus
}
#endif

#endif
