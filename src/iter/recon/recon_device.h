#ifndef ITER_RECON_RECON_DEVICE_H
#define ITER_RECON_RECON_DEVICE_H

#include "iter/recon/recon_internal.h"

/**
 * A problem on the GPU: volume, data and weights are uploaded once, the algorithm's vectors are allocated
 * there, and the volume is downloaded at the end. NULL if the vectors remain on the host: if no GPU is in
 * use, if the vectors do not fit into GPU memory, or if the algorithm accesses the vectors directly. (The
 * X-ray transform of vectors on the host still uses the GPU.)
 */
struct recon_device;

/** Replaces the arrays of the problem by the uploaded ones; *x becomes the volume on the GPU. */
extern struct recon_device *recon_device_begin(
        const struct recon *r, struct iter_problem *p, const struct iter_conf *conf, void **x);

/** Downloads the volume and frees everything else. NULL: nothing. */
extern void recon_device_end(struct recon_device *d);

#endif
