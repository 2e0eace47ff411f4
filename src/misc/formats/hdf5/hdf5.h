#ifndef MISC_FORMATS_HDF5_HDF5_H
#define MISC_FORMATS_HDF5_HDF5_H

#include "misc/formats/source.h"

/** Angles [degrees] of the projections of a recognised scan (malloc'd), *n of them; NULL when the file says
 * none. */
extern double *hdf5_angles(const char *path, const char *inside, long *n);

/** Says which array of a scan is taken when none is named, and which options take the rest. Nothing for other
 * files. */
extern void hdf5_tell_scan(const char *path);

#endif
