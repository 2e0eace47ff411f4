#ifndef CT_PROJECTOR_CPU_FOOTPRINTS_H
#define CT_PROJECTOR_CPU_FOOTPRINTS_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/sf.h"

/** These functions compute separable footprints (sf.h) of one brick, for columns [lo, hi) of one view. A
 * brick is a block of voxels. If `adjoint`, the functions compute `brick += A' proj`, otherwise
 * `proj += A brick`. `box` points to the first voxel of the brick's border. The border is one voxel wide.
 * `proj` points to the first pixel of the view. `step` is the distance of neighbouring pixels
 * [elements]. */
extern void footprints_float(const struct xray *x, const struct brick *b, float *box, float *proj, long view,
        long lo, long hi, int step, bool adjoint);
extern void footprints_double(const struct xray *x, const struct brick *b, double *box, double *proj,
        long view, long lo, long hi, int step, bool adjoint);

/** Kernels for separable footprints in the list of CPU projectors. */
extern const struct brick_kernels untilted_sf, any_orientation_sf;

/** Sets *w to a view in voxel index coordinates of a brick. Index 0 is the first voxel of the brick's
 * border. */
extern void footprints_view(struct sf_view *w, const struct xray *x, const struct brick *b, long view);

/** Narrows [*lo, *hi) to the columns of a view that the footprint of the brick may touch. */
extern void footprints_columns(const struct xray *x, const struct brick *b, long view, long *lo, long *hi);

#endif
