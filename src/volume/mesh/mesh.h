#ifndef VOLUME_MESH_MESH_H
#define VOLUME_MESH_MESH_H

#include <stdbool.h>
#include <stdint.h>

/** A triangle mesh: those made by these functions are closed and manifold, with every directed edge in one
 * triangle and its opposite in another. */
struct mesh {
	long nv, nt; // vertices, triangles
	float *v;    // [nv][3], mm
	uint32_t *t; // [nt][3], vertices counter-clockwise seen from outside
};

/** Releases the arrays. */
extern void mesh_free(struct mesh *m);

/** Volume [mm^3] within a closed mesh (divergence theorem) and its area [mm^2]: float64, summed in a fixed
 * order. */
extern void mesh_measure(const struct mesh *m, double *volume, double *area);

/** Number of directed edges that are not in one triangle with their opposite in one other: 0 for a closed,
 * manifold, consistently oriented mesh. */
extern long mesh_open_edges(const struct mesh *m);

/** For each corner c = 3 t + i of triangle t the corner across the edge opposite to it, UINT32_MAX if that
 * edge does not have two triangles; malloc'd, [3 nt]. */
extern uint32_t *mesh_opposites(const struct mesh *m);

/** The corners before and after one in its triangle. */
static inline uint32_t corner_next(uint32_t c)
{
	return c % 3 == 2 ? c - 2 : c + 1;
}

static inline uint32_t corner_prev(uint32_t c)
{
	return c % 3 == 0 ? c + 2 : c - 1;
}

#endif
