#ifndef VOLUME_MESH_SMOOTH_H
#define VOLUME_MESH_SMOOTH_H

#include "volume/mesh/mesh.h"

/**
 * Applies the two steps of Taubin's smoothing n times (A signal processing approach to fair surface design,
 * SIGGRAPH 1995). Each vertex moves 0.5 of the way to the mean of its neighbours, then 0.5128 of the way in
 * the opposite direction. Structures with frequencies in the pass band, below 0.05, thus keep their size. The
 * mesh must be closed. Computes in float64; the result does not depend on the number of threads. error()
 * naming `name` above 2^32 / 3 triangles.
 */
extern void mesh_smooth(struct mesh *m, long n, const char *name);

#endif
