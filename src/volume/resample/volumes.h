#ifndef VOLUME_RESAMPLE_VOLUMES_H
#define VOLUME_RESAMPLE_VOLUMES_H

#include "linops/resample/resample.h"
#include "misc/file/cfl.h"

/** Fills an output with every volume (dims 0 to 2) of an input on another grid; warns where the input holds
 * NaN. Elements of any type; those of nearest keep their bits where the types are equal. Memory: `bytes`,
 * what volumes_memory() advises, fewer where the run may not use as much: larger volumes go in pieces. */
extern void volumes_resample(struct cfl *out, struct cfl *in, const struct resample *r,
        resample_positions_fn *positions, void *ctx, long bytes);
extern long volumes_memory(
        const struct cfl *in, const struct resample *r, resample_positions_fn *positions, void *ctx);

#endif
