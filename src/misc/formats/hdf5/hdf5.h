#ifndef MISC_FORMATS_HDF5_HDF5_H
#define MISC_FORMATS_HDF5_HDF5_H

#include "misc/formats/source.h"

/** Returns the *n projection angles of a scan [degrees] (malloc'd), or NULL if there are no angles. `inside`
 * names the array of the angles. If `inside` is NULL, the angles of a recognised scan are read. */
extern double *hdf5_angles(const char *path, const char *inside, long *n);

/** Prints which array of a recognised scan is read by default, and which options read the other arrays. Does
 * nothing for other files. */
extern void hdf5_tell_scan(const char *path);

#endif
