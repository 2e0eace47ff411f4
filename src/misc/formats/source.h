#ifndef MISC_FORMATS_SOURCE_H
#define MISC_FORMATS_SOURCE_H

#include <stdbool.h>

#include "misc/file/hdr.h"

/** A file of another format, opened as one array. Elements are read in pieces, because files may be larger
 * than memory. On failure, all functions call error() with the name of the file. */
struct source {
	char *name;   // name in messages
	struct hdr h; // dims, type, spacing, origin, quantity, unit, detector, other sections
	bool has_rescale;
	char *series;          // series of the file, or NULL
	long number;           // number in the series, 0 if unknown
	bool white_is_zero;    // small values are bright; values are kept
	double angle;          // of a projection [degrees], NAN if unknown
	enum quantity meaning; // quantity of slope * element + intercept
	double rescale[2];     // slope and intercept in the file, not applied to elements
	void *ctx;

	/** Reads elements [first, first + n) in native byte order, dim 0 fastest. The elements must be whole
	 * planes of dims 0 and 1. */
	void (*read)(struct source *s, long first, long n, void *out);
	void (*close)(struct source *s);
};

/** Arrays in the file of a scan: projections, flat fields and dark fields. */
enum part { PART_DATA, PART_FLATS, PART_DARKS, PART_COUNT };

extern const char *part_name(enum part p);

struct format {
	const char *name; // "NIfTI"
	bool slices;      // a file has one or more slices; files are stacked along dim 2
	bool placed;      // slices have positions, which sort the files

	/** Returns whether a file has this format. `head` is the first n <= FORMAT_HEAD bytes of the file. */
	bool (*probe)(const unsigned char *head, long n, const char *path);

	/** Opens the array `inside` of the file; NULL means the default array. Returns NULL if the file lacks
	 * the requested part of a scan. */
	struct source *(*open)(const char *path, const char *inside, enum part part);
};

enum { FORMAT_HEAD = 1024 };

/** Returns the format of a file, or NULL if no format matches. A file that cannot be read is an error(). */
extern const struct format *format_find(const char *path);

/** Returns a new source with an initialised header. */
extern struct source *source_create(const char *name);
extern void source_close(struct source *s);

/** Compression of the elements in a file. */
enum coding { CODING_PLAIN, CODING_DEFLATE /* zlib or gzip, recognised */ };

/** Makes s read elements from the file `path`, starting at byte `offset`. The header s->h gives type, dims
 * and byte order. An offset of -1 means that the file ends with the elements. A file that is too small is an
 * error(). */
extern void source_from_file(struct source *s, const char *path, long offset, enum coding coding);

/** Warns if bytes follow the elements of an uncompressed file. Must be called after source_from_file().
 * Compressed files are always checked when the last element is read. */
extern void source_expect_end(struct source *s);

/** Works like source_from_file() for a file that is compressed as a whole. The elements begin at byte `skip`
 * of the decompressed file. */
extern void source_from_file_behind(struct source *s, const char *path, long skip);

/** Makes s read the elements from `data`, in the byte order of the header. The function source_close() frees
 * `data`. */
extern void source_from_memory(struct source *s, unsigned char *data);

/** Returns the first `max` or fewer bytes of a file and a zero byte (malloc'd). Sets *n to the number of
 * bytes read, and *size to the file size. */
extern unsigned char *source_head(const char *path, long max, long *n, long *size);

/** Works like source_head(), but decompresses a gzip file. */
extern unsigned char *source_head_unpacked(const char *path, long max, long *n);

/** Returns the path of the file `name` in the folder of `path` (malloc'd). An absolute name is returned
 * unchanged. */
extern char *source_beside(const char *path, const char *name);

/** Returns whether a data file name in an NRRD or MetaImage header means several files. Examples are "LIST",
 * "LIST 2" and "slice%03d.raw 1 30 1". */
extern bool source_is_list(const char *name);

/** Sets spacing and origin of dim d [mm]. Warns and ignores a spacing that is not positive or not finite. */
extern void source_grid(struct source *s, int d, double spacing, double origin);

/** Marks the spacing of dim d as unknown. Must be called after the known spacings are set. The header then
 * lists only the spacings of dims below d. */
extern void source_no_spacing(struct hdr *h, int d);

/** Warns if the spacing of a dim longer than 1 is unknown. */
extern void source_tell_unknown(const struct hdr *h, const char *name);

#define FORMATS(X)                                                                                           \
	X(hdf5)                                                                                              \
	X(npy)                                                                                               \
	X(npz)                                                                                               \
	X(matlab5)                                                                                           \
	X(nifti)                                                                                             \
	X(metaimage)                                                                                         \
	X(nrrd)                                                                                              \
	X(edf)                                                                                               \
	X(dicom)

#define X(name) extern const struct format format_##name;
FORMATS(X)
#undef X

/** All formats, in the order in which they are tried. The last entry is NULL. */
extern const struct format *const formats[];

#endif
