#ifndef MISC_FORMATS_EMBED_H
#define MISC_FORMATS_EMBED_H

#include "misc/file/hdr.h"

/**
 * Our header inside files of other formats, in their field for comments: the sections of doc/format.md
 * without command and history, so that information without a field of its own is kept.
 */

/** The text (malloc'd); it begins with "# Dimensions". */
extern char *embed_text(const struct hdr *h);

/** A text in one line for line-based formats: backslash, line end and the characters ; { } written as \\, \n
 * and \xHH (malloc'd); and the inverse, which keeps malformed parts unchanged. */
extern char *embed_escape(const char *text);
extern char *embed_unescape(const char *line);

/** Where such a text begins in a comment, or NULL. */
extern const char *embed_find(const char *comment);

/** What the fields of a file contain: spacing and origin of the first `dims` dims, a direction (not in the
 * header: along the axes), a slope and intercept (not in the header: 1 and 0). */
struct said {
	int dims;
	bool direction, rescale;
};

/**
 * Adds the content of the text to h, a header read from the fields of the file. Dims are taken if only the
 * split of the last ones differs, bool for uint8, also quantity, unit, detector and unknown sections.
 * Spacing, origin and direction are taken if the fields lack them or agree to 1e-6 (single precision, decimal
 * rounding). A field that another program changed has priority. error() naming `name` if the text is
 * malformed.
 */
extern void embed_apply(struct hdr *h, const char *text, const char *name, struct said said);

#endif
