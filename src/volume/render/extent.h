#ifndef VOLUME_RENDER_EXTENT_H
#define VOLUME_RENDER_EXTENT_H

#include "volume/render/render_kern.h"

struct render_extent {
	long n[3], blocks[3];
	float *lo[RENDER_VOLUMES], *hi[RENDER_VOLUMES]; // minimum and maximum of each block
	long wide[3];
	float *wide_lo, *wide_hi; // of RENDER_WIDE^3 blocks of the first volume
	double least[RENDER_VOLUMES], most[RENDER_VOLUMES];
	struct render_device *device; // draws the pictures; NULL means the CPU
	bool by_slabs;                // lo and hi are those of one slab
	const struct render_kern *kern;
};

/** render_kind_of() returns the type in which kernels read elements of type t. If render_is_converted() is
 * true, elements are first converted to float32. */
extern enum render_kind render_kind_of(enum dtype t);
extern bool render_is_converted(enum dtype t);

/** Converts slices [first, first + n) of v to float32. `plane` is the number of elements of a slice. */
extern void render_convert(float *to, const struct render_volume *v, long plane, long first, long n);

/** Returns whether the volumes are drawn in more than one slab. */
extern bool render_is_cut(const struct render *r);

/** Finds minimum and maximum of the blocks that contain slices [z0, z1). Other blocks count as empty. */
extern void render_extent_slab(struct render_extent *e, const struct render *r, long z0, long z1);

/** Sets p->blocks for p->mode, p->field and p->iso. The caller frees p->blocks.far. */
extern void render_blocks_see(struct render_pass *p, const struct render_extent *e);

#endif
