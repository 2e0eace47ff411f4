#ifndef VOLUME_MESH_MESH_H
#define VOLUME_MESH_MESH_H

#include <stdbool.h>
#include <stdint.h>

/** A triangle mesh. Meshes from isosurfaces are closed and manifold: every directed edge is in one triangle,
 * and its opposite is in another triangle. */
struct mesh {
	long nv, nt; // vertices, triangles
	float *v;    // [nv][3], mm
	uint32_t *t; // [nt][3], vertices counter-clockwise seen from outside
};

/** Releases the arrays. */
extern void mesh_free(struct mesh *m);

/** Volume [mm^3] enclosed by a closed mesh (divergence theorem), and area [mm^2] of the mesh: float64, summed
 * in a fixed order. */
extern void mesh_measure(const struct mesh *m, double *volume, double *area);

/** Number of directed edges that are not in exactly one triangle, or whose opposite is not in exactly one
 * other triangle: 0 for a closed, manifold, consistently oriented mesh. */
extern long mesh_open_edges(const struct mesh *m);

/** For each corner c = 3 t + i of triangle t: the other corner that faces the edge opposite to c, in the
 * neighbouring triangle; UINT32_MAX if this edge does not have two triangles. malloc'd, [3 nt]. */
extern uint32_t *mesh_opposites(const struct mesh *m);

/** The next and the previous corner in the triangle of corner c. */
static inline uint32_t corner_next(uint32_t c)
{
	return c % 3 == 2 ? c - 2 : c + 1;
}

static inline uint32_t corner_prev(uint32_t c)
{
	return c % 3 == 0 ? c + 2 : c - 1;
}

#endif
