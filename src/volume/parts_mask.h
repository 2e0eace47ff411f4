#ifndef VOLUME_PARTS_MASK_H
#define VOLUME_PARTS_MASK_H

#include "volume/parts.h"
#include "volume/voxels.h"

/** Writes the volume that begins at element `at` of an output of bytes: `other` everywhere, and 1 - other in
 * the components for which chosen[number] is set. */
extern void parts_mask(const struct parts *p, const struct parts_volume *v, const bool chosen[],
        const struct voxels_out *out, long at, unsigned char other);

/** Sets chosen[number] for the components with a voxel greater than the level. Returns the number of NaN in
 * the volume. */
extern long parts_above(const struct parts *p, const struct parts_volume *v, bool chosen[],
        const struct voxels *in, double level);

/** Sets chosen[number] for the components that touch the border of the volume; only the first `rank`
 * dimensions have a border. */
extern void parts_on_border(const struct parts *p, const struct parts_volume *v, bool chosen[], int rank);

#endif
