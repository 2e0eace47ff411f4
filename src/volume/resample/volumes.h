#ifndef VOLUME_RESAMPLE_VOLUMES_H
#define VOLUME_RESAMPLE_VOLUMES_H

#include "linops/resample/resample.h"
#include "misc/file/cfl.h"

/** Fills an output with every volume (dims 0 to 2) of an input on another grid; warns if the input contains
 * NaN. Elements of any type; nearest neighbours keep their bits if the types are equal. Memory: `bytes`, as
 * volumes_memory() recommends, or less if the run is limited: larger volumes are processed in pieces. */
extern void volumes_resample(struct cfl *out, struct cfl *in, const struct resample *r,
        resample_positions_fn *positions, void *ctx, long bytes);
extern long volumes_memory(
        const struct cfl *in, const struct resample *r, resample_positions_fn *positions, void *ctx);

#endif
