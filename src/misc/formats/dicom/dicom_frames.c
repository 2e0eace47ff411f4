/**
 * Encapsulated pixels of DICOM files [1]: a sequence of items, the first one a table of the frames' offsets,
 * which may be empty, the others fragments of the compressed frames.
 *
 * [1] DICOM PS3.5, annex A.4
 */

#include "misc/formats/dicom/dicom_frames.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/formats/dicom/codec.h"
#include "misc/formats/dicom/dicom_internal.h"
#include "misc/mem.h"

static uint64_t number(const unsigned char *p, int bytes)
{
	uint64_t v = 0;

	for (int i = bytes - 1; i >= 0; i--)
		v = v << 8 | p[i];

	return v;
}

/* Items from `at` on; the first one, the table, is not among the fragments. */
static char *list_fragments(struct dicom_frames *f, const unsigned char *p, size_t n, size_t at)
{
	for (f->fragments = 0; n - at >= 8; f->fragments++) {
		const uint32_t tag = (uint32_t)(number(p + at, 2) << 16 | number(p + at + 2, 2));
		const size_t length = number(p + at + 4, 4);

		at += 8;

		if (SEQUENCE_END == tag)
			return NULL;

		if (ITEM != tag)
			return mem_printf(
			        "element (%04x,%04x) among the compressed pixels", tag >> 16, tag & 0xffff);

		if (length > n - at)
			return mem_printf(
			        "compressed pixels end %zu bytes early: truncated", length - (n - at));

		if (0 == (f->fragments & (f->fragments - 1))) { // full at powers of two
			const size_t room = 2 * (size_t)f->fragments + 1;

			f->offset = mem_realloc(f->offset, room * sizeof *f->offset);
			f->length = mem_realloc(f->length, room * sizeof *f->length);
		}

		f->offset[f->fragments] = at;
		f->length[f->fragments] = length;
		at += length;
	}

	return NULL; // some writers leave out the last delimiter
}

static bool starts_frame(const struct codec *c, const unsigned char *p, size_t n)
{
	return n >= 2 && c->start[0] == p[0] && c->start[1] == p[1];
}

/* first[] from the places of the frames, counted from the first fragment's item on; a table of `width` bytes
 * per frame. */
static bool group_by_table(
        struct dicom_frames *f, const struct dicom *d, const unsigned char *table, int width)
{
	const size_t base = f->offset[0] - 8;
	long i = 0;

	for (long k = 0; k < d->frames; k++) {
		const uint64_t at = number(table + k * width, width);

		while (i < f->fragments && f->offset[i] - 8 - base < at)
			i++;

		if (i == f->fragments || f->offset[i] - 8 - base != at || (0 == k && i > 0))
			return false;

		f->first[k] = i++;
	}

	return true;
}

static bool group_by_start(struct dicom_frames *f, const struct dicom *d, const unsigned char *p)
{
	long k = 0;

	for (long i = 0; i < f->fragments; i++)
		if (starts_frame(d->codec, p + f->offset[i], f->length[i])) {
			if (k == d->frames)
				return false;

			f->first[k++] = i;
		}

	return k == d->frames && 0 == f->first[0];
}

/* Which fragments are which frames: one each, or as a table says, or as their first bytes say. */
static bool group(struct dicom_frames *f, const struct dicom *d, const unsigned char *p,
        const unsigned char *table, size_t length)
{
	const size_t n = (size_t)d->frames;

	f->first[d->frames] = f->fragments;

	if (1 == d->frames) {
		f->first[0] = 0;
		return true;
	}

	if (f->fragments == d->frames) {
		for (long k = 0; k < d->frames; k++)
			f->first[k] = k;

		return true;
	}

	return (length >= 4 * n && group_by_table(f, d, table, 4)) ||
	       (d->offsets.length >= 8 * n && group_by_table(f, d, p + d->offsets.at, 8)) ||
	       group_by_start(f, d, p);
}

char *dicom_frames_find(struct dicom_frames *f, const struct dicom *d, const unsigned char *p, size_t n)
{
	*f = (struct dicom_frames){0};

	if (d->offset > n || d->offsets.at + d->offsets.length > n)
		return mem_strdup("changed while it was being read");

	char *why = list_fragments(f, p, n, d->offset);

	if (why)
		return why;

	const size_t table = f->fragments > 0 ? f->offset[0] : 0,
	             length = f->fragments > 0 ? f->length[0] : 0;

	if (f->fragments > 0) { // without the offset table
		f->fragments--;
		memmove(f->offset, f->offset + 1, (size_t)f->fragments * sizeof *f->offset);
		memmove(f->length, f->length + 1, (size_t)f->fragments * sizeof *f->length);
	}

	if (f->fragments < d->frames)
		return mem_printf(
		        "%ld compressed fragments of %ld frames: truncated", f->fragments, d->frames);

	f->first = mem_alloc((size_t)(d->frames + 1) * sizeof *f->first);

	if (!group(f, d, p, p + table, length))
		return mem_printf(
		        "cannot tell which of %ld compressed fragments belong to which of %ld frames",
		        f->fragments, d->frames);

	return NULL;
}

void dicom_frames_free(struct dicom_frames *f)
{
	free(f->offset);
	free(f->length);
	free(f->first);
}

char *dicom_frames_unpack(
        const struct dicom_frames *f, const struct dicom *d, const unsigned char *p, long k, void *out)
{
	const struct picture s = {d->cols, d->rows, d->bits};
	const long a = f->first[k], b = f->first[k + 1];
	size_t n = 0;

	if (b == a + 1)
		return d->codec->decode(&s, p + f->offset[a], f->length[a], out);

	for (long i = a; i < b; i++)
		n += f->length[i];

	unsigned char *whole = mem_alloc(n + 1);

	for (long i = a, at = 0; i < b; at += (long)f->length[i++])
		memcpy(whole + at, p + f->offset[i], f->length[i]);

	char *why = d->codec->decode(&s, whole, n, out);

	free(whole);
	return why;
}
