#ifndef CT_PROJECTOR_MASK_H
#define CT_PROJECTOR_MASK_H

#include "ct/geometry/geom.h"

/**
 * Selects the voxels of a volume that are used: the voxels inside a circle, or the voxels for which a file is
 * not 0. The mask as an operator M sets the other voxels to 0; M is its own transpose.
 */
struct mask;

/** The option --mask of the commands that project. */
#define OPT_MASK(text)                                                                                       \
	OPT_ARRAY(0, "mask", text, "circle[:RADIUS]|FILE",                                                   \
	        "only voxels in a circle about z [mm], or where FILE is not 0")

/** Returns NULL if text is NULL. Along each dim, a file has the length of the grid or length 1; along a dim
 * of length 1 it is repeated. The file stays open. Records the radius of a circle in the history.
 * usage_error() or error() if the radius is not plausible. */
extern struct mask *mask_create(const char *text, const struct grid *grid);
extern void mask_free(struct mask *m);

/** Voxels [first, first + n) of the line along x at (j, k): inside[i] tells whether voxel first + i is used.
 * Any thread may call this function. */
extern void mask_line(const struct mask *m, long first, long n, long j, long k, bool inside[]);

/** Sets the voxels of a volume that are outside the mask to 0. */
extern void mask_volume(const struct mask *m, enum dtype type, void *vol);

/** For bricks of the X-ray transform. mask_hides(): whether a brick is certainly outside the mask, without a
 * test of each voxel. mask_brick(): mask_volume() for the buffer of a brick. Elements have `size` bytes. */
struct xray;
struct brick;
extern bool mask_hides(const struct mask *m, const struct brick *b);
extern void mask_brick(
        const struct mask *m, const struct xray *x, const struct brick *b, size_t size, void *buffer);

#endif
