#ifndef MISC_PNG_H
#define MISC_PNG_H

#include <stdbool.h>

#include "misc/file.h"

/** Writing PNG pictures, row by row, so that a picture may be larger than memory. */

enum { PNG_MAX_SIDE = 0x7fffffff };

struct png_format {
	long width, height; // [pixels], 1..PNG_MAX_SIDE
	int bits;           // 8 or 16 per sample
	bool rgb;           // three samples per pixel, else one (gray)
};

/** Fills row y (0 is the top): width pixels of 1 or 3 samples, unsigned char for 8 bits, native unsigned
 * short for 16. */
typedef void png_row_fn(void *ctx, long y, void *row);

/** Writes the whole picture to an output begun with file_create(); `path` is for messages. error() when the
 * disk is full. */
extern void png_write(
        struct file_out *f, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx);

#endif
