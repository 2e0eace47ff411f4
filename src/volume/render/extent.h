#ifndef VOLUME_RENDER_EXTENT_H
#define VOLUME_RENDER_EXTENT_H

#include "volume/render/render_kern.h"

struct render_extent {
	long n[3], blocks[3];
	float *lo[RENDER_VOLUMES], *hi[RENDER_VOLUMES]; // of each block
	long wide[3];
	float *wide_lo, *wide_hi; // of RENDER_WIDE^3 blocks of the first volume
	double least[RENDER_VOLUMES], most[RENDER_VOLUMES];
	struct render_device *device; // that draws, or NULL: the CPU
	bool by_slabs;                // extremes are those of one slab: render_extent_slab()
	const struct render_kern *kern;
};

/** The type in which kernels read elements: one of four types. Elements of other types are converted to
 * float32, slab by slab. */
extern enum render_kind render_kind_of(enum dtype t);
extern bool render_is_converted(enum dtype t);

/** Converts slices first .. first + n - 1 of v to float32; `plane`: elements of a slice. */
extern void render_convert(float *to, const struct render_volume *v, long plane, long first, long n);

/** Whether the volumes are drawn in more than one slab. */
extern bool render_is_cut(const struct render *r);

/** Finds the extremes of blocks that contain slices z0 .. z1 - 1, and treats other blocks as empty. */
extern void render_extent_slab(struct render_extent *e, const struct render *r, long z0, long z1);

/** Fills p->blocks for the mode, fields and level of p; the caller frees p->blocks.far. */
extern void render_blocks_see(struct render_pass *p, const struct render_extent *e);

#endif
