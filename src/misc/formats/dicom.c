/**
 * DICOM [1]: uncompressed images, little-endian explicit and implicit or big-endian, with or without the
 * preamble; CT-PD projections [2] too. Written as CT images, explicit little-endian, one slice per file.
 *
 * A reader of our own: the elements go from the file to the output without a copy of the file in memory,
 * private elements need no dictionary, damaged files end in one sentence, and the build needs no C++.
 * Compressed files are refused with the command that unpacks them.
 *
 * [1] DICOM PS3.5 (data structures) and PS3.3, C.7.6.2 and C.8.2.1 (image plane, CT image)
 * [2] B. Chen et al., "Development and validation of an open data format for CT projection data", Med. Phys.
 * 42 (2015) 6964-6972
 */

#include "misc/formats/dicom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/embed.h"
#include "misc/formats/source.h"
#include "misc/formats/target.h"
#include "misc/mem.h"

enum { PREAMBLE = 132, DEPTH_MAX = 32 };

#define TAG(group, element) ((uint32_t)(group) << 16 | (element))

enum {
	ITEM = TAG(0xfffe, 0xe000),
	ITEM_END = TAG(0xfffe, 0xe00d),
	SEQUENCE_END = TAG(0xfffe, 0xe0dd),
	PIXELS = TAG(0x7fe0, 0x0010),
	PIXELS_FLOAT = TAG(0x7fe0, 0x0008),
	PIXELS_DOUBLE = TAG(0x7fe0, 0x0009),
	SYNTAX = TAG(0x0002, 0x0010),
	OURS = TAG(0x0009, 0x1001)
};

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

static bool has_long_length(const char *vr)
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

		if (has_long_length(e->vr)) {
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

static char *choose_syntax(struct cursor *c, const struct element *e)
{
	char uid[72];

	text_of(e, uid, sizeof uid);

	if (0 == strcmp(uid, "1.2.840.10008.1.2")) {
		c->explicit = false;
	} else if (0 == strcmp(uid, "1.2.840.10008.1.2.2")) {
		c->big = true;
	} else if (0 != strcmp(uid, "1.2.840.10008.1.2.1")) {
		return mem_printf(
		        "compressed pixels (transfer syntax %.64s), expected plain ones: gdcmconv --raw or "
		        "dcmdjpeg unpacks them",
		        uid);
	}

	return NULL;
}

/* Group 2 is always explicit and little-endian; it says how the rest is written. */
static char *read_meta(struct cursor *c)
{
	struct cursor rest = {.p = c->p, .n = c->n, .explicit = true};
	struct element e;
	char *why = NULL;

	for (c->explicit = true; !why && c->n - c->at >= 8 && 2 == (c->p[c->at] | c->p[c->at + 1] << 8);) {
		if (!next(c, &e) || undefined == e.length || e.length > c->n - c->at)
			return mem_strdup("the file is cut short");

		c->at += e.length;

		if (SYNTAX == e.tag)
			why = choose_syntax(&rest, &e);
	}

	rest.at = c->at;
	*c = rest;
	return why;
}

static char *check(const struct dicom *d, size_t n)
{
	if (0 == d->offset)
		return mem_strdup("holds no pixels");

	if (1 != d->samples)
		return mem_printf("%d samples per pixel (a colour picture?), expected one", d->samples);

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

	const size_t bytes = d->floating ? (size_t)d->floating : (size_t)d->bits / 8;

	if (d->size / bytes / (size_t)d->rows / (size_t)d->cols < (size_t)d->frames ||
	        d->offset + d->size > n)
		return mem_printf("%zu bytes of pixels, expected %ld x %ld x %ld of %zu bytes",
		        d->offset + d->size > n ? n - d->offset : d->size, d->cols, d->rows, d->frames,
		        bytes);

	return NULL;
}

char *dicom_parse(struct dicom *d, const unsigned char *p, size_t n)
{
	struct cursor c = {.p = p, .n = n};
	struct element e;
	char *why = NULL;

	*d = (struct dicom){.frames = 1,
	        .samples = 1,
	        .high = -1,
	        .slope = NAN,
	        .intercept = NAN,
	        .thickness = NAN,
	        .between = NAN,
	        .angle = NAN,
	        .focal_z = NAN,
	        .focal_r = NAN,
	        .distance = NAN};

	for (int i = 0; i < 6; i++) {
		d->orientation[i] = NAN;
		d->position[i % 3] = NAN;
		d->spacing[i % 2] = d->pitch[i % 2] = d->center[i % 2] = NAN;
	}

	if (n >= PREAMBLE && 0 == memcmp(p + 128, "DICM", 4)) {
		c.at = PREAMBLE;
		why = read_meta(&c);
	} else {
		c.explicit = n >= 8 && is_vr(p + 4);
	}

	for (uint32_t last = 0; !why && next(&c, &e); last = e.tag) {
		const bool pixels = PIXELS == e.tag || PIXELS_FLOAT == e.tag || PIXELS_DOUBLE == e.tag;

		if (e.tag < last)
			return mem_printf(
			        "element (%04x,%04x) behind (%04x,%04x): is no DICOM file, or a damaged one",
			        e.tag >> 16, e.tag & 0xffff, last >> 16, last & 0xffff);

		if (pixels && undefined == e.length)
			return mem_strdup("compressed pixels, expected plain ones: gdcmconv --raw or "
			                  "dcmdjpeg unpacks them");

		if (pixels) {
			d->offset = c.at;
			d->size = e.length;
			d->floating = PIXELS_FLOAT == e.tag ? 4 : PIXELS_DOUBLE == e.tag ? 8 : 0;
			break;
		}

		if (undefined != e.length && e.length <= c.n - c.at)
			take(d, &c, &e);

		struct cursor groups = c;

		if (!skip(&c, &e, 0))
			return mem_printf("element (%04x,%04x) is longer than the file: damaged or cut short",
			        e.tag >> 16, e.tag & 0xffff);

		if (TAG(0x5200, 0x9229) == e.tag || TAG(0x5200, 0x9230) == e.tag) {
			groups.n = c.at;
			take_groups(d, groups);
		}
	}

	d->big_endian = c.big;
	return why ? why : check(d, n);
}

void dicom_read(struct dicom *d, const char *path)
{
	size_t n;
	const unsigned char *p = file_map(path, &n);
	char *why = dicom_parse(d, p, n);

	file_unmap(p);

	if (why)
		error("%s: %s", path, why);
}

/* ---- as a source ---- */

static bool dicom_probe(const unsigned char *head, long n, const char *path)
{
	const struct cursor c = {.p = head, .n = (size_t)n, .explicit = true};
	struct cursor at = c;
	struct element e;

	(void)path;

	if (n >= PREAMBLE && 0 == memcmp(head + 128, "DICM", 4))
		return true;

	// without preamble: group 8 comes first, its first elements are short
	at.explicit = n >= 8 && is_vr(head + 4);
	return next(&at, &e) && 8 == e.tag >> 16 && (e.tag & 0xffff) <= 0x18 && e.length <= 256;
}

/* Integers that use only some of their bits: the others may hold anything. */
struct masked {
	void *ctx;
	void (*read)(struct source *s, long first, long n, void *out);
	void (*close)(struct source *s);
	int bits, stored, high;
	bool is_signed;
};

#define CLEAN(type, unsigned_type)                                                                           \
	for (long i = 0; i < n; i++) {                                                                       \
		unsigned_type x;                                                                             \
		memcpy(&x, p + i * (long)sizeof x, sizeof x);                                                \
		x = (unsigned_type)(x << above);                                                             \
		type y = (type)x;                                                                            \
		y = (type)(y >> shift);                                                                      \
		x = m->is_signed ? (unsigned_type)y : (unsigned_type)(x >> shift);                           \
		memcpy(p + i * (long)sizeof x, &x, sizeof x);                                                \
	}

static void clean(const struct masked *m, unsigned char *p, long n)
{
	const int shift = m->bits - m->stored, above = m->bits - 1 - m->high;

	if (8 == m->bits)
		CLEAN(int8_t, uint8_t)
	else if (16 == m->bits)
		CLEAN(int16_t, uint16_t)
	else
		CLEAN(int32_t, uint32_t)
}

static void masked_read(struct source *s, long first, long n, void *out)
{
	struct masked *m = s->ctx;

	s->ctx = m->ctx;
	m->read(s, first, n, out);
	s->ctx = m;
	clean(m, out, n);
}

static void masked_close(struct source *s)
{
	struct masked *m = s->ctx;

	s->ctx = m->ctx;
	m->close(s);
	free(m);
}

static enum dtype pixel_type(const struct dicom *d)
{
	if (d->floating)
		return 4 == d->floating ? DT_FLOAT32 : DT_FLOAT64;

	if (8 == d->bits)
		return d->is_signed ? DT_INT8 : DT_UINT8;

	if (16 == d->bits)
		return d->is_signed ? DT_INT16 : DT_UINT16;

	return d->is_signed ? DT_INT32 : DT_UINT32;
}

static bool is_frame(const double x[3], const double y[3])
{
	double xx = 0., yy = 0., xy = 0.;

	for (int i = 0; i < 3; i++) {
		xx += x[i] * x[i];
		yy += y[i] * y[i];
		xy += x[i] * y[i];
	}

	return fabs(xx - 1.) < 0.01 && fabs(yy - 1.) < 0.01 && fabs(xy) < 0.01;
}

/* The step from frame to frame of a file that says all places: it may go against the normal of the planes.
 * False when there is no such step. */
static bool set_step(struct source *s, const struct dicom *d, double normal[3])
{
	double along = 0., length = 0.;

	for (int i = 0; i < 3; i++) {
		along += normal[i] * d->step[i];
		length += d->step[i] * d->step[i];
	}

	length = sqrt(length);

	if (d->uneven || d->places != d->frames || !(fabs(along) > 0.)) {
		warn("%s: the frames are not evenly spaced, or in several stacks: their places are left out",
		        s->name);
		return false;
	}

	if (fabs(along) < 0.9999 * length)
		warn("%s: each frame lies %g mm to the side of the one before (a tilted gantry?): they are "
		     "stacked as if it did not",
		        s->name, sqrt(length * length - along * along));

	source_grid(s, 2, fabs(along), NAN);

	for (int i = 0; i < 3 && along < 0.; i++)
		normal[i] *= -1.;

	return true;
}

static void set_place(struct source *s, const struct dicom *d)
{
	const double thick = d->between > 0. ? d->between : d->thickness;
	double c[3][3];

	for (int i = 0; i < 2; i++)
		if (!isnan(d->spacing[i]))
			source_grid(s, i, d->spacing[i], NAN);

	if (thick > 0. && s->h.has_spacing)
		source_grid(s, 2, thick, NAN);

	for (int i = 0; i < 3; i++)
		if (!isfinite(d->position[i]) || !isfinite(d->orientation[i]) ||
		        !isfinite(d->orientation[i + 3]))
			return;

	memcpy(c[0], d->orientation, 2 * sizeof c[0]);

	if (!is_frame(c[0], c[1]))
		return;

	for (int i = 0; i < 3; i++)
		c[2][i] = c[0][(i + 1) % 3] * c[1][(i + 2) % 3] - c[0][(i + 2) % 3] * c[1][(i + 1) % 3];

	if (d->places > 1 && !set_step(s, d, c[2]))
		return;

	source_direction(&s->h, (const double(*)[3])c);
	memcpy(s->h.origin, d->position, sizeof d->position);
	s->h.has_origin = true;
}

/* Our header in a private element; the second pass over the file is cheap, the pages are there. */
static void set_ours(struct source *s, const char *path)
{
	long n, size;
	char *head = (char *)source_head(path, 1 << 16, &n, &size),
	     *at = memmem(head, (size_t)n, "# Dimensions\n", 13);

	if (at) {
		at[strcspn(at, "\x01")] = '\0'; // written behind it
		embed_apply(&s->h, at, path, 3);
	}

	free(head);
}

static bool is_ours(const char *path)
{
	long n, size;
	unsigned char *head = source_head(path, 1 << 12, &n, &size);
	const bool found = NULL != memmem(head, (size_t)n, "GANTRY", 6);

	free(head);
	return found;
}

static void set_rescale(struct source *s, const struct dicom *d)
{
	const bool said = !isnan(d->slope) || !isnan(d->intercept);

	if (d->mixed)
		error("%s: slope and intercept change from frame to frame, expected the same ones for all",
		        s->name);

	s->rescale[0] = isnan(d->slope) ? 1. : d->slope;
	s->rescale[1] = isnan(d->intercept) ? 0. : d->intercept;
	s->has_rescale = isfinite(s->rescale[0]) && isfinite(s->rescale[1]) && 0. != s->rescale[0];

	if (said && s->has_rescale &&
	        (0 == strcmp("HU", d->rescale_type) ||
	                (0 == strcmp("CT", d->modality) && !d->rescale_type[0] && !d->projections)))
		s->meaning = Q_HOUNSFIELD;
}

static struct source *dicom_open(const char *path, const char *inside, enum part part)
{
	struct dicom d;

	if (inside)
		error("%s: a DICOM file holds no named arrays, found %s", path, inside);

	if (PART_DATA != part)
		return NULL;

	dicom_read(&d, path);

	struct source *s = source_create(path);

	hdr_set_dims(&s->h, 3, (long[3]){d.cols, d.rows, d.frames});
	s->h.type = pixel_type(&d);
	s->h.big_endian = d.big_endian;
	s->series = mem_strdup(d.series);
	s->number = d.number;
	set_rescale(s, &d);

	if (d.projections && d.logarithm)
		s->meaning = Q_LINE_INTEGRAL;

	s->angle = d.angle * (180. / M_PI);

	if (d.projections)
		verbose("%s: DICOM-CT-PD: detector rows come first, --transpose puts columns first", path);

	set_place(s, &d);

	if (is_ours(path))
		set_ours(s, path);

	source_from_file(s, path, (long)d.offset, CODING_PLAIN);

	if (!d.floating && d.stored < d.bits) {
		struct masked *m = NEW(struct masked);

		*m = (struct masked){s->ctx, s->read, s->close, d.bits, d.stored,
		        d.high < 0 ? d.stored - 1 : d.high, d.is_signed};
		s->ctx = m;
		s->read = masked_read;
		s->close = masked_close;
	}

	return s;
}

const struct format format_dicom = {"DICOM", true, true, dicom_probe, dicom_open};

/* ---- writing ---- */

static const char ct_image[] = "1.2.840.10008.5.1.4.1.1.2";

static void put_number(struct str *s, unsigned long v, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		const char c = (char)(v >> 8 * i);

		str_addn(s, &c, 1);
	}
}

static void put_head(struct str *s, uint32_t tag, const char *vr, size_t n)
{
	put_number(s, tag >> 16, 2);
	put_number(s, tag & 0xffff, 2);
	str_add(s, vr);

	if (has_long_length(vr)) {
		put_number(s, 0, 2);
		put_number(s, n, 4);
	} else {
		put_number(s, n, 2);
	}
}

static void put_text(struct str *s, uint32_t tag, const char *vr, const char *text)
{
	const size_t n = strlen(text);

	put_head(s, tag, vr, (n + 1) & ~(size_t)1);
	str_add(s, text);

	if (n % 2)
		str_addn(s, 0 == strcmp(vr, "UI") ? "" : " ", 1);
}

static void put_short(struct str *s, uint32_t tag, unsigned long v)
{
	put_head(s, tag, "US", 2);
	put_number(s, v, 2);
}

/* Decimal strings have at most 16 characters. */
static void put_decimals(struct str *s, uint32_t tag, const double v[], int n)
{
	struct str text = {0};

	for (int i = 0; i < n; i++) {
		char number[64];

		for (int digits = 15; digits > 0; digits--)
			if (snprintf(number, sizeof number, "%.*g", digits, v[i] + 0.) <= 16)
				break;

		str_printf(&text, "%s%s", i ? "\\" : "", number);
	}

	put_text(s, tag, "DS", text.data);
	free(text.data);
}

/* A unique name of a thing that is described by these words: 2.25 and a number of 128 bits, made of their
 * hash. */
static char *unique_name(const char *what, const char *words, long number)
{
	char *all = mem_printf("%s %ld %s", what, number, words);
	const XXH128_hash_t hash = XXH3_128bits(all, strlen(all));
	unsigned __int128 v = (unsigned __int128)hash.high64 << 64 | hash.low64;
	char digits[48];
	int i = sizeof digits - 1;

	digits[i] = '\0';

	do {
		digits[--i] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v > 0);

	free(all);
	return mem_printf("2.25.%s", digits + i);
}

static void put_name(struct str *s, uint32_t tag, const struct target *t, const char *what, long number)
{
	char *name = unique_name(what, t->o->series ? t->o->series : t->path, number);

	put_text(s, tag, "UI", name);
	free(name);
}

static void put_image(struct str *s, const struct target *t, const char *ours)
{
	double c[3][3], origin[3], v[2], rescale[2] = {1., 0.};
	char *text = source_section_value(&t->h, "Rescale");
	const bool is_signed = DT_INT16 == t->h.type || DT_INT8 == t->h.type;
	const unsigned long bits = 8 * dtype_size(t->h.type);

	if (text)
		sscanf(text, "%lf %lf", &rescale[0], &rescale[1]);

	free(text);
	source_direction_of(&t->h, c);

	for (int d = 0; d < 3; d++)
		origin[d] = hdr_origin(&t->h, d);

	put_text(s, TAG(0x0008, 0x0008), "CS", "DERIVED\\SECONDARY\\AXIAL");
	put_text(s, TAG(0x0008, 0x0016), "UI", ct_image);
	put_name(s, TAG(0x0008, 0x0018), t, "image", t->o->slice);
	put_text(s, TAG(0x0008, 0x0020), "DA", "");
	put_text(s, TAG(0x0008, 0x0030), "TM", "");
	put_text(s, TAG(0x0008, 0x0050), "SH", "");
	put_text(s, TAG(0x0008, 0x0060), "CS", "CT");
	put_text(s, TAG(0x0008, 0x0070), "LO", "");
	put_text(s, TAG(0x0008, 0x0090), "PN", "");
	put_text(s, TAG(0x0009, 0x0010), "LO", "GANTRY");
	put_text(s, OURS, "UT", ours);
	put_text(s, TAG(0x0010, 0x0010), "PN", "");
	put_text(s, TAG(0x0010, 0x0020), "LO", "");
	put_text(s, TAG(0x0010, 0x0030), "DA", "");
	put_text(s, TAG(0x0010, 0x0040), "CS", "");
	put_decimals(s, TAG(0x0018, 0x0050), &t->h.spacing[2], 1);
	put_text(s, TAG(0x0018, 0x0060), "DS", "");
	put_name(s, TAG(0x0020, 0x000d), t, "study", 0);
	put_name(s, TAG(0x0020, 0x000e), t, "series", 0);
	put_text(s, TAG(0x0020, 0x0010), "SH", "");
	put_text(s, TAG(0x0020, 0x0011), "IS", "1");
	put_text(s, TAG(0x0020, 0x0012), "IS", "");

	text = mem_printf("%ld", t->o->slice + 1);
	put_text(s, TAG(0x0020, 0x0013), "IS", text);
	free(text);
	put_decimals(s, TAG(0x0020, 0x0032), origin, 3);
	put_decimals(s, TAG(0x0020, 0x0037), &c[0][0], 6);
	put_name(s, TAG(0x0020, 0x0052), t, "frame", 0);
	put_text(s, TAG(0x0020, 0x1040), "LO", "");
	put_short(s, TAG(0x0028, 0x0002), 1);
	put_text(s, TAG(0x0028, 0x0004), "CS", "MONOCHROME2");
	put_short(s, TAG(0x0028, 0x0010), (unsigned long)t->h.dims[1]);
	put_short(s, TAG(0x0028, 0x0011), (unsigned long)t->h.dims[0]);
	v[0] = t->h.spacing[1];
	v[1] = t->h.spacing[0];
	put_decimals(s, TAG(0x0028, 0x0030), v, 2);
	put_short(s, TAG(0x0028, 0x0100), bits);
	put_short(s, TAG(0x0028, 0x0101), bits);
	put_short(s, TAG(0x0028, 0x0102), bits - 1);
	put_short(s, TAG(0x0028, 0x0103), is_signed);
	put_decimals(s, TAG(0x0028, 0x1052), &rescale[1], 1);
	put_decimals(s, TAG(0x0028, 0x1053), &rescale[0], 1);
	put_text(
	        s, TAG(0x0028, 0x1054), "LO", Q_HOUNSFIELD == t->h.quantity || rescale[1] < 0. ? "HU" : "US");
}

static void dicom_finish(struct target *t)
{
	if ((hdr_bytes(&t->h, t->path) & 1) != 0) { // values have even lengths
		t->h.type = DT_UINT8;
		t->write(t, "", 1);
	}

	t->last(t);
}

void target_dicom(struct target *t)
{
	const long bytes = hdr_bytes(&t->h, t->path);
	struct str meta = {0}, s = {0};
	char *text = embed_text(&t->h), *ours = mem_printf("%s\x01", text);

	if (t->h.dims[0] > UINT16_MAX || t->h.dims[1] > UINT16_MAX || bytes > UINT32_MAX - 1)
		error("%s: %s, expected at most 65535 x 65535 pixels and 4 GiB", t->path, hdr_shape(&t->h));

	put_head(&meta, TAG(0x0002, 0x0001), "OB", 2);
	str_addn(&meta, "\0\1", 2);
	put_text(&meta, TAG(0x0002, 0x0002), "UI", ct_image);
	put_name(&meta, TAG(0x0002, 0x0003), t, "image", t->o->slice);
	put_text(&meta, SYNTAX, "UI", "1.2.840.10008.1.2.1");
	put_text(&meta, TAG(0x0002, 0x0012), "UI", "2.25.217399811064321706543299331735215213");

	for (int i = 0; i < 128; i++)
		str_addn(&s, "", 1);

	str_add(&s, "DICM");
	put_head(&s, TAG(0x0002, 0x0000), "UL", 4);
	put_number(&s, meta.len, 4);
	str_addn(&s, meta.data, meta.len);
	put_image(&s, t, ours);
	put_head(&s, PIXELS, 1 == dtype_size(t->h.type) ? "OB" : "OW", (size_t)(bytes + 1) & ~(size_t)1);
	target_plain(t, s.data, (long)s.len, PACK_NONE);
	t->last = t->finish;
	t->finish = dicom_finish;
	free(meta.data);
	free(s.data);
	free(ours);
	free(text);
}
