#ifndef CT_PROJECTOR_CPU_SIDDON_RAYS_H
#define CT_PROJECTOR_CPU_SIDDON_RAYS_H

#include "ct/projector/cpu/ray_packet.h"

/**
 * Siddon's method along any rays, float32, inside of the kernels: sixteen slabs of a ray at a time become a
 * list of the voxels in which the ray has a length, which then are read or added to one after the other.
 */

/** Rays (clipped) through a box of n voxels and these strides, of those in the mask: forward adds to their
 * pixels, which lie `next` apart, the adjoint to the box. The same bits with every instruction set. */
typedef void siddon_rays_fn(const struct rays *r, unsigned mask, const int n[3], const int stride[3],
        float *box, float *pixel, long next, bool adjoint);

/** The fastest that this machine runs. */
extern siddon_rays_fn *siddon_rays(void);

#endif
