/**
 * NRRD [1]: attached (.nrrd) and detached (.nhdr), raw or gzip; read and written. Space directions and origin
 * become spacing, "# Origin" and "# Direction", in coordinates to the left, the back and the head.
 *
 * [1] http://teem.sourceforge.net/nrrd/format.html
 */

#include <ctype.h>
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
	const char *name; // the first of a type is the one that is written
	enum dtype type;
} types[] = {{"int8", DT_INT8}, {"signed char", DT_INT8}, {"int8_t", DT_INT8}, {"uint8", DT_UINT8},
        {"uchar", DT_UINT8}, {"unsigned char", DT_UINT8}, {"uint8_t", DT_UINT8}, {"int16", DT_INT16},
        {"short", DT_INT16}, {"short int", DT_INT16}, {"signed short", DT_INT16},
        {"signed short int", DT_INT16}, {"int16_t", DT_INT16}, {"uint16", DT_UINT16}, {"ushort", DT_UINT16},
        {"unsigned short", DT_UINT16}, {"unsigned short int", DT_UINT16}, {"uint16_t", DT_UINT16},
        {"int32", DT_INT32}, {"int", DT_INT32}, {"signed int", DT_INT32}, {"int32_t", DT_INT32},
        {"uint32", DT_UINT32}, {"uint", DT_UINT32}, {"unsigned int", DT_UINT32}, {"uint32_t", DT_UINT32},
        {"int64", DT_INT64}, {"longlong", DT_INT64}, {"long long", DT_INT64}, {"long long int", DT_INT64},
        {"signed long long", DT_INT64}, {"signed long long int", DT_INT64}, {"int64_t", DT_INT64},
        {"uint64", DT_UINT64}, {"ulonglong", DT_UINT64}, {"unsigned long long", DT_UINT64},
        {"unsigned long long int", DT_UINT64}, {"uint64_t", DT_UINT64}, {"float", DT_FLOAT32},
        {"double", DT_FLOAT64}, {"uint8", DT_BOOL}};

static bool nrrd_probe(const unsigned char *head, long n, const char *path)
{
	(void)path;
	return n >= 8 && 0 == memcmp(head, "NRRD000", 7);
}

/* Fields up to the blank line; where the elements begin, or NULL when the header ends with the file. */
static const char *parse(struct keys *k, const char *text)
{
	text += strcspn(text, "\n"); // the magic word
	text += '\n' == *text;

	while (*text) {
		const size_t n = strcspn(text, "\n");
		const char *end = text + n, *colon = memchr(text, ':', n);

		if (0 == n || (1 == n && '\r' == *text))
			return '\n' == *end ? end + 1 : NULL;

		if ('#' != *text && colon)
			keys_add(k, text, colon, colon + ('=' == colon[1] ? 2 : 1), end);

		text = end + ('\n' == *end);
	}

	return NULL;
}

static const char *either(const struct keys *k, const char *a, const char *b)
{
	const char *v = keys_get(k, a);

	return v ? v : keys_get(k, b);
}

static void set_shape(struct source *s, const struct keys *k)
{
	const int n = sizeof types / sizeof *types;
	const char *type = keys_expect(k, "type");
	long rank = 0;
	int t = 0;

	keys_expect(k, "dimension");
	keys_longs(k, "dimension", 1, 1, &rank);

	if (rank > DIMS)
		error("%s has %ld dimensions, expected 1 to %d", k->path, rank, DIMS);

	keys_expect(k, "sizes");
	keys_longs(k, "sizes", (int)rank, 1, s->h.dims);

	while (t < n && 0 != strcasecmp(type, types[t].name))
		t++;

	if (t == n)
		error("%s has elements of type '%.40s', expected integers, float or double", k->path, type);

	s->h.type = types[t].type;

	const char *endian = keys_get(k, "endian");

	s->h.big_endian = endian && 0 == strcasecmp(endian, "big");

	if (!endian && dtype_size(s->h.type) > 1)
		error("%s: the header lacks 'endian', expected big or little", k->path);
}

/* Signs that bring a space into left, back, head. */
static void space_signs(const char *space, double sign[3])
{
	static const struct {
		const char *name, *shorter;
		double x, y;
	} spaces[] = {{"right-anterior-superior", "RAS", -1., -1.},
	        {"left-anterior-superior", "LAS", 1., -1.},
	        {"right-anterior-superior-time", "RAST", -1., -1.},
	        {"left-anterior-superior-time", "LAST", 1., -1.}};
	const int n = sizeof spaces / sizeof *spaces;

	sign[0] = sign[1] = sign[2] = 1.;

	for (int i = 0; i < n && space; i++)
		if (0 == strcasecmp(space, spaces[i].name) || 0 == strcasecmp(space, spaces[i].shorter)) {
			sign[0] = spaces[i].x;
			sign[1] = spaces[i].y;
		}
}

/* "(a,b,c)": numbers; where it ends, or NULL. *n = 0 for "none". */
static const char *vector(const char *p, double v[DIMS], int *n)
{
	p += strspn(p, " \t");
	*n = 0;

	if (0 == strncasecmp(p, "none", 4))
		return p + 4;

	if ('(' != *p++)
		return NULL;

	while (*n < DIMS) {
		char *end;

		v[(*n)++] = strtod(p, &end);

		if (end == p)
			return NULL;

		p = end + strspn(end, " \t");

		if (')' == *p)
			return p + 1;

		if (',' != *p++)
			return NULL;
	}

	return NULL;
}

/* Behind n words, those with blanks in quotes. */
static const char *word_at(const char *text, int n)
{
	for (text += strspn(text, " \t"); n > 0 && *text; n--) {
		const bool quoted = '"' == *text;

		text += quoted;
		text += strcspn(text, quoted ? "\"" : " \t");
		text += quoted && '"' == *text;
		text += strspn(text, " \t");
	}

	return text;
}

/* [mm], of an axis */
static double unit_of(const struct keys *k, const char *name, const char *other, int axis)
{
	const char *unit = either(k, name, other);

	if (!unit)
		return 1.;

	unit = word_at(unit, axis);
	unit += '"' == *unit;
	return 0 == strncmp(unit, "um\"", 3)   ? 1e-3
	       : 0 == strncmp(unit, "nm\"", 3) ? 1e-6
	       : 0 == strncmp(unit, "cm\"", 3) ? 10.
	       : 0 == strncmp(unit, "m\"", 2)  ? 1e3
	                                       : 1.;
}

/* Of a single plane in space. */
static void set_normal(double c[3][3])
{
	for (int i = 0; i < 3; i++)
		c[2][i] = c[0][(i + 1) % 3] * c[1][(i + 2) % 3] - c[0][(i + 2) % 3] * c[1][(i + 1) % 3];
}

/* Of the axes that have directions; the first three make "# Direction". */
static void set_space(struct source *s, const struct keys *k, const char *directions, double mm)
{
	double sign[3], origin[DIMS], v[DIMS], c[3][3] = {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}};
	const char *text = keys_get(k, "space origin");
	const int rank = DIMS;
	int n, spatial = 0, space = 0, known = 0;
	bool leading = true;

	space_signs(keys_get(k, "space"), sign);

	if (text && vector(text, origin, &known) && 0 == known)
		known = 0;
	else if (text && known < 1)
		error("%s: 'space origin' is '%.60s', expected numbers as (1,2,3)", k->path, text);

	for (int d = 0; d < rank && directions[strspn(directions, " \t")]; d++) {
		directions = vector(directions, v, &n);

		if (!directions)
			error("%s: axis %d of 'space directions' is malformed, expected numbers as (1,0,0)",
			        k->path, d);

		if (0 == n)
			continue;

		double length = 0., beyond = 0.; // beyond: along axes of the space that are no places

		for (int i = 0; i < n; i++) {
			length += v[i] * v[i];
			beyond += i < 3 ? 0. : v[i] * v[i];
		}

		length = sqrt(length);

		if (beyond > 0. && beyond < (1. - 1e-9) * length * length)
			error("%s: axis %d of 'space directions' has components in the first three "
			      "dimensions of the space and in others (not supported)",
			        k->path, d);

		if (beyond > 0.)
			source_grid(s, d, length, NAN);

		if (beyond > 0. || spatial >= 3)
			continue;

		source_grid(s, d, length * mm, known > spatial ? origin[spatial] * sign[spatial] * mm : NAN);

		for (int i = 0; i < n && i < 3; i++)
			c[spatial][i] = v[i] / length * sign[i];

		leading &= d == spatial;
		space = n;
		spatial++;
	}

	if (2 == spatial && leading && 3 == space) {
		set_normal(c);

		if (3 == known)
			s->h.origin[2] = origin[2] * mm;
	}

	if (spatial >= 2 && leading)
		hdr_set_direction(&s->h, c);
}

static void set_grid(struct source *s, const struct keys *k)
{
	const char *directions = keys_get(k, "space directions"),
	           *centers = either(k, "centers", "centerings");
	double spacing[DIMS], min[DIMS];
	long rank = 0;

	if (directions) {
		set_space(s, k, directions, unit_of(k, "space units", "units", 0));
		return;
	}

	keys_longs(k, "dimension", 1, 1, &rank);

	const bool sized = keys_doubles(k, "spacings", (int)rank, spacing);
	const bool placed =
	        keys_doubles(k, "axis mins", (int)rank, min) || keys_doubles(k, "axismins", (int)rank, min);

	for (int d = 0; d < rank && sized; d++) {
		const double mm = unit_of(k, "units", "space units", d);
		const bool cell = centers && 0 == strncasecmp(word_at(centers, d), "cell", 4);

		if (!isnan(spacing[d])) // the least place is a border of cells, the middle of nodes
			source_grid(s, d, spacing[d] * mm,
			        placed ? (min[d] + (cell ? 0.5 * spacing[d] : 0.)) * mm : NAN);
	}

	for (int d = (int)rank - 1; d >= 0 && sized && isnan(spacing[d]); d--)
		source_no_spacing(&s->h, d);
}

/* Behind `lines` line ends of the file. */
static long skip_lines(const char *path, long at, long lines)
{
	long n, size;
	char *text = (char *)source_head(path, at + HEAD, &n, &size);

	for (; lines > 0 && at < n; lines--) {
		const char *end = memchr(text + at, '\n', (size_t)(n - at));

		at = end ? end + 1 - text : n;
	}

	free(text);
	return at;
}

static struct source *nrrd_open(const char *path, const char *inside, enum part part)
{
	if (inside)
		error("%s: a NRRD file contains no named arrays, but the name %s is given", path, inside);

	if (PART_DATA != part)
		return NULL;

	long n, size, lines = 0, skip = 0;
	struct source *s = source_create(path);
	char *head = (char *)source_head(path, HEAD, &n, &size);
	struct keys k = {.path = path};
	const char *rest = parse(&k, head), *file = either(&k, "data file", "datafile");
	const char *encoding = keys_expect(&k, "encoding");

	const bool packed = 0 == strcasecmp(encoding, "gzip") || 0 == strcasecmp(encoding, "gz");

	if (!packed && 0 != strcasecmp(encoding, "raw"))
		error("%s has the encoding '%.40s', expected raw or gzip", path, encoding);

	set_shape(s, &k);
	set_grid(s, &k);

	char *ours = embed_unescape(keys_get(&k, "gantry") ? keys_get(&k, "gantry") : "");

	if (embed_find(ours))
		embed_apply(&s->h, embed_find(ours), path,
		        (struct said){.dims = 3, .direction = NULL != keys_get(&k, "space directions")});

	free(ours);

	if (!rest && !file)
		error("%s: the header does not end with a blank line, and no 'data file' is named", path);

	if (file && source_is_list(file))
		error("%s: the elements are in several files (%.40s): gantry import --raw reads such files",
		        path, file);

	char *where = file ? source_beside(path, file) : mem_strdup(path);
	long offset = file ? 0 : rest - head;

	if (!keys_longs(&k, "line skip", 1, 0, &lines))
		keys_longs(&k, "lineskip", 1, 0, &lines);

	if (!keys_longs(&k, "byte skip", 1, -1, &skip))
		keys_longs(&k, "byteskip", 1, -1, &skip);

	if (packed && 0 != skip)
		error("%s: 'byte skip' %ld in compressed elements, expected 0", path, skip);

	keys_free(&k);
	free(head);

	if (lines > 0)
		offset = skip_lines(where, offset, lines);

	source_from_file(s, where, skip < 0 ? -1 : add_checked(offset, skip, "byte skip"),
	        packed ? CODING_DEFLATE : CODING_PLAIN);
	source_expect_end(s);
	free(where);
	return s;
}

const struct format format_nrrd = {"NRRD", false, false, nrrd_probe, nrrd_open};

/* ---- writing ---- */

static void add_vector(struct str *s, const double v[], int n, double scale)
{
	str_add(s, "(");

	for (int i = 0; i < n; i++) {
		str_add(s, i ? "," : "");
		str_add_double(s, v[i] * scale + 0., 15);
	}

	str_add(s, ")");
}

static void add_space(struct str *s, const struct hdr *h, int rank)
{
	const int space = rank < 3 ? rank : 3;
	double c[3][3], origin[3];

	hdr_direction(h, c);

	for (int d = 0; d < 3; d++)
		origin[d] = hdr_origin(h, d);

	if (3 == space)
		str_add(s, "space: left-posterior-superior\n");
	else
		str_printf(s, "space dimension: %d\n", space);

	str_add(s, "space directions:");

	for (int d = 0; d < rank; d++) {
		str_add(s, " ");

		if (d < space)
			add_vector(s, c[d], space, h->spacing[d]);
		else
			str_add(s, "none");
	}

	str_add(s, "\nspace units:");

	for (int d = 0; d < space; d++)
		str_add(s, " \"mm\"");

	str_add(s, "\nspace origin: ");
	add_vector(s, origin, space, 1.);
	str_add(s, "\n");
}

void target_nrrd(struct target *t)
{
	const int rank = hdr_rank(&t->h);
	const bool detached = strlen(t->path) > 5 && 0 == strcasecmp(t->path + strlen(t->path) - 5, ".nhdr");
	struct str s = {0};
	int k = 0;

	while (types[k].type != t->h.type)
		k++;

	str_printf(&s, "NRRD0005\ntype: %s\ndimension: %d\n", types[k].name, rank);

	if (t->h.has_spacing || t->h.has_origin)
		add_space(&s, &t->h, rank);

	str_add(&s, "sizes:");

	for (int d = 0; d < rank; d++)
		str_printf(&s, " %ld", t->h.dims[d]);

	char *text = embed_text(&t->h), *line = embed_escape(text);
	char *data = target_other_name(t->path, ".nhdr", t->o->compress ? ".raw.gz" : ".raw");
	const char *slash = strrchr(data, '/');

	str_printf(&s, "\nendian: little\nencoding: %s\n", t->o->compress ? "gzip" : "raw");

	if (detached)
		str_printf(&s, "data file: %s\n", slash ? slash + 1 : data);

	str_printf(&s, "gantry:=%s\n\n", line);

	if (detached)
		target_detached(t, s.data, (long)s.len, data, t->o->compress ? PACK_GZIP : PACK_NONE);
	else
		target_plain(t, s.data, (long)s.len, t->o->compress ? PACK_GZIP : PACK_NONE);

	free(data);
	free(line);
	free(text);
	free(s.data);
}
