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
};

/** Sets all inputs except level and label from the first three dims of a header. A section "# Direction"
 * rotates the axes. More than three dims or a malformed direction are an error() naming `name`. */
extern void isosurface_init(struct isosurface *s, const struct hdr *h, const void *data, const char *name);

/** Creates the mesh, without vertices if no element is inside. More than 2^32 - 1 vertices, or a mesh above
 * GANTRY_MEM, are an error() naming `name`. */
extern void isosurface(struct mesh *m, struct isosurface *s, const char *name);

#endif
