#ifndef VOLUME_VOXELS_H
#define VOLUME_VOXELS_H

#include "misc/file/cfl.h"

/**
 * The volumes (x, y, z) of an array, numbered along its dimensions after the third. Elements are read and
 * written in blocks that fit into the cache, by any thread; only streams are copied completely.
 */
struct voxels {
	struct cfl *file;
	const char *data; // NULL: by cfl_block()
	enum dtype type;
	long nx, ny, nz;
	long each;    // elements of a volume
	long volumes; // of the array
	long at;      // first element of the current volume, set by voxels_select()
};

/** Recommended number of elements to read at a time. */
enum { VOXELS_BLOCK = 1 << 16 };

extern void voxels_open(struct voxels *v, struct cfl *f);

/** Makes volume number k the current one. */
extern void voxels_select(struct voxels *v, long k);

/** Elements [first, first + n) of the current volume in their own type; buffer has room for them. */
extern const void *voxels_get(const struct voxels *v, long first, long n, void *buffer);

/** Elements [first, first + n) of the current volume, converted to type t; raw: room for n elements of 16
 * bytes. */
extern const void *voxels_get_as(
        const struct voxels *v, enum dtype t, long first, long n, void *buffer, void *raw);

/** An output that is written in blocks, in any order, by any thread; streams are spooled. */
struct voxels_out {
	struct cfl *file;
	char *data; // NULL: by cfl_put()
	long size;  // of an element [bytes]
};

extern void voxels_create(struct voxels_out *o, struct cfl *f);
extern void voxels_put(const struct voxels_out *o, long first, long n, const void *data);

/** The number of NaN among n elements of a real type. */
extern long voxels_count_nan(enum dtype t, long n, const void *x);

/** error() about NaN in f. */
extern void voxels_refuse_nan(const struct cfl *f) __attribute__((noreturn));

#endif
