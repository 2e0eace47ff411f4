#ifndef CT_FBP_FBP_H
#define CT_FBP_FBP_H

#include "ct/fbp/ramp.h"
#include "ct/fbp/scan.h"
#include "ct/geometry/geom.h"
#include "linops/linop.h"

/**
 * Filtered back projection of parallel, fan and cone beams. Cone beams are reconstructed by Feldkamp's
 * method [1]. Detectors may be flat or curved. Distances, angles and pixel sizes are computed from the
 * vectors of each view.
 *
 *     f(x) = sum over views of 1 / w^2 q(projection of x)        [1/mm]
 *     q = ramp * (c r p)                                         [1/mm]
 *
 * - p is a line integral.
 * - c is the cosine of the angle between the ray and the ray through the rotation axis. For a parallel beam,
 *   c is 1.
 * - r is the angular weight of the ray (scan.h).
 * - w is the depth of voxel x divided by the depth of the rotation axis. For a parallel beam, w is 1.
 * - The depth on a flat detector is the distance from the source along the detector normal. The depth on a
 *   curved detector is the distance from the source in the plane of the fan.
 *
 * For parallel and fan beams, the reconstruction is exact for any position and in-plane roll of the
 * detector. For cone beams, the reconstruction is exact only in the plane of the source circle. For
 * detectors tilted against the rotation axis, the reconstruction is approximate.
 *
 * [1] L. A. Feldkamp, L. C. Davis, J. W. Kress, Practical cone-beam algorithm, J. Opt. Soc. Am. A 1(6),
 * 1984.
 */
struct fbp;

/** Settings of the filter and of the angular weights. If all members are 0, the filter is the ramp, and short
 * scans have Silver's weights. */
struct fbp_settings {
	struct ramp_filter filter; // filter.own is not copied; the caller must keep the samples
	enum scan_short short_scan;
};

/** Prepares filtered back projection for the geometry g. `g` must exist until fbp_free(). `name` is the
 * geometry file, for messages. Views that do not cover enough angles (scan.h) are an error(). A rotation axis
 * that is not in front of the source is an error(). */
extern struct fbp *fbp_create(const struct geom *g, const struct fbp_settings *set, const char *name);
extern void fbp_free(struct fbp *f);

/** Returns a description of the scan for messages. The string belongs to f. */
extern const char *fbp_describe(const struct fbp *f);

/** Returns whether the rays are weighted as in a short scan. */
extern bool fbp_is_short(const struct fbp *f);

/** These functions describe the columns of filtered views. For an offset detector, filtered views have more
 * columns than the detector (scan_beyond()).
 * - fbp_cols(): Returns the number of columns of a filtered view.
 * - fbp_left(): Returns the number of columns before the first column of the detector. */
extern long fbp_cols(const struct fbp *f);
extern long fbp_left(const struct fbp *f);

/** Filters the line integrals p of the views [first, first + n). `p` has the shape (cols, rows, n). `q`, the
 * result, has the shape (fbp_cols(), rows, n). `type` is float32 or float64. All values must be finite. Both
 * arrays reside on the host, or both on the GPU. */
extern void fbp_filter(struct fbp *f, enum dtype type, void *q, const void *p, long first, long n);

/** Adds the back projection of the filtered views [first, first + n) to vol. Filtered values in q are divided
 * by w^2 and interpolated bilinearly between pixels. Outside the detector, q counts as 0. Voxel i is element
 * step * i of vol. For the real or imaginary part of a complex volume, `step` is 2, otherwise 1. The result
 * does not depend on the number of threads. Rounding depends on the number of views per call. To get the
 * same bits in every program, pass fbp_batch() views per call. */
extern void fbp_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n);

/** Back-projects into the slices [slices[0], slices[1]), as fbp_backproject() does. The first slice must be a
 * multiple of FBP_SLICES. `vol` is the address of slice 0. The result is bit-identical to the back projection
 * of the whole volume. */
enum { FBP_SLICES = 64 };
extern void fbp_backproject_slices(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2]);

/** Back-projects into a box of a volume on the host, as fbp_backproject() does. The box contains the lines
 * [y[0], y[1]) along x of the slices [z[0], z[1]). The first slice must be a multiple of FBP_SLICES. The
 * first line must be a multiple of FBP_LINES. */
enum { FBP_LINES = 64 };
struct fbp_box {
	long z[2], y[2];
};
extern void fbp_backproject_box(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const struct fbp_box *box);

/** Computes the range [rows[0], rows[1]) of detector rows that a box needs. The views are [first, first + n).
 * The range may be larger than necessary. */
extern void fbp_rows(const struct fbp *f, const struct grid *grid, const struct fbp_box *box, long first,
        long n, long rows[2]);

/** Filters the detector rows [rows[0], rows[1]) on the host, as fbp_filter() does. The other rows of q are
 * unchanged. */
extern void fbp_filter_rows(
        struct fbp *f, enum dtype type, void *q, const void *p, long first, long n, const long rows[2]);

/** Returns the device memory for one batch of views and `slices` slices [bytes]. The batch of fbp_batch()
 * views is filtered and back-projected on the device. */
extern double fbp_device_memory(const struct fbp *f, const struct grid *grid, enum dtype type, long slices);

/** Returns the number of views per call of fbp_filter() and fbp_backproject(). The number is at most 64, and
 * smaller if the views are large. The result depends only on the type and on the number and size of filtered
 * views. */
extern long fbp_batch(const struct fbp *f, enum dtype type);

/** Creates the operator that back-projects projections (cols, rows, views) into a volume (nx, ny, nz). The
 * back projection is that of fbp_backproject(). If `filtered`, the operator filters the projections first.
 * The operator has no transpose: applying the adjoint is an error(). Voxels outside the mask become 0. `mask`
 * may be NULL; the caller must keep the mask. The operator has its own copy of g. `type` must be real. `name`
 * is the geometry file, for messages. */
struct mask;
extern struct linop *linop_fbp_create(const struct geom *g, const struct grid *grid, enum dtype type,
        bool filtered, const struct mask *mask, const char *name);

/** Returns the private memory for one batch of views [bytes]. If `copied`, the result includes a copy of the
 * unfiltered views. */
extern long fbp_memory(const struct fbp *f, enum dtype type, bool copied);

#endif
