#ifndef MISC_PRINTABLE_H
#define MISC_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "misc/mem.h"

/**
 * Escapes text from file names and headers so that it is safe for a terminal or a script. Such text may
 * contain any bytes.
 *
 * Characters that are not printable:
 *
 * - control characters (C0, DEL, C1)
 *
 * - characters that separate lines, change the direction of text or have no width (U+200B to U+200F, U+2028
 *   to U+202E, U+2060 to U+206F, U+FEFF)
 *
 * - bytes that are not UTF-8
 */

/** Number of bytes of the character at p (not the end of the text). *printable: whether it is printable. */
extern size_t printable_char(const char *p, bool *printable);

/** Appends at most n bytes of text; characters that are not printable become \n, \t, \r or \xNN per byte. */
extern void str_addn_printable(struct str *s, const char *text, size_t n);
extern void str_add_printable(struct str *s, const char *text);

/** Like str_addn_printable() for the whole text, with line feeds and tabs unchanged, for texts of several
 * lines. */
extern void str_add_printable_lines(struct str *s, const char *text);

/** Copies the beginning of text that fits into room - 1 bytes, escaped as by str_addn_printable(), and
 * terminates it with a zero. Allocates no memory. */
extern void printable_copy(char *dst, size_t room, const char *text);

#endif
