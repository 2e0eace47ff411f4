#ifndef VOLUME_RESAMPLE_VOLUMES_H
#define VOLUME_RESAMPLE_VOLUMES_H

#include "linops/resample/resample.h"
#include "misc/file/cfl.h"

/** Resamples every volume (dims 0 to 2) of an input on the grid of the output; warns if the input contains
 * NaN. Elements have any type; with nearest-neighbour interpolation and equal types, they are copied
 * unchanged. bytes: memory to use, as recommended by volumes_memory(), or less if memory is limited. Larger
 * volumes are processed in pieces. */
extern void volumes_resample(struct cfl *out, struct cfl *in, const struct resample *r,
        resample_positions_fn *positions, void *ctx, long bytes);
extern long volumes_memory(
        const struct cfl *in, const struct resample *r, resample_positions_fn *positions, void *ctx);

#endif
