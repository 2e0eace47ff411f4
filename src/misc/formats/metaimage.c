/**
 * MetaImage [1]: .mha, and .mhd with the elements in another file; raw or zlib-compressed; read and written.
 * Offset, ElementSpacing and the rows of TransformMatrix are "# Origin", "# Spacing" and "# Direction".
 *
 * [1] https://itk.org/Wiki/ITK/MetaIO/Documentation
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/file/hdr_sections.h"
#include "misc/formats/embed.h"
#include "misc/formats/keys.h"
#include "misc/formats/source.h"
#include "misc/formats/target.h"
#include "misc/mem.h"

enum { HEAD = 1 << 20 };

static const struct {
	const char *name;
	enum dtype type;
} types[] = {{"MET_CHAR", DT_INT8}, {"MET_UCHAR", DT_UINT8}, {"MET_SHORT", DT_INT16},
        {"MET_USHORT", DT_UINT16}, {"MET_INT", DT_INT32}, {"MET_UINT", DT_UINT32}, {"MET_LONG", DT_INT32},
        {"MET_ULONG", DT_UINT32}, {"MET_LONG_LONG", DT_INT64}, {"MET_ULONG_LONG", DT_UINT64},
        {"MET_FLOAT", DT_FLOAT32}, {"MET_DOUBLE", DT_FLOAT64}, {"MET_UCHAR", DT_BOOL}};

static bool meta_probe(const unsigned char *head, long n, const char *path)
{
	const char *dot = strrchr(path, '.'), *text = (const char *)head;

	(void)n;
	text += strspn(text, " \t\r\n");
	return 0 == strncasecmp(text, "ObjectType", 10) || 0 == strncasecmp(text, "NDims", 5) ||
	       (dot && (0 == strcasecmp(dot, ".mha") || 0 == strcasecmp(dot, ".mhd")) &&
	               strstr(text, "NDims"));
}

/* The lines up to and with ElementDataFile; where the next one begins, or NULL. */
static const char *parse(struct keys *k, const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, "\n");
		const char *end = text + n, *equal = memchr(text, '=', n);

		if (equal)
			keys_add(k, text, equal, equal + 1, end);

		text = end + ('\n' == *end);

		if (equal && 0 == strcasecmp(k->v[k->n - 1].name, "ElementDataFile"))
			return text;
	}

	return NULL;
}

static bool is_true(const struct keys *k, const char *name)
{
	const char *v = keys_get(k, name);

	return v && ('T' == *v || 't' == *v || '1' == *v);
}

static void set_shape(struct source *s, const struct keys *k)
{
	long rank = 0, channels = 1;
	const char *type = keys_expect(k, "ElementType");
	const int n = sizeof types / sizeof *types;
	int t = 0;

	keys_expect(k, "NDims");
	keys_longs(k, "NDims", 1, 1, &rank);

	if (rank > DIMS)
		error("%s has %ld dimensions, expected 1 to %d", k->path, rank, DIMS);

	keys_expect(k, "DimSize");
	keys_longs(k, "DimSize", (int)rank, 1, s->h.dims);

	if (keys_longs(k, "ElementNumberOfChannels", 1, 1, &channels) && 1 != channels)
		error("%s has %ld numbers per element, expected one", k->path, channels);

	while (t < n && 0 != strcasecmp(type, types[t].name))
		t++;

	if (t == n)
		error("%s has elements of type '%.40s', expected MET_CHAR to MET_DOUBLE", k->path, type);

	s->h.type = types[t].type;
	s->h.big_endian = is_true(k, "BinaryDataByteOrderMSB") || is_true(k, "ElementByteOrderMSB");
}

/* The rows of the first three axes; the others may not turn. */
static bool get_direction(const struct keys *k, int dims, double c[3][3])
{
	double m[DIMS * DIMS];

	if (dims < 2 || !(keys_doubles(k, "TransformMatrix", dims * dims, m) ||
	                        keys_doubles(k, "Rotation", dims * dims, m) ||
	                        keys_doubles(k, "Orientation", dims * dims, m)))
		return false;

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			c[i][j] = i < dims && j < dims ? m[dims * i + j] : i == j;

	for (int i = 0; i < dims; i++)
		for (int j = 0; j < dims; j++)
			if ((i >= 3 || j >= 3) && !(fabs(m[dims * i + j] - (i == j)) < 1e-6))
				error("%s: axis %d is rotated or flipped beyond the first three dimensions "
				      "(not supported)",
				        k->path, i);

	return true;
}

/* Whether there is a direction. */
static bool set_grid(struct source *s, const struct keys *k)
{
	const int rank = hdr_rank(&s->h) < 3 ? hdr_rank(&s->h) : 3;
	double spacing[DIMS], origin[DIMS], c[3][3];
	long dims = 0;

	keys_longs(k, "NDims", 1, 1, &dims);

	const bool sized = keys_doubles(k, "ElementSpacing", (int)dims, spacing) ||
	                   keys_doubles(k, "ElementSize", (int)dims, spacing);
	const bool placed = keys_doubles(k, "Offset", (int)dims, origin) ||
	                    keys_doubles(k, "Position", (int)dims, origin) ||
	                    keys_doubles(k, "Origin", (int)dims, origin);

	for (int d = 0; d < dims && (sized || placed); d++)
		if (d < rank || d < 3)
			source_grid(s, d, sized ? spacing[d] : 1., placed ? origin[d] : NAN);
		else if (sized)
			source_grid(s, d, spacing[d], placed ? origin[d] : NAN);

	if (!get_direction(k, (int)dims, c))
		return false;

	hdr_set_direction(&s->h, c);
	return true;
}

static struct source *meta_open(const char *path, const char *inside, enum part part)
{
	if (inside)
		error("%s: a MetaImage file contains no named arrays, but the name %s is given", path,
		        inside);

	if (PART_DATA != part)
		return NULL;

	long n, size, skip = 0;
	struct source *s = source_create(path);
	char *head = (char *)source_head(path, HEAD, &n, &size);
	struct keys k = {.path = path};
	const char *rest = parse(&k, head);

	if (!rest)
		error("%s: the header lacks 'ElementDataFile'", path);

	const char *file = keys_get(&k, "ElementDataFile"), *binary = keys_get(&k, "BinaryData");

	set_shape(s, &k);

	const bool turned = set_grid(s, &k);
	char *ours = embed_unescape(keys_get(&k, "Gantry") ? keys_get(&k, "Gantry") : "");

	if (embed_find(ours))
		embed_apply(&s->h, embed_find(ours), path, (struct said){.dims = DIMS, .direction = turned});

	free(ours);

	if (binary && !is_true(&k, "BinaryData"))
		error("%s: elements are stored as text, expected binary elements", path);

	if (source_is_list(file))
		error("%s: the elements are in several files (%.40s): gantry import --raw reads such files",
		        path, file);

	const bool local = 0 == strcasecmp(file, "LOCAL"), packed = is_true(&k, "CompressedData");
	char *where = local ? mem_strdup(path) : source_beside(path, file);

	keys_longs(&k, "HeaderSize", 1, -1, &skip);

	const long offset = local ? rest - head : skip;

	keys_free(&k);
	free(head);
	source_from_file(s, where, packed && offset < 0 ? 0 : offset, packed ? CODING_DEFLATE : CODING_PLAIN);
	source_expect_end(s);
	free(where);
	return s;
}

const struct format format_metaimage = {"MetaImage", false, false, meta_probe, meta_open};

/* ---- writing ---- */

static void add_numbers(struct str *s, const char *key, const double v[], int n)
{
	str_printf(s, "%s =", key);

	for (int i = 0; i < n; i++) {
		str_add(s, " ");
		str_add_double(s, v[i] + 0., 15);
	}

	str_add(s, "\n");
}

void target_metaimage(struct target *t)
{
	const int rank = hdr_rank(&t->h) < 2 ? 2 : hdr_rank(&t->h);
	const bool detached = strlen(t->path) > 4 && 0 == strcasecmp(t->path + strlen(t->path) - 4, ".mhd");
	struct str s = {0};
	double origin[DIMS], m[DIMS * DIMS], c[3][3];
	int k = 0;

	str_printf(&s,
	        "ObjectType = Image\nNDims = %d\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
	        "CompressedData = %s\n",
	        rank, t->o->compress ? "True" : "False");

	long size_at = 0;

	if (t->o->compress) { // ITK wants to know
		str_add(&s, "CompressedDataSize = ");
		size_at = (long)s.len;
		str_printf(&s, "%0*d\n", PACKED_DIGITS, 0);
	}

	for (int d = 0; d < DIMS; d++)
		origin[d] = hdr_origin(&t->h, d);

	hdr_direction(&t->h, c);

	for (int i = 0; i < rank; i++)
		for (int j = 0; j < rank; j++)
			m[rank * i + j] = i < 3 && j < 3 ? c[i][j] : i == j;

	if (rank >= 3)
		add_numbers(&s, "TransformMatrix", m, rank * rank);

	if (t->h.has_spacing || t->h.has_origin) {
		add_numbers(&s, "Offset", origin, rank);
		add_numbers(&s, "ElementSpacing", t->h.spacing, rank);
	}

	str_add(&s, "DimSize =");

	for (int d = 0; d < rank; d++)
		str_printf(&s, " %ld", t->h.dims[d]);

	while (types[k].type != t->h.type)
		k++;

	char *text = embed_text(&t->h), *line = embed_escape(text);
	char *data = target_other_name(t->path, ".mhd", t->o->compress ? ".zraw" : ".raw");
	const char *slash = strrchr(data, '/');

	str_printf(&s, "\nGantry = %s\nElementType = %s\nElementDataFile = %s\n", line, types[k].name,
	        detached ? slash ? slash + 1 : data : "LOCAL");

	if (detached)
		target_detached(t, s.data, (long)s.len, data, t->o->compress ? PACK_ZLIB : PACK_NONE);
	else
		target_plain(t, s.data, (long)s.len, t->o->compress ? PACK_ZLIB : PACK_NONE);

	target_packed_size(t, size_at);
	free(data);
	free(line);
	free(text);
	free(s.data);
}
