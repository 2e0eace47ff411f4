#ifndef MISC_PRINTABLE_H
#define MISC_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "misc/mem.h"

/**
 * Text from file names and headers, which may contain anything, made safe for a terminal or a script.
 *
 * Not printable are control characters (C0, DEL, C1), the characters that separate lines, change the
 * direction of text or have no width (U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF), and
 * bytes that are not UTF-8.
 */

/** Bytes of the character at p, which is not the end of the text; *printable: whether it is printable. */
extern size_t printable_char(const char *p, bool *printable);

/** Appends at most n bytes of text; characters that are not printable become \n, \t, \r or \xNN per byte. */
extern void str_addn_printable(struct str *s, const char *text, size_t n);
extern void str_add_printable(struct str *s, const char *text);

/** The same with line feeds and tabs unchanged, for texts of several lines. */
extern void str_add_printable_lines(struct str *s, const char *text);

/** Copies as much of text as fits into room - 1 bytes, escaped in the same way, and terminates it; allocates
 * no memory. */
extern void printable_copy(char *dst, size_t room, const char *text);

#endif
