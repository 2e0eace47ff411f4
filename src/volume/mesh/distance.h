#ifndef VOLUME_MESH_DISTANCE_H
#define VOLUME_MESH_DISTANCE_H

#include "volume/mesh/mesh.h"

/**
 * Signed distances [mm] from points to the surface of a mesh, positive outside. The nearest triangle is found
 * in a tree of boxes. The sign is that of the angle-weighted normal at the nearest point (J. Baerentzen, H.
 * Aanaes: Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 2005).
 */
struct mesh_tree;

/** The mesh has 1 to 2^32 / 3 triangles and must outlive the tree. */
extern struct mesh_tree *mesh_tree_create(const struct mesh *m);
extern void mesh_tree_free(struct mesh_tree *t);

/** Number of edges that do not have two triangles; near such edges, the sign is given by the side of the
 * nearest triangle. */
extern long mesh_tree_open(const struct mesh_tree *t);

/** out[i] = the signed distance of point x[i] in float64; the result does not depend on the number of
 * threads. */
extern void mesh_tree_distances(const struct mesh_tree *t, long n, const float (*x)[3], double *out);

/** Statistics of n > 0 distances. */
struct distance_stats {
	double mean, std, rms, min, max;
	double percentile[5]; // 1, 5, 50, 95, 99
	double far, far99;    // the largest |d|, and the 99th percentile of |d|
};

extern void distance_stats(struct distance_stats *s, long n, const double *d);

#endif
