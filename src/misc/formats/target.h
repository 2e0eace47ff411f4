#ifndef MISC_FORMATS_TARGET_H
#define MISC_FORMATS_TARGET_H

#include <stdbool.h>

#include "misc/file/hdr.h"

/**
 * An output file of another format: elements are passed in order, in pieces. The file appears under its name
 * only when it is complete. All functions end the command with error() if something is wrong.
 */
struct target_opts {
	bool compress;      // deflate, where the format can
	bool big_endian;    // raw files
	const char *inside; // name of the array in an HDF5 or .npz file, or NULL
	long slice, slices; // of a series: this one from 0, how many
	const char *series; // of DICOM files: makes their unique names
};

struct target {
	const char *path;
	struct hdr h; // what is written: dims, type, grid, quantity, ...
	const struct target_opts *o;
	void *ctx;
	void (*write)(struct target *t, const void *data, long n); // elements
	void (*finish)(struct target *t);
	void (*last)(struct target *t); // of kinds whose finish() does something before another
};

/** Which header fields a format stores. */
enum { KEEPS_GRID = 1, KEEPS_REST = 2 };

struct target_kind {
	const char *name;      // "NIfTI"
	const char *extension; // ".nii"; a longer one (".nii.gz") is another kind
	unsigned types;        // bit mask of enum dtype
	int rank;              // dimensions a file holds
	unsigned keeps;
	bool can_compress;

	void (*create)(struct target *t); // header written, write and finish set
};

/** The output format with the longest extension that matches the name, or NULL. */
extern const struct target_kind *target_kind(const char *path);

/** Whether arrays in files of this format have names: FILE:NAME. */
extern bool target_has_names(const struct target_kind *k);

/** All extensions in one line, for messages. */
extern char *target_extensions(void);

/** If the format cannot store type or dims of h, error() naming `path` and an alternative; warns of header
 * fields that it cannot store. */
extern void target_check(const struct target_kind *k, const struct hdr *h, const char *path);

extern struct target *target_create(
        const struct target_kind *k, const char *path, const struct hdr *h, const struct target_opts *o);
extern void target_finish(struct target *t);

/** How the elements are compressed in a file that consists of a header and then the elements (little-endian,
 * first dim fastest). */
enum packing { PACK_NONE, PACK_ZLIB, PACK_GZIP, PACK_GZIP_ALL /* the header too */ };

/** Writes `length` bytes of header to t->path; the elements follow. */
extern void target_plain(struct target *t, const void *header, long length, enum packing p);

/** Like target_plain(), but writes the elements to `data_path` and only the header to t->path. */
extern void target_detached(
        struct target *t, const void *header, long length, const char *data_path, enum packing p);

/** Writes the size of the compressed elements at byte `at` of the header, where it replaces a placeholder of
 * PACKED_DIGITS digits. */
enum { PACKED_DIGITS = 18 };
extern void target_packed_size(struct target *t, long at);

/** `path` with `extension` instead of its extension `own` (malloc'd). */
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
