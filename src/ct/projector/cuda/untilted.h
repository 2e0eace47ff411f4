#ifndef CT_PROJECTOR_CUDA_UNTILTED_H
#define CT_PROJECTOR_CUDA_UNTILTED_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The X-ray transform on the GPU where it is fastest: Joseph's method and separable footprints (back),
 * float32, views whose detector columns are parallel to z (parallel beam, fan, circular and helical cone;
 * flat or curved; any voxels and offsets, a place of its own for every view). Each output is summed by one
 * thread in a fixed order: the same bytes in every run.
 *
 * Arrays lie on the device in the user's layout: x fastest in the volume, columns fastest in the projections.
 */
struct xray;
struct fbp;
struct grid;
struct gpu_untilted;
struct gpu_fdk;

/** What a call works on: views [view, view + views) of the geometry, rows [row, row + rows) of the detector
 * and slices [slice, slice + slices) of the grid. vol is (nx, ny, slices), proj is (cols, rows, views), both
 * of these parts alone; what lies outside of them counts as zero. add: to what the output holds, else it is
 * overwritten. pass: 0, or 1 or 2 for one pass of the adjoint alone. */
struct gpu_part {
	long view, views;
	long row, rows;
	long slice, slices;
	bool add;
	int pass;
};

/** Cuts that leave the bytes of the adjoint as they are: parts of views that begin at multiples of
 * GPU_PART_VIEWS, one after the other with add, or smaller ones as gpu_untilted_run() says; and parts of
 * slices that begin at multiples of GPU_PART_SLICES, with all rows that see them. */
enum { GPU_PART_VIEWS = 256, GPU_PART_SLICES = 32 };

/** Plans the transform x (which must outlive the plan) for the device in use. error() when its memory does
 * not suffice. */
extern struct gpu_untilted *gpu_untilted_create(const struct xray *x);
extern void gpu_untilted_free(struct gpu_untilted *p);

/** Is this view one for these kernels, forward or back? The others need the general way: columns that lean,
 * rays dominated by z, rows or columns so close or so far apart that no window of shared memory holds them.
 */
extern bool gpu_untilted_fits(const struct gpu_untilted *p, long view, bool forward);

/** Which kernels it would go to: for parallel beams perpendicular to z (Joseph's method), for a single slice
 * before one row of a detector, for all others. */
enum gpu_untilted_kind { GPU_UNTILTED, GPU_SLICE_PARALLEL, GPU_SINGLE_SLICE };
extern enum gpu_untilted_kind gpu_untilted_kind(const struct gpu_untilted *p, long view);

/** Device memory that a call on this part takes beside its operands [bytes]: transposed copies. */
extern double gpu_untilted_memory(const struct gpu_untilted *p, const struct gpu_part *part);

/** The end of the run of views of [view, end) that are summed together: pass 1 for all of them, then pass 2.
 * A run may be cut anywhere when its parts do pass 1 first, in order, then pass 2; those that
 * gpu_untilted_passes() denies have nothing to do. */
extern long gpu_untilted_run(const struct gpu_untilted *p, long view, long end);
extern bool gpu_untilted_passes(const struct gpu_untilted *p, long view, long views, int pass);

/** proj = A vol or proj += A vol; vol = A' proj or vol += A' proj; all views of the part must fit. */
extern void gpu_untilted_forward(
        struct gpu_untilted *p, float *proj, const float *vol, const struct gpu_part *part);
extern void gpu_untilted_adjoint(
        struct gpu_untilted *p, float *vol, const float *proj, const struct gpu_part *part);

/** The same with a volume as the kernels read it, which the calls above turn each time; not a single slice.
 * Elements of such a copy of some slices; slices [z, z + n) of it from and to vol (nx, ny, n), the last of
 * all together with what fills up the lines. */
extern long gpu_untilted_turned(const struct gpu_untilted *p, long slices);
extern void gpu_untilted_turn(
        const struct gpu_untilted *p, float *copy, long slices, long z, long n, const float *vol);
extern void gpu_untilted_untranspose(
        const struct gpu_untilted *p, float *vol, const float *copy, long slices, long z, long n);
extern void gpu_untilted_forward_turned(
        struct gpu_untilted *p, float *proj, const float *copy, const struct gpu_part *part);
extern void gpu_untilted_adjoint_turned(
        struct gpu_untilted *p, float *copy, const float *proj, const struct gpu_part *part);

/** The same for the back projection of filtered views (fbp.h), which is not the transpose of A: float32
 * weights, bilinear. q is (filtered columns, rows, views). */
extern struct gpu_fdk *gpu_fdk_create(const struct fbp *f, const struct grid *grid);
extern void gpu_fdk_free(struct gpu_fdk *p);
extern bool gpu_fdk_fits(const struct gpu_fdk *p, long view);
extern double gpu_fdk_memory(const struct gpu_fdk *p, const struct gpu_part *part);
extern void gpu_fdk_backproject(struct gpu_fdk *p, float *vol, const float *q, const struct gpu_part *part);

#ifdef __cplusplus
}
#endif

#endif
