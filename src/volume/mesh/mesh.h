#ifndef VOLUME_MESH_MESH_H
#define VOLUME_MESH_MESH_H

#include <stdbool.h>
#include <stdint.h>

/** A triangle mesh. Isosurfaces are closed and manifold: every directed edge belongs to one triangle, and the
 * reversed edge to another triangle. */
struct mesh {
	long nv, nt; // number of vertices, of triangles
	float *v;    // [nv][3], mm
	uint32_t *t; // [nt][3], vertex numbers, counter-clockwise seen from outside
};

/** Frees the arrays. */
extern void mesh_free(struct mesh *m);

/** Computes the volume [mm^3] inside a closed mesh and the area [mm^2] of the mesh. The results do not depend
 * on threads. */
extern void mesh_measure(const struct mesh *m, double *volume, double *area);

/** Triangles [t[0], t[1]) and point `origin` enclose a volume. Adds `6 volume` to sum[0], and `2 area` of the
 * triangles to sum[1]. For a closed mesh, the sums do not depend on `origin`. */
extern void mesh_measure_part(const struct mesh *m, const long t[2], const double origin[3], double sum[2]);

/** Returns the number of directed edges at which the mesh is not closed, manifold or consistently oriented.
 */
extern long mesh_open_edges(const struct mesh *m);

/** For each corner `c = 3 t + i` of triangle t, returns the opposite corner of the adjacent triangle. The
 * value is UINT32_MAX if the edge opposite to c does not have two triangles. The caller frees the array of 3
 * nt elements. */
extern uint32_t *mesh_opposites(const struct mesh *m);

/** corner_next() and corner_prev() return the next and the previous corner of the triangle. */
static inline uint32_t corner_next(uint32_t c)
{
	return c % 3 == 2 ? c - 2 : c + 1;
}

static inline uint32_t corner_prev(uint32_t c)
{
	return c % 3 == 0 ? c + 2 : c - 1;
}

#endif
