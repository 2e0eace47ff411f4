#ifndef VOLUME_MESH_DECIMATE_H
#define VOLUME_MESH_DECIMATE_H

#include "volume/mesh/mesh.h"

/**
 * Collapses edges of a closed, manifold mesh until at most share * nt triangles are left. The edge with the
 * least quadric error is collapsed first; planes are weighted by the area of their triangles (M. Garland, P.
 * Heckbert: Surface simplification using quadric error metrics, SIGGRAPH 1997). The mesh stays closed and
 * manifold: an edge whose collapse would change the topology or flip a triangle is kept, so more triangles
 * than requested may remain. Single-threaded. error() naming `name` above 2^32 / 3 triangles.
 */
extern void mesh_decimate(struct mesh *m, double share, const char *name);

#endif
