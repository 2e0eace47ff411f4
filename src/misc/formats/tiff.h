#ifndef MISC_FORMATS_TIFF_H
#define MISC_FORMATS_TIFF_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Reads grayscale TIFF pages in strips or tiles, with any compression that libtiff supports. Elements are
 * integers of 8 to 64 bits, floats of 16 to 64 bits, or complex floats. Pixel (column, row) of a page is
 * array element (i, j).
 *
 * The functions return NULL, or an error text that names the file (malloc'd). Several threads may read pages
 * at the same time.
 */

struct tiff_page {
	long width, height; // [pixels]
	enum dtype type;
	unsigned long offset; // of the page directory in the file [bytes]
	bool white_is_zero;   // small values are bright; values are kept
	bool turned;          // the file asks for rotation or mirroring; rows are kept as stored
	bool cut;             // the file has fewer images than the comment says
	long data;            // offset of plain elements in the file [bytes]; 0 means use libtiff
};

/** Returns whether a file starts like a TIFF or BigTIFF file. Returns false for DICOM files and for
 * unreadable files. */
extern bool tiff_probe(const char *path);

/** Lists the pages of a file in *pages (malloc'd). Reduced-resolution pages (thumbnails) are skipped. ImageJ
 * and tifffile (truncate=True) may write many images with a single page directory. All images of such a file
 * are listed as pages. */
extern char *tiff_scan(const char *path, struct tiff_page **pages, long *count);

/** Metadata of the first page. */
struct tiff_about {
	char *description;    // comment (malloc'd), or NULL
	double resolution[2]; // pixels per unit along x and y, 0 if unknown
	int unit;             // of the resolution: 1 none, 2 inch, 3 cm
};

extern void tiff_about(const char *path, struct tiff_about *a);

/**
 * These functions are for writers:
 *
 * - tiff_quiet(): stores later errors of libtiff instead of printing the errors. Warnings appear only with
 *   -v.
 * - tiff_complaint(): returns the first error since tiff_quiet(), or "".
 */
extern void tiff_quiet(void);
extern const char *tiff_complaint(void);

/** Reads the width * height elements of a page into `out`. */
extern char *tiff_read(const char *path, const struct tiff_page *page, void *out);

#endif
