#ifndef VOLUME_MESH_MESH_READ_H
#define VOLUME_MESH_MESH_READ_H

#include "volume/mesh/mesh.h"

/** Reads an STL or PLY file, text or binary, or an OBJ file. Binary PLY files have either byte order.
 * Vertices at equal positions are merged. Polygons are split into triangles. Triangles with two equal corners
 * are dropped. A malformed file is an error() naming the file. Missing triangles, infinite or NaN
 * coordinates, and invalid vertex numbers are also an error(). */
extern void mesh_read(struct mesh *m, const char *path);

#endif
