#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/windows/box.h"

struct box_room {
	long slice;   // bytes of one
	char *ring;   // slice j at j mod length: itself, or joined with the later ones of its block
	char *prefix; // of the block that is not complete
	char *rows;   // the same for rows of a slice
	char *line[4];
	bool known;
	long z; // the last slice that was made
};

static long length_of(const struct box *b, int d)
{
	return 2 * b->r[d] + 1;
}

static long modulo(long k, long n)
{
	const long m = k % n;

	return (m < 0) ? m + n : m;
}

static kern_fn *joiner(const struct box *b)
{
	static const enum op ops[] = {[BOX_MEAN] = OP_ADD, [BOX_MIN] = OP_MIN, [BOX_MAX] = OP_MAX};

	return kern_op(ops[b->function], b->type);
}

double box_bytes(const struct box *b, double rows, double pitch)
{
	const double size = (double)dtype_size(b->type);

	return ((double)(length_of(b, 2) + 2) * rows + (double)length_of(b, 1) + 5.) * pitch * size;
}

struct box_room *box_room_create(const struct box *b, long rows, long pitch)
{
	struct box_room *r = NEW(struct box_room);
	const size_t size = dtype_size(b->type), line = (size_t)(pitch + 64) * size;

	*r = (struct box_room){.slice = rows * pitch * (long)size};
	r->ring = mem_alloc((size_t)length_of(b, 2) * (size_t)r->slice);
	r->prefix = mem_alloc((size_t)r->slice);
	r->rows = mem_alloc((size_t)(length_of(b, 1) + 1) * line);

	for (int k = 0; k < 4; k++)
		r->line[k] = mem_alloc(line);

	return r;
}

void box_room_free(struct box_room *r)
{
	if (NULL == r)
		return;

	free(r->ring);
	free(r->prefix);
	free(r->rows);

	for (int k = 0; k < 4; k++)
		free(r->line[k]);

	free(r);
}

void box_room_clear(struct box_room *r)
{
	if (NULL != r)
		r->known = false;
}

/** out[i] = in[i] to in[i + length - 1] joined; of lines 1 to 3 of the room. */
static void join_line(
        const struct box *b, struct box_room *r, kern_fn *fn, char *out, const char *in, long nx)
{
	const long size = (long)dtype_size(b->type), length = length_of(b, 0);
	const char *now = in;
	long have = 1, done = 0, n = nx + length - 1;

	for (int k = 0;; k++) {
		if (length & have) {
			if (0 == done)
				memcpy(out, now, (size_t)(nx * size));
			else
				fn(nx, out, out, now + done * size, NULL, 0);

			done += have;
		}

		if (2 * have > length)
			return;

		char *next = r->line[1 + k % 2];

		n -= have;
		fn(n, next, now, now + have * size, NULL, 0);
		now = next;
		have *= 2;
	}
}

/** A row of results from one that is joined along dims 1 and 2 already. */
static void put_row(const struct box *b, struct box_room *r, kern_fn *fn, char *out, const char *in, long nx)
{
	if (0 == b->r[0])
		memcpy(out, in, (size_t)nx * dtype_size(b->type));
	else
		join_line(b, r, fn, out, in, nx);
}

/** A slice joined along dims 0 and 1. in: as of box_slice_fn. */
static void join_slice(const struct box *b, struct box_room *r, kern_fn *fn, char *out, long out_pitch,
        const char *in, long pitch, long nx, long ny, long row)
{
	const long size = (long)dtype_size(b->type), length = length_of(b, 1), wide = nx + 2 * b->r[0],
	           step = pitch * size, out_step = out_pitch * size, first = row - b->r[1];

	if (1 == length) {
		for (long y = 0; y < ny; y++)
			put_row(b, r, fn, out + y * out_step, in + y * step, nx);

		return;
	}

	for (long y = 0; y < ny;) {
		const long at = first + y, end = at - modulo(at, length) + length; // of the block
		char *last = NULL;

		for (long k = end - 1; k >= at; k--) { // from its end backwards
			const char *from = in + (k - first) * step;
			char *to = r->rows + (k - at) * step;

			if (NULL == last)
				memcpy(to, from, (size_t)(wide * size));
			else
				fn(wide, to, from, last, NULL, 0);

			last = to;
		}

		if (0 == modulo(at, length)) {
			put_row(b, r, fn, out + y * out_step, r->rows, nx);
			y++;
		}

		// from the beginning of the next one on
		for (long k = end; y < ny && first + y < end; k++) {
			const char *from = in + (k - first) * step;

			if (k == end)
				memcpy(r->line[0], from, (size_t)(wide * size));
			else
				fn(wide, r->line[0], r->line[0], from, NULL, 0);

			if (k < first + y + length - 1)
				continue;

			fn(wide, r->line[3], r->rows + (first + y - at) * step, r->line[0], NULL, 0);
			put_row(b, r, fn, out + y * out_step, r->line[3], nx);
			y++;
		}
	}
}

/** What a slice is made with. */
struct work {
	const struct box *b;
	struct box_room *r;
	kern_fn *fn;
	long pitch, nx, ny, row;
	box_slice_fn *slice;
	box_number_fn *number;
	void *ctx;
};

static char *place(const struct work *w, long j)
{
	return w->r->ring + modulo(j, length_of(w->b, 2)) * w->r->slice;
}

/** to = a and c joined, whole slices. */
static void join_slices(const struct work *w, char *to, const char *a, const char *c)
{
	w->fn(w->ny * w->nx, to, a, c, NULL, 0);
}

/** Takes slice j in; at the end of a block joins those from `from` on with the later ones. */
static void take_slice(const struct work *w, long j, long from)
{
	const long length = length_of(w->b, 2);
	char *to = place(w, j);

	const size_t bytes = (size_t)(w->ny * w->nx) * dtype_size(w->b->type);

	if (j != from && w->number(w->ctx, j) == w->number(w->ctx, j - 1))
		memcpy(to, place(w, j - 1), bytes); // the last of a block is joined with none
	else
		join_slice(w->b, w->r, w->fn, to, w->nx, w->slice(w->ctx, j), w->pitch, w->nx, w->ny, w->row);

	if (0 == modulo(j, length) || j == from)
		memcpy(w->r->prefix, to, bytes);
	else
		join_slices(w, w->r->prefix, w->r->prefix, to);

	if (length - 1 == modulo(j, length))
		for (long k = j - 1; k >= max_long(from, j - length + 1); k--)
			join_slices(w, place(w, k), place(w, k), place(w, k + 1));
}

static void divide(const struct box *b, char *out, long pitch, long nx, long ny)
{
	const double count = (double)(length_of(b, 0) * length_of(b, 1) * length_of(b, 2));
	const double n[2] = {count, 0.};
	kern_fn *fn = kern_op(OP_DIV, b->type);

	for (long y = 0; y < ny; y++) {
		char *line = out + y * pitch * (long)dtype_size(b->type);

		fn(nx, line, line, n, NULL, 2u);
	}
}

void box_run(const struct box *b, struct box_room *r, char *out, long pitch, long nx, long ny, long row,
        long z, box_slice_fn *slice, box_number_fn *number, void *ctx)
{
	const struct work w = {b, r, joiner(b), pitch, nx, ny, row, slice, number, ctx};
	const long length = length_of(b, 2), first = z - b->r[2], last = z + b->r[2];

	if (1 == length)
		join_slice(b, r, w.fn, out, pitch, slice(ctx, z), pitch, nx, ny, row);
	else if (r->known && z == r->z + 1)
		take_slice(&w, last, first);
	else
		for (long j = first; j <= last; j++)
			take_slice(&w, j, first);

	for (long y = 0; y < ny && 1 < length; y++) {
		const long size = (long)dtype_size(b->type), at = y * nx * size;
		char *to = out + y * pitch * size;

		if (0 == modulo(first, length))
			memcpy(to, place(&w, first) + at, (size_t)(nx * size));
		else
			w.fn(nx, to, place(&w, first) + at, r->prefix + at, NULL, 0);
	}

	r->known = true;
	r->z = z;

	if (BOX_MEAN == b->function)
		divide(b, out, pitch, nx, ny);
}
