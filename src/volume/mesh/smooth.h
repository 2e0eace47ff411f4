#ifndef VOLUME_MESH_SMOOTH_H
#define VOLUME_MESH_SMOOTH_H

#include "volume/mesh/mesh.h"

/**
 * Smooths a closed mesh with n iterations of Taubin's method [1]. Each iteration replaces every vertex x
 * twice, with `f = 0.5` and then `f = -0.5128`, by:
 *
 *     x + f ((mean of the neighbours of x) - x)
 *
 * Structures in the pass band [1], at frequencies below 0.05, keep their size. The result does not depend on
 * threads. More than 2^32 / 3 triangles are an error() naming `name`.
 *
 * [1] G. Taubin, A signal processing approach to fair surface design, SIGGRAPH 1995.
 */
extern void mesh_smooth(struct mesh *m, long n, const char *name);

#endif
