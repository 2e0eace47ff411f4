#ifndef VOLUME_RESAMPLE_BIN_H
#define VOLUME_RESAMPLE_BIN_H

#include "misc/file/cfl.h"

/** Replaces each box of factor[0] x factor[1] x factor[2] real voxels by its mean or sum, computed in
 * float64. Incomplete boxes at the ends are dropped. Warns of voxels that are not finite and of clipped
 * values. A voxel that is not finite affects the whole box. */
extern void bin_volumes(struct cfl *out, struct cfl *in, const long factor[3], bool sum);

/** Returns how many bytes bin_volumes() allocates. */
extern long bin_volumes_memory(const struct cfl *in, const long factor[3]);

#endif
