#include "volume/mesh/mesh_read.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "volume/mesh/mesh_builder.h"
#include "volume/mesh/ply.h"

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static void read_stl_binary(struct mesh_builder *b, const unsigned char *data, uint32_t n)
{
	for (uint32_t t = 0; t < n; t++) {
		float x[9];

		memcpy(x, data + STL_HEAD + (size_t)STL_TRIANGLE * t + 12, sizeof x);

		for (int i = 0; i < 3; i++) {
			builder_corner(b, i, b->nv);
			builder_vertex(b, (double[]){x[3 * i], x[3 * i + 1], x[3 * i + 2]});
		}
	}
}

/* n numbers behind `text`; error() naming the line. */
static void read_numbers(const struct mesh_builder *b, const char *text, long line, double x[3])
{
	const char *p = text;

	for (int i = 0; i < 3; i++) {
		char *end;

		x[i] = strtod(p, &end);

		if (end == p)
			error("%s:%ld: expected three numbers, found '%.40s'", b->path, line, text);

		p = end;
	}
}

static void read_stl_line(struct mesh_builder *b, char *text, long line)
{
	double x[3];

	if (0 != strncasecmp(text, "vertex ", 7))
		return;

	read_numbers(b, text + 7, line, x);
	builder_corner(b, b->nv % 3, b->nv);
	builder_vertex(b, x);
}

/* "f 1 2 3", "f 1/2/3 ..", "f -3 -2 -1" */
static void read_obj_face(struct mesh_builder *b, char *text, long line)
{
	long n = 0;
	char *rest = NULL;

	for (char *word = strtok_r(text + 2, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		char *end;
		const long v = strtol(word, &end, 10);

		if (end == word || 0 == v)
			error("%s:%ld: '%s' is not a valid vertex number", b->path, line, word);

		builder_corner(b, n++, v > 0 ? v - 1 : b->nv + v);
	}

	if (n < 3)
		error("%s:%ld: a face has %ld vertices, expected at least 3", b->path, line, n);
}

static void read_obj_line(struct mesh_builder *b, char *text, long line)
{
	double x[3];

	if (0 == strncmp(text, "v ", 2)) {
		read_numbers(b, text + 2, line, x);
		builder_vertex(b, x);
	} else if (0 == strncmp(text, "f ", 2)) {
		read_obj_face(b, text, line);
	}
}

/* Calls fn for each line, without blanks at its start. */
static void read_lines(struct mesh_builder *b, void (*fn)(struct mesh_builder *b, char *text, long line))
{
	char *all = file_read_text(b->path), *rest = all;

	for (long line = 1; rest != NULL; line++) {
		char *text = strsep(&rest, "\n");

		text += strspn(text, " \t");
		text[strcspn(text, "\r")] = '\0';
		fn(b, text, line);
	}

	free(all);
}

static void read_stl(struct mesh_builder *b)
{
	size_t bytes;
	const unsigned char *data = file_map(b->path, &bytes);
	uint32_t n = 0;

	if (bytes >= STL_HEAD)
		memcpy(&n, data + 80, 4);

	const size_t wanted = STL_HEAD + (size_t)STL_TRIANGLE * n;

	if (bytes >= STL_HEAD && bytes == wanted)
		read_stl_binary(b, data, n);
	else if (bytes > 5 && 0 == strncasecmp((const char *)data, "solid", 5) &&
	         NULL == memchr(data, 0, bytes < STL_HEAD ? bytes : STL_HEAD))
		read_lines(b, read_stl_line);
	else
		error("%s: not an STL file: %zu bytes, expected %zu for %u triangles", b->path, bytes, wanted,
		        n);

	file_unmap(data);
}

static void read_obj(struct mesh_builder *b)
{
	read_lines(b, read_obj_line);
}

void mesh_read(struct mesh *m, const char *path)
{
	const char *dot = strrchr(path, '.');
	struct mesh_builder b = {.path = path};

	if (dot != NULL && 0 == strcasecmp(dot, ".stl"))
		read_stl(&b);
	else if (dot != NULL && 0 == strcasecmp(dot, ".ply"))
		ply_read(&b);
	else if (dot != NULL && 0 == strcasecmp(dot, ".obj"))
		read_obj(&b);
	else
		usage_error(
		        "%s: unknown mesh format (expected a name that ends in .stl, .ply or .obj)", path);

	builder_finish(&b, m);
}
