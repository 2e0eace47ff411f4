#ifndef NUM_SHAPE_IMPORT_H
#define NUM_SHAPE_IMPORT_H

#include "misc/describe.h"
#include "misc/file/hdr.h"
#include "misc/formats/names.h"
#include "num/shape/stack.h"

/** Imports files of other programs to arrays: raw elements, pictures, and files read by misc/formats. All
 * functions end with error() if the files do not fit together. */

struct import_files {
	int n;
	struct named_file *v;
};

/** The options of --raw. */
struct import_raw {
	int rank;
	long dims[DIMS]; // of one file
	enum dtype type;
	bool swap; // the other byte order
	long skip; // bytes before the elements
};

struct import_scan {
	const char *out[PART_COUNT]; // names of outputs, NULL = not wanted
	const char *angles;
	const char *range;
	int along;
	bool transpose, rescale, no_sort;
};

/** Imports raw files to an array `name` with header h, joined along a dimension. transpose: exchanges the
 * first two dimensions. */
extern void import_raw(const char *name, struct hdr *h, const struct import_files *files,
        const struct import_raw *l, int along, bool transpose);

/** Imports TIFF and PNG files with one page per picture; range NULL: all pictures. */
extern void import_pictures(const char *name, const struct describe_opts *about,
        const struct import_files *files, const char *range, bool transpose);

/** Imports other formats, with the requested flat fields, dark fields and angles. */
extern void import_scan(
        const struct import_scan *o, const struct describe_opts *about, const struct import_files *files);

/** error() unless all n bytes are 0 or 1. */
extern void import_check_bools(const char *path, const unsigned char *p, long n);

#endif
