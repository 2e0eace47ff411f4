#ifndef VOLUME_MESH_ISOSURFACE_H
#define VOLUME_MESH_ISOSURFACE_H

#include <stdbool.h>

#include "misc/dtype.h"
#include "misc/file/hdr.h"
#include "volume/mesh/mesh.h"

/**
 * The isosurface of a volume by marching cubes (Lorensen and Cline 1987), with consistent cases at every
 * face: closed, manifold, normals to the outside, the same bytes for any number of threads.
 *
 * Inside are the elements v >= level, or for labels v == level. Around the box there is one layer of outside,
 * so that a surface that reaches the border is closed half a voxel outside the last element. NaN is outside.
 * A vertex keeps at least 1/1024 of its edge from both ends, so that no triangle degenerates if a value
 * equals the level.
 */
struct isosurface {
	const void *data; // dims[0] x dims[1] x dims[2], contiguous
	enum dtype type;  // real
	long dims[3];
	long lo[3], hi[3]; // the box [lo, hi) of it that is looked at
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

/** Makes the mesh; without vertices if no element is inside. error() naming `name` if there are more vertices
 * than 32 bits count, or GANTRY_MEM does not allow them. */
extern void isosurface(struct mesh *m, struct isosurface *s, const char *name);

#endif
