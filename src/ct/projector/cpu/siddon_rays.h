#ifndef CT_PROJECTOR_CPU_SIDDON_RAYS_H
#define CT_PROJECTOR_CPU_SIDDON_RAYS_H

#include "ct/projector/cpu/ray_packet.h"

/**
 * Siddon's method along any rays, float32, inside the kernels: sixteen slabs of a ray at a time become a list
 * of the voxels that the ray crosses, which are then read or added to one by one.
 */

/** Rays (clipped) through a box of n voxels with these strides, restricted to the mask: forward adds to their
 * pixels, `next` apart, the adjoint to the box. The same bits with every instruction set. */
typedef void siddon_rays_fn(const struct rays *r, unsigned mask, const int n[3], const int stride[3],
        float *box, float *pixel, long next, bool adjoint);

/** The fastest kernels for this machine. */
extern siddon_rays_fn *siddon_rays(void);

#endif
