#include "misc/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"

static bool ends_in(const char *path, const char *end)
{
	const size_t n = strlen(path), m = strlen(end);

	return n > m && 0 == strcasecmp(path + n - m, end);
}

static bool is_json(const char *path)
{
	return ends_in(path, ".jsonl") || ends_in(path, ".ndjson") || ends_in(path, ".json");
}

bool table_knows(const char *path)
{
	return ends_in(path, ".csv") || is_json(path);
}

int table_find(const struct table *t, const char *name)
{
	for (int c = 0; c < t->columns; c++)
		if (0 == strcmp(t->name[c], name))
			return c;

	return -1;
}

/** A new column, filled with NaN. */
static int add_column(struct table *t, const char *name, long room)
{
	const int c = t->columns++;

	t->name = mem_realloc(t->name, (size_t)t->columns * sizeof *t->name);
	t->column = mem_realloc(t->column, (size_t)t->columns * sizeof *t->column);
	t->name[c] = mem_strdup(name);
	t->column[c] = mem_alloc((size_t)(room + 1) * sizeof **t->column);

	for (long i = 0; i < room; i++)
		t->column[c][i] = NAN;

	return c;
}

static double number(const char *text)
{
	char *end;
	const double v = strtod(text, &end);

	return (end == text || '\0' != end[strspn(end, " \t")]) ? NAN : v;
}

/** A field without blanks and quotes around it. */
static char *trimmed(char *field)
{
	field += strspn(field, " \t\"");

	for (size_t n = strlen(field); n > 0 && strchr(" \t\"", field[n - 1]); n--)
		field[n - 1] = '\0';

	return field;
}

static void read_csv_line(struct table *t, char *line, const char *path, long number_of, long room)
{
	int c = 0;

	for (char *field; NULL != (field = strsep(&line, ",;")); c++) {
		if (1 == number_of) {
			add_column(t, trimmed(field), room);
			continue;
		}

		if (c >= t->columns)
			error("%s: line %ld has more than the %d fields of the first line", path, number_of,
			        t->columns);

		t->column[c][t->rows] = number(trimmed(field));
	}

	if (1 < number_of && c < t->columns)
		error("%s: line %ld has %d fields, expected %d as in the first line", path, number_of, c,
		        t->columns);

	t->rows += 1 < number_of;
}

static void read_json_line(struct table *t, char *line, const char *path, long number_of, long room)
{
	char *p = line + strspn(line, " \t"), *end = line + strlen(line);

	while (end > p && strchr(" \t", end[-1]))
		*--end = '\0';

	if ('{' != *p || '}' != end[-1])
		error("%s: line %ld is not a JSON object", path, number_of);

	end[-1] = '\0';
	p++;

	for (char *field; '\0' != *p && NULL != (field = strsep(&p, ","));) {
		char *colon = strchr(field, ':');

		if (NULL == colon)
			error("%s: line %ld: '%s', expected \"name\": number", path, number_of, field);

		*colon = '\0';

		const char *name = trimmed(field);
		int c = table_find(t, name);

		c = (c < 0) ? add_column(t, name, room) : c;
		t->column[c][t->rows] = number(colon + 1);

		if (NULL == p)
			break;
	}

	t->rows++;
}

struct table *table_read(const char *path)
{
	struct table *t = NEW(struct table);
	char *text = file_read_text(path), *rest = text;
	long room = 1, at = 0;

	for (const char *p = text; NULL != (p = strchr(p, '\n')); p++)
		room++;

	for (char *line; NULL != (line = strsep(&rest, "\n"));) {
		line[strcspn(line, "\r")] = '\0';
		at++;

		if ('\0' == line[strspn(line, " \t")])
			continue;

		if (is_json(path))
			read_json_line(t, line, path, at, room);
		else
			read_csv_line(t, line, path, at, room);
	}

	free(text);

	if (0 == t->rows)
		error("%s contains no line of numbers", path);

	return t;
}

void table_free(struct table *t)
{
	for (int c = 0; c < t->columns; c++) {
		free(t->name[c]);
		free(t->column[c]);
	}

	free(t->name);
	free(t->column);
	free(t);
}
