#include "volume/morph_tiles.h"

#include <stdlib.h>

#include "misc/mem.h"

static int by_length(const void *a, const void *b)
{
	const struct chord *x = a, *y = b;

	return (x->length > y->length) - (x->length < y->length);
}

void chords_init(struct chords *c, const struct morph_pass *p)
{
	c->ry = (p->axes & 2) ? morph_reach(p->m, 1) : 0;
	c->rz = (p->axes & 4) ? morph_reach(p->m, 2) : 0;
	c->longest = (p->axes & 1) ? morph_reach(p->m, 0) : 0;
	c->n = 0;
	c->chord = mem_alloc((size_t)((2 * c->ry + 1) * (2 * c->rz + 1)) * sizeof *c->chord);

	for (long dz = -c->rz; dz <= c->rz; dz++)
		for (long dy = -c->ry; dy <= c->ry; dy++) {
			const long length = morph_chord(p->m, dy, dz);

			if (length >= 0)
				c->chord[c->n++] =
				        (struct chord){length < c->longest ? length : c->longest, dy, dz};
		}

	qsort(c->chord, (size_t)c->n, sizeof *c->chord, by_length);
}

static long parts_of(long n, long side)
{
	return (n + side - 1) / side;
}

long tiles_count(const struct morph_pass *p, long side)
{
	return parts_of(p->in->ny, side) * parts_of(p->in->nz, side);
}

static long least(long a, long b)
{
	return a < b ? a : b;
}

struct tile tiles_get(const struct morph_pass *p, const struct chords *c, long side, long k)
{
	const long ny = p->in->ny, nz = p->in->nz, across = parts_of(ny, side);
	const long y = k % across * side, z = k / across * side;
	struct tile t = {.y0 = y, .y1 = least(y + side, ny), .z0 = z, .z1 = least(z + side, nz)};

	t.ya = (t.y0 > c->ry) ? t.y0 - c->ry : 0;
	t.yb = least(t.y1 + c->ry, ny);
	t.za = (t.z0 > c->rz) ? t.z0 - c->rz : 0;
	t.zb = least(t.z1 + c->rz, nz);

	return t;
}
