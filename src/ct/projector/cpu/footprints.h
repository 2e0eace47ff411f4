#ifndef CT_PROJECTOR_CPU_FOOTPRINTS_H
#define CT_PROJECTOR_CPU_FOOTPRINTS_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/sf.h"

/** Separable footprints of the voxels of a brick (sf.h): proj += A brick, or brick += A' proj, for columns
 * [lo, hi) of one view. box points to the first voxel of the border, which is one voxel before the brick
 * along each axis; proj points to that view. */
extern void footprints_float(const struct xray *x, const struct brick *b, float *box, float *proj, long view,
        long lo, long hi, int step, bool adjoint);
extern void footprints_double(const struct xray *x, const struct brick *b, double *box, double *proj,
        long view, long lo, long hi, int step, bool adjoint);

/** Separable footprints in the list of CPU paths. */
extern const struct brick_kernels untilted_sf, any_orientation_sf;

/** Sets w to a view in index coordinates that begin at the first voxel of the brick's border. */
extern void footprints_view(struct sf_view *w, const struct xray *x, const struct brick *b, long view);

/** Narrows [*lo, *hi) to the columns of a view that the footprint of the brick may touch. */
extern void footprints_columns(const struct xray *x, const struct brick *b, long view, long *lo, long *hi);

#endif
