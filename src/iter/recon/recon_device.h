#ifndef ITER_RECON_RECON_DEVICE_H
#define ITER_RECON_RECON_DEVICE_H

#include "iter/recon/recon_internal.h"

/** A problem whose vectors reside on the GPU. Volume, data and weights are uploaded once. The volume is
 * downloaded at the end. */
struct recon_device;

/**
 * Uploads the arrays of problem p to the GPU. The arrays in p are replaced by the uploaded arrays, and *x
 * becomes the volume on the GPU. Returns NULL if the vectors remain on the host, for one of these reasons:
 * - No GPU is in use.
 * - The vectors do not fit into GPU memory.
 * - The algorithm or the data model needs vectors on the host.
 * - The run uses a rule or a checkpoint.
 *
 * The X-ray transform of vectors on the host still uses the GPU.
 */
extern struct recon_device *recon_device_begin(
        const struct recon *r, struct iter_problem *p, const struct iter_conf *conf, void **x);

/** Downloads the volume and frees d. If d is NULL, nothing happens. */
extern void recon_device_end(struct recon_device *d);

#endif
