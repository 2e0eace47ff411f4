#ifndef VOLUME_MESH_ISOSURFACE_H
#define VOLUME_MESH_ISOSURFACE_H

#include <stdbool.h>

#include "misc/dtype.h"
#include "misc/file/hdr.h"
#include "volume/mesh/mesh.h"

/**
 * The isosurface of a volume by marching cubes (Lorensen and Cline 1987), with consistent cases at every
 * face. The mesh is closed and manifold, normals point outside, and the result does not depend on the number
 * of threads.
 *
 * Elements v >= level are inside, or for labels v == level; NaN is outside. The box is surrounded by one
 * layer of outside elements, so that a surface at the border is closed half a voxel beyond the last element.
 * The distance of a vertex from both ends of its edge is at least 1/1024 of the edge, so that no triangle
 * degenerates if a value equals the level.
 */
struct isosurface {
	const void *data; // dims[0] x dims[1] x dims[2], contiguous
	enum dtype type;  // real
	long dims[3];
	long lo[3], hi[3]; // the box [lo, hi) of the volume that is used
	double level;
	bool label;        // inside is v == level (an integer type); vertices in the middle of their edges
	double origin[3];  // centre of element (0, 0, 0) [mm]
	double axes[3][3]; // step along dim d [mm]: axes[d][x y z]

	long nan;        // out: elements that are NaN
	unsigned border; // out: bit 2 d, 2 d + 1: the surface is closed at the low, high end of dim d
};

/** Sets data, type, dims, box, origin and axes from the first three dims of a header; a section "# Direction"
 * rotates the axes. error() naming `name` if it has more dims or that section is malformed. */
extern void isosurface_init(struct isosurface *s, const struct hdr *h, const void *data, const char *name);

/** Creates the mesh, without vertices if no element is inside. error() naming `name` for 2^32 vertices or
 * more, or if the mesh exceeds GANTRY_MEM. */
extern void isosurface(struct mesh *m, struct isosurface *s, const char *name);

#endif
