#ifndef CT_PROJECTOR_MASK_H
#define CT_PROJECTOR_MASK_H

#include "ct/geometry/geom.h"

/**
 * Which voxels of a volume count: those in a circle, or where a file is not zero. As an operator M, which
 * sets the others to 0, it is its own transpose.
 */
struct mask;

/** --mask of the commands that project. */
#define OPT_MASK(text)                                                                                       \
	OPT_ARRAY(0, "mask", text, "circle[:RADIUS]|FILE",                                                   \
	        "only voxels in a circle about z [mm], or where FILE is not 0")

/** NULL for NULL. A file has the size of the grid, or 1 along dims where it is repeated; it stays open.
 * Records a circle's radius in the history. usage_error() or error() if it is not plausible. */
extern struct mask *mask_create(const char *text, const struct grid *grid);
extern void mask_free(struct mask *m);

/** Voxels [first, first + n) of the line along x at (j, k): inside[i] tells whether it counts. Any thread. */
extern void mask_line(const struct mask *m, long first, long n, long j, long k, bool inside[]);

/** Sets the other voxels of a volume of the grid to 0. */
extern void mask_volume(const struct mask *m, enum dtype type, void *vol);

/** For the X-ray transform: whether a brick is certainly outside the mask, without testing each voxel; and
 * mask_volume() for the buffer of a brick, elements of `size` bytes. */
struct xray;
struct brick;
extern bool mask_hides(const struct mask *m, const struct brick *b);
extern void mask_brick(
        const struct mask *m, const struct xray *x, const struct brick *b, size_t size, void *buffer);

#endif
