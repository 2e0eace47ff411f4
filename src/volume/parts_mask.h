#ifndef VOLUME_PARTS_MASK_H
#define VOLUME_PARTS_MASK_H

#include "volume/parts.h"
#include "volume/voxels.h"

/** Writes a mask of components to the volume at element `at` of an output of bytes. Voxels of components with
 * chosen[number] become 1 - other. All other voxels become `other`. */
extern void parts_mask(const struct parts *p, const struct parts_volume *v, const bool chosen[],
        const struct voxels_out *out, long at, unsigned char other);

/** Sets chosen[number] for the components that contain a voxel greater than `level`. Returns the number of
 * NaN in the volume. */
extern long parts_above(const struct parts *p, const struct parts_volume *v, bool chosen[],
        const struct voxels *in, double level);

/** Sets chosen[number] for the components that touch the border of the volume. Only the first `rank`
 * dimensions have a border. */
extern void parts_on_border(const struct parts *p, const struct parts_volume *v, bool chosen[], int rank);

#endif
