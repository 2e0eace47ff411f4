/* GIF [1]. Colours by median cut [2] of those that occur, in steps of 4.
 *
 * [1] CompuServe, Graphics Interchange Format, version 89a, 1990.
 * [2] P. Heckbert, Color image quantization for frame buffer display, SIGGRAPH 1982. */

#include "misc/plot/gif.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"

enum {
	COLORS = 256,
	STEP = 2, // bits of a channel that are left out
	SIDE = 256 >> STEP,
	CELLS = SIDE * SIDE * SIDE,
	CODE_BITS = 12, // of the longest code
	CODES = 1 << CODE_BITS,
	CLEAR = COLORS, // the first codes behind those of colours
	END,
	SLOTS = 3 * CODES, // of the hash table
	BLOCK = 255        // bytes of a sub-block
};

/* A colour that occurs, and how often. */
struct cell {
	unsigned char at[3];
	int cell;
	long count;
};

/* Cells that share a colour: a range of the list. */
struct box {
	int from, to, axis, length;
	long count;
};

struct gif_animation {
	struct file_out *file;
	long width, height, delay;
	long *count;           // [CELLS]
	unsigned char *entry;  // [CELLS]: which colour
	struct cell *list;     // [CELLS]
	unsigned char *pixels; // as entries
	unsigned char color[COLORS][3];
	int32_t key[SLOTS];
	int16_t code[SLOTS];
	unsigned char block[BLOCK];
	int filled, bits;
	unsigned long pending;
};

static void put(const struct gif_animation *a, const void *p, size_t n)
{
	if (n != fwrite(p, 1, n, file_stream(a->file)))
		file_failed(a->file, NULL);
}

static void put16(unsigned char *p, long v)
{
	p[0] = (unsigned char)v;
	p[1] = (unsigned char)(v >> 8);
}

struct gif_animation *gif_animation_start(struct file_out *f, long width, long height, long delay)
{
	static const unsigned char loop[19] = "\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0";
	struct gif_animation *a = NEW(struct gif_animation);
	unsigned char screen[7] = {0};

	assert(0 < width && width <= UINT16_MAX && 0 < height && height <= UINT16_MAX);
	*a = (struct gif_animation){.file = f, .width = width, .height = height, .delay = delay};
	a->count = mem_alloc(CELLS * sizeof *a->count);
	a->entry = mem_alloc(CELLS);
	a->list = mem_alloc(CELLS * sizeof *a->list);
	a->pixels = mem_alloc((size_t)(width * height));
	put(a, "GIF89a", 6);
	put16(screen, width);
	put16(screen + 2, height);
	put(a, screen, sizeof screen);
	put(a, loop, sizeof loop);
	return a;
}

/* ---- colours ---- */

static int cell_of(const unsigned char *rgb)
{
	return ((rgb[0] >> STEP) * SIDE + (rgb[1] >> STEP)) * SIDE + (rgb[2] >> STEP);
}

static int list_cells(struct gif_animation *a, const unsigned char *rgb)
{
	int n = 0;

	memset(a->count, 0, CELLS * sizeof *a->count);

	for (long i = 0; i < a->width * a->height; i++)
		a->count[cell_of(rgb + 3 * i)]++;

	for (int i = 0; i < CELLS; i++)
		if (a->count[i])
			a->list[n++] = (struct cell){
			        {(unsigned char)(i / (SIDE * SIDE)), (unsigned char)(i / SIDE % SIDE),
			                (unsigned char)(i % SIDE)},
			        i, a->count[i]};

	return n;
}

/* The longest side of a box, and how much is in it. */
static void measure(const struct gif_animation *a, struct box *b)
{
	b->count = 0;
	b->length = -1;

	for (int i = b->from; i < b->to; i++)
		b->count += a->list[i].count;

	for (int d = 0; d < 3; d++) {
		int lo = SIDE, hi = 0;

		for (int i = b->from; i < b->to; i++) {
			const int v = a->list[i].at[d];

			lo = v < lo ? v : lo;
			hi = v > hi ? v : hi;
		}

		if (hi - lo > b->length) {
			b->length = hi - lo;
			b->axis = d;
		}
	}
}

#define DEFINE_ALONG(d)                                                                                      \
	static int along_##d(const void *p, const void *q)                                                   \
	{                                                                                                    \
		const struct cell *a = p, *b = q;                                                            \
		return a->at[d] != b->at[d] ? a->at[d] - b->at[d] : a->cell - b->cell;                       \
	}
DEFINE_ALONG(0)
DEFINE_ALONG(1)
DEFINE_ALONG(2)

/* Cuts a box across its longest side where half of the pixels are on each side. */
static void cut(struct gif_animation *a, struct box *b, struct box *rest)
{
	static int (*const along[3])(const void *, const void *) = {along_0, along_1, along_2};
	long sum = 0;
	int at = b->from;

	qsort(a->list + b->from, (size_t)(b->to - b->from), sizeof *a->list, along[b->axis]);

	do
		sum += a->list[at++].count;
	while (at < b->to - 1 && 2 * sum < b->count);

	*rest = (struct box){.from = at, .to = b->to};
	b->to = at;
	measure(a, b);
	measure(a, rest);
}

/* The box to be cut next: much in it, and far apart; -1: none can be cut. */
static int largest(const struct box *b, int n)
{
	int best = -1;
	double most = 0.;

	for (int i = 0; i < n; i++)
		if ((double)b[i].count * b[i].length > most) {
			most = (double)b[i].count * b[i].length;
			best = i;
		}

	return best;
}

/* The mean colour of the pixels of each entry. */
static void mean_colors(struct gif_animation *a, const unsigned char *rgb)
{
	long sum[COLORS][3] = {{0}}, count[COLORS] = {0};

	for (long i = 0; i < a->width * a->height; i++) {
		const int e = a->pixels[i] = a->entry[cell_of(rgb + 3 * i)];

		count[e]++;

		for (int c = 0; c < 3; c++)
			sum[e][c] += rgb[3 * i + c];
	}

	for (int e = 0; e < COLORS; e++)
		for (int c = 0; c < 3; c++)
			a->color[e][c] =
			        (unsigned char)(count[e] ? (sum[e][c] + count[e] / 2) / count[e] : 0);
}

static void choose_colors(struct gif_animation *a, const unsigned char *rgb)
{
	struct box box[COLORS] = {{.to = list_cells(a, rgb)}};
	int n = 1;

	measure(a, &box[0]);

	for (int i; n < COLORS && 0 <= (i = largest(box, n)); n++)
		cut(a, &box[i], &box[n]);

	for (int e = 0; e < n; e++)
		for (int i = box[e].from; i < box[e].to; i++)
			a->entry[a->list[i].cell] = (unsigned char)e;

	mean_colors(a, rgb);
}

/* ---- compression ---- */

static void put_block(struct gif_animation *a)
{
	const unsigned char n = (unsigned char)a->filled;

	put(a, &n, 1);
	put(a, a->block, n);
	a->filled = 0;
}

static void put_code(struct gif_animation *a, int code, int wide)
{
	a->pending |= (unsigned long)code << a->bits;
	a->bits += wide;

	while (a->bits >= 8) {
		a->block[a->filled++] = (unsigned char)a->pending;
		a->pending >>= 8;
		a->bits -= 8;

		if (BLOCK == a->filled)
			put_block(a);
	}
}

/* The slot of a string with one more pixel, or an empty one. */
static int slot_of(const struct gif_animation *a, int32_t key)
{
	int at = (int)((uint32_t)key * 2654435761u % SLOTS);

	while (a->key[at] >= 0 && a->key[at] != key)
		at = at + 1 < SLOTS ? at + 1 : 0;

	return at;
}

/* Lempel, Ziv and Welch's codes of all pixels. */
static void compress(struct gif_animation *a)
{
	int next = END + 1, wide = 9, string = a->pixels[0];

	memset(a->key, -1, sizeof a->key);
	put_code(a, CLEAR, wide);

	for (long i = 1; i < a->width * a->height; i++) {
		const int32_t key = string << 8 | a->pixels[i];
		const int at = slot_of(a, key);

		if (a->key[at] == key) {
			string = a->code[at];
			continue;
		}

		put_code(a, string, wide);
		string = a->pixels[i];

		if (CODES == next) {
			put_code(a, CLEAR, wide);
			memset(a->key, -1, sizeof a->key);
			next = END + 1;
			wide = 9;
			continue;
		}

		a->key[at] = key;
		a->code[at] = (int16_t)next;
		wide += next == 1 << wide;
		next++;
	}

	put_code(a, string, wide);
	wide += next == 1 << wide && wide < CODE_BITS;
	put_code(a, END, wide);
	put_code(a, 0, 7); // the last bits
	a->bits = 0;
	a->pending = 0;

	if (a->filled)
		put_block(a);
}

void gif_animation_frame(struct gif_animation *a, const unsigned char *rgb)
{
	unsigned char control[8] = {0x21, 0xf9, 4}, image[10] = {0x2c, [9] = 0x87};

	choose_colors(a, rgb);
	put16(control + 4, (a->delay + 5) / 10);
	put16(image + 5, a->width);
	put16(image + 7, a->height);
	put(a, control, sizeof control);
	put(a, image, sizeof image);
	put(a, a->color, sizeof a->color);
	put(a, "\x08", 1);
	compress(a);
	put(a, "", 1);
}

void gif_animation_end(struct gif_animation *a)
{
	put(a, ";", 1);
	free(a->count);
	free(a->entry);
	free(a->list);
	free(a->pixels);
	free(a);
}
