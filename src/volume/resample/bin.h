#ifndef VOLUME_RESAMPLE_BIN_H
#define VOLUME_RESAMPLE_BIN_H

#include "misc/file/cfl.h"

/** Boxes of factor[0] x factor[1] x factor[2] voxels become one: their mean, or their sum, in float64. The
 * output has dims in / factor, rounded down; what is left over at the ends is dropped. Slab by slab, streams
 * too. Warns of voxels that are not finite, which make their box so, and of values that the output's type
 * clips. Real elements. */
extern void bin_volumes(struct cfl *out, struct cfl *in, const long factor[3], bool sum);

/** Its private memory [bytes]. */
extern long bin_volumes_memory(const struct cfl *in, const long factor[3]);

#endif
