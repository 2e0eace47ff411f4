/** Escaping of control characters, in strings that grow: separate, since error() needs the other functions.
 */

#include <string.h>

#include "misc/mem.h"
#include "misc/printable.h"

static void add(struct str *s, const char *text, size_t most, const char *keep)
{
	bool printable;

	str_add(s, "");

	for (size_t n; *text && (n = printable_char(text, &printable)) <= most; text += n, most -= n) {
		char one[8] = "", out[32];

		if (printable || strchr(keep, *text)) {
			str_addn(s, text, n);
		} else {
			memcpy(one, text, n);
			printable_copy(out, sizeof out, one);
			str_add(s, out);
		}
	}
}

void str_addn_printable(struct str *s, const char *text, size_t n)
{
	add(s, text, n, "");
}

void str_add_printable(struct str *s, const char *text)
{
	add(s, text, strlen(text), "");
}

void str_add_printable_lines(struct str *s, const char *text)
{
	add(s, text, strlen(text), "\n\t");
}
