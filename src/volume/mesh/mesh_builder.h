#ifndef VOLUME_MESH_MESH_BUILDER_H
#define VOLUME_MESH_MESH_BUILDER_H

#include "volume/mesh/mesh.h"

/** A mesh whose size is not known beforehand. Zero-initialise, with the name of its file. */
struct mesh_builder {
	const char *path;
	long nv, nt, room_v, room_t;
	float (*v)[3];
	uint32_t (*t)[3];
};

/** error() unless the coordinates are finite as float32. */
extern void builder_vertex(struct mesh_builder *b, const double x[3]);

/** A corner of the polygon that is being read, `i` counts them; triangles fan from the first. error() unless
 * 0 <= vertex < 2^32. */
extern void builder_corner(struct mesh_builder *b, long i, long vertex);

/** What has been added, with vertices at the same place joined; the builder is empty again. error() where a
 * corner has no vertex, or nothing is left. */
extern void builder_finish(struct mesh_builder *b, struct mesh *m);

#endif
