#include "volume/mesh/mesh_write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"

enum { ROOM = 1 << 18 }; // bytes of a block, less than the second-level cache holds

struct sink;

/** Makes records i..i + n - 1 at `out`; returns their bytes. */
typedef size_t put_fn(unsigned char *out, const struct sink *s, long i, long n);

/** What the records of a file are made of. */
enum of { OF_VERTICES, OF_TRIANGLES };

/** Where the records of a file that is written in parts are. */
struct section {
	long at;
	enum of of;
	size_t size;
	put_fn *put;
};

/** A mesh being written, and for PLY what each vertex has besides its position (NULL: nothing). */
struct sink {
	struct file_out *file;
	FILE *f;
	const struct mesh *m;
	const unsigned char (*rgb)[3];
	const float *value;
	struct mesh_writer *parts; // NULL: written at once
};

struct mesh_writer {
	struct sink s;
	struct mesh sizes;
	struct section section[3];
	int sections;
	_Atomic(int) failure; // errno of a write
};

static void sink_bytes(const struct sink *s, const void *data, size_t bytes)
{
	if (bytes != fwrite(data, 1, bytes, s->f))
		file_failed(s->file, NULL);
}

static void sink_text(const struct sink *s, const char *text)
{
	sink_bytes(s, text, strlen(text));
}

/* Leaves room for n records. */
static void sink_section(struct sink *s, enum of of, long n, size_t size, put_fn *put)
{
	struct mesh_writer *w = s->parts;
	const long at = ftello(s->f);

	if (at < 0 || 0 != fseeko(s->f, at + n * (long)size, SEEK_SET))
		file_failed(s->file, NULL);

	w->section[w->sections++] = (struct section){at, of, size, put};
}

/* Writes a record of at most `most` bytes for each vertex or triangle: threads make blocks of them, which are
 * written in order. */
static void sink_records(struct sink *s, enum of of, size_t most, put_fn *put)
{
	const long n = OF_VERTICES == of ? s->m->nv : s->m->nt;
	const long block = ROOM / (long)most, blocks = (n + block - 1) / block;
	int failure = 0;

	if (s->parts != NULL) {
		sink_section(s, of, n, most, put);
		return;
	}

#pragma omp parallel num_threads(threads_for(10. * (double)n))
	{
		unsigned char *out = mem_alloc(ROOM);

#pragma omp for ordered schedule(dynamic)
		for (long b = 0; b < blocks; b++) {
			const size_t bytes = put(out, s, b * block, min_long(block, n - b * block));

#pragma omp ordered
			if (0 == failure && bytes != fwrite(out, 1, bytes, s->f))
				failure = errno ? errno : EIO;
		}

		free(out);
	}

	errno = failure;

	if (0 != failure)
		file_failed(s->file, NULL);
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

static size_t stl_triangles(unsigned char *out, const struct sink *s, long i, long n)
{
	const struct mesh *m = s->m;

	for (long t = i; t < i + n; t++, out += 50) {
		float x[12];

		for (int c = 0; c < 3; c++)
			memcpy(x + 3 + 3 * c, m->v + 3L * m->t[3 * t + c], 3 * sizeof *x);

		unit_normal(x, x + 3, x + 6, x + 9);
		memcpy(out, x, 48);
		memset(out + 48, 0, 2);
	}

	return 50 * (size_t)n;
}

static void write_stl(struct sink *s)
{
	const uint32_t n = (uint32_t)s->m->nt;

	if (s->m->nt > UINT32_MAX)
		error("STL files hold at most %u triangles, not %ld (write .ply)", UINT32_MAX, s->m->nt);

	char head[81];

	file_out_reserve(s->file, 84 + 50 * s->m->nt);
	snprintf(head, sizeof head, "%-80s", "Surface in mm, made by Gantry " GANTRY_VERSION);
	sink_bytes(s, head, 80);
	sink_bytes(s, &n, 4);
	sink_records(s, OF_TRIANGLES, 50, stl_triangles);
}

static size_t raw_vertices(unsigned char *out, const struct sink *s, long i, long n)
{
	memcpy(out, s->m->v + 3 * i, 12 * (size_t)n);
	return 12 * (size_t)n;
}

static size_t colored_vertices(unsigned char *out, const struct sink *s, long i, long n)
{
	for (long v = i; v < i + n; v++, out += 19) {
		memcpy(out, s->m->v + 3 * v, 12);
		memcpy(out + 12, s->rgb[v], 3);
		memcpy(out + 15, s->value + v, 4);
	}

	return 19 * (size_t)n;
}

static size_t ply_triangles(unsigned char *out, const struct sink *s, long i, long n)
{
	for (long t = i; t < i + n; t++, out += 13) {
		out[0] = 3;
		memcpy(out + 1, s->m->t + 3 * t, 12);
	}

	return 13 * (size_t)n;
}

/* `more`: the properties of vertices besides their position, of more_bytes together. */
static void ply_body(struct sink *s, const char *more, int more_bytes)
{
	const struct mesh *m = s->m;
	const int vertex = 12 + more_bytes;
	char *text = mem_printf("ply\nformat binary_little_endian 1.0\n"
	                        "comment surface in mm, made by Gantry " GANTRY_VERSION "\n"
	                        "element vertex %ld\nproperty float x\nproperty float y\nproperty float z\n%s"
	                        "element face %ld\nproperty list uchar uint vertex_indices\nend_header\n",
	        m->nv, more, m->nt);

	file_out_reserve(s->file, (long)strlen(text) + vertex * m->nv + 13 * m->nt);
	sink_text(s, text);
	free(text);
	sink_records(s, OF_VERTICES, (size_t)vertex, NULL == s->rgb ? raw_vertices : colored_vertices);
	sink_records(s, OF_TRIANGLES, 13, ply_triangles);
}

static void write_ply(struct sink *s)
{
	ply_body(s, "", 0);
}

enum { OBJ_LINE = 96 };

static size_t obj_vertices(unsigned char *out, const struct sink *s, long i, long n)
{
	char *line = (char *)out;

	for (const float *v = s->m->v + 3 * i; v < s->m->v + 3 * (i + n); v += 3)
		line += snprintf(
		        line, OBJ_LINE, "v %.9g %.9g %.9g\n", (double)v[0], (double)v[1], (double)v[2]);

	return (size_t)(line - (char *)out);
}

static size_t obj_triangles(unsigned char *out, const struct sink *s, long i, long n)
{
	char *line = (char *)out;

	for (const uint32_t *c = s->m->t + 3 * i; c < s->m->t + 3 * (i + n); c += 3)
		line += snprintf(line, OBJ_LINE, "f %ld %ld %ld\n", c[0] + 1L, c[1] + 1L, c[2] + 1L);

	return (size_t)(line - (char *)out);
}

static void write_obj(struct sink *s)
{
	sink_text(s, "# surface in mm, made by Gantry " GANTRY_VERSION "\n");
	sink_records(s, OF_VERTICES, OBJ_LINE, obj_vertices);
	sink_records(s, OF_TRIANGLES, OBJ_LINE, obj_triangles);
}

static size_t vtp_corners(unsigned char *out, const struct sink *s, long i, long n)
{
	for (long c = 3 * i; c < 3 * (i + n); c++, out += 8)
		memcpy(out, &(int64_t){s->m->t[c]}, 8);

	return 24 * (size_t)n;
}

static size_t vtp_ends(unsigned char *out, const struct sink *s, long i, long n)
{
	(void)s;

	for (long t = i; t < i + n; t++, out += 8)
		memcpy(out, &(int64_t){3 * t + 3}, 8);

	return 8 * (size_t)n;
}

/* Blocks of appended data begin with their length. */
static void write_vtp(struct sink *s)
{
	const struct mesh *m = s->m;
	const char *end = "\n</AppendedData>\n</VTKFile>\n";
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

	file_out_reserve(s->file, (long)(strlen(text) + 24 + points + corners + ends + strlen(end)));
	sink_text(s, text);
	free(text);
	sink_bytes(s, &points, 8);
	sink_records(s, OF_VERTICES, 12, raw_vertices);
	sink_bytes(s, &corners, 8);
	sink_records(s, OF_TRIANGLES, 24, vtp_corners);
	sink_bytes(s, &ends, 8);
	sink_records(s, OF_TRIANGLES, 8, vtp_ends);
	sink_text(s, end);
}

static const struct {
	const char *extension;
	void (*write)(struct sink *s);
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

static void sink_open(struct sink *s, const char *path)
{
	s->file = file_create(path);
	s->f = file_stream(s->file);
}

void mesh_write(const char *path, const struct mesh *m)
{
	struct sink s = {.m = m};

	mesh_check_name(path);
	sink_open(&s, path);
	kinds[kind_of(path)].write(&s);
	file_commit(s.file);
}

bool mesh_takes_parts(const char *path)
{
	struct stat st;

	return kind_of(path) >= 0 && kinds[kind_of(path)].write != write_obj &&
	       (0 != stat(path, &st) || S_ISREG(st.st_mode));
}

struct mesh_writer *mesh_writer_create(const char *path, long nv, long nt)
{
	struct mesh_writer *w = NEW(struct mesh_writer);

	w->sizes = (struct mesh){.nv = nv, .nt = nt};
	w->s.m = &w->sizes;
	w->s.parts = w;
	sink_open(&w->s, path);
	kinds[kind_of(path)].write(&w->s);

	if (0 != fflush(w->s.f))
		file_failed(w->s.file, NULL);

	return w;
}

static void write_at(struct mesh_writer *w, const unsigned char *p, size_t bytes, long at)
{
	while (bytes > 0 && 0 == w->failure) {
		const ssize_t n = pwrite(fileno(w->s.f), p, bytes, at);

		if (n < 0 && EINTR == errno)
			continue;

		if (n <= 0) {
			w->failure = n < 0 ? errno : EIO;
			return;
		}

		p += n;
		at += n;
		bytes -= (size_t)n;
	}
}

void mesh_writer_part(struct mesh_writer *w, const struct mesh *m, const long v[2], const long t[2])
{
	const struct sink s = {.m = m};
	unsigned char *out = mem_alloc(ROOM);

	for (int k = 0; k < w->sections; k++) {
		const struct section *c = w->section + k;
		const long *range = OF_VERTICES == c->of ? v : t, block = ROOM / (long)c->size;

		for (long i = range[0]; i < range[1]; i += block)
			write_at(w, out, c->put(out, &s, i, min_long(block, range[1] - i)),
			        c->at + i * (long)c->size);
	}

	free(out);
}

void mesh_writer_commit(struct mesh_writer *w)
{
	errno = w->failure;

	if (0 != w->failure)
		file_failed(w->s.file, NULL);

	file_commit(w->s.file);
	free(w);
}

void mesh_write_colored(const char *path, const struct mesh *m, const unsigned char (*rgb)[3],
        const float *value, const char *value_name)
{
	struct sink s = {.m = m, .rgb = rgb, .value = value};
	char *more = mem_printf("property uchar red\nproperty uchar green\nproperty uchar blue\n"
	                        "property float %s\n",
	        value_name);

	sink_open(&s, path);
	ply_body(&s, more, 7);
	free(more);
	file_commit(s.file);
}
