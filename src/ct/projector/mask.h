#ifndef CT_PROJECTOR_MASK_H
#define CT_PROJECTOR_MASK_H

#include "ct/geometry/geom.h"

/**
 * A mask selects the voxels of a volume that are used. The mask contains the voxels inside a circle, or the
 * voxels where a file is not 0. As an operator, the mask M sets all other voxels to 0. M is its own
 * transpose.
 */
struct mask;

/** Defines the option --mask. */
#define OPT_MASK(text)                                                                                       \
	OPT_ARRAY(0, "mask", text, "circle[:RADIUS]|FILE",                                                   \
	        "only voxels in a circle about the slice's centre [mm], or where FILE is not 0")

/** Creates the mask that the value `text` of the option --mask describes. Returns NULL if `text` is NULL. A
 * mask file has the shape of the grid, or length 1 along some dims. Values are repeated along dims of
 * length 1. Any other shape is an error(). The file stays open until mask_free(). The radius of a circle is
 * recorded in the history. A radius that is not positive is a usage_error(). */
extern struct mask *mask_create(const char *text, const struct grid *grid);
extern void mask_free(struct mask *m);

/** For i < n, inside[i] becomes true if the mask selects voxel (first + i, j, k). NaN in the mask file is an
 * error(). Several threads may call mask_line() at once. */
extern void mask_line(const struct mask *m, long first, long n, long j, long k, bool inside[]);

/** Sets the voxels of a volume that are outside the mask to 0. */
extern void mask_volume(const struct mask *m, enum dtype type, void *vol);

/** The same for volumes one after the other, of n elements together. Does nothing if m is NULL. */
extern void mask_volumes(const struct mask *m, enum dtype type, long n, void *vols);

/** The same, but only for the rows that contain elements [first, end). */
extern void mask_part(const struct mask *m, enum dtype type, long first, long end, void *vols);

/**
 * These functions apply the mask to a brick, which is a block of voxels of the X-ray transform (bricks.h).
 * - mask_hides(): returns true only if the whole brick is outside the mask. Returns false for a mask file.
 * - mask_brick(): sets the voxels of the brick's buffer that are outside the mask to 0. Elements have
 *   `size` bytes.
 */
struct xray;
struct brick;
extern bool mask_hides(const struct mask *m, const struct brick *b);
extern void mask_brick(
        const struct mask *m, const struct xray *x, const struct brick *b, size_t size, void *buffer);

#endif
