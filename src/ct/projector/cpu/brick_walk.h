#ifndef CT_PROJECTOR_CPU_BRICK_WALK_H
#define CT_PROJECTOR_CPU_BRICK_WALK_H

#include "ct/projector/bricks.h"

/** Computes a tile of the transform brick by brick: proj += A vol, or vol += A' proj. Each view is computed
 * by the kernels of its path (projector.h). */
extern void bricks_forward(void *plan, const struct xray_call *p);
extern void bricks_adjoint(void *plan, const struct xray_call *p);

#endif
