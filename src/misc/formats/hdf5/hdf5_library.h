#ifndef MISC_FORMATS_HDF5_HDF5_LIBRARY_H
#define MISC_FORMATS_HDF5_HDF5_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** The HDF5 C library, 1.10 or later, opened on first use. The build does not need the library. Names, types
 * and constants are those of the HDF5 reference manual. */

typedef int64_t hid_t;
typedef int herr_t, htri_t;
typedef unsigned long long hsize_t;
typedef long long hssize_t;

enum { H5F_ACC_RDONLY_ = 0, H5F_ACC_TRUNC_ = 2 };
enum { H5S_SELECT_SET_ = 0, H5S_SCALAR_ = 0, H5S_MAX_RANK_ = 32 };
enum { H5T_INTEGER_ = 0, H5T_FLOAT_ = 1, H5T_STRING_ = 3, H5T_COMPOUND_ = 6, H5T_ENUM_ = 8 };
enum { H5I_GROUP_ = 2, H5I_DATASET_ = 5 };
enum { H5_INDEX_NAME_ = 0, H5_ITER_INC_ = 0 };
enum { H5F_LIBVER_V18_ = 1, H5Z_FILTER_DEFLATE_ = 1 };
enum { H5D_VIRTUAL_ = 3, H5E_WALK_UPWARD_ = 0 };

/* An entry of the library's list of errors. */
struct hdf5_error {
	hid_t class, major, minor;
	unsigned line;
	const char *function, *file, *text;
};

#define HDF5_FUNCTIONS(X)                                                                                    \
	X(herr_t, open, (void))                                                                              \
	X(herr_t, Eset_auto2, (hid_t stack, void *fn, void *data))                                           \
	X(herr_t, Ewalk2,                                                                                    \
	        (hid_t stack, int direction,                                                                 \
	                herr_t (*fn)(unsigned n, const struct hdf5_error *e, void *ctx), void *ctx))         \
	X(herr_t, get_libversion, (unsigned *major, unsigned *minor, unsigned *release))                     \
	X(hid_t, Fopen, (const char *name, unsigned flags, hid_t access))                                    \
	X(hid_t, Fcreate, (const char *name, unsigned flags, hid_t create, hid_t access))                    \
	X(herr_t, Fclose, (hid_t file))                                                                      \
	X(hid_t, Gcreate2, (hid_t loc, const char *name, hid_t link, hid_t create, hid_t access))            \
	X(herr_t, Gclose, (hid_t group))                                                                     \
	X(htri_t, Lexists, (hid_t loc, const char *name, hid_t access))                                      \
	X(ssize_t, Lget_name_by_idx,                                                                         \
	        (hid_t loc, const char *group, int index, int order, hsize_t n, char *name, size_t size,     \
	                hid_t access))                                                                       \
	X(hid_t, Oopen, (hid_t loc, const char *name, hid_t access))                                         \
	X(herr_t, Oclose, (hid_t object))                                                                    \
	X(int, Iget_type, (hid_t id))                                                                        \
	X(hid_t, Dcreate2,                                                                                   \
	        (hid_t loc, const char *name, hid_t type, hid_t space, hid_t link, hid_t create,             \
	                hid_t access))                                                                       \
	X(hid_t, Dopen2, (hid_t loc, const char *name, hid_t access))                                        \
	X(hid_t, Dget_create_plist, (hid_t dataset))                                                         \
	X(hid_t, Dget_space, (hid_t dataset))                                                                \
	X(hid_t, Dget_type, (hid_t dataset))                                                                 \
	X(herr_t, Dread, (hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t transfer, void *data))  \
	X(herr_t, Dwrite,                                                                                    \
	        (hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t transfer, const void *data))     \
	X(hid_t, Screate, (int kind))                                                                        \
	X(hid_t, Screate_simple, (int rank, const hsize_t *dims, const hsize_t *max))                        \
	X(int, Sget_simple_extent_ndims, (hid_t space))                                                      \
	X(int, Sget_simple_extent_dims, (hid_t space, hsize_t * dims, hsize_t * max))                        \
	X(hssize_t, Sget_simple_extent_npoints, (hid_t space))                                               \
	X(herr_t, Sselect_hyperslab,                                                                         \
	        (hid_t space, int op, const hsize_t *start, const hsize_t *stride, const hsize_t *count,     \
	                const hsize_t *block))                                                               \
	X(herr_t, Sclose, (hid_t space))                                                                     \
	X(int, Tget_class, (hid_t type))                                                                     \
	X(size_t, Tget_size, (hid_t type))                                                                   \
	X(int, Tget_sign, (hid_t type))                                                                      \
	X(int, Tget_nmembers, (hid_t type))                                                                  \
	X(char *, Tget_member_name, (hid_t type, unsigned n))                                                \
	X(hid_t, Tget_member_type, (hid_t type, unsigned n))                                                 \
	X(htri_t, Tis_variable_str, (hid_t type))                                                            \
	X(hid_t, Tcopy, (hid_t type))                                                                        \
	X(hid_t, Tcreate, (int class, size_t size))                                                          \
	X(hid_t, Tenum_create, (hid_t base))                                                                 \
	X(herr_t, Tenum_insert, (hid_t type, const char *name, const void *value))                           \
	X(herr_t, Tinsert, (hid_t type, const char *name, size_t offset, hid_t member))                      \
	X(herr_t, Tset_size, (hid_t type, size_t size))                                                      \
	X(herr_t, Tset_precision, (hid_t type, size_t bits))                                                 \
	X(herr_t, Tset_fields,                                                                               \
	        (hid_t type, size_t sign, size_t epos, size_t esize, size_t mpos, size_t msize))             \
	X(herr_t, Tset_ebias, (hid_t type, size_t bias))                                                     \
	X(herr_t, Tclose, (hid_t type))                                                                      \
	X(htri_t, Aexists, (hid_t object, const char *name))                                                 \
	X(hid_t, Aopen, (hid_t object, const char *name, hid_t access))                                      \
	X(hid_t, Acreate2,                                                                                   \
	        (hid_t object, const char *name, hid_t type, hid_t space, hid_t create, hid_t access))       \
	X(hid_t, Aget_type, (hid_t attribute))                                                               \
	X(hid_t, Aget_space, (hid_t attribute))                                                              \
	X(herr_t, Aread, (hid_t attribute, hid_t type, void *data))                                          \
	X(herr_t, Awrite, (hid_t attribute, hid_t type, const void *data))                                   \
	X(herr_t, Aclose, (hid_t attribute))                                                                 \
	X(hid_t, Pcreate, (hid_t class))                                                                     \
	X(herr_t, Pset_chunk, (hid_t list, int rank, const hsize_t *dims))                                   \
	X(herr_t, Pset_deflate, (hid_t list, unsigned level))                                                \
	X(herr_t, Pset_shuffle, (hid_t list))                                                                \
	X(herr_t, Pset_userblock, (hid_t list, hsize_t size))                                                \
	X(int, Pget_layout, (hid_t list))                                                                    \
	X(herr_t, Pget_virtual_count, (hid_t list, size_t * count))                                          \
	X(ssize_t, Pget_virtual_filename, (hid_t list, size_t i, char *name, size_t size))                   \
	X(ssize_t, Pget_virtual_dsetname, (hid_t list, size_t i, char *name, size_t size))                   \
	X(herr_t, Pset_virtual_printf_gap, (hid_t list, hsize_t gap))                                        \
	X(int, Pget_nfilters, (hid_t list))                                                                  \
	X(int, Pget_filter2,                                                                                 \
	        (hid_t list, unsigned i, unsigned *flags, size_t *n, unsigned *values, size_t size,          \
	                char *name, unsigned *config))                                                       \
	X(htri_t, Zfilter_avail, (int filter))                                                               \
	X(herr_t, Pclose, (hid_t list))                                                                      \
	X(herr_t, free_memory, (void *p))

#define HDF5_IDS(X)                                                                                          \
	X(T_NATIVE_INT8)                                                                                     \
	X(T_NATIVE_INT16)                                                                                    \
	X(T_NATIVE_INT32)                                                                                    \
	X(T_NATIVE_INT64)                                                                                    \
	X(T_NATIVE_UINT8)                                                                                    \
	X(T_NATIVE_UINT16)                                                                                   \
	X(T_NATIVE_UINT32)                                                                                   \
	X(T_NATIVE_UINT64)                                                                                   \
	X(T_NATIVE_FLOAT)                                                                                    \
	X(T_NATIVE_DOUBLE)                                                                                   \
	X(T_C_S1)                                                                                            \
	X(P_CLS_FILE_CREATE_ID)                                                                              \
	X(P_CLS_DATASET_CREATE_ID)                                                                           \
	X(P_CLS_DATASET_ACCESS_ID)

#define X(type, name, args) type(*name) args;
#define Y(name)             hid_t name;
struct hdf5 {
	HDF5_FUNCTIONS(X)
	HDF5_IDS(Y)
};
#undef X
#undef Y

/** Returns the library. If the library is missing, an error() names `path` and the package to install. */
extern const struct hdf5 *hdf5_library(const char *path);

#endif
