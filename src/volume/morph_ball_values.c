/* Values and balls: the largest or smallest value of chords along x. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/kern/convert.h"
#include "volume/morph_tiles.h"

enum { SIDE = 16 };

struct ball_values {
	const struct morph_pass *p;
	const struct morph_kernel *kernel;
	enum dtype work;
	long size; // of an element of that
	struct chords c;
	bool outside; // counts
	_Alignas(16) char value[16];
};

/** Rows of the tile and around it, in the type in which they are compared. */
static void load(const struct ball_values *b, const struct tile *t, char *to)
{
	const struct voxels *v = b->p->in;
	const long n = (t->yb - t->ya) * v->nx;
	void *raw = mem_alloc((size_t)n * 16), *buffer = mem_alloc((size_t)(n * b->size));

	for (long z = t->za; z < t->zb; z++, to += n * b->size) {
		const void *x = voxels_get_as(v, b->work, (z * v->ny + t->ya) * v->nx, n, buffer, raw);

		if (voxels_count_nan(b->work, n, x) > 0)
			voxels_refuse_nan(v->file);

		memcpy(to, x, (size_t)(n * b->size));
	}

	free(raw);
	free(buffer);
}

static void grow(const struct ball_values *b, char *grown, const char *values, long rows, long d)
{
	const long nx = b->p->in->nx, size = b->size;
	const bool max = b->p->max;

	for (long r = 0; r < rows; r++) {
		char *to = grown + r * nx * size;
		const char *from = values + r * nx * size;

		if (d < nx) {
			b->kernel->best(max, nx - d, to, from + d * size);
			b->kernel->best(max, nx - d, to + d * size, from);
		}

		if (b->outside && d <= nx) {
			b->kernel->best(max, 1, to + (d - 1) * size, b->value);
			b->kernel->best(max, 1, to + (nx - d) * size, b->value);
		}
	}
}

static void take(const struct ball_values *b, const struct tile *t, char *out, const char *grown,
        const char *line, const struct chord *c)
{
	const long nx = b->p->in->nx;

	for (long z = t->z0; z < t->z1; z++)
		for (long y = t->y0; y < t->y1; y++, out += nx * b->size) {
			if (!row_outside(b->p, y + c->dy, z + c->dz))
				b->kernel->best(b->p->max, nx, out,
				        grown + tile_row(t, y + c->dy, z + c->dz) * nx * b->size);
			else if (b->outside)
				b->kernel->best(b->p->max, nx, out, line);
		}
}

static void store(const struct ball_values *b, const struct tile *t, const char *out)
{
	const struct voxels *v = b->p->in;
	const long n = (t->y1 - t->y0) * v->nx;
	const enum dtype type = b->p->m->out->hdr.type;
	char *converted = mem_alloc((size_t)n * dtype_size(type));

	for (long z = t->z0; z < t->z1; z++, out += n * b->size) {
		convert(type, converted, b->work, out, n, NARROW_SATURATE);
		voxels_put(b->p->out, b->p->at + (z * v->ny + t->y0) * v->nx, n, converted);
	}

	free(converted);
}

static void run_tile(const struct ball_values *b, const struct tile *t)
{
	const long rows = tile_rows(t), nx = b->p->in->nx;
	const long own = (t->y1 - t->y0) * (t->z1 - t->z0);
	const size_t bytes = (size_t)(rows * nx * b->size);
	char *values = mem_alloc(bytes), *grown = mem_alloc(bytes);
	char *out = mem_alloc((size_t)(own * nx * b->size)), *line = mem_alloc((size_t)(nx * b->size));

	load(b, t, values);
	memcpy(grown, values, bytes);
	b->kernel->fill(b->p->max, own * nx, out, true, 0.);
	b->kernel->fill(b->p->max, nx, line, !b->outside, b->p->m->outside);

	for (long k = 0, d = 0; k < b->c.n; k++) {
		while (d < b->c.chord[k].length)
			grow(b, grown, values, rows, ++d);

		take(b, t, out, grown, line, &b->c.chord[k]);
	}

	store(b, t, out);
	free(values);
	free(grown);
	free(out);
	free(line);
}

void morph_ball_values(const struct morph_pass *p)
{
	struct ball_values b = {.p = p, .work = morph_work(p->in->type), .outside = p->m->has_outside};
	const long tiles = tiles_count(p, SIDE);

	b.kernel = morph_kernel(b.work);
	b.size = (long)dtype_size(b.work);
	b.kernel->fill(p->max, 1, b.value, !b.outside, p->m->outside);
	chords_init(&b.c, p);

#pragma omp parallel for schedule(dynamic) num_threads(threads_for((double)p->in->each *(double)(1 + b.c.n)))
	for (long k = 0; k < tiles; k++) {
		const struct tile t = tiles_get(p, &b.c, SIDE, k);

		run_tile(&b, &t);
	}

	free(b.c.chord);
}
