#ifndef MISC_FORMATS_EMBED_H
#define MISC_FORMATS_EMBED_H

#include "misc/file/hdr.h"

/**
 * The header of an array, stored in the comment field of files of other formats. The stored header has the
 * sections of doc/format.md except command and history. It keeps information for which the other format has
 * no field.
 */

/** The text of the comment (malloc'd); it begins with "# Dimensions". */
extern char *embed_text(const struct hdr *h);

/** Writes a text in one line for line-based formats: backslash, line end and the characters ; { } become \\,
 * \n and \xHH (malloc'd). embed_unescape() is the inverse; it keeps malformed parts unchanged. */
extern char *embed_escape(const char *text);
extern char *embed_unescape(const char *line);

/** Finds the beginning of the text of a header in a comment; NULL if there is none. */
extern const char *embed_find(const char *comment);

/** Which values the fields of a file contain: spacing and origin of the first `dims` dims, `direction`
 * (otherwise along the axes), and `rescale`, which is slope and intercept (otherwise 1 and 0). */
struct said {
	int dims;
	bool direction, rescale;
};

/**
 * Adds the content of the text to h, a header read from the fields of the file. The detector is copied;
 * quantity, unit and the sections in hdr.extra are copied if h lacks them. Dims are copied if dim 0, dim 1
 * and the number of elements agree. The type bool replaces uint8. Spacing, origin and direction are copied if
 * the fields lack them or agree to 1e-6 (single precision, decimal rounding). A field that another program
 * changed has priority. error() naming `name` if the text is malformed.
 */
extern void embed_apply(struct hdr *h, const char *text, const char *name, struct said said);

#endif
