#ifndef VOLUME_MESH_MESH_WRITE_H
#define VOLUME_MESH_MESH_WRITE_H

#include "volume/mesh/mesh.h"

/** File name extensions that mesh_write() supports, for messages. */
#define MESH_EXTENSIONS ".stl, .ply, .obj or .vtp"

/** Calls usage_error() if the name has no extension of MESH_EXTENSIONS. */
extern void mesh_check_name(const char *path);

/**
 * Writes a mesh in mm. The file name extension selects the format:
 *
 * - .stl: binary STL, 50 bytes per triangle
 * - .ply: binary PLY, 12 bytes per vertex, 13 per triangle
 * - .obj: Wavefront OBJ, text
 * - .vtp: VTK XML PolyData, raw binary
 *
 * The file appears under its name only when complete.
 */
extern void mesh_write(const char *path, const struct mesh *m);

/** Writes a PLY file with a colour and a value for each vertex. The properties are red, green, blue and
 * `value_name`. */
extern void mesh_write_colored(const char *path, const struct mesh *m, const unsigned char (*rgb)[3],
        const float *value, const char *value_name);

#endif
