/** MATLAB 5 to 7.2 files (level 5 MAT-files, as MATLAB's save -v6 and -v7, Octave's and SciPy's): arrays by
 * name, and those in fields of structures as NAME.FIELD. After the MathWorks' MAT-File Format document. */

#include "misc/formats/source.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/foreign.h"
#include "misc/mem.h"

enum { HEADER = 128, VERSION_AT = 124, ENDIAN_AT = 126, DEPTH = 8, NAMES = 12, MOST_PACKED = 1032 };

/* Types of data elements. */
enum {
	MI_INT8 = 1,
	MI_UINT8,
	MI_INT16,
	MI_UINT16,
	MI_INT32,
	MI_UINT32,
	MI_SINGLE,
	MI_DOUBLE = 9,
	MI_INT64 = 12,
	MI_UINT64,
	MI_MATRIX,
	MI_COMPRESSED,
	MI_COUNT
};

/* Classes of arrays; those of numbers are 6 .. 15. */
enum { MX_CELL = 1, MX_STRUCT, MX_OBJECT, MX_CHAR, MX_SPARSE, MX_DOUBLE, MX_UINT64 = 15 };

enum { FLAG_LOGICAL = 2, FLAG_COMPLEX = 8 };

static const enum dtype stored_types[MI_COUNT] = {[MI_INT8] = DT_INT8,
        [MI_UINT8] = DT_UINT8,
        [MI_INT16] = DT_INT16,
        [MI_UINT16] = DT_UINT16,
        [MI_INT32] = DT_INT32,
        [MI_UINT32] = DT_UINT32,
        [MI_SINGLE] = DT_FLOAT32,
        [MI_DOUBLE] = DT_FLOAT64,
        [MI_INT64] = DT_INT64,
        [MI_UINT64] = DT_UINT64};

static const enum dtype class_types[] = {DT_FLOAT64, DT_FLOAT32, DT_INT8, DT_UINT8, DT_INT16, DT_UINT16,
        DT_INT32, DT_UINT32, DT_INT64, DT_UINT64};

/* Bytes still to be read, of a file or of something unpacked. */
struct bytes {
	const unsigned char *at, *end;
	bool swapped;
	const char *path;
};

struct element {
	unsigned type;
	struct bytes data;
};

/* An array's parts, in place. */
struct matrix {
	int class;
	bool logical, complex;
	int rank;
	long dims[DIMS];
	char name[64];     // cut
	struct bytes rest; // numbers, or fields
};

/* What is asked for, and what there is. */
struct search {
	const char *path, *inside; // inside NULL: the only array
	struct source *found;
	long arrays;
	struct str names;
};

static _Noreturn void damaged(const struct bytes *b, const char *what)
{
	error("%s: the MATLAB file is damaged: %s", b->path, what);
}

static uint32_t get32(const struct bytes *b, const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);

	return b->swapped ? __builtin_bswap32(v) : v;
}

/* The next element; small ones hold their data beside the tag. */
static struct element next_element(struct bytes *b)
{
	struct element e = {.data = *b};

	if (b->end - b->at < 8)
		damaged(b, "it ends inside a tag");

	uint32_t first = get32(b, b->at), n = get32(b, b->at + 4);

	if (first >> 16 != 0) {
		e.type = first & 0xffff;
		n = first >> 16;

		if (n > 4)
			damaged(b, "a small element has more than 4 bytes");

		e.data.at = b->at + 4;
		b->at += 8;
	} else {
		e.type = first;
		e.data.at = b->at + 8;

		if ((long)n > b->end - e.data.at)
			damaged(b, "an element is longer than the rest of the file");

		long padded = MI_COMPRESSED == e.type ? (long)n : ((long)n + 7) / 8 * 8;

		b->at = padded > b->end - e.data.at ? b->end : e.data.at + padded;
	}

	e.data.end = e.data.at + n;

	return e;
}

static bool is_number_type(unsigned type)
{
	return type < MI_COUNT &&
	       (type <= MI_SINGLE || MI_DOUBLE == type || MI_INT64 == type || MI_UINT64 == type) && type > 0;
}

/* ---- numbers ---- */

/* Whole numbers up to 2^53 and all that fits into the class pass unchanged: MATLAB stores an array in the
 * smallest type that holds its values. */
static void put_number(enum dtype t, unsigned char *out, double v, int64_t i, bool whole)
{
	switch (t) {
	case DT_FLOAT64:
		memcpy(out, &v, 8);
		break;
	case DT_FLOAT32:
		memcpy(out, &(float){(float)v}, 4);
		break;
	default:
		i = whole ? i : (int64_t)v;
		memcpy(out, &i, dtype_size(t)); // little-endian: the low bytes
	}
}

static void convert_one(enum dtype to, unsigned char *out, enum dtype from, const unsigned char *in)
{
	double v = 0.;
	float f;
	int64_t i = 0;
	uint64_t u = 0;

	switch (from) {
	case DT_FLOAT64:
		memcpy(&v, in, 8);
		break;
	case DT_FLOAT32:
		memcpy(&f, in, 4);
		v = f;
		break;
	default:
		memcpy(&u, in, dtype_size(from));
		i = (int64_t)u;

		if (DT_INT8 == from)
			i = (int8_t)u;
		else if (DT_INT16 == from)
			i = (int16_t)u;
		else if (DT_INT32 == from)
			i = (int32_t)u;

		v = DT_UINT64 == from ? (double)u : (double)i;
	}

	put_number(to, out, v, i, DT_FLOAT64 != from && DT_FLOAT32 != from);
}

/* n numbers of an element into every step-th place of out. */
static void read_numbers(struct bytes *rest, long n, enum dtype to, long step, unsigned char *out)
{
	struct element e = next_element(rest);

	if (!is_number_type(e.type))
		damaged(rest, "numbers are expected");

	const enum dtype from = stored_types[e.type];
	const long size = (long)dtype_size(from);
	unsigned char one[8];

	if (e.data.end - e.data.at != n * size)
		damaged(rest, "the number of elements of an array differs from its dimensions");

	for (long k = 0; k < n; k++) {
		memcpy(one, e.data.at + k * size, (size_t)size);

		if (rest->swapped)
			foreign_swap(one, 1, (size_t)size);

		convert_one(to, out + k * step, from, one);
	}
}

static struct source *read_array(struct matrix *m, const char *label)
{
	struct source *s = source_create(label);
	enum dtype t = m->logical ? DT_BOOL : class_types[m->class - MX_DOUBLE];

	if (m->complex && DT_FLOAT32 != t && DT_FLOAT64 != t)
		error("%s contains complex integers, expected complex numbers of class double or single",
		        label);

	hdr_set_dims(&s->h, m->rank, m->dims);
	s->h.type = !m->complex ? t : (DT_FLOAT32 == t ? DT_COMPLEX64 : DT_COMPLEX128);

	const long n = hdr_count(&s->h, label), size = (long)dtype_size(t);
	const long step = m->complex ? 2 * size : size;

	if (n > (m->rest.end - m->rest.at)) // at least a byte per number
		damaged(&m->rest, "the number of elements of an array differs from its dimensions");

	unsigned char *data = mem_alloc((size_t)(n * step));

	for (int k = 0; k < 1 + m->complex; k++)
		read_numbers(&m->rest, n, t, step, data + k * size);

	source_from_memory(s, data);

	return s;
}

/* ---- arrays and structures ---- */

static struct matrix read_matrix(struct bytes b)
{
	struct matrix m = {0};
	struct element flags = next_element(&b);

	if (MI_UINT32 != flags.type || flags.data.end - flags.data.at != 8)
		damaged(&b, "an array begins without its flags");

	uint32_t f = get32(&b, flags.data.at);

	m.class = (int)(f & 0xff);
	m.logical = f >> 8 & FLAG_LOGICAL;
	m.complex = f >> 8 & FLAG_COMPLEX;

	struct element dims = next_element(&b);

	m.rank = (int)((dims.data.end - dims.data.at) / 4);

	if (MI_INT32 != dims.type || m.rank < 1 || m.rank > DIMS)
		damaged(&b, "an array has no dimensions, or more than 16");

	for (int d = 0; d < m.rank; d++)
		m.dims[d] = (int32_t)get32(&b, dims.data.at + 4 * d);

	struct element name = next_element(&b);
	long n = name.data.end - name.data.at;

	memcpy(m.name, name.data.at, (size_t)(n < (long)sizeof m.name - 1 ? n : (long)sizeof m.name - 1));
	m.rest = b;

	return m;
}

static bool is_empty(const struct matrix *m)
{
	for (int d = 0; d < m->rank; d++)
		if (m->dims[d] < 1)
			return true;

	return false;
}

static void visit(struct search *s, struct matrix *m, const char *name, int depth);

/* Fields of a single structure, each an array without a name of its own. */
static void visit_fields(struct search *s, struct matrix *m, const char *name, int depth)
{
	struct element length = next_element(&m->rest), names = next_element(&m->rest);
	long width = length.data.end - length.data.at == 4 ? (int32_t)get32(&m->rest, length.data.at) : 0;

	if (width < 1)
		damaged(&m->rest, "a structure has no names");

	for (long k = 0; k < (names.data.end - names.data.at) / width; k++) {
		struct element e = next_element(&m->rest);
		const char *field = (const char *)names.data.at + k * width;

		if (MI_MATRIX != e.type)
			damaged(&m->rest, "a field holds no array");

		if (e.data.at == e.data.end) // [] is written like that
			continue;

		struct matrix inner = read_matrix(e.data);
		char *whole = mem_printf("%s.%.*s", name, (int)strnlen(field, (size_t)width), field);

		visit(s, &inner, whole, depth + 1);
		free(whole);
	}
}

static void visit(struct search *s, struct matrix *m, const char *name, int depth)
{
	if (depth > DEPTH || is_empty(m))
		return;

	if (MX_STRUCT == m->class) {
		long count = 1;

		for (int d = 0; d < m->rank; d++)
			count *= m->dims[d] > 1 ? 2 : 1;

		if (1 == count)
			visit_fields(s, m, name, depth);

		return;
	}

	if (m->class < MX_DOUBLE || m->class > MX_UINT64)
		return;

	if (s->arrays++ < NAMES)
		str_printf(&s->names, "%s%s", s->arrays > 1 ? ", " : "", name);

	if (s->inside != NULL ? strcmp(s->inside, name) == 0 : s->found == NULL) {
		char *label = mem_printf("%s:%s", s->path, name);

		s->found = read_array(m, label);
		free(label);
	}
}

/* A packed element (malloc'd): one array with its tag. */
static unsigned char *unpack(const struct element *e, long *bytes)
{
	const long packed = e->data.end - e->data.at;
	unsigned char tag[8];
	z_stream z = {.next_in = (unsigned char *)e->data.at,
	        .avail_in = (unsigned)packed,
	        .next_out = tag,
	        .avail_out = sizeof tag};

	if (inflateInit(&z) != Z_OK)
		error("%s: zlib cannot be initialised", e->data.path);

	int status = inflate(&z, Z_SYNC_FLUSH);
	long n = 8 + (long)get32(&e->data, tag + 4);

	if ((status != Z_OK && status != Z_STREAM_END) || z.avail_out > 0 || n > packed * MOST_PACKED + 8) {
		inflateEnd(&z);
		damaged(&e->data, "a compressed array does not unpack");
	}

	unsigned char *out = mem_alloc((size_t)n);

	memcpy(out, tag, sizeof tag);
	z.next_out = out + 8;
	z.avail_out = (unsigned)(n - 8);
	status = inflate(&z, Z_FINISH);
	inflateEnd(&z);

	if (z.avail_out > 0 || (status != Z_STREAM_END && status != Z_OK && status != Z_BUF_ERROR)) {
		free(out);
		damaged(&e->data, "a compressed array does not unpack");
	}

	*bytes = n;

	return out;
}

static void visit_element(struct search *s, struct bytes *b)
{
	struct element e = next_element(b);
	unsigned char *unpacked = NULL;

	if (MI_COMPRESSED == e.type) {
		long n;

		unpacked = unpack(&e, &n);

		struct bytes inner = {unpacked, unpacked + n, b->swapped, b->path};

		e = next_element(&inner);
	}

	if (MI_MATRIX == e.type) {
		struct matrix m = read_matrix(e.data);

		visit(s, &m, m.name, 0);
	}

	free(unpacked);
}

static bool matlab5_probe(const unsigned char *head, long n, const char *path)
{
	(void)path;

	if (n < HEADER || memcmp(head, "MATLAB", 6) != 0)
		return false;

	return memcmp(head + VERSION_AT, "\0\1IM", 4) == 0 || memcmp(head + VERSION_AT, "\1\0MI", 4) == 0;
}

static struct source *matlab5_open(const char *path, const char *inside, enum part part)
{
	if (PART_DATA != part)
		return NULL;

	size_t size;
	const unsigned char *data = file_map(path, &size);
	struct bytes b = {data + HEADER, data + size, 'M' == data[ENDIAN_AT], path};
	struct search s = {.path = path, .inside = inside};

	while (b.end - b.at >= 8)
		visit_element(&s, &b);

	file_unmap(data);

	if (0 == s.arrays)
		error("%s: the MATLAB file contains no array of numbers", path);

	if (s.found == NULL)
		error("%s: no array %s in the MATLAB file, expected one of: %s%s", path, inside, s.names.data,
		        s.arrays > NAMES ? ", ..." : "");

	if (inside == NULL && s.arrays > 1)
		error("%s contains %ld arrays: choose one as %s:NAME, where NAME is one of %s%s", path,
		        s.arrays, path, s.names.data, s.arrays > NAMES ? ", ..." : "");

	free(s.names.data);

	return s.found;
}

const struct format format_matlab5 = {"MATLAB 5", false, false, matlab5_probe, matlab5_open};
