/** The directories of TIFF [1] and BigTIFF files.
 *
 * This order is also right for readers that take ImageJ's description as a promise that all pages are
 * contiguous, and for those that go from directory to directory.
 *
 * [1] TIFF revision 6.0, 1992; BigTIFF: https://www.awaresystems.be/imaging/tiff/bigtiff.html
 */

#include "misc/formats/tiff_head.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ASCII = 2, SHORT = 3, LONG = 4, RATIONAL = 5, LONG8 = 16, ALIGN = 8 };

/* A directory that is being written: entries, and values that do not fit into them. */
struct directory {
	struct str entries, values;
	bool big;
	long count;     // of entries
	long values_at; // where the values will lie in the file
};

static void add_number(struct str *s, unsigned long v, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		const char c = (char)(v >> 8 * i);

		str_addn(s, &c, 1);
	}
}

static void align(struct str *s)
{
	add_number(s, 0, (int)(-s->len % ALIGN));
}

/* n values that take these bytes. */
static void add_entry(struct directory *d, int tag, int type, long n, const char *bytes, size_t length)
{
	const size_t room = d->big ? 8 : 4;

	add_number(&d->entries, (unsigned long)tag, 2);
	add_number(&d->entries, (unsigned long)type, 2);
	add_number(&d->entries, (unsigned long)n, (int)room);
	d->count++;

	if (length <= room) {
		str_addn(&d->entries, bytes, length);
		add_number(&d->entries, 0, (int)(room - length));
		return;
	}

	add_number(&d->entries, (unsigned long)(d->values_at + (long)d->values.len), (int)room);
	str_addn(&d->values, bytes, length);
	align(&d->values);
}

static void add_value(struct directory *d, int tag, int type, long v)
{
	struct str s = {0};

	add_number(&s, (unsigned long)v, SHORT == type ? 2 : 4);
	add_entry(d, tag, type, 1, s.data, s.len);
	free(s.data);
}

static void add_text(struct directory *d, int tag, const char *text)
{
	add_entry(d, tag, ASCII, (long)strlen(text) + 1, text, strlen(text) + 1);
}

/* As a fraction of two numbers of 32 bits. */
static void add_rational(struct directory *d, int tag, double v)
{
	struct str s = {0};
	double unit = 1.;

	while (v * unit != rint(v * unit) && v * unit * 10. < 4e9 && unit < 1e9)
		unit *= 10.;

	add_number(&s, (unsigned long)rint(v * unit), 4);
	add_number(&s, (unsigned long)unit, 4);
	add_entry(d, tag, RATIONAL, 1, s.data, s.len);
	free(s.data);
}

/* Offsets of the strips of a page whose elements begin at `at`, or their sizes. */
static void add_strips(struct directory *d, int tag, const struct tiff_head *t, long at)
{
	const long line = t->h->dims[0] * (long)dtype_size(t->h->type), rows = t->h->dims[1];
	const bool sizes = 279 == tag;
	struct str s = {0};
	long n = 0;

	for (long y = 0; y < rows; y += t->rows, n++)
		add_number(&s,
		        (unsigned long)(sizes ? line * (rows - y < t->rows ? rows - y : t->rows)
		                              : at + y * line),
		        d->big ? 8 : 4);

	add_entry(d, tag, d->big ? LONG8 : LONG, n, s.data, s.len);
	free(s.data);
}

enum { TAGS = 11, TAGS_FIRST = 2, TAGS_SCALE = 3 };

static bool is_scaled(const struct tiff_head *t)
{
	return t->resolution[0] > 0. && t->resolution[1] > 0.;
}

/* In the order of their numbers. */
static void add_tags(struct directory *d, const struct tiff_head *t, long k, long data)
{
	add_value(d, 256, LONG, t->h->dims[0]);
	add_value(d, 257, LONG, t->h->dims[1]);
	add_value(d, 258, SHORT, 8 * (long)dtype_size(t->h->type));
	add_value(d, 259, SHORT, 1); // no compression
	add_value(d, 262, SHORT, 1); // black is zero

	if (0 == k)
		add_text(d, 270, t->description);

	add_strips(d, 273, t, data);
	add_value(d, 277, SHORT, 1); // samples
	add_value(d, 278, LONG, t->rows);
	add_strips(d, 279, t, data);

	if (is_scaled(t)) {
		add_rational(d, 282, t->resolution[0]);
		add_rational(d, 283, t->resolution[1]);
	}

	add_value(d, 284, SHORT, 1); // one plane

	if (is_scaled(t))
		add_value(d, 296, SHORT, 3); // per cm

	if (0 == k)
		add_text(d, 305, "gantry " GANTRY_VERSION);

	add_value(d, 339, SHORT, t->sample_format);
}

/* The directory of page k, which begins at `at`, of elements that begin at `data`; the next one follows it.
 */
static void add_page(
        struct str *out, const struct tiff_head *t, bool big, long k, long pages, long at, long data)
{
	const long count = TAGS + (0 == k ? TAGS_FIRST : 0) + (is_scaled(t) ? TAGS_SCALE : 0);
	const long size = big ? 8 + 20 * count + 8 : 2 + 12 * count + 4;
	struct directory d = {.big = big, .values_at = (at + size + ALIGN - 1) / ALIGN * ALIGN};

	add_tags(&d, t, k, data);
	assert(count == d.count);
	add_number(out, (unsigned long)d.count, big ? 8 : 2);
	str_addn(out, d.entries.data, d.entries.len);
	add_number(out, k + 1 < pages ? (unsigned long)(d.values_at + (long)d.values.len) : 0, big ? 8 : 4);
	align(out);
	str_addn(out, d.values.data ? d.values.data : "", d.values.len);
	free(d.entries.data);
	free(d.values.data);
}

static long page_length(const struct tiff_head *t, bool big, long k)
{
	struct str s = {0};

	add_page(&s, t, big, k, k + 1, 0, 0);
	free(s.data);
	return (long)s.len;
}

struct str tiff_head_format(const struct tiff_head *t)
{
	const long page = t->h->dims[0] * t->h->dims[1] * (long)dtype_size(t->h->type);
	const long pages = hdr_count(t->h, "TIFF") / (t->h->dims[0] * t->h->dims[1]);
	struct str s = {0};
	bool big = false;
	long data;

	for (;; big = true) {
		data = (big ? 16 : 8) + page_length(t, big, 0) + (pages - 1) * page_length(t, big, 1);

		if (big || data + pages * page <= 0xfffffff0L)
			break;
	}

	str_add(&s, "II");
	add_number(&s, big ? 43 : 42, 2);

	if (big)
		add_number(&s, 8, 4); // bytes of an offset

	add_number(&s, big ? 16 : 8, big ? 8 : 4);

	for (long k = 0; k < pages; k++)
		add_page(&s, t, big, k, pages, (long)s.len, data + k * page);

	return s;
}
