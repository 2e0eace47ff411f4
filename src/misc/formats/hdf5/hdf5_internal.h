#ifndef MISC_FORMATS_HDF5_HDF5_INTERNAL_H
#define MISC_FORMATS_HDF5_HDF5_INTERNAL_H

#include "misc/dtype.h"
#include "misc/formats/hdf5/hdf5_library.h"

/** Returns the HDF5 type of elements in memory. `re` and `im` name the parts of complex numbers. The caller
 * closes the type. */
extern hid_t hdf5_memory_type(const struct hdf5 *h5, enum dtype t, const char *re, const char *im);

/** Finds the largest box of contiguous elements that starts at element `first`. The box has at most n
 * elements and is [start, start + count). The last dim varies fastest. Returns the number of elements in the
 * box. */
extern long hdf5_box(int rank, const hsize_t dims[], long first, long n, hsize_t start[], hsize_t count[]);

/** Returns whether every link of the path exists. */
extern bool hdf5_exists(const struct hdf5 *h5, hid_t file, const char *path);

/** Returns the text of the last library error, with the library version (malloc'd). Must be called
 * immediately after the failed call. */
extern char *hdf5_reason(const struct hdf5 *h5);

/** Returns an error text (malloc'd) that names the first missing filter of the data set. Returns NULL if no
 * filter is missing. */
extern char *hdf5_missing_filter(const struct hdf5 *h5, hid_t dataset);

/** Calls error() if a source of a virtual data set is missing. Without this check, the HDF5 library returns
 * fill values. `path` is the file, and `inside` is the data set. The data set must not be open. */
extern void hdf5_check_virtual(const struct hdf5 *h5, hid_t file, const char *path, const char *inside);

#endif
