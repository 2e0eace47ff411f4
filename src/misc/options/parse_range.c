/** Ranges START:STOP[:STEP] and lists of them. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

/** Splits at colons in place; empty parts are "". */
static int parts_of(char *text, char *part[3], const char *whole, const char *what)
{
	int n = 0;

	for (char *p = text; p; n++) {
		if (n == 3)
			usage_error("%s: '%s' is not a range START:STOP[:STEP]", what, whole);
		part[n] = strsep(&p, ":");
	}
	return n;
}

/** A position counted from the end when negative; must lie in [lo, hi]. */
static long position(const char *text, long n, long lo, long hi, const char *whole, const char *what)
{
	const long given = parse_long(text, what);
	const long i = given < 0 ? given + n : given;

	if (i < lo || i > hi)
		usage_error("%s: %ld in '%s' is outside 0..%ld", what, given, whole, n - 1);
	return i;
}

static void range(
        char *text, const char *whole, long n, long *start, long *step, long *count, const char *what)
{
	char *part[3];
	const int parts = parts_of(text, part, whole, what);

	*step = 1;
	if (parts == 1) {
		*start = position(part[0], n, 0, n - 1, whole, what);
		*count = 1;
		return;
	}

	if (parts == 3 && *part[2])
		*step = parse_long(part[2], what);
	if (*step == 0)
		usage_error("%s: '%s' has step 0", what, whole);

	const bool up = *step > 0;
	*start = *part[0] ? position(part[0], n, 0, n - 1, whole, what) : up ? 0 : n - 1;
	const long stop = *part[1] ? position(part[1], n, 0, n, whole, what) : up ? n : -1;
	const long length = up ? stop - *start : *start - stop;
	if (length <= 0)
		usage_error("%s: '%s' selects none of %ld elements", what, whole, n);

	// length - 1 < n, and dividing first cannot overflow for any step
	const unsigned long stride = up ? (unsigned long)*step : 0UL - (unsigned long)*step;
	*count = (long)((unsigned long)(length - 1) / stride) + 1;
}

void parse_range(const char *text, long n, long *start, long *step, long *count, const char *what)
{
	char *copy = mem_strdup(text);

	range(copy, text, n, start, step, count, what);
	free(copy);
}

long *parse_index_list(const char *text, long n, long *count, const char *what)
{
	char *copy = mem_strdup(text);
	long *list = NULL;
	long total = 0;

	for (char *p = copy; p;) {
		long start, step, k;
		char *word = strsep(&p, ",");
		if (!*word)
			usage_error("%s: '%s' has an empty part", what, text);

		range(word, text, n, &start, &step, &k, what);
		total = add_checked(total, k, what);
		list = mem_realloc(list, (size_t)mul_checked(total, sizeof *list, what));
		for (long i = 0; i < k; i++)
			list[total - k + i] = start + i * step;
	}
	free(copy);
	*count = total;
	return list;
}
