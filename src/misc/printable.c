/** Escaping of control characters. */

#include <stdio.h>
#include <string.h>

#include "misc/printable.h"

/* Bytes of the UTF-8 character at p and its code; 0 where p is not UTF-8 (RFC 3629: no surrogates, no longer
 * forms than needed). */
static size_t decode(const unsigned char *p, unsigned *code)
{
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	const size_t n = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf8 ? 4 : 0;

	*code = n > 1 ? *p & (0x7fu >> n) : *p;

	for (size_t i = 1; i < n; i++) {
		if (0x80 != (p[i] & 0xc0)) // the zero byte at the end, too
			return 0;

		*code = *code << 6 | (p[i] & 0x3fu);
	}

	if (n > 1 && (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)))
		return 0;

	return n;
}

size_t printable_char(const char *p, bool *printable)
{
	unsigned code;
	const size_t n = decode((const unsigned char *)p, &code);
	const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
	const bool steers = (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	                    (code >= 0x2060 && code <= 0x206f) || 0xfeff == code;

	*printable = n > 0 && !control && !steers;
	return n > 0 ? n : 1;
}

enum { ESCAPED = 16 }; // bytes that a character of at most 4 takes written out

/* A character of n bytes written out; returns the bytes of that. */
static size_t escape(char out[ESCAPED + 1], const char *p, size_t n)
{
	static const char codes[] = "\n\t\r", letters[] = "ntr";
	const char *code = strchr(codes, *p);
	size_t at = 0;

	if (code) {
		out[0] = '\\';
		out[1] = letters[code - codes];
		return 2;
	}

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(out + at, ESCAPED + 1 - at, "\\x%02x", (unsigned char)p[i]);

	return at;
}

void printable_copy(char *dst, size_t room, const char *text)
{
	char out[ESCAPED + 1];
	bool printable;

	for (size_t n; *text; text += n) {
		n = printable_char(text, &printable);

		const size_t k = printable ? n : escape(out, text, n);

		if (k >= room)
			break;

		memcpy(dst, printable ? text : out, k);
		dst += k;
		room -= k;
	}

	*dst = '\0';
}
