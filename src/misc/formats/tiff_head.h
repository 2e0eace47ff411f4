#ifndef MISC_FORMATS_TIFF_HEAD_H
#define MISC_FORMATS_TIFF_HEAD_H

#include "misc/file/hdr.h"
#include "misc/mem.h"

/** Start of an uncompressed TIFF file, with the directories of all pages. The elements of all pages follow
 * without gaps. Files over 4 GiB are BigTIFF. */
struct tiff_head {
	const struct hdr *h;
	const char *description; // comment of the first page
	int sample_format;
	long rows;            // rows per strip
	double resolution[2]; // [1/cm], 0 if unknown
};

extern struct str tiff_head_format(const struct tiff_head *t);

#endif
