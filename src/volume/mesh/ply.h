#ifndef VOLUME_MESH_PLY_H
#define VOLUME_MESH_PLY_H

#include "volume/mesh/mesh_builder.h"

/** Reads the vertices and faces of a PLY file, text or binary. Other data are ignored. A malformed file is an
 * error() naming the file. */
extern void ply_read(struct mesh_builder *b);

#endif
