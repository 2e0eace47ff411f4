#ifndef VOLUME_RESAMPLE_WARP_H
#define VOLUME_RESAMPLE_WARP_H

#include "linops/resample/resample.h"
#include "misc/file/cfl.h"
#include "volume/resample/space.h"

/** A deformation: displacements u (x, y, z, 3) [mm] on a separate grid, interpolated linearly and clamped
 * beyond the ends of the grid. The output at position x has the value of the input at x + u(x). */
struct warp;

/** error() naming the field if it is not real, not finite or does not have three components. The file remains
 * open. Sets r->at and r->reach, the range of displacements [voxels of the input]. */
extern struct warp *warp_create(
        struct resample *r, struct cfl *field, const struct space *in, const struct space *out);
extern void warp_free(struct warp *w);

/** A resample_positions_fn; ctx is a struct warp. */
extern void warp_positions(void *ctx, long first, long n, long j, long k, double *x, double *y, double *z);

#endif
