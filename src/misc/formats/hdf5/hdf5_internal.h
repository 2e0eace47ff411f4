#ifndef MISC_FORMATS_HDF5_HDF5_INTERNAL_H
#define MISC_FORMATS_HDF5_HDF5_INTERNAL_H

#include "misc/dtype.h"
#include "misc/formats/hdf5/hdf5_library.h"

/** The HDF5 type of elements in memory; `re` and `im` name the parts of complex numbers. The caller closes
 * the type. */
extern hid_t hdf5_memory_type(const struct hdf5 *h5, enum dtype t, const char *re, const char *im);

/** The largest box [start, start + count) that begins at element `first` of an array (last dim fastest) and
 * covers at most the next n elements without a gap. Returns the number of its elements. */
extern long hdf5_box(int rank, const hsize_t dims[], long first, long n, hsize_t start[], hsize_t count[]);

/** Does every link of the path exist? */
extern bool hdf5_exists(const struct hdf5 *h5, hid_t file, const char *path);

/** The error text of the library for the last call, with the version of the library (malloc'd). Must be
 * called immediately after the failed call. */
extern char *hdf5_reason(const struct hdf5 *h5);

/** An error text (malloc'd) that names the first filter which the data set needs and the library lacks, or
 * NULL. */
extern char *hdf5_missing_filter(const struct hdf5 *h5, hid_t dataset);

/** error() if a virtual data set has a missing source, for which the library would return fill values. `path`
 * is the file, `inside` the data set in this file. The data set must not be open. */
extern void hdf5_check_virtual(const struct hdf5 *h5, hid_t file, const char *path, const char *inside);

#endif
