#ifndef VOLUME_MESH_MESH_WRITE_H
#define VOLUME_MESH_MESH_WRITE_H

#include <stdbool.h>

#include "volume/mesh/mesh.h"

/** The file name extensions of mesh_write(), as text for messages. */
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

/** Returns whether a mesh can be written in parts. The format must have records of equal size, and the file
 * must be ordinary. */
extern bool mesh_takes_parts(const char *path);

/**
 * Writes a mesh of nv vertices and nt triangles in parts. Each part consists of vertices [v[0], v[1]) and
 * triangles [t[0], t[1]). The order of the parts is arbitrary, and any thread may write a part. The file is
 * identical to that of mesh_write().
 */
struct mesh_writer;
extern struct mesh_writer *mesh_writer_create(const char *path, long nv, long nt);
extern void mesh_writer_part(struct mesh_writer *w, const struct mesh *m, const long v[2], const long t[2]);
extern void mesh_writer_commit(struct mesh_writer *w);

/** Writes a PLY file with a colour and a value for each vertex. The properties are red, green, blue and
 * `value_name`. */
extern void mesh_write_colored(const char *path, const struct mesh *m, const unsigned char (*rgb)[3],
        const float *value, const char *value_name);

#endif
