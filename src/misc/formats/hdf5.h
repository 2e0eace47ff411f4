#ifndef MISC_FORMATS_HDF5_H
#define MISC_FORMATS_HDF5_H

#include "misc/formats/source.h"

/** Angles [degrees] of the projections of a recognised scan (malloc'd), *n of them; NULL when the file says
 * none. */
extern double *hdf5_angles(const char *path, const char *inside, long *n);

#endif
