#include "volume/mesh/ply.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"

enum { PLY_ELEMENTS = 16, PLY_PROPERTIES = 64, PLY_WORD = 64, PLY_LINE = 1024 };

enum ply_type { PLY_I8, PLY_U8, PLY_I16, PLY_U16, PLY_I32, PLY_U32, PLY_F32, PLY_F64, PLY_TYPES };

static const struct {
	const char *names[2];
	int size;
} types[PLY_TYPES] = {
        {{"char", "int8"}, 1},
        {{"uchar", "uint8"}, 1},
        {{"short", "int16"}, 2},
        {{"ushort", "uint16"}, 2},
        {{"int", "int32"}, 4},
        {{"uint", "uint32"}, 4},
        {{"float", "float32"}, 4},
        {{"double", "float64"}, 8},
};

struct property {
	char name[PLY_WORD];
	bool list;
	enum ply_type count, type;
};

struct element {
	char name[PLY_WORD];
	long n;
	int properties;
	struct property property[PLY_PROPERTIES];
};

struct ply {
	struct mesh_builder *b;
	const char *at, *end;
	enum { PLY_TEXT, PLY_LITTLE, PLY_BIG } form;
	int elements;
	struct element element[PLY_ELEMENTS];
};

static enum ply_type type_of(const struct ply *p, const char *name)
{
	for (int t = 0; t < PLY_TYPES; t++)
		if (0 == strcmp(name, types[t].names[0]) || 0 == strcmp(name, types[t].names[1]))
			return (enum ply_type)t;

	error("%s: unknown type '%s' of a property", p->b->path, name);
}

/* Reads the next line of the header and splits it into words. */
static int header_line(struct ply *p, char line[PLY_LINE], char *word[6])
{
	const char *end = memchr(p->at, '\n', (size_t)(p->end - p->at));
	char *rest = line;
	int n = 0;

	if (NULL == end || end - p->at >= PLY_LINE)
		error("%s: unterminated header of the PLY file", p->b->path);

	memcpy(line, p->at, (size_t)(end - p->at));
	line[end - p->at] = '\0';
	p->at = end + 1;

	for (char *w; n < 6 && (w = strtok_r(rest, " \t\r", &rest)) != NULL;)
		word[n++] = w;

	return n;
}

static void set_word(const struct ply *p, char to[PLY_WORD], const char *word)
{
	if (strlen(word) >= PLY_WORD)
		error("%s: the name '%.60s..' in the header is too long", p->b->path, word);

	memcpy(to, word, strlen(word) + 1);
}

static void add_element(struct ply *p, int n, char *word[])
{
	char *end = NULL;

	if (PLY_ELEMENTS == p->elements || n < 3)
		error("%s: malformed element in the header", p->b->path);

	struct element *e = &p->element[p->elements++];

	set_word(p, e->name, word[1]);
	e->n = strtol(word[2], &end, 10);
	e->properties = 0;

	if (*end || e->n < 0)
		error("%s: invalid number '%s' of elements of %s", p->b->path, word[2], word[1]);
}

static void add_property(struct ply *p, int n, char *word[])
{
	struct element *e = p->elements > 0 ? &p->element[p->elements - 1] : NULL;
	const bool list = n > 1 && 0 == strcmp(word[1], "list");

	if (NULL == e || PLY_PROPERTIES == e->properties || n < (list ? 5 : 3))
		error("%s: malformed property in the header", p->b->path);

	struct property *q = &e->property[e->properties++];

	q->list = list;
	q->count = list ? type_of(p, word[2]) : PLY_U8;
	q->type = type_of(p, word[list ? 3 : 1]);
	set_word(p, q->name, word[list ? 4 : 2]);
}

static void set_form(struct ply *p, const char *word)
{
	if (0 == strcmp(word, "ascii"))
		p->form = PLY_TEXT;
	else if (0 == strcmp(word, "binary_little_endian"))
		p->form = PLY_LITTLE;
	else if (0 == strcmp(word, "binary_big_endian"))
		p->form = PLY_BIG;
	else
		error("%s: unknown format '%s' in the header", p->b->path, word);
}

static void read_header(struct ply *p)
{
	char line[PLY_LINE], *word[6];

	for (int n = header_line(p, line, word); n < 1 || 0 != strcmp(word[0], "end_header");
	        n = header_line(p, line, word)) {
		if (n > 1 && 0 == strcmp(word[0], "format"))
			set_form(p, word[1]);
		else if (n > 0 && 0 == strcmp(word[0], "element"))
			add_element(p, n, word);
		else if (n > 0 && 0 == strcmp(word[0], "property"))
			add_property(p, n, word);
	}
}

static double read_text(struct ply *p)
{
	char word[PLY_WORD], *end;
	size_t n = 0;

	while (p->at < p->end && strchr(" \t\r\n", *p->at) != NULL)
		p->at++;

	while (p->at < p->end && NULL == strchr(" \t\r\n", *p->at) && n + 1 < sizeof word)
		word[n++] = *p->at++;

	word[n] = '\0';

	const double v = strtod(word, &end);

	if (0 == n || *end)
		error("%s: expected a number, found '%s'", p->b->path, word);

	return v;
}

static double read_binary(struct ply *p, enum ply_type t)
{
	const int size = types[t].size;
	unsigned char raw[8] = {0};

	if (p->end - p->at < size)
		error("%s: truncated", p->b->path);

	for (int i = 0; i < size; i++)
		raw[i] = (unsigned char)p->at[PLY_BIG == p->form ? size - 1 - i : i];

	p->at += size;

	union {
		int8_t i8;
		uint8_t u8;
		int16_t i16;
		uint16_t u16;
		int32_t i32;
		uint32_t u32;
		float f32;
		double f64;
	} v;

	memcpy(&v, raw, sizeof v);

	switch (t) {
	case PLY_I8:
		return v.i8;
	case PLY_U8:
		return v.u8;
	case PLY_I16:
		return v.i16;
	case PLY_U16:
		return v.u16;
	case PLY_I32:
		return v.i32;
	case PLY_U32:
		return v.u32;
	case PLY_F32:
		return v.f32;
	default:
		return v.f64;
	}
}

static double read_value(struct ply *p, enum ply_type t)
{
	return PLY_TEXT == p->form ? read_text(p) : read_binary(p, t);
}

/* A whole number from 0 on, below 2^32; -1 for others. */
static long whole(double v)
{
	return v >= 0. && v < 4294967296. && v == (double)(long)v ? (long)v : -1;
}

static void read_list(struct ply *p, const struct property *q, bool face)
{
	const long n = whole(read_value(p, q->count));

	if (n < 0 || (face && n < 3))
		error("%s: a list has %ld numbers, expected at least %d", p->b->path, n, face ? 3 : 0);

	for (long i = 0; i < n; i++) {
		const double v = read_value(p, q->type);

		if (face)
			builder_corner(p->b, i, whole(v));
	}
}

static bool is_corners(const struct element *e, const struct property *q)
{
	return q->list && 0 == strcmp(e->name, "face") &&
	       (0 == strcmp(q->name, "vertex_indices") || 0 == strcmp(q->name, "vertex_index"));
}

static void read_element(struct ply *p, const struct element *e)
{
	const bool vertex = 0 == strcmp(e->name, "vertex");
	double x[3] = {0};

	for (int i = 0; i < e->properties; i++) {
		const struct property *q = &e->property[i];

		if (q->list) {
			read_list(p, q, is_corners(e, q));
			continue;
		}

		const double v = read_value(p, q->type);

		for (int d = 0; vertex && d < 3; d++)
			if ("xyz"[d] == q->name[0] && '\0' == q->name[1])
				x[d] = v;
	}

	if (vertex)
		builder_vertex(p->b, x);
}

void ply_read(struct mesh_builder *b)
{
	size_t bytes;
	const char *data = file_map(b->path, &bytes);
	struct ply p = {.b = b, .at = data, .end = data + bytes};

	if (bytes < 4 || 0 != memcmp(data, "ply", 3) || (data[3] != '\n' && data[3] != '\r'))
		error("%s: not a PLY file", b->path);

	read_header(&p);

	for (int e = 0; e < p.elements; e++)
		for (long i = 0; p.element[e].properties > 0 && i < p.element[e].n; i++)
			read_element(&p, &p.element[e]);

	file_unmap(data);
}
