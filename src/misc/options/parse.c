/** Numbers, lists of numbers and dimension names. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/dtype.h"
#include "misc/error.h"
#include "misc/options/parse.h"

long parse_long(const char *text, const char *what)
{
	const char *digits = text + (*text == '-' || *text == '+');
	const size_t n = strspn(digits, "0123456789");

	if (n == 0 || digits[n])
		usage_error("%s: '%s' is not an integer", what, text);

	errno = 0;
	const long v = strtol(text, NULL, 10);
	if (errno)
		usage_error("%s: %s does not fit into 64 bits", what, text);
	return v;
}

/** Length of the decimal number at the start of text, sign included; 0 when there is none. */
static size_t number_length(const char *text)
{
	const char *p = text + (*text == '-' || *text == '+');
	const size_t whole = strspn(p, "0123456789");
	size_t fraction = 0;

	p += whole;
	if (*p == '.') {
		fraction = strspn(p + 1, "0123456789");
		p += 1 + fraction;
	}
	if (whole + fraction == 0)
		return 0;

	if (*p == 'e' || *p == 'E') {
		const char *q = p + 1 + (p[1] == '-' || p[1] == '+');
		const size_t digits = strspn(q, "0123456789");
		if (digits)
			p = q + digits;
	}
	return (size_t)(p - text);
}

/** The number of n characters at the start of text; `whole` is for the message. */
static double number(const char *text, size_t n, const char *whole, const char *what)
{
	char *end;

	const double v = strtod(text, &end);
	if (end != text + n)
		usage_error("%s: '%s' is not a number", what, whole);
	if (!isfinite(v))
		usage_error("%s: %s is too large for a floating-point number", what, whole);
	return v;
}

double parse_double(const char *text, const char *what)
{
	const size_t n = number_length(text);

	if (n == 0 || text[n])
		usage_error("%s: '%s' is not a number", what, text);
	return number(text, n, text, what);
}

double parse_double_inf(const char *text, const char *what)
{
	if (!strcmp(text, "inf") || !strcmp(text, "+inf"))
		return INFINITY;
	if (!strcmp(text, "-inf"))
		return -INFINITY;
	return parse_double(text, what);
}

/** "i", "+i", "-i": an imaginary part without digits; its sign, or 0. */
static int bare_unit(const char *text)
{
	if (!strcmp(text, "i") || !strcmp(text, "+i"))
		return 1;
	return strcmp(text, "-i") ? 0 : -1;
}

complex double parse_complex(const char *text, const char *what)
{
	const size_t n = number_length(text);
	const int unit = bare_unit(text);

	if (unit)
		return unit * I;
	if (n == 0)
		usage_error("%s: '%s' is not a number like 2, -1.5, 1+2i or 3i", what, text);

	const double first = number(text, n, text, what);
	const char *rest = text + n;
	if (!*rest)
		return first;
	if (!strcmp(rest, "i"))
		return first * I;

	if (*rest == '+' || *rest == '-') {
		const size_t m = number_length(rest);
		const int sign = bare_unit(rest);
		if (sign)
			return first + sign * I;
		if (m && !strcmp(rest + m, "i"))
			return first + number(rest, m, text, what) * I;
	}
	usage_error("%s: '%s' is not a number like 2, -1.5, 1+2i or 3i", what, text);
}

bool parse_is_number(const char *text)
{
	const char *rest = text + number_length(text);

	if (rest == text)
		return false;
	if (*rest == '+' || *rest == '-')
		rest += number_length(rest) ? number_length(rest) : 1;
	else if (!*rest)
		return true;
	return !strcmp(rest, "i");
}

enum { PART_MAX = 256 };

/** Copies the parts of text between separators into parts[0..n); returns n, at most max. */
static int split(const char *text, char separator, int max, char parts[][PART_MAX], const char *what)
{
	int n = 0;

	for (const char *p = text;; p++) {
		const char *end = strchrnul(p, separator);
		if (n == max)
			usage_error("%s: '%s' has more than %d numbers", what, text, max);
		if (end == p || end - p >= PART_MAX)
			usage_error("%s: '%s' is not a list of numbers like 256%c256%c64", what, text,
			        separator, separator);
		memcpy(parts[n], p, (size_t)(end - p));
		parts[n++][end - p] = 0;
		p = end;
		if (!*p)
			return n;
	}
}

int parse_longs(const char *text, int max, long v[], const char *what)
{
	char parts[DIMS][PART_MAX];
	const int n = split(text, ':', max < DIMS ? max : DIMS, parts, what);

	for (int i = 0; i < n; i++)
		v[i] = parse_long(parts[i], what);
	return n;
}

int parse_doubles(const char *text, int max, double v[], const char *what)
{
	char parts[DIMS][PART_MAX];
	const int n = split(text, ':', max < DIMS ? max : DIMS, parts, what);

	for (int i = 0; i < n; i++)
		v[i] = parse_double(parts[i], what);
	return n;
}

static const struct {
	const char *name;
	int dim;
} dim_names[] = {{"x", 0}, {"y", 1}, {"z", 2}, {"u", 0}, {"v", 1}, {"view", 2}, {"channel", 3}, {"time", 4}};

enum { DIM_NAMES = sizeof dim_names / sizeof dim_names[0] };

const char *parse_dim_name(int k)
{
	return k < DIM_NAMES ? dim_names[k].name : NULL;
}

int parse_dim(const char *text, const char *what)
{
	for (int k = 0; k < DIM_NAMES; k++)
		if (!strcmp(text, dim_names[k].name))
			return dim_names[k].dim;

	if (!isdigit((unsigned char)*text) || text[strspn(text, "0123456789")])
		usage_error("%s: '%s' is not a dimension (0..%d, x, y, z, u, v, view, channel, time)", what,
		        text, DIMS - 1);

	const long d = parse_long(text, what);
	if (d >= DIMS)
		usage_error("%s: dimension %ld, expected 0..%d", what, d, DIMS - 1);
	return (int)d;
}

unsigned long parse_dims(const char *text, const char *what)
{
	char parts[DIMS][PART_MAX];
	const int n = split(text, ',', DIMS, parts, what);
	unsigned long mask = 0;

	for (int i = 0; i < n; i++) {
		const unsigned long bit = 1UL << parse_dim(parts[i], what);
		if (mask & bit)
			usage_error("%s: '%s' names dimension %s twice", what, text, parts[i]);
		mask |= bit;
	}
	return mask;
}
