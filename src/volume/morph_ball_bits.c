/* Masks and balls: dilation of rows of bits; erosion is the dilation of the background. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "volume/bits.h"
#include "volume/mask_rows.h"
#include "volume/morph_tiles.h"

enum { SIDE = 32 };

struct ball_bits {
	const struct morph_pass *p;
	struct chords c;
	struct mask_rows rows;
	long words;
	bool outside; // is what grows
};

/** y |= x moved by d voxels towards higher and towards lower x. */
static void bits_or_moved(uint64_t *restrict y, const uint64_t *restrict x, long words, long d)
{
	const long w = d / 64, s = d % 64;

	for (long k = w; k < words; k++) {
		y[k] |= x[k - w] << s;

		if (s > 0 && k > w)
			y[k] |= x[k - w - 1] >> (64 - s);
	}

	for (long k = 0; k + w < words; k++) {
		y[k] |= x[k + w] >> s;

		if (s > 0 && k + w + 1 < words)
			y[k] |= x[k + w + 1] << (64 - s);
	}
}

static void bits_set(uint64_t *bits, long from, long to)
{
	for (long i = from; i < to; i++)
		bits[i / 64] |= 1UL << (i % 64);
}

/** Chords of length d in all rows, from those of d - 1. */
static void grow(const struct ball_bits *b, uint64_t *grown, const uint64_t *bits, long rows, long d)
{
	const long nx = b->p->in->nx;

	for (long r = 0; r < rows; r++) {
		uint64_t *to = grown + r * b->words;

		if (d < nx)
			bits_or_moved(to, bits + r * b->words, b->words, d);

		if (b->outside) {
			bits_set(to, d - 1 < nx ? d - 1 : nx, d < nx ? d : nx);
			bits_set(to, d < nx ? nx - d : 0, d < nx ? nx - d + 1 : 0);
		}
	}
}

/** The rows of the tile at one offset. */
static void take(const struct ball_bits *b, const struct tile *t, uint64_t *out, const uint64_t *grown,
        const struct chord *c)
{
	const long words = b->words;

	for (long z = t->z0; z < t->z1; z++)
		for (long y = t->y0; y < t->y1; y++) {
			uint64_t *to = out + ((z - t->z0) * (t->y1 - t->y0) + y - t->y0) * words;

			if (row_outside(b->p, y + c->dy, z + c->dz)) {
				if (b->outside)
					memset(to, 0xff, (size_t)words * sizeof *to);
			} else {
				const uint64_t *from = grown + tile_row(t, y + c->dy, z + c->dz) * words;

				for (long k = 0; k < words; k++)
					to[k] |= from[k];
			}
		}
}

static void store(const struct ball_bits *b, const struct tile *t, const uint64_t *out)
{
	const struct voxels *v = b->p->in;
	const long rows = t->y1 - t->y0;
	const unsigned char other = !b->p->max;
	unsigned char *bytes = mem_alloc((size_t)(rows * v->nx));

	for (long z = t->z0; z < t->z1; z++, out += rows * b->words) {
		for (long y = 0; y < rows; y++)
			for (long x = 0; x < v->nx; x++)
				bytes[y * v->nx + x] =
				        (unsigned char)(out[y * b->words + x / 64] >> (x % 64) & 1) ^ other;

		voxels_put(b->p->out, b->p->at + (z * v->ny + t->y0) * v->nx, rows * v->nx, bytes);
	}

	free(bytes);
}

static void run_tile(const struct ball_bits *b, const struct tile *t)
{
	const long rows = tile_rows(t), words = b->words;
	const size_t bytes = (size_t)(rows * words) * sizeof(uint64_t);
	uint64_t *bits = mem_alloc(bytes), *grown = mem_alloc(bytes);
	uint64_t *out = mem_calloc((size_t)((t->y1 - t->y0) * (t->z1 - t->z0) * words), sizeof *out);

	for (long z = t->za; z < t->zb; z++)
		mask_rows((void *)&b->rows, z * b->p->in->ny + t->ya, t->yb - t->ya,
		        bits + tile_row(t, t->ya, z) * words);

	memcpy(grown, bits, bytes);

	for (long k = 0, d = 0; k < b->c.n; k++) {
		while (d < b->c.chord[k].length)
			grow(b, grown, bits, rows, ++d);

		take(b, t, out, grown, &b->c.chord[k]);
	}

	store(b, t, out);
	free(bits);
	free(grown);
	free(out);
}

void morph_ball_bits(const struct morph_pass *p)
{
	struct ball_bits b = {.p = p,
	        .rows = {.in = p->in, .invert = !p->max},
	        .words = bits_words(p->in->nx),
	        .outside = p->m->has_outside && (0. != p->m->outside) == p->max};
	const long tiles = tiles_count(p, SIDE);

	chords_init(&b.c, p);

#pragma omp parallel for schedule(dynamic)                                                                   \
        num_threads(threads_for((double)p->in->each *(1. + (double)b.c.n / 64.)))
	for (long k = 0; k < tiles; k++) {
		const struct tile t = tiles_get(p, &b.c, SIDE, k);

		run_tile(&b, &t);
	}

	free(b.c.chord);
}
