#ifndef CT_FBP_GRIDREC_GRIDREC_H
#define CT_FBP_GRIDREC_GRIDREC_H

#include "ct/fbp/fbp.h"

/**
 * Filtered back projection of a parallel beam by Fourier transforms [1]. The spectrum of every filtered line
 * is a line through the origin of the slice's spectrum. These spectra are gridded with a Kaiser-Bessel kernel
 * of 8 x 8 cells [2]. The grid is transformed to the slice, and the slice is divided by the transform of the
 * kernel. In effect, lines are interpolated by sincs, not linearly. Two slices are computed at a time, in
 * float32.
 */
struct gridrec;

/** Whether gridrec supports the scan, which needs a parallel beam on a flat untilted detector with rows at
 * constant heights. */
extern bool gridrec_fits(const struct fbp *f);

/** error() naming the geometry file and the view unless gridrec_fits(). */
extern void gridrec_check(const struct fbp *f, const char *name);

/** The caller must keep f and grid until gridrec_free(). */
extern struct gridrec *gridrec_create(const struct fbp *f, const struct grid *grid);
extern void gridrec_free(struct gridrec *g);

/** Work space of a thread, and its size [bytes]: less than three slices of float32 and some lines. */
struct gridrec_room;
extern struct gridrec_room *gridrec_room_create(const struct gridrec *g);
extern void gridrec_room_free(struct gridrec_room *r);
extern long gridrec_memory(const struct gridrec *g);

/** Input of line integrals and output of voxels. load: returns the pixels of a row of a view, at `buffer` or
 * elsewhere. store: writes n lines along x of slice z, from line y on. */
struct gridrec_files {
	const float *(*load)(void *ctx, long view, long row, float *buffer);
	void (*store)(void *ctx, long z, long y, long n, const float *x);
	void *ctx;
};

/** Reconstructs slice z, and slice z + 1 if the grid has it. The result does not depend on the thread. */
extern void gridrec_pair(
        const struct gridrec *g, struct gridrec_room *r, const struct gridrec_files *files, long z);

#endif
