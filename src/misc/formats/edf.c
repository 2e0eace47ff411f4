/**
 * The ESRF data format [1]: text headers in braces, a multiple of 512 bytes, each before a frame; read and
 * written. PSize_1 and PSize_2 are the size of a pixel in metres.
 *
 * [1] P. Boesecke, "Definition of the ESRF data format (EDF)", ESRF 2011
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/foreign.h"
#include "misc/formats/embed.h"
#include "misc/formats/keys.h"
#include "misc/formats/source.h"
#include "misc/formats/target.h"
#include "misc/mem.h"

enum { BLOCK = 512, HEAD = 1 << 20 };

static const struct {
	const char *name; // the first of a type is the one that is written
	enum dtype type;
} types[] = {{"SignedByte", DT_INT8}, {"UnsignedByte", DT_UINT8}, {"SignedShort", DT_INT16},
        {"Short", DT_INT16}, {"UnsignedShort", DT_UINT16}, {"SignedInteger", DT_INT32}, {"Integer", DT_INT32},
        {"SignedLong", DT_INT32}, {"Long", DT_INT32}, {"UnsignedInteger", DT_UINT32},
        {"UnsignedLong", DT_UINT32}, {"Signed64", DT_INT64}, {"SignedLong64", DT_INT64},
        {"Unsigned64", DT_UINT64}, {"UnsignedLong64", DT_UINT64}, {"FloatValue", DT_FLOAT32},
        {"Float", DT_FLOAT32}, {"FloatIEEE32", DT_FLOAT32}, {"Real", DT_FLOAT32}, {"DoubleValue", DT_FLOAT64},
        {"Double", DT_FLOAT64}, {"DoubleIEEE64", DT_FLOAT64}, {"UnsignedByte", DT_BOOL}};

static bool edf_probe(const unsigned char *head, long n, const char *path)
{
	const char *text = (const char *)head;

	(void)path;
	(void)n;
	text += strspn(text, " \t\r\n");
	return '{' == *text && NULL != strchr(text, '=') &&
	       (strstr(text, "Dim_1") || strstr(text, "HeaderID") || strstr(text, "DataType"));
}

/* One header; its length up to the elements, or 0 when it does not end. */
static long parse(struct keys *k, const char *text)
{
	const char *p = strchr(text, '{');

	for (p = p ? p + 1 : text; *p;) {
		p += strspn(p, " \t\r\n;");

		if ('}' == *p)
			return p - text + ('\r' == p[1] ? 3 : 2);

		const char *end = p + strcspn(p, ";}"), *equal = memchr(p, '=', (size_t)(end - p));

		if (equal)
			keys_add(k, p, equal, equal + 1, end);

		p = end;
	}

	return 0;
}

static void set_shape(struct source *s, const struct keys *k)
{
	const char *type = keys_expect(k, "DataType"), *order = keys_get(k, "ByteOrder"),
	           *packing = keys_get(k, "Compression");
	const int n = sizeof types / sizeof *types;
	int t = 0;

	keys_expect(k, "Dim_1");

	for (int d = 0; d < 3; d++) {
		char name[16];

		snprintf(name, sizeof name, "Dim_%d", d + 1);
		keys_longs(k, name, 1, 1, &s->h.dims[d]);
	}

	while (t < n && 0 != strcasecmp(type, types[t].name))
		t++;

	if (t == n)
		error("%s has elements of type '%.40s', expected SignedByte to DoubleValue", k->path, type);

	if (packing && *packing && 0 != strncasecmp(packing, "no", 2))
		error("%s has the compression '%.40s', expected none", k->path, packing);

	s->h.type = types[t].type;
	s->h.big_endian = order && 0 == strcasecmp(order, "HighByteFirst");
}

static void set_grid(struct source *s, const struct keys *k)
{
	double v[3] = {0.}; // not for frames

	for (int d = 0; d < 2; d++) {
		char name[16];

		snprintf(name, sizeof name, "PSize_%d", d + 1);

		const char *value = keys_get(k, name);

		v[d] = value ? atof(value) * 1e3 : 0.;

		if (v[d] > 0.)
			source_grid(s, d, v[d], NAN);
	}

	for (int d = 0; d < 3; d++)
		if (!(v[d] > 0.))
			source_no_spacing(&s->h, d);
}

struct frames {
	long n, *offset;
	FILE *f;
};

static void edf_read(struct source *s, long first, long n, void *out)
{
	struct frames *f = s->ctx;
	const long size = (long)dtype_size(s->h.type),
	           frame = s->h.dims[0] * s->h.dims[1] *
	                   (hdr_count(&s->h, s->name) / (s->h.dims[0] * s->h.dims[1]) / f->n);

	for (long done = 0; done < n;) {
		const long k = (first + done) / frame, at = (first + done) % frame,
		           m = frame - at < n - done ? frame - at : n - done;

		if (0 != fseek(f->f, f->offset[k] + at * size, SEEK_SET) ||
		        (size_t)m != fread((char *)out + done * size, (size_t)size, (size_t)m, f->f))
			error("%s: changed while it was being read", s->name);

		done += m;
	}

	if (s->h.big_endian)
		foreign_swap(out, n, (size_t)size);
}

static void edf_close(struct source *s)
{
	struct frames *f = s->ctx;

	fclose(f->f);
	free(f->offset);
	free(f);
}

/* Adds the frames behind the first one, which must be like it. */
static void more_frames(struct source *s, struct frames *f, long at, long size, long bytes)
{
	long room = 1;

	while (size - at >= BLOCK) {
		char head[8 * BLOCK + 1];
		const size_t got = 0 == fseek(f->f, at, SEEK_SET) ? fread(head, 1, sizeof head - 1, f->f) : 0;
		struct keys k = {.path = s->name};
		struct source other = {.name = s->name};

		head[got] = '\0';

		const long length = '{' == head[strspn(head, " \t\r\n")] ? parse(&k, head) : 0;

		hdr_init(&other.h);

		if (length > 0 && keys_get(&k, "DataType") && keys_get(&k, "Dim_1"))
			set_shape(&other, &k);

		const bool same =
		        length > 0 && other.h.type == s->h.type && other.h.big_endian == s->h.big_endian &&
		        0 == memcmp(other.h.dims, s->h.dims, sizeof s->h.dims) && size - at - length >= bytes;

		keys_free(&k);

		if (!same) {
			warn("%s: %ld bytes after frame %ld are ignored, expected a frame of the same shape "
			     "and type",
			        s->name, size - at, f->n - 1);
			return;
		}

		if (f->n == room)
			f->offset = mem_realloc(f->offset, (size_t)(room *= 2) * sizeof *f->offset);

		f->offset[f->n++] = at + length;
		at += length + bytes;
	}
}

static struct source *edf_open(const char *path, const char *inside, enum part part)
{
	if (inside)
		error("%s: an EDF file contains no named arrays, but the name %s is given", path, inside);

	if (PART_DATA != part)
		return NULL;

	long n, size;
	struct source *s = source_create(path);
	char *head = (char *)source_head(path, HEAD, &n, &size);
	struct keys k = {.path = path};
	const long length = parse(&k, head);

	if (0 == length)
		error("%s: the header has no end", path);

	set_shape(s, &k);
	set_grid(s, &k);

	char *ours = embed_unescape(keys_get(&k, "Gantry") ? keys_get(&k, "Gantry") : "");

	if (embed_find(ours))
		embed_apply(&s->h, embed_find(ours), path, (struct said){.dims = 2});

	free(ours);
	keys_free(&k);
	free(head);

	const long bytes = hdr_bytes(&s->h, path);

	if (length > size || size - length < bytes)
		error("%s contains %ld bytes of elements, expected %ld (%s, %s)", path,
		        length > size ? 0 : size - length, bytes, dtype_name(s->h.type), hdr_shape(&s->h));

	struct frames *f = NEW(struct frames);

	long whole;

	f->f = fdopen(file_open_regular(path, &whole), "rb");

	if (!f->f)
		error("%s: cannot be read", path);

	f->offset = mem_alloc(sizeof *f->offset);
	f->offset[0] = length;
	f->n = 1;
	more_frames(s, f, length + bytes, size, bytes);

	if (f->n > 1)
		s->h.dims[hdr_rank(&s->h) > 2 ? 3 : 2] = f->n;

	s->ctx = f;
	s->read = edf_read;
	s->close = edf_close;
	return s;
}

const struct format format_edf = {"EDF", true, false, edf_probe, edf_open};

/* ---- writing ---- */

void target_edf(struct target *t)
{
	char *text = embed_text(&t->h), *line = embed_escape(text);
	struct str s = {0};
	int k = 0;

	while (types[k].type != t->h.type)
		k++;

	str_printf(&s,
	        "{\nHeaderID = EH:000001:000000:000000 ;\nImage = 1 ;\nByteOrder = LowByteFirst ;\nDataType "
	        "= %s ;\n",
	        types[k].name);

	for (int d = 0; d < 2 || d < hdr_rank(&t->h); d++)
		str_printf(&s, "Dim_%d = %ld ;\n", d + 1, t->h.dims[d]);

	str_printf(&s, "Size = %ld ;\n", hdr_bytes(&t->h, t->path));

	for (int d = 0; d < 2 && t->h.has_spacing; d++) {
		str_printf(&s, "PSize_%d = ", d + 1);
		str_add_double(&s, t->h.spacing[d] * 1e-3, 15);
		str_add(&s, " ;\n");
	}

	str_printf(&s, "Gantry = %s ;\n", line);

	while (s.len % BLOCK != BLOCK - 2)
		str_add(&s, " ");

	str_add(&s, "}\n");
	target_plain(t, s.data, (long)s.len, PACK_NONE);
	free(s.data);
	free(line);
	free(text);
}
