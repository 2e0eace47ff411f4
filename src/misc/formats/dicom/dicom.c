/**
 * DICOM [1]: the elements of a file, little-endian explicit and implicit or big-endian, with or without the
 * preamble; CT-PD projections [2] too.
 *
 * Gantry has its own reader: elements go from the file to the output without a copy of the file in memory,
 * private elements need no dictionary, damaged files give one error message, and the build needs no C++.
 *
 * [1] DICOM PS3.5 (data structures) and PS3.3, C.7.6.2 and C.8.2.1 (image plane, CT image)
 * [2] B. Chen et al., "Development and validation of an open data format for CT projection data", Med. Phys.
 * 42 (2015) 6964-6972
 */

#include "misc/formats/dicom/dicom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/dicom/codec.h"
#include "misc/formats/dicom/dicom_internal.h"
#include "misc/mem.h"

enum { DEPTH_MAX = 32 };

static const uint32_t undefined = 0xffffffffU;

/* A cursor over the elements. */
struct cursor {
	const unsigned char *p;
	size_t n, at;
	bool explicit, big;
};

struct element {
	uint32_t tag, length;
	char vr[3];
	const unsigned char *value;
};

static unsigned get16(const struct cursor *c, const unsigned char *p)
{
	return c->big ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0];
}

static uint32_t get32(const struct cursor *c, const unsigned char *p)
{
	return c->big ? get16(c, p) << 16 | get16(c, p + 2) : get16(c, p + 2) << 16 | get16(c, p);
}

static bool is_vr(const unsigned char *p)
{
	return p[0] >= 'A' && p[0] <= 'Z' && p[1] >= 'A' && p[1] <= 'Z';
}

bool dicom_has_long_length(const char *vr)
{
	static const char *const names[] = {
	        "OB", "OD", "OF", "OL", "OV", "OW", "SQ", "SV", "UC", "UN", "UR", "UT", "UV"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (0 == strcmp(vr, names[i]))
			return true;

	return false;
}

/* The header of the next element: false at the end of what there is. The value may be longer than the rest.
 */
static bool next(struct cursor *c, struct element *e)
{
	if (c->n - c->at < 8)
		return false;

	const unsigned char *p = c->p + c->at;

	e->tag = TAG(get16(c, p), get16(c, p + 2));
	memcpy(e->vr, "UN", 3);
	c->at += 8;

	if (0xfffe == e->tag >> 16 || !c->explicit || !is_vr(p + 4)) {
		e->length = get32(c, p + 4);
	} else {
		memcpy(e->vr, p + 4, 2);
		e->length = get16(c, p + 6);

		if (dicom_has_long_length(e->vr)) {
			if (c->n - c->at < 4)
				return false;

			e->length = get32(c, p + 8);
			c->at += 4;
		}
	}

	e->value = c->p + c->at;
	return true;
}

static bool skip_undefined(struct cursor *c, int depth);

static bool skip(struct cursor *c, const struct element *e, int depth)
{
	if (undefined == e->length)
		return skip_undefined(c, depth + 1);

	if (e->length > c->n - c->at)
		return false;

	c->at += e->length;
	return true;
}

/* A sequence or an item of undefined length: up to its own end. */
static bool skip_undefined(struct cursor *c, int depth)
{
	struct element e;

	while (depth < DEPTH_MAX && next(c, &e)) {
		if (SEQUENCE_END == e.tag || ITEM_END == e.tag)
			return true;

		if (!skip(c, &e, depth))
			return false;
	}

	return false;
}

/* ---- values ---- */

static void text_of(const struct element *e, char *out, size_t room)
{
	size_t n = e->length < room - 1 ? e->length : room - 1;

	memcpy(out, e->value, n);

	while (n > 0 && (' ' == out[n - 1] || '\0' == out[n - 1]))
		n--;

	out[n] = '\0';
}

/* Up to n numbers of a text, separated by backslashes; the others stay. */
static void decimals(const struct element *e, int n, double v[])
{
	char text[256], *p = text;

	text_of(e, text, sizeof text);

	for (int i = 0; i < n && *p; i++) {
		char *end;
		const double x = strtod(p, &end);

		if (end == p)
			return;

		v[i] = x;
		p = end + strspn(end, " ");

		if ('\\' == *p)
			p++;
	}
}

static void floats(const struct cursor *c, const struct element *e, int n, double v[])
{
	for (int i = 0; i < n && e->length >= 4U * (unsigned)(i + 1); i++) {
		const uint32_t bits = get32(c, e->value + 4 * i);
		float f;

		memcpy(&f, &bits, sizeof f);
		v[i] = (double)f;
	}
}

static long shorts(const struct cursor *c, const struct element *e)
{
	return e->length >= 2 ? (long)get16(c, e->value) : 0;
}

static void take_private(struct dicom *d, const struct cursor *c, const struct element *e)
{
	char text[8];

	switch (e->tag) {
	case TAG(0x7029, 0x1002):
		floats(c, e, 1, &d->pitch[0]);
		break;
	case TAG(0x7029, 0x1006):
		floats(c, e, 1, &d->pitch[1]);
		break;
	case TAG(0x7029, 0x100b):
		text_of(e, d->shape, sizeof d->shape);
		break;
	case TAG(0x7029, 0x1010):
		d->detector[1] = shorts(c, e);
		break;
	case TAG(0x7029, 0x1011):
		d->detector[0] = shorts(c, e);
		break;
	case TAG(0x7031, 0x1001):
		floats(c, e, 1, &d->angle);
		d->projections = true;
		break;
	case TAG(0x7031, 0x1002):
		floats(c, e, 1, &d->focal_z);
		break;
	case TAG(0x7031, 0x1003):
		floats(c, e, 1, &d->focal_r);
		break;
	case TAG(0x7031, 0x1031):
		floats(c, e, 1, &d->distance);
		break;
	case TAG(0x7031, 0x1033):
		floats(c, e, 2, d->center);
		break;
	case TAG(0x7039, 0x1009):
		text_of(e, text, sizeof text);
		d->logarithm = 0 == strcmp(text, "YES");
		break;
	case TAG(0x7033, 0x100b):
		floats(c, e, 1, &d->shift_angle);
		break;
	case TAG(0x7033, 0x100c):
		floats(c, e, 1, &d->shift_z);
		break;
	case TAG(0x7033, 0x100d):
		floats(c, e, 1, &d->shift_r);
		break;
	}
}

/* The place of a frame [mm]. */
static void take_place(struct dicom *d, const double p[3])
{
	double step[3], miss = 0., length = 0.;

	if (!isfinite(p[0] + p[1] + p[2]))
		return;

	for (int i = 0; i < 3; i++) {
		step[i] = p[i] - d->last[i];
		miss += fabs(step[i] - d->step[i]);
		length += fabs(d->step[i]);
	}

	if (0 == d->places)
		memcpy(d->position, p, sizeof d->position);
	else if (1 == d->places)
		memcpy(d->step, step, sizeof step);
	else
		d->uneven |= !(miss <= 0.01 * length);

	memcpy(d->last, p, sizeof d->last);
	d->places++;
}

/* Offsets of the planes of a dose grid along their normal [mm]: as many as there are frames. */
static void take_planes(struct dicom *d, const struct element *e)
{
	char *text = mem_printf(
	        "%.*s", (int)(e->length < 1U << 30 ? e->length : 1U << 30), (const char *)e->value);
	double last = NAN;

	d->planes = 0;

	for (char *p = text, *end; *p; p = end + strspn(end, " \\")) {
		const double v = strtod(p, &end), step = v - last;

		if (end == p || !isfinite(v))
			break;

		if (1 == d->planes)
			d->plane_step = step;

		d->uneven |= d->planes > 1 && !(fabs(step - d->plane_step) <= 0.01 * fabs(d->plane_step));
		d->planes++;
		last = v;
	}

	free(text);
}

/* Slope or intercept, of all frames or of one. */
static void take_rescale(struct dicom *d, const struct element *e, double *mine)
{
	double v = NAN;

	decimals(e, 1, &v);

	if (isnan(v))
		return;

	d->mixed |= !isnan(*mine) && v != *mine;
	*mine = v;
}

static void take(struct dicom *d, const struct cursor *c, const struct element *e)
{
	double v, place[3] = {NAN, NAN, NAN};

	switch (e->tag) {
	case TAG(0x0008, 0x0060):
		text_of(e, d->modality, sizeof d->modality);
		break;
	case TAG(0x0018, 0x0050):
		decimals(e, 1, &d->thickness);
		break;
	case TAG(0x0018, 0x0088):
		decimals(e, 1, &d->between);
		break;
	case TAG(0x0008, 0x103e):
		text_of(e, d->description, sizeof d->description);
		break;
	case TAG(0x0020, 0x000e):
		text_of(e, d->series, sizeof d->series);
		break;
	case TAG(0x0020, 0x0013):
		v = 0.;
		decimals(e, 1, &v);
		d->number = fabs(v) < 1e9 ? (long)v : 0;
		break;
	case TAG(0x0020, 0x0032):
		decimals(e, 3, place);
		take_place(d, place);
		break;
	case TAG(0x0020, 0x0037):
		decimals(e, 6, d->orientation);
		break;
	case TAG(0x0028, 0x0002):
		d->samples = (int)shorts(c, e);
		break;
	case TAG(0x0028, 0x0004):
		text_of(e, d->photometric, sizeof d->photometric);
		break;
	case TAG(0x0028, 0x0008):
		v = 1.;
		decimals(e, 1, &v);
		d->frames = v >= 1. && v < 1e9 ? (long)v : 0;
		break;
	case TAG(0x0028, 0x0010):
		d->rows = shorts(c, e);
		break;
	case TAG(0x0028, 0x0011):
		d->cols = shorts(c, e);
		break;
	case TAG(0x0028, 0x0030): // rows first
		decimals(e, 2, (double *)d->spacing);
		v = d->spacing[0];
		d->spacing[0] = d->spacing[1];
		d->spacing[1] = v;
		break;
	case TAG(0x0028, 0x0100):
		d->bits = (int)shorts(c, e);
		break;
	case TAG(0x0028, 0x0101):
		d->stored = (int)shorts(c, e);
		break;
	case TAG(0x0028, 0x0102):
		d->high = (int)shorts(c, e);
		break;
	case TAG(0x0028, 0x0103):
		d->is_signed = 0 != shorts(c, e);
		break;
	case TAG(0x0028, 0x1052):
		take_rescale(d, e, &d->intercept);
		break;
	case TAG(0x0028, 0x1053):
		take_rescale(d, e, &d->slope);
		break;
	case TAG(0x0028, 0x1054):
		text_of(e, d->rescale_type, sizeof d->rescale_type);
		break;
	case TAG(0x3004, 0x000c):
		take_planes(d, e);
		break;
	default:
		take_private(d, c, e);
	}
}

/* ---- a file ---- */

/* Enhanced images say in sequences what holds for all frames, and for each: what is inside of these items is
 * taken as if it stood outside; other sequences are passed over. */
static void take_groups(struct dicom *d, struct cursor c)
{
	struct element e;

	while (next(&c, &e)) {
		switch (e.tag) {
		case ITEM:
		case ITEM_END:
		case SEQUENCE_END:
		case TAG(0x0020, 0x9113): // place of the frame
		case TAG(0x0020, 0x9116): // its orientation
		case TAG(0x0028, 0x9110): // size of pixels
		case TAG(0x0028, 0x9145): // slope and intercept
			continue;
		default:
			if (undefined != e.length && e.length <= c.n - c.at)
				take(d, &c, &e);

			if (!skip(&c, &e, 0))
				return;
		}
	}
}

/* How the data set behind group 2 is written. */
struct syntax {
	struct cursor rest;
	bool deflated;
	const struct codec *codec;
};

static char *choose_syntax(struct syntax *s, const struct element *e)
{
	char uid[72];

	text_of(e, uid, sizeof uid);
	s->codec = codec_find(uid);

	if (0 == strcmp(uid, "1.2.840.10008.1.2"))
		s->rest.explicit = false;
	else if (0 == strcmp(uid, "1.2.840.10008.1.2.2"))
		s->rest.big = true;
	else if (0 == strcmp(uid, "1.2.840.10008.1.2.1.99"))
		s->deflated = true;
	else if (0 != strcmp(uid, "1.2.840.10008.1.2.1") && (!s->codec || !s->codec->decode))
		return mem_printf("transfer syntax %.64s%s%s%s, which cannot be read here (gdcmconv --raw or "
		                  "dcmdjpeg may unpack the file)",
		        uid, s->codec ? " (" : "", s->codec ? s->codec->name : "", s->codec ? ")" : "");

	return NULL;
}

/* The rest of a deflated file into d->unpacked. */
static char *unpack_rest(struct dicom *d, struct cursor *c)
{
	enum { LEAST = 1 << 16, PIECE = 1 << 30 };
	z_stream z = {.next_in = (unsigned char *)c->p + c->at};
	size_t left = c->n - c->at, room = LEAST;
	int status = inflateInit2(&z, -MAX_WBITS);

	d->unpacked = mem_alloc(room);

	while (Z_OK == status) {
		if (d->unpacked_size == room)
			d->unpacked = mem_realloc(d->unpacked, room *= 2);

		const size_t some = room - d->unpacked_size < PIECE ? room - d->unpacked_size : PIECE;

		if (0 == z.avail_in) {
			z.avail_in = left < PIECE ? (unsigned)left : PIECE;
			left -= z.avail_in;
		}

		z.next_out = d->unpacked + d->unpacked_size;
		z.avail_out = (unsigned)some;
		status = inflate(&z, Z_NO_FLUSH);
		d->unpacked_size += some - z.avail_out;
	}

	inflateEnd(&z);

	if (Z_STREAM_END != status)
		return mem_strdup("the deflated data set is damaged or truncated");

	*c = (struct cursor){.p = d->unpacked, .n = d->unpacked_size, .explicit = true};
	return NULL;
}

/* Group 2 is always explicit and little-endian; it says how the rest is written. */
static char *read_meta(struct dicom *d, struct cursor *c)
{
	struct syntax s = {.rest = {.p = c->p, .n = c->n, .explicit = true}};
	struct element e;
	char *why = NULL;

	for (c->explicit = true; !why && c->n - c->at >= 8 && 2 == (c->p[c->at] | c->p[c->at + 1] << 8);) {
		if (!next(c, &e) || undefined == e.length || e.length > c->n - c->at)
			return mem_strdup("the file is truncated");

		c->at += e.length;

		if (SYNTAX == e.tag)
			why = choose_syntax(&s, &e);
	}

	s.rest.at = c->at;
	*c = s.rest;
	d->codec = s.codec;
	return !why && s.deflated ? unpack_rest(d, c) : why;
}

static char *check(const struct dicom *d, size_t n)
{
	if (d->without_pixels)
		return mem_strdup("holds no pixels");

	if (1 != d->samples)
		return mem_printf("%d samples per pixel (a colour picture?), expected one", d->samples);

	if (0 == strcmp("PALETTE COLOR", d->photometric))
		return mem_strdup("the pixels are indices into a colour table, expected grayscale");

	if (d->rows < 1 || d->cols < 1 || d->frames < 1)
		return mem_printf("%ld rows, %ld columns, %ld frames, expected at least one of each", d->rows,
		        d->cols, d->frames);

	if (!d->floating && 8 != d->bits && 16 != d->bits && 32 != d->bits)
		return mem_printf("%d bits per pixel, expected 8, 16 or 32", d->bits);

	if (!d->floating && (d->stored < 1 || d->stored > d->bits))
		return mem_printf("%d of %d bits stored, expected 1 to %d", d->stored, d->bits, d->bits);

	if (!d->floating && d->high >= 0 && (d->high < d->stored - 1 || d->high >= d->bits))
		return mem_printf("bit %d is the highest of %d stored, expected %d to %d", d->high, d->stored,
		        d->stored - 1, d->bits - 1);

	if (d->codec && d->floating)
		return mem_strdup("compressed floating-point pixels, expected integers");

	if (d->codec)
		return NULL;

	const size_t bytes = d->floating ? (size_t)d->floating : (size_t)d->bits / 8;

	if (d->size / bytes / (size_t)d->rows / (size_t)d->cols < (size_t)d->frames ||
	        d->offset + d->size > n)
		return mem_printf("%zu bytes of pixels, expected %ld x %ld x %ld of %zu bytes",
		        d->offset + d->size > n ? n - d->offset : d->size, d->cols, d->rows, d->frames,
		        bytes);

	return NULL;
}

bool dicom_marked(const unsigned char *head, long n)
{
	return n >= DICOM_PREAMBLE && 0 == memcmp(head + 128, "DICM", 4);
}

// group 8 comes first, and its first elements are short
bool dicom_unmarked(const unsigned char *head, long n)
{
	struct cursor c = {.p = head, .n = (size_t)n, .explicit = n >= 8 && is_vr(head + 4)};
	struct element e;

	return next(&c, &e) && 8 == e.tag >> 16 && (e.tag & 0xffff) <= 0x18 && e.length <= 256;
}

/* What no file has said yet. */
static void forget(struct dicom *d)
{
	*d = (struct dicom){.frames = 1,
	        .samples = 1,
	        .high = -1,
	        .slope = NAN,
	        .intercept = NAN,
	        .thickness = NAN,
	        .between = NAN,
	        .plane_step = NAN,
	        .angle = NAN,
	        .focal_z = NAN,
	        .focal_r = NAN,
	        .distance = NAN};

	for (int i = 0; i < 6; i++) {
		d->orientation[i] = NAN;
		d->position[i % 3] = NAN;
		d->spacing[i % 2] = d->pitch[i % 2] = d->center[i % 2] = NAN;
	}
}

/* The element of the pixels, whose value is next. */
static char *take_pixels(struct dicom *d, const struct cursor *c, const struct element *e)
{
	if (undefined == e->length && !d->codec)
		return mem_strdup("compressed pixels, but the transfer syntax is for uncompressed pixels");

	d->codec = undefined == e->length ? d->codec : NULL;
	d->pairs = c->big && 8 == d->bits && 0 == strcmp("OW", e->vr);
	d->offset = c->at;
	d->size = d->codec ? c->n - c->at : e->length;
	d->floating = PIXELS_FLOAT == e->tag ? 4 : PIXELS_DOUBLE == e->tag ? 8 : 0;
	return NULL;
}

/* Any other element, and past it. */
static char *take_element(struct dicom *d, struct cursor *c, const struct element *e)
{
	const bool inside = undefined != e->length && e->length <= c->n - c->at;
	struct cursor groups = *c;

	if (inside)
		take(d, c, e);

	if (OFFSETS == e->tag && inside) {
		d->offsets.at = c->at;
		d->offsets.length = e->length;
	}

	if (!skip(c, e, 0))
		return mem_printf("element (%04x,%04x) is longer than the file: damaged or truncated",
		        e->tag >> 16, e->tag & 0xffff);

	if (SHARED_GROUPS == e->tag || FRAME_GROUPS == e->tag) {
		groups.n = c->at;
		take_groups(d, groups);
	}

	return NULL;
}

char *dicom_parse(struct dicom *d, const unsigned char *p, size_t n)
{
	struct cursor c = {.p = p, .n = n};
	struct element e;
	char *why = NULL;
	bool pixels = false;

	forget(d);

	if (dicom_marked(p, (long)n)) {
		c.at = DICOM_PREAMBLE;
		why = read_meta(d, &c);
	} else {
		c.explicit = n >= 8 && is_vr(p + 4);
	}

	for (uint32_t last = 0; !why && !pixels && next(&c, &e); last = e.tag) {
		pixels = PIXELS == e.tag || PIXELS_FLOAT == e.tag || PIXELS_DOUBLE == e.tag;

		if (e.tag < last)
			why = mem_printf(
			        "element (%04x,%04x) behind (%04x,%04x): not a DICOM file, or a damaged one",
			        e.tag >> 16, e.tag & 0xffff, last >> 16, last & 0xffff);
		else
			why = pixels ? take_pixels(d, &c, &e) : take_element(d, &c, &e);
	}

	d->big_endian = c.big;
	d->without_pixels = !why && !pixels;
	return why ? why : check(d, c.n);
}

void dicom_free(struct dicom *d)
{
	free(d->unpacked);
}

void dicom_read(struct dicom *d, const char *path)
{
	size_t n;
	const unsigned char *p = file_map(path, &n);
	char *why = dicom_parse(d, p, n);

	file_unmap(p);
	dicom_free(d);

	if (why)
		error("%s: %s", path, why);
}

/* Records of images: those of reports, waveforms and the like refer to files without pixels. */
static bool is_image_record(const char *type)
{
	static const char *const types[] = {"IMAGE", "RT DOSE", "PRIVATE"};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (0 == strcmp(types[i], type))
			return true;

	return false;
}

static void refer(const struct element *e, void (*fn)(void *ctx, const char *components), void *ctx)
{
	char components[256];

	text_of(e, components, sizeof components);
	fn(ctx, components);
}

char *dicom_references(
        const unsigned char *p, size_t n, void (*fn)(void *ctx, const char *components), void *ctx)
{
	struct cursor c = {.p = p, .n = n, .at = DICOM_PREAMBLE};
	struct dicom d = {0};
	struct element e;
	char type[24] = "";
	char *why = dicom_marked(p, (long)n) ? read_meta(&d, &c) : mem_strdup("not a DICOM file");

	while (!why && next(&c, &e)) {
		const bool open = undefined == e.length;

		if (!open && e.length > c.n - c.at)
			why = mem_strdup("the directory is damaged or truncated");

		// into the sequence of records and the records
		if (why || ITEM == e.tag || ITEM_END == e.tag || SEQUENCE_END == e.tag || RECORDS == e.tag)
			continue;

		if (RECORD_TYPE == e.tag && !open)
			text_of(&e, type, sizeof type);
		else if (RECORD_FILE == e.tag && !open && is_image_record(type))
			refer(&e, fn, ctx);

		if (!skip(&c, &e, 0))
			why = mem_strdup("the directory is damaged or truncated");
	}

	dicom_free(&d);
	return why;
}
