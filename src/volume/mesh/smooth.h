#ifndef VOLUME_MESH_SMOOTH_H
#define VOLUME_MESH_SMOOTH_H

#include "volume/mesh/mesh.h"

/**
 * n times the two steps of Taubin's smoothing (A signal processing approach to fair surface design, SIGGRAPH
 * 1995): each vertex moves by 0.5 towards the mean of its neighbours, then by 0.5128 away from it. Structures
 * longer than the pass band (0.05) thus keep their size. The mesh must be closed. Computes in float64; the
 * result does not depend on the number of threads. error() naming `name` above 2^32 / 3 triangles.
 */
extern void mesh_smooth(struct mesh *m, long n, const char *name);

#endif
