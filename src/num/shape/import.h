#ifndef NUM_SHAPE_IMPORT_H
#define NUM_SHAPE_IMPORT_H

#include "misc/describe.h"
#include "misc/file/hdr.h"
#include "misc/formats/names.h"
#include "num/shape/stack.h"

/** These functions import files of other programs as arrays. Files that do not fit together are an error().
 */

struct import_files {
	int n;
	struct named_file *v;
};

/** Options of --raw. */
struct import_raw {
	int rank;
	long dims[DIMS]; // of one file
	enum dtype type;
	bool swap; // swap the byte order
	long skip; // bytes before the elements
};

struct import_scan {
	const char *out[PART_COUNT]; // output names, NULL for parts that are not wanted
	const char *angles;
	const char *range;
	int along;
	bool transpose, rescale, no_sort;
};

/** Imports raw files as one array `name`, joined along dim `along`. The other header entries come from h. If
 * `transpose` is true, dims 0 and 1 are exchanged. */
extern void import_raw(const char *name, struct hdr *h, const struct import_files *files,
        const struct import_raw *l, int along, bool transpose);

/** Imports TIFF and PNG files, with every page as one slice. If `range` is NULL, all pages are imported. */
extern void import_pictures(const char *name, const struct describe_opts *about,
        const struct import_files *files, const char *range, bool transpose);

/** Imports files of the formats in misc/formats, with the requested flat fields, dark fields and angles. */
extern void import_scan(
        const struct import_scan *o, const struct describe_opts *about, const struct import_files *files);

/** Ends with error() if any of n bytes is neither 0 nor 1. */
extern void import_check_bools(const char *path, const unsigned char *p, long n);

#endif
