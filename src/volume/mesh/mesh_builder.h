#ifndef VOLUME_MESH_MESH_BUILDER_H
#define VOLUME_MESH_MESH_BUILDER_H

#include "volume/mesh/mesh.h"

/** A mesh under construction. In a new builder, `path` names the file to read, and all other members are 0.
 */
struct mesh_builder {
	const char *path;
	long nv, nt, room_v, room_t;
	float (*v)[3];
	uint32_t (*t)[3];
};

/** Adds a vertex. Coordinates that are not finite in float32 are an error(). */
extern void builder_vertex(struct mesh_builder *b, const double x[3]);

/** Adds corner i of the current polygon. Polygons are divided into triangles that share the first corner. A
 * vertex number outside [0, 2^32 - 1) is an error(). */
extern void builder_corner(struct mesh_builder *b, long i, long vertex);

/** Moves the mesh to m and empties the builder. Vertices at equal positions are merged. A corner with a
 * missing vertex, or a mesh without triangles, is an error(). */
extern void builder_finish(struct mesh_builder *b, struct mesh *m);

#endif
