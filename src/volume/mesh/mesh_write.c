#include "volume/mesh/mesh_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"

/** A file being written; pieces are buffered to reduce the number of write calls. */
struct sink {
	struct file_out *file;
	FILE *f;
	size_t n;
	unsigned char buffer[1 << 18];
};

static void sink_flush(struct sink *s)
{
	if (s->n != fwrite(s->buffer, 1, s->n, s->f))
		file_failed(s->file, NULL);

	s->n = 0;
}

/* Room for `bytes` more, to be filled by the caller. */
static void *sink_room(struct sink *s, size_t bytes)
{
	if (s->n + bytes > sizeof s->buffer)
		sink_flush(s);

	s->n += bytes;
	return s->buffer + s->n - bytes;
}

static void sink_bytes(struct sink *s, const void *data, size_t bytes)
{
	sink_flush(s);

	if (bytes != fwrite(data, 1, bytes, s->f))
		file_failed(s->file, NULL);
}

static void sink_text(struct sink *s, const char *text)
{
	memcpy(sink_room(s, strlen(text)), text, strlen(text));
}

/* Unit normal of a triangle; zeros where it has none. */
static void unit_normal(float n[3], const float *a, const float *b, const float *c)
{
	double u[3], w[3], x[3];

	for (int i = 0; i < 3; i++) {
		u[i] = (double)b[i] - a[i];
		w[i] = (double)c[i] - a[i];
	}

	for (int i = 0; i < 3; i++)
		x[i] = u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3];

	const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);

	for (int i = 0; i < 3; i++)
		n[i] = length > 0. ? (float)(x[i] / length) : 0.f;
}

static void write_stl(struct sink *s, const struct mesh *m)
{
	const uint32_t n = (uint32_t)m->nt;

	if (m->nt > UINT32_MAX)
		error("STL files hold at most %u triangles, not %ld (write .ply)", UINT32_MAX, m->nt);

	char head[81];

	snprintf(head, sizeof head, "%-80s", "Surface in mm, made by Gantry " GANTRY_VERSION);
	memcpy(sink_room(s, 80), head, 80);
	memcpy(sink_room(s, 4), &n, 4);

	for (long t = 0; t < m->nt; t++) {
		float x[12];
		unsigned char *out = sink_room(s, 50);

		for (int i = 0; i < 3; i++)
			memcpy(x + 3 + 3 * i, m->v + 3L * m->t[3 * t + i], 3 * sizeof *x);

		unit_normal(x, x + 3, x + 6, x + 9);
		memcpy(out, x, 48);
		memset(out + 48, 0, 2);
	}
}

static void ply_triangles(struct sink *s, const struct mesh *m)
{
	for (long t = 0; t < m->nt; t++) {
		unsigned char *out = sink_room(s, 13);

		out[0] = 3;
		memcpy(out + 1, m->t + 3 * t, 12);
	}
}

static void ply_head(struct sink *s, const struct mesh *m, const char *more)
{
	char *text = mem_printf("ply\nformat binary_little_endian 1.0\n"
	                        "comment surface in mm, made by Gantry " GANTRY_VERSION "\n"
	                        "element vertex %ld\nproperty float x\nproperty float y\nproperty float z\n%s"
	                        "element face %ld\nproperty list uchar uint vertex_indices\nend_header\n",
	        m->nv, more, m->nt);

	sink_text(s, text);
	free(text);
}

static void write_ply(struct sink *s, const struct mesh *m)
{
	ply_head(s, m, "");
	sink_bytes(s, m->v, (size_t)m->nv * 3 * sizeof *m->v);
	ply_triangles(s, m);
}

static void write_obj(struct sink *s, const struct mesh *m)
{
	sink_text(s, "# surface in mm, made by Gantry " GANTRY_VERSION "\n");

	for (long v = 0; v < m->nv; v++) {
		char line[96];

		snprintf(line, sizeof line, "v %.9g %.9g %.9g\n", (double)m->v[3 * v],
		        (double)m->v[3 * v + 1], (double)m->v[3 * v + 2]);
		sink_text(s, line);
	}

	for (long t = 0; t < m->nt; t++) {
		const uint32_t *c = m->t + 3 * t;
		char line[96];

		snprintf(line, sizeof line, "f %ld %ld %ld\n", c[0] + 1L, c[1] + 1L, c[2] + 1L);
		sink_text(s, line);
	}
}

/* Blocks of appended data begin with their length. */
static void write_vtp(struct sink *s, const struct mesh *m)
{
	const uint64_t points = 12 * (uint64_t)m->nv, corners = 24 * (uint64_t)m->nt,
	               ends = 8 * (uint64_t)m->nt;
	char *text = mem_printf(
	        "<?xml version=\"1.0\"?>\n<!-- surface in mm, made by Gantry " GANTRY_VERSION " -->\n"
	        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
	        "header_type=\"UInt64\">\n<PolyData>\n"
	        "<Piece NumberOfPoints=\"%ld\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
	        "NumberOfPolys=\"%ld\">\n"
	        "<Points><DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" "
	        "format=\"appended\" offset=\"0\"/></Points>\n"
	        "<Polys><DataArray type=\"Int64\" Name=\"connectivity\" format=\"appended\" "
	        "offset=\"%lu\"/>\n"
	        "<DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" offset=\"%lu\"/></Polys>\n"
	        "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
	        m->nv, m->nt, (unsigned long)(points + 8), (unsigned long)(points + corners + 16));

	sink_text(s, text);
	free(text);
	memcpy(sink_room(s, 8), &points, 8);
	sink_bytes(s, m->v, points);
	memcpy(sink_room(s, 8), &corners, 8);

	for (long i = 0; i < 3 * m->nt; i++)
		memcpy(sink_room(s, 8), &(int64_t){m->t[i]}, 8);

	memcpy(sink_room(s, 8), &ends, 8);

	for (long t = 0; t < m->nt; t++)
		memcpy(sink_room(s, 8), &(int64_t){3 * t + 3}, 8);

	sink_text(s, "\n</AppendedData>\n</VTKFile>\n");
}

static const struct {
	const char *extension;
	void (*write)(struct sink *s, const struct mesh *m);
} kinds[] = {{".stl", write_stl}, {".ply", write_ply}, {".obj", write_obj}, {".vtp", write_vtp}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int kind_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (int i = 0; dot != NULL && i < KINDS; i++)
		if (0 == strcasecmp(dot, kinds[i].extension))
			return i;

	return -1;
}

void mesh_check_name(const char *path)
{
	if (kind_of(path) < 0)
		usage_error(
		        "%s: unknown mesh format (expected a name that ends in " MESH_EXTENSIONS ")", path);
}

static struct sink *sink_create(const char *path)
{
	struct sink *s = NEW(struct sink);

	s->file = file_create(path);
	s->f = file_stream(s->file);
	return s;
}

static void sink_commit(struct sink *s)
{
	sink_flush(s);
	file_commit(s->file);
	free(s);
}

void mesh_write(const char *path, const struct mesh *m)
{
	mesh_check_name(path);

	struct sink *s = sink_create(path);

	kinds[kind_of(path)].write(s, m);
	sink_commit(s);
}

void mesh_write_colored(const char *path, const struct mesh *m, const unsigned char (*rgb)[3],
        const float *value, const char *value_name)
{
	struct sink *s = sink_create(path);
	char *more = mem_printf("property uchar red\nproperty uchar green\nproperty uchar blue\n"
	                        "property float %s\n",
	        value_name);

	ply_head(s, m, more);
	free(more);

	for (long v = 0; v < m->nv; v++) {
		unsigned char *out = sink_room(s, 19);

		memcpy(out, m->v + 3 * v, 12);
		memcpy(out + 12, rgb[v], 3);
		memcpy(out + 15, value + v, 4);
	}

	ply_triangles(s, m);
	sink_commit(s);
}
