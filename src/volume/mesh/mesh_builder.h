#ifndef VOLUME_MESH_MESH_BUILDER_H
#define VOLUME_MESH_MESH_BUILDER_H

#include "volume/mesh/mesh.h"

/** A mesh whose size is not known in advance. A builder is initialised with zeros and the name of the file
 * that is read. */
struct mesh_builder {
	const char *path;
	long nv, nt, room_v, room_t;
	float (*v)[3];
	uint32_t (*t)[3];
};

/** Adds a vertex; error() unless its coordinates are finite as float32. */
extern void builder_vertex(struct mesh_builder *b, const double x[3]);

/** Adds corner number i of the current polygon, which is divided into a fan of triangles from its first
 * corner. error() unless 0 <= vertex < 2^32 - 1. */
extern void builder_corner(struct mesh_builder *b, long i, long vertex);

/** Moves the mesh to m, with vertices at equal positions merged; the builder is then empty. error() if a
 * corner refers to a missing vertex, or if no triangle remains. */
extern void builder_finish(struct mesh_builder *b, struct mesh *m);

#endif
