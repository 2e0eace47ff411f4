#ifndef MISC_PLOT_PNG_H
#define MISC_PLOT_PNG_H

#include <stdbool.h>

#include "misc/mem.h"

#include "misc/file.h"

/** Writes PNG pictures row by row, and reads grayscale PNG pictures. */

enum { PNG_MAX_SIDE = 0x7fffffff };

struct png_format {
	long width, height; // [pixels], 1 to PNG_MAX_SIDE
	int bits;           // 8 or 16 per sample
	bool rgb;           // true for colours, false for grayscale
	const char *text;   // comment, or NULL
};

/** Fills row y of the picture, counted from the top. Samples of 8 bits are unsigned char. Samples of 16
 * bits are unsigned short in native byte order. */
typedef void png_row_fn(void *ctx, long y, void *row);

/** Writes a picture to an output from file_create(). Messages contain `path`. A full disk is an error(). */
extern void png_write(
        struct file_out *f, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx);

/** Like png_write(), but appends the PNG file to a string. */
extern void png_encode(
        struct str *out, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx);

/** Returns whether the file begins like a PNG file. The result is false if the file cannot be read. */
extern bool png_probe(const char *path);

/** Reads the size and bits of a grayscale picture. Pictures of 1, 2 or 4 bits are read with 8 bits. If
 * `text` is not NULL, the comment is stored in *text. Before the call, *text must be NULL. Returns NULL or
 * an error message. The caller frees comment and message. A file that cannot be opened is an error(). */
extern char *png_scan(const char *path, struct png_format *fmt, char **text);

/** Reads the pixels, row by row from the top. `fmt` is the result of png_scan(). Samples have the types of
 * png_row_fn. Errors are returned as in png_scan(). */
extern char *png_read(const char *path, const struct png_format *fmt, void *out);

#endif
