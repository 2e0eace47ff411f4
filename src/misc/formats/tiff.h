#ifndef MISC_FORMATS_TIFF_H
#define MISC_FORMATS_TIFF_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Reading grayscale TIFF pages through libtiff: striped or tiled, any compression that libtiff knows,
 * integers of 8 to 64 bits, floats of 16 to 64 bits and complex floats. Element (column, row) of a page is
 * element (i, j) of an array, as stored.
 *
 * The functions do not end the command: they return NULL, or an error text (malloc'd) that names the file. So
 * several threads may read frames, and the caller reports the first damaged frame in the order of the frames.
 */

struct tiff_page {
	long width, height; // [pixels]
	enum dtype type;
	unsigned long offset; // of its directory in the file: the page is found without walking through those
	                      // before
	bool white_is_zero;   // small numbers mean bright: the numbers are kept as they are
	bool turned; // the file asks viewers to turn or mirror the picture: the rows are kept as stored
	bool cut;    // ImageJ's comment says that more pictures follow, but the file ends
	long data;   // its plain elements, in the file's byte order, begin at this byte; 0: libtiff knows
};

/** Does the file start like a TIFF (or BigTIFF)? False if the file cannot be read, and for DICOM files. */
extern bool tiff_probe(const char *path);

/** Lists the pages of a file: *pages is malloc'd. Reduced-resolution copies (thumbnails) are skipped. For a
 * stack over 4 GiB, ImageJ writes a single directory with the number of images that follow; tifffile does the
 * same with truncate=True. These images are also listed as pages. */
extern char *tiff_scan(const char *path, struct tiff_page **pages, long *count);

/** What the first page contains besides its pixels. */
struct tiff_about {
	char *description;    // malloc'd, or NULL
	double resolution[2]; // pixels per unit along x and y; 0 = not said
	int unit;             // of the resolution: 1 none, 2 inch, 3 cm
};

extern void tiff_about(const char *path, struct tiff_about *a);

/** For writers. After tiff_quiet(), errors of libtiff are stored and its warnings appear under -v only.
 * tiff_complaint() returns the first error since that call, or "". */
extern void tiff_quiet(void);
extern const char *tiff_complaint(void);

/** Reads one page, width * height elements, into out. */
extern char *tiff_read(const char *path, const struct tiff_page *page, void *out);

#endif
