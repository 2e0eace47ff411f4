#ifndef CT_FBP_GRIDREC_H
#define CT_FBP_GRIDREC_H

#include "ct/fbp/fbp.h"

/**
 * The back projection of a parallel beam by Fourier transforms [1]: the spectrum of every filtered line is a
 * line through the middle of the slice's; they are gridded with a Kaiser-Bessel kernel of 6 x 6 samples at
 * twice the density needed [2], transformed, and divided by the kernel's transform. Lines are thereby
 * interpolated by sincs, not linearly.
 */

/** error() naming the geometry's file unless it is a parallel beam on a flat untilted detector whose rows
 * stay at their heights, and unless voxels are square in x and y. */
extern void gridrec_check(const struct fbp *f, const struct grid *grid, const char *name);

/** vol = slices from all filtered views q (fbp_cols, rows, views). float32 or float64; same bits for any
 * number of threads. */
extern void gridrec(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol, const void *q);

/** Private memory of a thread [bytes]. */
extern long gridrec_memory(const struct fbp *f, const struct grid *grid);

#endif
