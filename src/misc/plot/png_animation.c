/* Animated PNG [1]: the compressed pixels of every frame are those of a separate PNG file, in numbered chunks
 * with their own header.
 *
 * [1] W3C, Portable Network Graphics (PNG) Specification (Third Edition), 2025, section 11.3.6. */

#include "misc/plot/png_animation.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file.h"
#include "misc/mem.h"

enum { SIGNATURE = 8, HEADER = 13 };

struct png_animation {
	struct file_out *file;
	const char *path;
	struct png_format format;
	long frames, done, delay;
	uint32_t sequence;
};

static void put32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
}

static uint32_t get32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* CRC-32 of ISO 3309, continued. */
static uint32_t check_sum(uint32_t sum, const unsigned char *p, size_t n)
{
	sum = ~sum;

	for (size_t i = 0; i < n; i++) {
		sum ^= p[i];

		for (int k = 0; k < 8; k++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
	}

	return ~sum;
}

static void put(const struct png_animation *a, const void *p, size_t n)
{
	if (0 < n && n != fwrite(p, 1, n, file_stream(a->file)))
		file_failed(a->file, NULL);
}

/* A chunk of two pieces. */
static void put_chunk(const struct png_animation *a, const char *type, const unsigned char *p, size_t np,
        const unsigned char *q, size_t nq)
{
	unsigned char word[4];
	uint32_t sum = check_sum(0, (const unsigned char *)type, 4);

	put32(word, (uint32_t)(np + nq));
	put(a, word, 4);
	put(a, type, 4);
	put(a, p, np);
	put(a, q, nq);
	sum = check_sum(check_sum(sum, p, np), q, nq);
	put32(word, sum);
	put(a, word, 4);
}

struct png_animation *png_animation_start(
        struct file_out *f, const char *path, const struct png_format *fmt, long frames, long delay)
{
	struct png_animation *a = NEW(struct png_animation);

	assert(0 < frames && frames < INT32_MAX && 0 < delay && delay <= UINT16_MAX);
	*a = (struct png_animation){f, path, *fmt, frames, 0, delay, 0};
	return a;
}

/* Size, place, duration and how it replaces the frame before: in whole. */
static void put_control(struct png_animation *a)
{
	unsigned char c[26] = {0};

	put32(c, a->sequence++);
	put32(c + 4, (uint32_t)a->format.width);
	put32(c + 8, (uint32_t)a->format.height);
	c[20] = (unsigned char)(a->delay >> 8);
	c[21] = (unsigned char)a->delay;
	c[22] = 1000 >> 8;
	c[23] = 1000 & 255;
	put_chunk(a, "fcTL", c, sizeof c, NULL, 0);
}

/* Signature, header and how many frames there are, from the first one's file. */
static void put_start(const struct png_animation *a, const unsigned char *file)
{
	unsigned char control[8] = {0};

	put(a, file, SIGNATURE + 8 + HEADER + 4);
	put32(control, (uint32_t)a->frames);
	put_chunk(a, "acTL", control, sizeof control, NULL, 0);
}

void png_animation_frame(struct png_animation *a, png_row_fn *fn, void *ctx)
{
	struct str s = {0};

	assert(a->done < a->frames);
	png_encode(&s, a->path, &a->format, fn, ctx);

	const unsigned char *file = (const unsigned char *)s.data;

	if (0 == a->done)
		put_start(a, file);

	put_control(a);

	for (size_t at = SIGNATURE; at < s.len;) {
		const size_t n = get32(file + at);
		unsigned char number[4];

		if (0 == memcmp(file + at + 4, "IDAT", 4)) {
			if (0 == a->done)
				put(a, file + at, n + 12);
			else {
				put32(number, a->sequence++);
				put_chunk(a, "fdAT", number, sizeof number, file + at + 8, n);
			}
		}

		at += n + 12;
	}

	a->done++;
	free(s.data);
}

void png_animation_end(struct png_animation *a)
{
	assert(a->done == a->frames);
	put_chunk(a, "IEND", NULL, 0, NULL, 0);
	free(a);
}
