/* Resampling of volumes: forward interpolates in windows of filtered coefficients; the adjoint adds to such
 * windows. */

#include "linops/resample/resample.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "linops/resample/plan.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/kern/kern.h"

enum { COLUMN = 64, TILE_X = 128, TILE_Y = 16, TILE_Z = 16 }; // elements that are filtered, voxels of a tile

struct resample_plan *resample_plan_create(
        const struct resample *r, enum dtype work, resample_positions_fn *positions, void *ctx)
{
	struct resample_plan *p = NEW(struct resample_plan);

	*p = (struct resample_plan){.r = *r, .work = work, .positions = positions, .ctx = ctx};

	for (int d = 0; d < 3; d++) {
		if (r->in[d] < 1 || r->out[d] < 1)
			error("%ld voxels are resampled to %ld along dimension %d, expected at least 1 of "
			      "each",
			        r->in[d], r->out[d], d);

		for (int c = 0; c < 4; c++)
			if (!isfinite(r->at[d][c]))
				error("the map of a resampling has a coefficient that is not finite");
	}

	resample_design(p);

	return p;
}

void resample_plan_free(struct resample_plan *p)
{
	for (int d = 0; d < 3; d++)
		free(p->fir[d]);

	free(p->table);
	free(p);
}

/** Where rows of the output are in the input at their start. */
static void row_start(const struct resample *r, long j, long k, double at[3])
{
	for (int d = 0; d < 3; d++)
		at[d] = r->at[d][1] * (double)j + r->at[d][2] * (double)k + r->at[d][3];
}

static bool inside(const struct resample *r, const double at[3], long i)
{
	bool in = true;

	for (int d = 0; d < 3; d++)
		in = in && resample_inside(r, d, at[d] + (double)i * r->at[d][0]);

	return in;
}

/** The voxels [*first, *end) of those [lo, hi) of a row that are inside: places grow or fall along it. */
static void inside_range(
        const struct resample *r, const double at[3], long lo, long hi, long *first, long *end)
{
	double a = (double)lo, b = (double)hi;

	for (int d = 0; d < 3; d++) {
		const double step = r->at[d][0], low = -0.5 - 1e-6, high = (double)r->in[d] - 0.5 + 1e-6;

		if (0. == step) {
			if (!resample_inside(r, d, at[d]))
				b = a;
			continue;
		}

		const double u = (low - at[d]) / step, v = (high - at[d]) / step;

		a = fmax(a, fmin(u, v) - 2.);
		b = fmin(b, fmax(u, v) + 2.);
	}

	*first = *end = lo;

	if (!(a < b))
		return;

	*first = max_long(lo, (long)floor(a));
	*end = min_long(hi, (long)ceil(b) + 1);

	while (*first < *end && !inside(r, at, *first))
		++*first;

	while (*first < *end && !inside(r, at, *end - 1))
		--*end;
}

static void row_places(
        const struct resample *r, const double at[3], long n, long first, double place[3][RESAMPLE_BLOCK])
{
	const double step[3] = {r->at[0][0], r->at[1][0], r->at[2][0]};

	resample_kernels_float()->row(n, place, at, step, first);
}

/** Of n places of a deformation those that are inside, and which voxels they are; returns how many. */
static long keep_inside(const struct resample *r, long n, double place[3][RESAMPLE_BLOCK], long *which)
{
	long m = 0;

	for (long i = 0; i < n; i++) {
		const double x = place[0][i], y = place[1][i], z = place[2][i];

		if (resample_inside(r, 0, x) && resample_inside(r, 1, y) && resample_inside(r, 2, z)) {
			place[0][m] = x;
			place[1][m] = y;
			place[2][m] = z;
			which[m++] = i;
		}
	}

	return m;
}

/** Extends [lo, hi] to what voxels of a box of an affine map reach. */
static void reach_affine(const struct resample *r, const struct resample_box *b, double lo[3], double hi[3])
{
	for (int d = 0; d < 3; d++) {
		lo[d] = hi[d] = r->at[d][3];

		for (int c = 0; c < 3; c++) {
			const double u = r->at[d][c] * (double)b->lo[c];
			const double v = r->at[d][c] * (double)(b->lo[c] + b->n[c] - 1);

			lo[d] += fmin(u, v);
			hi[d] += fmax(u, v);
		}
	}
}

/** The input's voxels that an output box needs, with taps beyond the ends; false: none. */
static bool window_box(const struct resample_plan *p, const struct resample_box *b, struct resample_box *w)
{
	double lo[3], hi[3];

	reach_affine(&p->r, b, lo, hi);

	for (int d = 0; d < 3 && p->positions; d++) {
		lo[d] += p->r.reach[d][0];
		hi[d] += p->r.reach[d][1];
	}

	for (int d = 0; d < 3; d++) {
		const double a = fmax(lo[d] - 1e-5, -0.5 - 1e-5);
		const double c = fmin(hi[d] + 1e-5, (double)p->r.in[d] - 0.5 + 1e-5);

		if (!(a <= c))
			return false;

		w->lo[d] = (long)floor(a) - p->before;
		w->n[d] = (long)floor(c) + p->after + 1 - w->lo[d];

		if (RESAMPLE_NEAREST == p->r.kernel) {
			w->lo[d] = min_long(w->lo[d], p->r.in[d] - 1);
			w->n[d] = (long)floor(c + 0.5) + 1 - w->lo[d];
		}
	}

	return true;
}

/** Elements from one row of a window to the next: no large power of two. */
static long pitch(long n)
{
	const long rounded = (n + 15) / 16 * 16;

	return (0 == rounded % 512) ? rounded + 16 : rounded;
}

/** A window and what filtering it takes, in elements. */
struct layout {
	struct resample_box w;   // of coefficients
	long ext[3];             // with the reach of the filters
	long sy, sz, total;      // of the array
	long line, column, room; // of each thread; of all
};

static void lay_out(const struct resample_plan *p, const struct resample_box *w, struct layout *l)
{
	l->w = *w;

	for (int d = 0; d < 3; d++)
		l->ext[d] = w->n[d] + 2 * p->radius[d];

	l->sy = pitch(w->n[0]);
	l->sz = mul_checked(l->sy, l->ext[1], "the resampled volume");
	l->total = mul_checked(l->sz, l->ext[2], "the resampled volume") + RESAMPLE_LANES;
	l->line = pitch(2 * l->ext[0] + 2 * p->radius[0] + p->r.in[0]);
	l->column = COLUMN * (max_long(l->ext[1] + 2 * p->radius[1], l->ext[2] + 2 * p->radius[2]));
	l->room = l->total + omp_get_max_threads() * (l->line + l->column);
}

static long bytes_of(const struct resample_plan *p, const struct resample_box *b)
{
	struct resample_box w;
	struct layout l;

	if (!window_box(p, b, &w))
		return 0;

	lay_out(p, &w, &l);

	return mul_checked(l.room, (long)dtype_size(p->work), "the resampled volume");
}

static struct resample_box whole(const struct resample *r)
{
	return (struct resample_box){.n = {r->out[0], r->out[1], r->out[2]}};
}

long resample_memory(const struct resample_plan *p)
{
	const struct resample_box b = whole(&p->r);

	return max_long(64, bytes_of(p, &b));
}

/** The next row or plane e' >= e of an axis with n elements, from `lo` on, that repeats element `at`; ext:
 * none.
 */
static long repeats(long e, long lo, long ext, long n, long at)
{
	for (; e < ext; e++) {
		if (lo + e >= 0 && lo + e < at)
			e = at - lo; // inside only the element itself does
		else if (lo + e > at && lo + e < n)
			e = n - lo;

		if (e < ext && at == resample_mirror(lo + e, n))
			return e;
	}

	return ext;
}

/** Rows of a tile: where they belong in the output, or side by side until they are put there. */
struct tile_rows {
	const struct resample_plan *p;
	const struct resample_array *out;
	struct resample_box b;
	char *first, *buffer;
	long step, row, plane; // [bytes]
};

/** The number of element x of a row of the output. */
static long element(const struct resample *r, long x, long y, long z)
{
	return x + r->out[0] * (y + r->out[1] * z);
}

static struct tile_rows tile_rows_begin(
        const struct resample_plan *p, const struct resample_array *out, const struct resample_box *b)
{
	struct tile_rows t = {.p = p, .out = out, .b = *b, .step = out->step};

	if (out->put) {
		t.step = (long)dtype_size(out->type);
		t.row = b->n[0] * t.step;
		t.plane = b->n[1] * t.row;
		t.first = t.buffer = mem_alloc((size_t)(b->n[2] * t.plane));
	} else {
		t.row = p->r.out[0] * t.step;
		t.plane = p->r.out[1] * t.row;
		t.first = (char *)out->data + element(&p->r, b->lo[0], b->lo[1], b->lo[2]) * t.step;
	}

	return t;
}

static char *tile_rows_at(const struct tile_rows *t, long x, long y, long z)
{
	return t->first + x * t->step + y * t->row + z * t->plane;
}

static void tile_rows_end(const struct tile_rows *t)
{
	const struct resample_box *b = &t->b;
	const long together = (b->n[0] == t->p->r.out[0]) ? b->n[1] : 1; // rows without gaps between them

	for (long z = 0; z < b->n[2] && t->buffer; z++)
		for (long y = 0; y < b->n[1]; y += together)
			t->out->put(t->out->ctx, element(&t->p->r, b->lo[0], b->lo[1] + y, b->lo[2] + z),
			        together * b->n[0], tile_rows_at(t, 0, y, z));

	free(t->buffer);
}

#define filter_columns         NAMED(filter_columns)
#define filter_columns_adjoint NAMED(filter_columns_adjoint)
#define KERNELS                NAMED(resample_kernels)()

#define REAL        float
#define TYPE        DT_FLOAT32
#define NAMED(name) name##_float
#include "linops/resample/resample_impl.inc"
#undef REAL
#undef TYPE
#undef NAMED

#define REAL        double
#define TYPE        DT_FLOAT64
#define NAMED(name) name##_double
#include "linops/resample/resample_impl.inc"

static struct resample_report forward_box(const struct resample_plan *p, const struct resample_array *out,
        const struct resample_array *in, void *room, const struct resample_box *b)
{
	return (DT_FLOAT32 == p->work) ? forward_float(p, out, in, room, b)
	                               : forward_double(p, out, in, room, b);
}

/** Halves of a box along axis d; returns the memory that both need [bytes]. */
static double halves(const struct resample_plan *p, const struct resample_box *b, int d,
        struct resample_box *one, struct resample_box *two)
{
	*one = *two = *b;
	one->n[d] = b->n[d] / 2;
	two->lo[d] += one->n[d];
	two->n[d] -= one->n[d];

	return (double)bytes_of(p, one) + (double)bytes_of(p, two);
}

/** In halves that overlap least in the input, where the room does not suffice. */
static struct resample_report forward_pieces(const struct resample_plan *p, const struct resample_array *out,
        const struct resample_array *in, void *room, long bytes, const struct resample_box *b)
{
	struct resample_box one, two;
	double least = INFINITY;
	int best = -1;

	if (bytes_of(p, b) <= bytes)
		return forward_box(p, out, in, room, b);

	for (int d = 2; d >= 0; d--) {
		const double both = (1 < b->n[d]) ? halves(p, b, d, &one, &two) : INFINITY;

		if (both < least) {
			least = both;
			best = d;
		}
	}

	if (best < 0)
		return forward_box(p, out, in, room, b);

	halves(p, b, best, &one, &two);

	const struct resample_report r = forward_pieces(p, out, in, room, bytes, &one);
	const struct resample_report q = forward_pieces(p, out, in, room, bytes, &two);

	return (struct resample_report){r.bad || q.bad, r.lost + q.lost};
}

struct resample_report resample_forward(const struct resample_plan *p, struct resample_array out,
        struct resample_array in, void *room, long bytes)
{
	const struct resample_box b = whole(&p->r);

	return forward_pieces(p, &out, &in, room, bytes, &b);
}

void resample_adjoint(
        const struct resample_plan *p, struct resample_array in, struct resample_array out, void *room)
{
	if (DT_FLOAT32 == p->work)
		adjoint_float(p, &in, &out, room);
	else
		adjoint_double(p, &in, &out, room);
}

#define COPY(bytes)                                                                                          \
	case bytes:                                                                                          \
		for (long i = 0; i < n; i++)                                                                 \
			memcpy(out + i * bytes, (at[i] < 0) ? fill : in + at[i] * bytes, bytes);             \
		break

/** Elements of a row one by one: those at offsets; -1: fill. */
static void copy_row(
        size_t size, long n, char *restrict out, const char *restrict in, const long *at, const char *fill)
{
	switch (size) {
		COPY(1);
		COPY(2);
		COPY(4);
		COPY(8);
		COPY(16);
	}
}

static long nearest_offset(const struct resample *r, double x, double y, double z)
{
	const double place[3] = {x, y, z};
	long at[3];

	for (int d = 0; d < 3; d++) {
		if (!resample_inside(r, d, place[d]))
			return -1;

		at[d] = min_long((long)(place[d] + 0.5 + 1e-7), r->in[d] - 1);
	}

	return at[0] + r->in[0] * (at[1] + r->in[1] * at[2]);
}

/** One row of the output. */
static void nearest_row(const struct resample *r, resample_positions_fn *positions, void *ctx, size_t size,
        char *out, const void *in, const void *fill, long j, long k)
{
	for (long i = 0; i < r->out[0]; i += RESAMPLE_BLOCK) {
		const long n = min_long(RESAMPLE_BLOCK, r->out[0] - i);
		double place[3][RESAMPLE_BLOCK], at[3];
		long offset[RESAMPLE_BLOCK];

		row_start(r, j, k, at);

		if (positions)
			positions(ctx, i, n, j, k, place[0], place[1], place[2]);
		else
			row_places(r, at, n, i, place);

		for (long l = 0; l < n; l++)
			offset[l] = nearest_offset(r, place[0][l], place[1][l], place[2][l]);

		copy_row(size, n, out + (size_t)i * size, in, offset, fill);
	}
}

void resample_nearest(const struct resample *r, resample_positions_fn *positions, void *ctx,
        struct resample_array out, const void *in, const void *fill)
{
	const long rows = r->out[1] * r->out[2], bytes = r->out[0] * out.step;

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(4. * (double)(r->out[0] * rows)))
	for (long first = 0; first < rows; first += TILE_Y) {
		const long n = min_long(TILE_Y, rows - first);
		char *buffer = out.put ? mem_alloc((size_t)(n * bytes)) : NULL;
		char *to = out.put ? buffer : (char *)out.data + first * bytes;

		for (long row = first; row < first + n; row++)
			nearest_row(r, positions, ctx, (size_t)out.step, to + (row - first) * bytes, in, fill,
			        row % r->out[1], row / r->out[1]);

		if (out.put)
			out.put(out.ctx, first * r->out[0], n * r->out[0], buffer);

		free(buffer);
		progress_add(n * r->out[0]);
	}
}
