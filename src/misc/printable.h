#ifndef MISC_PRINTABLE_H
#define MISC_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "misc/mem.h"

/**
 * Replaces unprintable characters in text, for terminals and scripts. These characters are unprintable:
 *
 * - control characters (C0, DEL, C1)
 * - characters that separate lines, change the direction of text or have no width (U+200B to U+200F,
 *   U+2028 to U+202E, U+2060 to U+206F, U+FEFF)
 * - bytes that are not UTF-8
 */

/** Returns the number of bytes of the first character of p. The text must not be empty. Sets *printable. */
extern size_t printable_char(const char *p, bool *printable);

/** Appends text, and replaces each unprintable byte by \n, \t, \r or \xNN. At most n bytes of text are read.
 */
extern void str_addn_printable(struct str *s, const char *text, size_t n);
extern void str_add_printable(struct str *s, const char *text);

/** Like str_add_printable(), but line feeds and tabs are unchanged. */
extern void str_add_printable_lines(struct str *s, const char *text);

/** Copies text to dst and replaces unprintable characters as in str_add_printable(). Long text is cut to
 * `room - 1` bytes. The result ends with a zero byte. Allocates no memory. */
extern void printable_copy(char *dst, size_t room, const char *text);

#endif
