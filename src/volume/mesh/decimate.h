#ifndef VOLUME_MESH_DECIMATE_H
#define VOLUME_MESH_DECIMATE_H

#include "volume/mesh/mesh.h"

/**
 * Collapses edges of a closed, manifold mesh until at most `share * nt` triangles are left. The edge with the
 * smallest quadric error [1], weighted by triangle area, is collapsed first.
 *
 * Edges whose collapse would change the topology or flip a triangle are kept. More triangles than requested
 * may therefore remain. More than 2^32 / 3 triangles are an error() naming `name`.
 *
 * [1] M. Garland, P. Heckbert, Surface simplification using quadric error metrics, SIGGRAPH 1997.
 */
extern void mesh_decimate(struct mesh *m, double share, const char *name);

#endif
