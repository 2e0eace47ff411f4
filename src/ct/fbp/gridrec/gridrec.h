#ifndef CT_FBP_GRIDREC_GRIDREC_H
#define CT_FBP_GRIDREC_GRIDREC_H

#include "ct/fbp/fbp.h"

/**
 * Filtered back projection of a parallel beam by Fourier transforms [1]: the spectrum of every filtered line
 * is a line through the origin of the slice's spectrum. They are gridded with a Kaiser-Bessel kernel of 8 x 8
 * cells [2], transformed, and divided by the kernel's transform. Lines are thereby interpolated by sincs, not
 * linearly. In float32, two slices at a time.
 */
struct gridrec;

/** Whether it supports the scan: a parallel beam on a flat untilted detector with rows at constant heights.
 */
extern bool gridrec_fits(const struct fbp *f);

/** error() naming the geometry's file and the view unless it is. */
extern void gridrec_check(const struct fbp *f, const char *name);

/** The caller keeps f and grid, which must exist as long. */
extern struct gridrec *gridrec_create(const struct fbp *f, const struct grid *grid);
extern void gridrec_free(struct gridrec *g);

/** Work space of a thread, and its size [bytes]: less than three slices of float32 and some lines. */
struct gridrec_room;
extern struct gridrec_room *gridrec_room_create(const struct gridrec *g);
extern void gridrec_room_free(struct gridrec_room *r);
extern long gridrec_memory(const struct gridrec *g);

/** Input of line integrals and output of voxels. load: the pixels of a row of a view, at `buffer` or
 * elsewhere; store: n lines along x of slice z, from line y on. */
struct gridrec_files {
	const float *(*load)(void *ctx, long view, long row, float *buffer);
	void (*store)(void *ctx, long z, long y, long n, const float *x);
	void *ctx;
};

/** Slices z and z + 1, if the grid has it. The same bits from any thread. */
extern void gridrec_pair(
        const struct gridrec *g, struct gridrec_room *r, const struct gridrec_files *files, long z);

#endif
