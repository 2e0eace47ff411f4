#ifndef CT_PROJECTOR_CPU_SIDDON_RAYS_H
#define CT_PROJECTOR_CPU_SIDDON_RAYS_H

#include "ct/projector/cpu/ray_packet.h"

/**
 * Siddon's method for arbitrary rays in float32.
 */

/** Traces clipped rays through a box of n voxels with the given strides. Only rays whose bits in `mask` are
 * set are traced. With `adjoint`, weighted pixels are added to the voxels of the box. Without `adjoint`,
 * line integrals are added to the pixels. The pixels of successive rays are `next` elements apart.
 * Results are bit-identical with every instruction set. */
typedef void siddon_rays_fn(const struct rays *r, unsigned mask, const int n[3], const int stride[3],
        float *box, float *pixel, long next, bool adjoint);

/** Returns the fastest function for this machine. */
extern siddon_rays_fn *siddon_rays(void);

#endif
