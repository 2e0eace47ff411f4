#ifndef MISC_FORMATS_SOURCE_H
#define MISC_FORMATS_SOURCE_H

#include <stdbool.h>

#include "misc/file/hdr.h"

/**
 * A file of another format, opened as one array with a header of Gantry. Elements are read in pieces, so that
 * files may be larger than memory. All functions end the command with an error that names the file if
 * something is wrong.
 */
struct source {
	char *name;   // as messages call it
	struct hdr h; // dims, type, grid, quantity, unit, detector, extra sections
	bool has_rescale;
	char *series;          // NULL, or the name of the set it belongs to: sets are not mixed
	long number;           // in that set, 0 = unknown
	bool white_is_zero;    // small numbers mean bright: the numbers are kept as they are
	double angle;          // of a projection [degrees], NAN = unknown
	enum quantity meaning; // of the values times slope plus intercept
	double rescale[2];     // slope and intercept that the file asks for; the elements are as stored
	void *ctx;

	/** Reads elements [first, first + n) in native byte order, first dim fastest. The elements must be
	 * whole planes (dims 0 and 1). */
	void (*read)(struct source *s, long first, long n, void *out);
	void (*close)(struct source *s);
};

/** The arrays that a file of a scan may contain: projections, flat fields and dark fields. */
enum part { PART_DATA, PART_FLATS, PART_DARKS, PART_COUNT };

extern const char *part_name(enum part p);

struct format {
	const char *name; // "NIfTI"
	bool slices;      // a file is a slice (or several): a stack grows along dim 2
	bool placed;      // slices have positions: a series is sorted by them

	/** Called with the first n bytes of the file (at most FORMAT_HEAD) and its name. */
	bool (*probe)(const unsigned char *head, long n, const char *path);

	/** `inside` names an array in the file, or NULL. Values of `part` other than PART_DATA are only for
	 * formats of scans; the result is NULL if the file lacks this part. */
	struct source *(*open)(const char *path, const char *inside, enum part part);
};

enum { FORMAT_HEAD = 1024 };

/** The format of a file by its first bytes, or NULL if no format of `formats` matches. error() if it
 * cannot be read. */
extern const struct format *format_find(const char *path);

/** A new source: header initialised, name copied. */
extern struct source *source_create(const char *name);
extern void source_close(struct source *s);

/** How elements are packed in a file. */
enum coding { CODING_PLAIN, CODING_DEFLATE /* zlib or gzip, recognised */ };

/** Makes s read the elements in `path` from `offset` on, in this coding; s->h gives type, dims and byte
 * order. offset -1: the elements are the last bytes of the file. error() if an uncompressed file is too small
 * for the header's dims.
 */
extern void source_from_file(struct source *s, const char *path, long offset, enum coding coding);

/** Called after source_from_file() for formats in which nothing follows the elements: warns if more bytes
 * follow. For compressed elements, the warning is printed when the last element is read. */
extern void source_expect_end(struct source *s);

/** Like source_from_file() for a file that is compressed as a whole; the elements begin at byte `skip` of the
 * decompressed file. */
extern void source_from_file_behind(struct source *s, const char *path, long skip);

/** Like source_from_file() for elements in memory (from mem_alloc(), released at close), in the byte order of
 * the header. */
extern void source_from_memory(struct source *s, unsigned char *data);

/** Reads at most `max` bytes from the start of a file and appends a zero (malloc'd). Sets *n to the number of
 * bytes read, and *size to the size of the file. */
extern unsigned char *source_head(const char *path, long max, long *n, long *size);

/** Like source_head(), for the decompressed content of a gzip file; other files are read unchanged. */
extern unsigned char *source_head_unpacked(const char *path, long max, long *n);

/** "dir/of/path/" + name, or name when that is absolute (malloc'd). */
extern char *source_beside(const char *path, const char *name);

/** Whether the data file named in an NRRD or MetaImage header refers to several files: "LIST", "LIST 2" or
 * "slice%03d.raw 1 30 1". */
extern bool source_is_list(const char *name);

/** Adds a section that Gantry does not interpret to the header, or replaces the section of this name. If
 * value is NULL, removes the section. */
extern void source_section(struct hdr *h, const char *name, const char *value);

/** The value (malloc'd) of the section `name` among those that Gantry does not interpret; NULL if there is
 * none. */
extern char *source_section_value(const struct hdr *h, const char *name);

/** Sets spacing and origin [mm] of dim d; a spacing that is not positive and finite is ignored with a
 * warning. */
extern void source_grid(struct source *s, int d, double spacing, double origin);

/** Marks the spacing along dim d as unknown while other spacings are known. The header then lists only the
 * spacings of the dims before d. Must be called after the known spacings are set. */
extern void source_no_spacing(struct hdr *h, int d);

/** Warns if source_no_spacing() has marked the spacing of a dim longer than 1 as unknown. */
extern void source_tell_unknown(const struct hdr *h, const char *name);

/** Stores the directions of the first three axes in section "# Direction", which is omitted for the identity.
 * cosines[axis] is a unit vector in patient coordinates (x to the left, y to the back, z to the head). */
extern void source_direction(struct hdr *h, const double cosines[3][3]);

/** Writes the slope and intercept of section "# Rescale" to v. Without that section, returns false and does
 * not change v. */
extern bool source_rescale_of(const struct hdr *h, double v[2]);

/** Whether the header has a section "# Direction". */
extern bool source_has_direction(const struct hdr *h);

/** The directions in section "# Direction", or the identity without it; false if the section is malformed. */
extern bool source_direction_of(const struct hdr *h, double cosines[3][3]);

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

/** All formats, in the order in which they are tried; the last entry is NULL. */
extern const struct format *const formats[];

#endif
