/** Parses the text of a header. The format is described in doc/format.md; BART's headers are a subset of it.
 */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/hdr.h"
#include "misc/mem.h"

/* Texts that several sections may add to. */
struct texts {
	struct str command, files, creator, extra, history;
};

struct section {
	const char *file; // for messages
	const char *name;
	char *value; // lines without trailing blanks, joined by line feeds; no empty lines
	struct texts *texts;
};

static _Noreturn void bad_value(const struct section *s, const char *expected)
{
	error("%s: section '# %s' contains '%.60s', expected %s", s->file, s->name, s->value, expected);
}

/* The next blank-separated number of *p as a long; false at the end of the text. */
static bool next_long(const struct section *s, char **p, long *value, const char *expected)
{
	*p += strspn(*p, " \t\n");

	if (!**p)
		return false;

	char *end;

	errno = 0;
	*value = strtol(*p, &end, 10);

	if (end == *p || errno || (*end && !isspace((unsigned char)*end)))
		bad_value(s, expected);

	*p = end;
	return true;
}

static bool next_double(const struct section *s, char **p, double *value, const char *expected)
{
	*p += strspn(*p, " \t\n");

	if (!**p)
		return false;

	char *end;

	*value = strtod(*p, &end);

	if (end == *p || !isfinite(*value) || (*end && !isspace((unsigned char)*end)))
		bad_value(s, expected);

	*p = end;
	return true;
}

static void parse_dims(struct hdr *h, const struct section *s)
{
	const char *expected = "1 to 16 positive integers (more only if they are 1)";
	char *p = s->value;
	long size;
	int n = 0;

	for (; next_long(s, &p, &size, expected); n++) {
		if (size < 1 || (n >= DIMS && 1 != size))
			bad_value(s, expected);

		if (n < DIMS)
			h->dims[n] = size;
	}

	if (0 == n)
		bad_value(s, expected);
}

static void parse_type(struct hdr *h, const struct section *s)
{
	int type = dtype_parse(s->value);

	if (type < 0)
		bad_value(s, "bool, int8..int64, uint8..uint64, float16..float64 or complex32..complex128");

	h->type = (enum dtype)type;
}

static void parse_byte_order(struct hdr *h, const struct section *s)
{
	h->big_endian = 0 == strcmp(s->value, "big");

	if (!h->big_endian && 0 != strcmp(s->value, "little"))
		bad_value(s, "little or big");
}

static void parse_spacing(struct hdr *h, const struct section *s)
{
	const char *expected = "up to 16 positive numbers [mm]";
	char *p = s->value;
	double x;

	for (int n = 0; next_double(s, &p, &x, expected); n++) {
		if (!(x > 0) || n >= DIMS)
			bad_value(s, expected);

		h->spacing[n] = x;
		h->has_spacing = true;
	}
}

static void parse_origin(struct hdr *h, const struct section *s)
{
	const char *expected = "up to 16 finite numbers [mm]";
	char *p = s->value;
	double x;

	for (int n = 0; next_double(s, &p, &x, expected); n++) {
		if (n >= DIMS)
			bad_value(s, expected);

		h->origin[n] = x;
		h->has_origin = true;
	}
}

static void parse_quantity(struct hdr *h, const struct section *s)
{
	int q = quantity_parse(s->value);

	if (q < 0)
		bad_value(s, "counts, transmission, line-integral, attenuation, hounsfield, weights, mask or "
		             "geometry");

	h->quantity = (enum quantity)q;
}

static void parse_unit(struct hdr *h, const struct section *s)
{
	if (strlen(s->value) >= sizeof h->unit || strchr(s->value, '\n'))
		bad_value(s, "one line of at most 31 characters");

	strcpy(h->unit, s->value);
}

static void parse_checksum(struct hdr *h, const struct section *s)
{
	// a longer one was not written here; show --verify reads the text itself
	if (strlen(s->value) < sizeof h->checksum)
		strcpy(h->checksum, s->value);
}

static void parse_detector(struct hdr *h, const struct section *s)
{
	const char *expected = "COLS ROWS [RADIUS in mm]";
	char *p = s->value;
	double extra;

	for (int i = 0; i < 2; i++)
		if (!next_long(s, &p, &h->detector[i], expected) || h->detector[i] < 1)
			bad_value(s, expected);

	if (next_double(s, &p, &h->radius, expected) && !(h->radius >= 0))
		bad_value(s, expected);

	if (next_double(s, &p, &extra, expected))
		bad_value(s, expected);

	h->has_detector = true;
}

static void parse_command(struct hdr *h, const struct section *s)
{
	(void)h;
	str_add(&s->texts->command, s->value);
}

static void parse_files(struct hdr *h, const struct section *s)
{
	(void)h;
	str_add(&s->texts->files, s->value);
}

static void parse_creator(struct hdr *h, const struct section *s)
{
	(void)h;
	str_add(&s->texts->creator, s->value);
}

static void parse_history(struct hdr *h, const struct section *s)
{
	struct str *history = &s->texts->history;

	(void)h;

	if ('#' == *s->value)
		str_add(history, " "); // or it would be written as a section

	if (*s->value)
		str_printf(history, "%s\n", s->value);
}

static void take_texts(struct hdr *h, const struct texts *t)
{
	h->command = t->command.data;
	h->files = t->files.data;
	h->creator = t->creator.data;
	h->extra = t->extra.data;
	h->history = t->history.data;
}

static const struct {
	const char *name;
	void (*parse)(struct hdr *h, const struct section *s);
	bool once;
} sections[] = {
        {"Dimensions", parse_dims, true},
        {"Type", parse_type, true},
        {"Byte-Order", parse_byte_order, true},
        {"Spacing", parse_spacing, true},
        {"Origin", parse_origin, true},
        {"Quantity", parse_quantity, true},
        {"Unit", parse_unit, true},
        {"Detector", parse_detector, true},
        {"Checksum", parse_checksum, false},
        {"Command", parse_command, false},
        {"Files", parse_files, false},
        {"Creator", parse_creator, false},
        {"History", parse_history, false},
};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

static void parse_section(struct hdr *h, const struct section *s, unsigned *seen)
{
	for (int i = 0; i < SECTIONS; i++) {
		if (0 != strcmp(sections[i].name, s->name))
			continue;

		if (sections[i].once && (*seen & 1u << i))
			error("%s: section '# %s' appears twice, expected once", s->file, s->name);

		*seen |= 1u << i;
		sections[i].parse(h, s);
		return;
	}

	// the blank keeps a value that begins with # from being read as a section
	str_printf(&s->texts->extra, "# %s\n%s%s%s", s->name, '#' == *s->value ? " " : "", s->value,
	        *s->value ? "\n" : "");
}

/* Cuts the next line off *p, without its end and trailing blanks; NULL at the end of the text. */
static char *next_line(char **p)
{
	char *line = *p;

	if (!line || !*line)
		return NULL;

	char *end = strchr(line, '\n');

	*p = end ? end + 1 : line + strlen(line);

	if (!end)
		end = *p;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;

	*end = '\0';
	return line;
}

void hdr_parse(struct hdr *h, const char *text, size_t len, const char *name)
{
	if (memchr(text, '\0', len))
		error("%s contains a zero byte, expected the text of a header", name);

	struct str copy = {0};
	struct str value = {0};
	struct texts texts = {0};
	struct section s = {.file = name, .texts = &texts};
	unsigned seen = 0;

	str_addn(&copy, text, len);
	hdr_init(h);
	h->type = DT_COMPLEX64; // what every .cfl means that does not say so

	char *rest = copy.data;

	for (char *line = next_line(&rest); line || s.name; line = next_line(&rest)) {
		if (line && '#' != *line) {
			if (!s.name && *line)
				error("%s begins with '%.40s', expected '# Dimensions'", name, line);

			if (*line) {
				str_add(&value, value.len ? "\n" : "");
				str_add(&value, line);
			}

			continue;
		}

		if (s.name) {
			str_add(&value, ""); // never NULL
			s.value = value.data + strspn(value.data, " \t\r\v\f");
			parse_section(h, &s, &seen);
			value.len = 0;
			value.data[0] = '\0';
		}

		s.name = line ? line + 1 + strspn(line + 1, " \t") : NULL;
	}

	free(value.data);
	free(copy.data);
	take_texts(h, &texts);

	if (!(seen & 1u))
		error("%s: section '# Dimensions' is missing", name);
}
