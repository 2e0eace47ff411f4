#ifndef CT_PROJECTOR_CPU_BRICK_WALK_H
#define CT_PROJECTOR_CPU_BRICK_WALK_H

#include "ct/projector/bricks.h"

/**
 * These functions compute one tile of the X-ray transform. A tile is a part of the volume and of the
 * projections. A brick is a block of voxels. The bricks are processed one after the other. The functions of
 * projector.h choose the kernels of each view. `plan` is not used.
 *
 * - bricks_forward(): Computes proj += A vol.
 * - bricks_adjoint(): Computes vol += A' proj.
 */
extern void bricks_forward(void *plan, const struct xray_call *p);
extern void bricks_adjoint(void *plan, const struct xray_call *p);

#endif
