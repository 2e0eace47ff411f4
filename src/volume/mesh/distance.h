#ifndef VOLUME_MESH_DISTANCE_H
#define VOLUME_MESH_DISTANCE_H

#include "volume/mesh/mesh.h"

/**
 * A search tree for signed distances [mm] from points to the surface of a mesh. Distances are positive
 * outside the mesh. The angle-weighted normal at the nearest point determines the sign [1].
 *
 * [1] J. Baerentzen, H. Aanaes, Signed distance computation using the angle weighted pseudonormal, IEEE TVCG
 * 2005.
 */
struct mesh_tree;

/** Creates a search tree. The mesh must have 1 to 2^32 / 3 triangles and must outlive the tree. */
extern struct mesh_tree *mesh_tree_create(const struct mesh *m);
extern void mesh_tree_free(struct mesh_tree *t);

/** Returns the number of edges without exactly two triangles. Near an edge without two triangles, the side of
 * the nearest triangle determines the sign. */
extern long mesh_tree_open(const struct mesh_tree *t);

/** Sets `out[i]` to the signed distance of point `x[i]`. The result does not depend on threads. */
extern void mesh_tree_distances(const struct mesh_tree *t, long n, const float (*x)[3], double *out);

/** Statistics of n > 0 distances. */
struct distance_stats {
	double mean, std, rms, min, max;
	double percentile[5]; // 1, 5, 50, 95 and 99 %
	double far, far99;    // maximum and 99th percentile of |d|
};

extern void distance_stats(struct distance_stats *s, long n, const double *d);

#endif
