#ifndef VOLUME_RESAMPLE_WARP_H
#define VOLUME_RESAMPLE_WARP_H

#include "linops/resample/resample.h"
#include "misc/file/cfl.h"
#include "volume/resample/space.h"

/** A deformation by displacements u (x, y, z, 3) [mm] on a grid of their own. The output at position x has
 * the value of the input at x + u(x). Displacements are interpolated linearly, and constant beyond the grid.
 */
struct warp;

/** Creates a deformation. Sets r->at and r->reach. The field must stay open until warp_free(). A field that
 * is not real, not finite or without three components is an error() naming the field. */
extern struct warp *warp_create(
        struct resample *r, struct cfl *field, const struct space *in, const struct space *out);
extern void warp_free(struct warp *w);

/** Implements resample_positions_fn; `ctx` is a struct warp. */
extern void warp_positions(void *ctx, long first, long n, long j, long k, double *x, double *y, double *z);

#endif
