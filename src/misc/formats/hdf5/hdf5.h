#ifndef MISC_FORMATS_HDF5_HDF5_H
#define MISC_FORMATS_HDF5_HDF5_H

#include "misc/formats/source.h"

/** Angles [degrees] of the projections of a recognised scan (malloc'd), *n of them; NULL if the file has
 * none. */
extern double *hdf5_angles(const char *path, const char *inside, long *n);

/** Reports which array of a scan is read by default, and which options read its other arrays. Does nothing if
 * the file does not contain a recognised scan. */
extern void hdf5_tell_scan(const char *path);

#endif
