#ifndef MISC_FORMATS_EMBED_H
#define MISC_FORMATS_EMBED_H

#include "misc/file/hdr.h"

/**
 * Our header inside other programs' files, in whatever place they have for a comment: the sections of
 * doc/format.md without command and history, so that what a format has no field for survives it.
 */

/** The text (malloc'd); it begins with "# Dimensions". */
extern char *embed_text(const struct hdr *h);

/** A text in one line for formats of lines: backslash, line end and the characters ; { } written as \\, \n
 * and \xHH (malloc'd); and back, whatever is malformed kept as it is. */
extern char *embed_escape(const char *text);
extern char *embed_unescape(const char *line);

/** Where such a text begins in a comment, or NULL. */
extern const char *embed_find(const char *comment);

/** What the fields of a file say: spacing and origin of the first `dims` dims, a direction (none in the
 * header: along the axes), a slope with intercept (none in the header: 1 and 0). */
struct said {
	int dims;
	bool direction, rescale;
};

/**
 * Adds what the text says to h, a header read from the fields of the file: dims when only the division of the
 * last ones differs, bool for uint8, quantity, unit, detector, unknown sections; spacing, origin and
 * direction where the fields have none or the same to 1e-6, which single precision or decimal rounding
 * explains. A field that another program changed wins. error() naming `name` when the text is malformed.
 */
extern void embed_apply(struct hdr *h, const char *text, const char *name, struct said said);

#endif
