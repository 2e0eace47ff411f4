#ifndef ITER_RECON_RECON_DEVICE_H
#define ITER_RECON_RECON_DEVICE_H

#include "iter/recon/recon_internal.h"

/**
 * A problem on the GPU: volume, data and weights are brought there once, and the algorithm's vectors lie
 * beside them; the volume is brought back at the end. NULL where the vectors stay on the host: no GPU is in
 * use, they do not fit its memory, or the algorithm looks at them itself. (The X-ray transform of vectors on
 * the host takes the GPU all the same.)
 */
struct recon_device;

/** Puts what it brought into the problem; *x becomes the volume there. */
extern struct recon_device *recon_device_begin(
        const struct recon *r, struct iter_problem *p, const struct iter_conf *conf, void **x);

/** The volume back to where it was, everything else freed. NULL: nothing. */
extern void recon_device_end(struct recon_device *d);

#endif
