#ifndef CT_FBP_GRIDREC_GRIDREC_H
#define CT_FBP_GRIDREC_GRIDREC_H

#include "ct/fbp/fbp.h"

/**
 * Filtered back projection of a parallel beam by Fourier transforms [1]: the spectrum of every filtered line
 * is a line through the middle of the slice's. They are gridded with a Kaiser-Bessel kernel of 8 x 8 cells
 * [2], transformed, and divided by the kernel's transform. Lines are thereby interpolated by sincs, not
 * linearly. In float32, two slices at a time.
 */
struct gridrec;

/** Whether that is possible: a parallel beam on a flat untilted detector whose rows stay at their heights. */
extern bool gridrec_fits(const struct fbp *f);

/** error() naming the geometry's file and the view unless it is. */
extern void gridrec_check(const struct fbp *f, const char *name);

/** f and grid stay the caller's and have to live as long. */
extern struct gridrec *gridrec_create(const struct fbp *f, const struct grid *grid);
extern void gridrec_free(struct gridrec *g);

/** What a thread works in, and its size [bytes]: less than three slices of float32 and some lines. */
struct gridrec_room;
extern struct gridrec_room *gridrec_room_create(const struct gridrec *g);
extern void gridrec_room_free(struct gridrec_room *r);
extern long gridrec_memory(const struct gridrec *g);

/** Where line integrals come from and voxels go to. load: the pixels of a row of a view, at `buffer` or
 * anywhere; store: n lines along x of slice z, from line y on. */
struct gridrec_files {
	const float *(*load)(void *ctx, long view, long row, float *buffer);
	void (*store)(void *ctx, long z, long y, long n, const float *x);
	void *ctx;
};

/** Slices z and z + 1, where the grid has it. The same bits from any thread. */
extern void gridrec_pair(
        const struct gridrec *g, struct gridrec_room *r, const struct gridrec_files *files, long z);

#endif
