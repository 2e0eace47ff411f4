#ifndef MISC_FORMATS_TIFF_HEAD_H
#define MISC_FORMATS_TIFF_HEAD_H

#include "misc/file/hdr.h"
#include "misc/mem.h"

/**
 * The part of an uncompressed TIFF file before its elements, with the directories of all pages. The elements
 * follow without gaps, page after page. Files over 4 GiB are BigTIFF.
 */
struct tiff_head {
	const struct hdr *h;
	const char *description; // of the first page
	int sample_format;
	long rows;            // of a strip
	double resolution[2]; // [1/cm], 0 = not said
};

extern struct str tiff_head_format(const struct tiff_head *t);

#endif
