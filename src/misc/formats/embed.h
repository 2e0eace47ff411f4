#ifndef MISC_FORMATS_EMBED_H
#define MISC_FORMATS_EMBED_H

#include "misc/file/hdr.h"

/** The header of an array, stored in the comment of a file of another format. The stored text has the
 * sections of doc/format.md except command and history. */

/** Returns the header text for the comment (malloc'd). The text begins with "# Dimensions". */
extern char *embed_text(const struct hdr *h);

/**
 * These functions convert a text to one line and back (malloc'd):
 *
 * - embed_escape(): replaces backslash by \\, line end by \n, and the characters ; { } by \xHH.
 * - embed_unescape(): reverses embed_escape(). Malformed escapes do not change.
 */
extern char *embed_escape(const char *text);
extern char *embed_unescape(const char *line);

/** Returns the beginning of the header text in a comment, or NULL. */
extern const char *embed_find(const char *comment);

/** States which values the fields of the other format contain. The fields contain spacing and origin of the
 * first `dims` dims. If `rescale` is true, the fields contain slope and intercept. */
struct said {
	int dims;
	bool direction, rescale;
};

/**
 * Adds the values of the header text to h. Before the call, h contains the values from the fields of the
 * file. A malformed text is an error() that names `name`.
 *
 * - The detector is copied.
 * - Quantity, unit and the sections in hdr.extra are copied if h lacks them.
 * - The dims are copied if dim 0, dim 1 and the number of elements agree.
 * - The type uint8 becomes bool if the text says bool.
 * - Spacing, origin and direction are copied unless the fields contain values that differ by over 1e-6.
 * - A field that another program has changed has priority.
 */
extern void embed_apply(struct hdr *h, const char *text, const char *name, struct said said);

#endif
