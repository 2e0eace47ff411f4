#ifndef VOLUME_RESAMPLE_BIN_H
#define VOLUME_RESAMPLE_BIN_H

#include "misc/file/cfl.h"

/** Bins boxes of factor[0] x factor[1] x factor[2] voxels to their mean or sum, in float64. Each dim is
 * divided by its factor, rounded down; incomplete boxes at the ends are dropped. Works slab by slab, also for
 * streams. Warns of voxels that are not finite, which affect their whole box, and of values clipped to the
 * output's type. Elements are real. */
extern void bin_volumes(struct cfl *out, struct cfl *in, const long factor[3], bool sum);

/** Private memory needed [bytes]. */
extern long bin_volumes_memory(const struct cfl *in, const long factor[3]);

#endif
