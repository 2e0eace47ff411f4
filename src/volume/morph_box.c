/* Boxes, dimension by dimension: extremes of windows of 2, 4, 8 .. elements by doubling, then of two such
 * windows that overlap. Slices along x and y are computed from input to output, then columns in place. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/kern/convert.h"
#include "volume/morph_passes.h"

enum { LANES = 64 };

struct box {
	const struct morph_pass *p;
	const struct morph_kernel *kernel;
	enum dtype type, work; // of the output
	long size;             // of an element of work
};

/** Buffers for n + 2 r groups of `lanes` elements. */
static long box_room(const struct box *b, long n, long r, long lanes)
{
	return (n + 2 * (r < n ? r : n)) * lanes * b->size;
}

/** The best of 2 r + 1 groups around each of n groups of `lanes` neighbours, in place; a and c: box_room().
 */
static void box_line(const struct box *b, char *x, long n, long r, long lanes, char *a, char *c)
{
	const struct morph *m = b->p->m;
	const bool max = b->p->max;
	const long group = lanes * b->size;

	r = r < n ? r : n;

	const long wide = 2 * r + 1;
	long p = 1;

	b->kernel->fill(max, r * lanes, a, !m->has_outside, m->outside);
	memcpy(a + r * group, x, (size_t)(n * group));
	b->kernel->fill(max, r * lanes, a + (r + n) * group, !m->has_outside, m->outside);

	for (; 2 * p <= wide; p *= 2) {
		char *t = a;

		b->kernel->ahead(max, (n + 2 * r - 2 * p + 1) * lanes, c, a, p * lanes);
		a = c;
		c = t;
	}

	b->kernel->ahead(max, n * lanes, x, a, (wide - p) * lanes);
}

/** Slice z along x and y, into the output. */
static void box_slice(const struct box *b, long z, char *out)
{
	const struct voxels *v = b->p->in;
	const struct morph *m = b->p->m;
	const long n = v->nx * v->ny;
	const long x_room = box_room(b, v->nx, m->box[0], 1), y_room = box_room(b, v->ny, m->box[1], v->nx);
	const long room = x_room > y_room ? x_room : y_room;
	char *raw = mem_alloc((size_t)n * dtype_size(v->type)), *x = mem_alloc((size_t)(n * b->size));
	char *a = mem_alloc((size_t)room), *c = mem_alloc((size_t)room);
	const void *from = voxels_get(v, z * n, n, raw);

	if (voxels_count_nan(v->type, n, from) > 0)
		voxels_refuse_nan(v->file);

	convert(b->p->binary ? DT_BOOL : b->work, x, v->type, from, n, NARROW_SATURATE);

	for (long y = 0; y < v->ny && m->box[0] > 0 && (b->p->axes & 1); y++)
		box_line(b, x + y * v->nx * b->size, v->nx, m->box[0], 1, a, c);

	if (m->box[1] > 0 && (b->p->axes & 2))
		box_line(b, x, v->ny, m->box[1], v->nx, a, c);

	convert(b->type, out, b->work, x, n, NARROW_SATURATE);
	free(raw);
	free(x);
	free(a);
	free(c);
}

/** Buffers of a thread for columns. */
struct columns {
	char *x, *a, *c;
};

/** `lanes` columns from (x, y) on, in the output. */
static void box_columns(const struct box *b, char *out, long x, long y, long lanes, const struct columns *s)
{
	const struct voxels *v = b->p->in;
	const long size = (long)dtype_size(b->type), step = v->nx * v->ny * size;
	char *at = out + (y * v->nx + x) * size;

	for (long z = 0; z < v->nz; z++)
		convert(b->work, s->x + z * lanes * b->size, b->type, at + z * step, lanes, NARROW_SATURATE);

	box_line(b, s->x, v->nz, b->p->m->box[2], lanes, s->a, s->c);

	for (long z = 0; z < v->nz; z++)
		convert(b->type, at + z * step, b->work, s->x + z * lanes * b->size, lanes, NARROW_SATURATE);
}

static void box_across(const struct box *b, char *out)
{
	const struct voxels *v = b->p->in;
	const long tiles = (v->nx + LANES - 1) / LANES;
	const size_t room = (size_t)box_room(b, v->nz, b->p->m->box[2], LANES);

#pragma omp parallel num_threads(threads_for(4. * (double)v->each))
	{
		const struct columns s = {
		        mem_alloc((size_t)(v->nz * LANES * b->size)), mem_alloc(room), mem_alloc(room)};

#pragma omp for schedule(static)
		for (long t = 0; t < tiles * v->ny; t++) {
			const long x = t % tiles * LANES;

			box_columns(b, out, x, t / tiles, (v->nx - x < LANES) ? v->nx - x : LANES, &s);
		}

		free(s.x);
		free(s.a);
		free(s.c);
	}
}

void morph_box(const struct morph_pass *p)
{
	const struct voxels *v = p->in;
	struct box b = {.p = p, .type = p->m->out->hdr.type};
	const long slice = v->nx * v->ny;
	const size_t size = dtype_size(b.type);
	char *out = p->out->data + (size_t)p->at * size;

	b.work = morph_work(b.type);
	b.kernel = morph_kernel(b.work);
	b.size = (long)dtype_size(b.work);

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(4. * (double)v->each))
	for (long z = 0; z < v->nz; z++)
		box_slice(&b, z, out + (size_t)(z * slice) * size);

	if (p->m->box[2] > 0 && (p->axes & 4))
		box_across(&b, out);
}
