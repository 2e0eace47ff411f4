/** Chooses the order of loops, the slabs and the batches of a transform between files, from the sizes and the
 * allowed memory. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ct/projector/bricks.h"
#include "ct/projector/xray_backend.h"
#include "ct/stream/slab.h"
#include "ct/stream/view_stream.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/options/plan_ranks.h"
#include "misc/ranks/ranks.h"
#include "num/device/device.h"

enum { LEAST_VIEWS = 16 };                 // in a batch, where memory allows: a brick is moved once for each
static const long least = 1L << 20;        // of memory, without which nothing can be planned [bytes]
static const long one_buffer = 128L << 20; // of private memory for views, at most [bytes]

/** Sizes [bytes]. */
struct sizes {
	long view, row, layer; // a view, a row and a layer of bricks
	double vol, proj;
	long memory;  // left for the files
	bool convert; // the input is of another type
};

static struct sizes measure(const struct view_stream *t, const struct cfl *input)
{
	const struct xray *x = t->x;
	const long *n = x->grid.size, size = dtype_size(t->type);
	struct sizes s = {.convert = (t->type != input->hdr.type)};

	s.view = mul_checked(mul_checked(x->g->cols, x->g->rows, "a view"), size, "a view");
	s.row = mul_checked(n[0] * min_long(x->edge[1], n[1]), min_long(x->edge[2], n[2]) * size, "a row");
	s.layer =
	        mul_checked(mul_checked(n[0], n[1], "a slice"), min_long(x->edge[2], n[2]) * size, "a layer");
	s.vol = (double)n[0] * n[1] * n[2] * size;
	s.proj = (double)s.view * x->g->views;
	s.memory = max_long(least, tool_memory() - xray_memory(x, t->type));
	return s;
}

/** Bytes of the projections that the slabs see: of the one that sees most, and of all together. */
static double seen(const struct view_stream *t, long rows, double *most)
{
	const struct xray *x = t->x;
	const long views = x->g->views;
	long *lo = mem_alloc(mul_checked(2 * sizeof(long), views, "the geometry")), *hi = lo + views;
	double all = 0.;

	*most = 0.;

	for (long row = 0; row < xray_rows(x);) {
		const struct slab s = slab_at(x, row, rows);
		double sum = 0.;

		slab_footprint(x, &s, 0, views, lo, hi);

		for (long k = 0; k < views; k++)
			sum += (double)(hi[k] - lo[k]) * x->g->cols * dtype_size(t->type);

		*most = fmax(*most, sum);
		all += sum;
		row += s.rows;
	}

	free(lo);
	return all;
}

/** Slabs of so many rows outside, of which so many rows are in memory at a time (0: all). */
static void by_slabs(struct view_stream *t, const struct sizes *s, long rows, long rows_at_once)
{
	const double views = t->x->g->views;
	double most;

	t->by_views = t->keep_vol = false;
	t->rows = rows;
	t->rows_at_once = rows_at_once;
	t->keep_proj = s->proj <= s->memory / 2.;

	const double all = seen(t, rows, &most);

	t->batch = (t->keep_proj || most <= s->memory / 2.) ? (long)views
	                                                    : (long)fmax(1., views * s->memory / 4. / most);

	const double turns = (rows_at_once > 0) ? ceil(views / t->batch) : 1.;

	t->moved = s->vol * (t->forward ? turns : 2. * turns - 1.) +
	           (t->keep_proj ? s->proj : all * (t->forward ? 2. : 1.));
}

static void by_batches(struct view_stream *t, const struct sizes *s, long rows, long rows_at_once)
{
	const long views = t->x->g->views;

	t->by_views = true;
	t->keep_proj = false;
	t->keep_vol = s->vol <= s->memory / 2.;
	t->rows = t->keep_vol ? xray_rows(t->x) : rows;
	t->rows_at_once = t->keep_vol ? 0 : rows_at_once;

	const double room = (s->memory - (t->keep_vol ? s->vol : s->memory / 2.)) / 2.;

	t->batch = max_long(1, (long)fmin(views, room / s->view));

	const double turns = ceil((double)views / t->batch);

	t->moved = s->proj + s->vol * (t->keep_vol ? 1. : t->forward ? turns : 2. * turns - 1.);
}

static void take_better(struct view_stream *t, const struct view_stream *other)
{
	if (other->moved < t->moved)
		*t = *other;
}

/** What moves least. The slab at work, and the one that is read or written meanwhile, may use a quarter of
 * the memory each. */
static void out_of_memory(struct view_stream *t, const struct sizes *s)
{
	const long per = t->x->bricks[1], layers = s->memory / 4 / s->layer;
	const long whole = per * min_long(t->x->bricks[2], max_long(layers, 1));
	const long part = max_long(1, min_long(per, s->memory / 8 / s->row));
	struct view_stream other = *t;

	by_batches(t, s, whole, layers > 0 ? 0 : part);

	if (t->pipe)
		return;

	by_slabs(&other, s, whole, layers > 0 ? 0 : part);
	take_better(t, &other);

	if (layers == 0) {
		by_slabs(&other, s, part, 0);
		take_better(t, &other);
	}
}

/** A is shared out by views, A' by rows of bricks: no pixel and no voxel is a sum over ranks. */
static void take_part(struct view_stream *t)
{
	const long views = t->x->g->views, rows = xray_rows(t->x);

	t->view[0] = t->row[0] = 0;
	t->view[1] = views;
	t->row[1] = rows;

	if (t->forward)
		ranks_part(views, 1, &t->view[0], &t->view[1]);
	else
		ranks_part(rows, 1, &t->row[0], &t->row[1]);
}

/** Everything fits; batches are there for streams to flow, and for buffers to be small. */
static void in_memory(struct view_stream *t, const struct sizes *s)
{
	t->by_views = t->pipe;
	t->rows_at_once = 0;
	t->keep_vol = t->keep_proj = true;
	t->rows = xray_rows(t->x);
	t->batch = t->pipe ? xray_batch(t->x, t->type) : t->x->g->views;
	t->moved = s->vol + s->proj;
}

/** Views that pass through private memory: of a stream, or converted. */
static void bound_buffers(struct view_stream *t, const struct sizes *s)
{
	const long copies = (t->pipe ? 1 : 0) + (!t->forward && s->convert ? 1 : 0);
	const long room = min_long(one_buffer, max_long(s->memory / 4, s->view)) / max_long(copies, 1);

	if (copies > 0)
		t->batch = min_long(t->batch, max_long(room / s->view, room == one_buffer ? LEAST_VIEWS : 1));

	t->private_bytes = xray_memory(t->x, t->type) + copies * t->batch * s->view;

	if (t->forward && s->convert)
		t->private_bytes +=
		        (long)(t->keep_vol
		                        ? s->vol
		                        : (double)(t->rows_at_once > 0 ? t->rows_at_once : t->rows) * s->row);
}

void view_stream_choose(struct view_stream *t, const struct cfl *input)
{
	enum { OPERATIONS = 20 }; // for a voxel and a view
	const struct sizes s = measure(t, input);
	const long *n = t->x->grid.size;

	take_part(t);
	device_worth(s.vol + s.proj, (double)OPERATIONS * n[0] * n[1] * n[2] * t->x->g->views);

	if (s.vol + (t->pipe ? 0. : s.proj) <= s.memory)
		in_memory(t, &s);
	else
		out_of_memory(t, &s);

	bound_buffers(t, &s);
}

static void describe(const struct view_stream *t)
{
	const long *n = t->x->grid.size;
	const long per = t->x->bricks[1], rows = min_long(t->rows, xray_rows(t->x));

	printf("order: %s", t->by_views ? "batches of views, and the whole volume for each batch"
	                                : "slabs of the volume, and all views for each slab");

	if (t->rows_at_once > 0)
		printf("; slabs of %ld slices, %ld lines at a time",
		        min_long(rows / per * t->x->edge[2], n[2]),
		        min_long(t->rows_at_once * t->x->edge[1], n[1]));
	else if (rows >= xray_rows(t->x))
		printf("; the volume at once");
	else if (rows >= per)
		printf("; slabs of %ld slices", min_long(rows / per * t->x->edge[2], n[2]));
	else
		printf("; slabs of %ld slices x %ld lines", min_long(t->x->edge[2], n[2]),
		        min_long(rows * t->x->edge[1], n[1]));

	printf(", %ld views at a time\n", t->batch);
	if (device_used() >= 0) {
		long slices, views;
		const double moved = xray_gpu_cut(t->x, t->type, t->forward, &slices, &views);

		printf("GPU: %ld slabs of at most %ld slices, %ld views at a time; %s transferred\n",
		        (n[2] + slices - 1) / slices, slices, views, human_bytes(moved));
	}

	printf("files: %s in and out of memory, which may hold %s\n", human_bytes(t->moved),
	        human_bytes((double)tool_memory()));
}

void view_stream_plan(const struct view_stream *t)
{
	if (tool_plan())
		describe(t);

	tool_needs(t->private_bytes, 0.);
	plan_ranks_parts(t->forward ? t->x->g->views : xray_rows(t->x));
}
