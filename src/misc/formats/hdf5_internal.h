#ifndef MISC_FORMATS_HDF5_INTERNAL_H
#define MISC_FORMATS_HDF5_INTERNAL_H

#include "misc/dtype.h"
#include "misc/formats/hdf5_library.h"

/** The HDF5 type of elements in memory; `re` and `im` name the parts of complex numbers. To be closed. */
extern hid_t hdf5_memory_type(const struct hdf5 *h5, enum dtype t, const char *re, const char *im);

/** The largest box [start, start + count) of an array that begins at element `first` (last dim fastest) and
 * covers at most the next n elements without a gap; returns its elements. */
extern long hdf5_box(int rank, const hsize_t dims[], long first, long n, hsize_t start[], hsize_t count[]);

#endif
