#ifndef CT_PROJECTOR_CPU_SIDDON_RAYS_H
#define CT_PROJECTOR_CPU_SIDDON_RAYS_H

#include "ct/projector/cpu/ray_packet.h"

/**
 * Siddon's method for arbitrary rays in float32, for use in the kernels. Sixteen slabs of a ray at a time are
 * converted into a list of the voxels that the ray crosses. These voxels are then read or updated one by one.
 */

/** Computes the clipped rays whose bits in the mask are set, through a box of n voxels with these strides.
 * With `adjoint`, the pixels are added to the box, otherwise the line integrals are added to the pixels. The
 * pixels of successive rays are `next` elements apart. Results are bit-identical with every instruction
 * set. */
typedef void siddon_rays_fn(const struct rays *r, unsigned mask, const int n[3], const int stride[3],
        float *box, float *pixel, long next, bool adjoint);

/** The fastest kernels for this machine. */
extern siddon_rays_fn *siddon_rays(void);

#endif
