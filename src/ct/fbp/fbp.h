#ifndef CT_FBP_FBP_H
#define CT_FBP_FBP_H

#include "ct/fbp/ramp.h"
#include "ct/fbp/scan.h"
#include "ct/geometry/geom.h"
#include "linops/linop.h"

/**
 * Filtered back projection: parallel and fan beam, and Feldkamp's method [1] for cone beam, on flat and
 * curved detectors. Distances, pitch, piercing point and tilt are derived from the vectors of each view. In
 * the formula, x is a voxel, and w is its distance from the source along the detector's normal (curved:
 * within the fan), relative to the distance of the rotation axis:
 *
 *     f(x) = sum over views of 1 / w^2 q(projection of x)        [1/mm]
 *     q = ramp * (c r p)                                         [1/mm]
 *
 * Here p are the line integrals, c is the cosine of the angle to the ray through the axis, and r is the
 * angular weight of the ray (scan.h). Parallel beams have c = w = 1. The reconstruction is exact for parallel
 * and fan beams with any position and in-plane roll of the detector. For cone beams the reconstruction is
 * exact in the plane of the source's circle and an approximation elsewhere. For detectors tilted against the
 * axis the reconstruction is an approximation, too.
 *
 * [1] L. A. Feldkamp, L. C. Davis, J. W. Kress, Practical cone-beam algorithm, J. Opt. Soc. Am. A 1(6), 1984.
 */
struct fbp;

/** Settings of the filter and the weights. If all are 0: ramp filter, Silver's weights. */
struct fbp_settings {
	struct ramp_filter filter; // own samples are kept, not copied
	enum scan_short short_scan;
};

/** name: name of the geometry file, for messages. error() if the views do not cover enough angles (scan.h) or
 * the axis is not in front of the source. The caller must keep g. */
extern struct fbp *fbp_create(const struct geom *g, const struct fbp_settings *set, const char *name);
extern void fbp_free(struct fbp *f);

/** The kind of scan, for messages. */
extern const char *fbp_describe(const struct fbp *f);

/** Whether the weights are those of a short scan. */
extern bool fbp_is_short(const struct fbp *f);

/** Number of columns of a filtered view, and how many of these precede the first column of the detector. For
 * an offset detector, filtered views have more columns than the detector (scan_beyond()). */
extern long fbp_cols(const struct fbp *f);
extern long fbp_left(const struct fbp *f);

/** q (fbp_cols, rows, n) = the filtered line integrals p (cols, rows, n) of views [first, first + n). type:
 * float32 or float64. All values must be finite. q and p reside both on the host or both on the GPU. */
extern void fbp_filter(struct fbp *f, enum dtype type, void *q, const void *p, long first, long n);

/** vol[step i] += the sum over views [first, first + n) of q / w^2; q is interpolated bilinearly between
 * pixels and is 0 outside the detector. step = 2 for the real or imaginary part of a complex volume. The
 * result does not depend on the number of threads. The sum is rounded once per call, so the result depends on
 * the number of views per call. For the same bits in every program, pass fbp_batch() views per call. */
extern void fbp_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n);

/** fbp_backproject() only for slices [slices[0], slices[1]) of vol; slices[0] is a multiple of FBP_SLICES.
 * The result is bit-identical to the back projection of the whole volume. */
enum { FBP_SLICES = 64 };
extern void fbp_backproject_slices(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2]);

/** fbp_backproject() only for a box of vol on the host: slices [z[0], z[1]) and lines along x [y[0], y[1]),
 * which begin at multiples of FBP_SLICES and FBP_LINES. */
enum { FBP_LINES = 64 };
struct fbp_box {
	long z[2], y[2];
};
extern void fbp_backproject_box(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const struct fbp_box *box);

/** Rows [rows[0], rows[1]) of filtered views [first, first + n) that a box needs; the range may be slightly
 * too large. */
extern void fbp_rows(const struct fbp *f, const struct grid *grid, const struct fbp_box *box, long first,
        long n, long rows[2]);

/** fbp_filter() for some rows of the views, on the host; the other rows of q are unchanged. */
extern void fbp_filter_rows(
        struct fbp *f, enum dtype type, void *q, const void *p, long first, long n, const long rows[2]);

/** Device memory for filtering a batch of views and back-projecting the batch into `slices` slices [bytes].
 */
extern double fbp_device_memory(const struct fbp *f, const struct grid *grid, enum dtype type, long slices);

/** Number of views per call of fbp_filter() and fbp_backproject(): all views, but at most 64, and fewer if
 * the views are large. The number depends only on the number and size of the filtered views and on the
 * type. */
extern long fbp_batch(const struct fbp *f, enum dtype type);

/** The operator from projections p (cols, rows, views) to the volume (nx, ny, nz): voxel-driven back
 * projection, interpolated between pixels and divided by w^2. If `filtered`, p is filtered first (complete
 * filtered back projection). The operator is a back projector for algorithms that do not need the transpose
 * of A; applying its adjoint is an error(). Voxels outside the mask are 0. The caller must keep the mask;
 * NULL: no mask. Real types; copies g. */
struct mask;
extern struct linop *linop_fbp_create(const struct geom *g, const struct grid *grid, enum dtype type,
        bool filtered, const struct mask *mask, const char *name);

/** Private memory for a batch of views [bytes]; `copied`: including a copy of the unfiltered views, for
 * callers that do not read them in place. */
extern long fbp_memory(const struct fbp *f, enum dtype type, bool copied);

#endif
