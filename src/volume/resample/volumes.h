#ifndef VOLUME_RESAMPLE_VOLUMES_H
#define VOLUME_RESAMPLE_VOLUMES_H

#include "linops/resample/resample.h"
#include "misc/file/cfl.h"

/** Resamples every volume (dims 0 to 2) of an input on the grid of the output. Elements may have any type. If
 * the types are equal, nearest-neighbour interpolation copies elements unchanged. `bytes` is the memory to
 * use: at most volumes_memory(). Warns if the input contains NaN or infinite values. */
extern void volumes_resample(struct cfl *out, struct cfl *in, const struct resample *r,
        resample_positions_fn *positions, void *ctx, long bytes);
extern long volumes_memory(
        const struct cfl *in, const struct resample *r, resample_positions_fn *positions, void *ctx);

#endif
