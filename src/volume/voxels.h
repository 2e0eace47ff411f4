#ifndef VOLUME_VOXELS_H
#define VOLUME_VOXELS_H

#include "misc/file/cfl.h"

/** The volumes (x, y, z) of an array, numbered along dims 3 and higher. Any thread reads elements in blocks
 * that fit into the cache. Streams are first copied completely. */
struct voxels {
	struct cfl *file;
	const char *data; // NULL means cfl_block()
	enum dtype type;
	long nx, ny, nz;
	long each;    // number of elements of a volume
	long volumes; // number of volumes
	long at;      // first element of the current volume, set by voxels_select()
};

/** Recommended number of elements per block. */
enum { VOXELS_BLOCK = 1 << 16 };

/** Returns the axes that a volume with this header has: bit d is set for dims[d] > 1, d < 3. An image has two
 * axes. A volume of one voxel has axis x. */
extern unsigned voxels_axes(const struct hdr *h);

extern void voxels_open(struct voxels *v, struct cfl *f);

/** Makes volume k the current volume. */
extern void voxels_select(struct voxels *v, long k);

/** Returns elements [first, first + n) of the current volume in their own type. `buffer` has room for n
 * elements. */
extern const void *voxels_get(const struct voxels *v, long first, long n, void *buffer);

/** Returns elements [first, first + n) of the current volume, converted to type t. `buffer` has room for the
 * result, and `raw` for n elements of 16 bytes. */
extern const void *voxels_get_as(
        const struct voxels *v, enum dtype t, long first, long n, void *buffer, void *raw);

/** An output that any thread writes in blocks, in any order. */
struct voxels_out {
	struct cfl *file;
	char *data; // NULL means cfl_put()
	long size;  // of an element [bytes]
};

extern void voxels_create(struct voxels_out *o, struct cfl *f);
extern void voxels_put(const struct voxels_out *o, long first, long n, const void *data);

/** Returns the number of NaN among n elements of a real type. */
extern long voxels_count_nan(enum dtype t, long n, const void *x);

/** Calls error() because f contains NaN. */
extern void voxels_refuse_nan(const struct cfl *f) __attribute__((noreturn));

#endif
