#ifndef VOLUME_MESH_MESH_READ_H
#define VOLUME_MESH_MESH_READ_H

#include "volume/mesh/mesh.h"

/**
 * Reads a mesh: STL (binary or text), PLY (binary of either byte order or text), OBJ. Vertices at equal
 * positions are merged, polygons are split into triangles, and triangles with two equal corners are dropped.
 * error() naming the file if it is malformed, or if it contains no triangle, a coordinate that is not finite
 * or an invalid vertex number.
 */
extern void mesh_read(struct mesh *m, const char *path);

#endif
