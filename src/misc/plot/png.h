#ifndef MISC_PLOT_PNG_H
#define MISC_PLOT_PNG_H

#include <stdbool.h>

#include "misc/mem.h"

#include "misc/file.h"

/** Writes PNG pictures row by row, so that a picture may be larger than memory; reads gray pictures. */

enum { PNG_MAX_SIDE = 0x7fffffff };

struct png_format {
	long width, height; // [pixels], 1..PNG_MAX_SIDE
	int bits;           // 8 or 16 per sample
	bool rgb;           // three samples per pixel, else one (gray)
	const char *text;   // a comment, or NULL
};

/** Fills row y (0 is the top): width pixels of 1 or 3 samples, unsigned char for 8 bits, native unsigned
 * short for 16. */
typedef void png_row_fn(void *ctx, long y, void *row);

/** Writes the whole picture to an output begun with file_create(); `path` is for messages. error() if the
 * disk is full. */
extern void png_write(
        struct file_out *f, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx);

/** Like png_write(), but appends the PNG file to a text. */
extern void png_encode(
        struct str *out, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx);

/** Does the file start like a PNG? False if the file cannot be read. */
extern bool png_probe(const char *path);

/** Width, height and bits (8 or 16) of a gray picture, and its comment (malloc'd) if `text` is not NULL.
 * Returns NULL, or an error text (malloc'd) that names the file; so does png_read(). Pictures of 1, 2 and 4
 * bits have 8 bits in memory, with unchanged values. */
extern char *png_scan(const char *path, struct png_format *fmt, char **text);

/** Reads the pixels of a gray picture, row 0 first: unsigned char, or native unsigned short. */
extern char *png_read(const char *path, const struct png_format *fmt, void *out);

#endif
