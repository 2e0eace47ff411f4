#ifndef VOLUME_MESH_ISOSURFACE_H
#define VOLUME_MESH_ISOSURFACE_H

#include <stdbool.h>

#include "misc/dtype.h"
#include "misc/file/hdr.h"
#include "volume/mesh/mesh.h"

/**
 * The isosurface of a volume by marching cubes [1]. The mesh is closed and manifold, and the normals point
 * outwards. The result does not depend on threads.
 *
 * Elements v >= level are inside. For labels, elements v == level are inside. NaN is outside. At the border
 * of the box, the surface is closed half a voxel beyond the last element. Vertices are at least 1/1024 of an
 * edge away from both ends of the edge.
 *
 * [1] W. Lorensen, H. Cline, Marching cubes, SIGGRAPH 1987.
 */
struct isosurface {
	const void *data; // dims[0] x dims[1] x dims[2] elements, contiguous
	enum dtype type;  // a real type
	long dims[3];
	long lo[3], hi[3]; // the box [lo, hi) of the volume to use
	double level;
	bool label;        // v == level is inside, for integer types; vertices are in the middle of edges
	double origin[3];  // centre of element (0, 0, 0) [mm]
	double axes[3][3]; // axes[d] is the step along dim d [mm]

	long nan;        // output: number of NaN
	unsigned border; // output: bits 2 d and 2 d + 1 mean closed at the low and high end of dim d
	long nv, nt;     // output: number of vertices, of triangles

	struct isosurface_job *job; // state between the two passes
};

/** Sets all inputs except `level` and `label` from a header of up to three dims. A section "# Direction"
 * rotates the axes. More than three dims or a malformed direction are an error() naming `name`. */
extern void isosurface_init(struct isosurface *s, const struct hdr *h, const void *data, const char *name);

/** The first pass counts vertices, triangles and NaN, and sets s->border. If no element is inside, s->nv and
 * s->nt are 0. Calls error() naming `name` if there are more than 2^32 - 1 vertices. */
extern void isosurface_count(struct isosurface *s, const char *name);

/** Creates the mesh in a second pass. Calls error() if the mesh exceeds GANTRY_MEM. */
extern void isosurface_mesh(struct mesh *m, struct isosurface *s);

/** Receives vertices [v[0], v[1]) and triangles [t[0], t[1]) of a mesh. In m, only these triangles, these
 * vertices and the triangles' vertices are valid. Several threads call the function at once. */
typedef void isosurface_part_fn(void *ctx, const struct mesh *m, const long v[2], const long t[2]);

/** The second pass hands the mesh to `take` in parts, and computes volume [mm^3] and area [mm^2]. */
extern void isosurface_parts(
        struct isosurface *s, isosurface_part_fn *take, void *ctx, double *volume, double *area);

/** Creates the mesh by isosurface_count() and isosurface_mesh(). */
extern void isosurface(struct mesh *m, struct isosurface *s, const char *name);

#endif
