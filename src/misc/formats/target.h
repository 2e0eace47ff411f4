#ifndef MISC_FORMATS_TARGET_H
#define MISC_FORMATS_TARGET_H

#include <stdbool.h>

#include "misc/file/hdr.h"

/** Output files of other formats. Elements are written in order, piece by piece. A file gets the final name
 * when all elements are written. On failure, all functions call error(). */
struct target_opts {
	bool compress;      // deflate the elements, if the format can
	bool big_endian;    // only for raw files
	const char *inside; // array name in an HDF5 or .npz file, or NULL
	long slice, slices; // index and number of files in a series
	const char *series; // text from which DICOM UIDs are made
};

struct target {
	const char *path;
	struct hdr h; // header of the output
	const struct target_opts *o;
	void *ctx;
	void (*write)(struct target *t, const void *data, long n); // n elements
	void (*finish)(struct target *t);
	void (*last)(struct target *t); // second part of finish(), for some formats
};

/** Header fields that a format stores. KEEPS_GRID means spacing and origin; KEEPS_REST means quantity and
 * unit. */
enum { KEEPS_GRID = 1, KEEPS_REST = 2 };

struct target_kind {
	const char *name;      // "NIfTI"
	const char *extension; // ".nii" or ".nii.gz"
	unsigned types;        // bit mask of supported enum dtype
	int rank;              // maximum number of dims
	unsigned keeps;
	bool can_compress;

	void (*create)(struct target *t); // writes the header, sets write and finish
};

/** Returns the output format with the longest extension that matches the name, or NULL. */
extern const struct target_kind *target_kind(const char *path);

/** Returns whether arrays in files of this format have names, as in FILE:NAME. */
extern bool target_has_names(const struct target_kind *k);

/** Returns all extensions in one line, for messages (malloc'd). */
extern char *target_extensions(void);

/** Calls error() if the format cannot store the type or the dims of h. Warns of header fields that the format
 * cannot store. */
extern void target_check(const struct target_kind *k, const struct hdr *h, const char *path);

extern struct target *target_create(
        const struct target_kind *k, const char *path, const struct hdr *h, const struct target_opts *o);
extern void target_finish(struct target *t);

/** Compression of a file that consists of a header and the elements. The elements are little-endian, with dim
 * 0 fastest. */
enum packing { PACK_NONE, PACK_ZLIB, PACK_GZIP, PACK_GZIP_ALL /* the header too */ };

/** Writes `length` bytes of header to t->path. The elements follow. */
extern void target_plain(struct target *t, const void *header, long length, enum packing p);

/** Writes the header to t->path and the elements to `data_path`. */
extern void target_detached(
        struct target *t, const void *header, long length, const char *data_path, enum packing p);

/** At byte `at` of the header, target_finish() will write the size of the compressed elements. The size
 * replaces a placeholder of PACKED_DIGITS digits. */
enum { PACKED_DIGITS = 18 };
extern void target_packed_size(struct target *t, long at);

/** Returns `path` after replacing the extension `own` by `extension` (malloc'd). */
extern char *target_other_name(const char *path, const char *own, const char *extension);

extern void target_tiff(struct target *t);
extern void target_ome_tiff(struct target *t);
extern void target_png(struct target *t);
extern void target_hdf5(struct target *t);
extern void target_matlab(struct target *t);
extern void target_raw(struct target *t);
extern void target_npy(struct target *t);
extern void target_npz(struct target *t);
extern void target_nifti(struct target *t);
extern void target_metaimage(struct target *t);
extern void target_nrrd(struct target *t);
extern void target_edf(struct target *t);
extern void target_dicom(struct target *t);

#endif
