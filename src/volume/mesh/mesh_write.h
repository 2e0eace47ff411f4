#ifndef VOLUME_MESH_MESH_WRITE_H
#define VOLUME_MESH_MESH_WRITE_H

#include "volume/mesh/mesh.h"

/** Extensions of the files that mesh_write() makes, for messages. */
#define MESH_EXTENSIONS ".stl, .ply, .obj or .vtp"

/** usage_error() unless the name has one of these extensions. */
extern void mesh_check_name(const char *path);

/**
 * Writes a mesh in the format of the name's extension, in mm: binary STL (50 bytes a triangle), binary PLY
 * (12 bytes a vertex, 13 a triangle), Wavefront OBJ (text), VTK XML PolyData (raw binary). The file appears
 * under its name only when it is complete.
 */
extern void mesh_write(const char *path, const struct mesh *m);

/** Writes a PLY file with a colour and a value for each vertex, as properties red, green, blue and
 * `value_name`. */
extern void mesh_write_colored(const char *path, const struct mesh *m, const unsigned char (*rgb)[3],
        const float *value, const char *value_name);

#endif
