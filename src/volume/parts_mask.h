#ifndef VOLUME_PARTS_MASK_H
#define VOLUME_PARTS_MASK_H

#include "volume/parts.h"
#include "volume/voxels.h"

/** Writes a mask of components, one byte per voxel, from element `at` of `out` on. Voxels of components with
 * chosen[number] = true become `1 - other`. All other voxels become `other`. */
extern void parts_mask(const struct parts *p, const struct parts_volume *v, const bool chosen[],
        const struct voxels_out *out, long at, unsigned char other);

/** Sets chosen[number] to true for components with a voxel greater than `level`. Returns the number of NaN in
 * the volume. */
extern long parts_above(const struct parts *p, const struct parts_volume *v, bool chosen[],
        const struct voxels *in, double level);

/** Sets chosen[number] to true for components that touch the volume's border. Only axes
 * with their bit set have a border. */
extern void parts_on_border(
        const struct parts *p, const struct parts_volume *v, bool chosen[], unsigned axes);

#endif
