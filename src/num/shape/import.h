#ifndef NUM_SHAPE_IMPORT_H
#define NUM_SHAPE_IMPORT_H

#include "misc/describe.h"
#include "misc/file/hdr.h"
#include "misc/formats/names.h"
#include "num/shape/stack.h"

/** Files of other programs to arrays: plain elements, pictures, and files read by misc/formats. All functions
 * end with error() if the files do not fit together. */

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

/** Writes an array `name` with that header, files one after the other along a dimension. transpose: the first
 * two dimensions are exchanged. */
extern void import_raw(const char *name, struct hdr *h, const struct import_files *files,
        const struct import_raw *l, int along, bool transpose);

/** TIFF and PNG, one page per picture; range NULL: all of them. */
extern void import_pictures(const char *name, const struct describe_opts *about,
        const struct import_files *files, const char *range, bool transpose);

/** Other formats, with the requested flat fields, dark fields and angles. */
extern void import_scan(
        const struct import_scan *o, const struct describe_opts *about, const struct import_files *files);

/** error() unless all n bytes are 0 or 1. */
extern void import_check_bools(const char *path, const unsigned char *p, long n);

#endif
