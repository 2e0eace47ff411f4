/** The X-ray transform whose work is divided among the ranks: of arrays of which every rank has a copy, and
 * of distributed vectors. */

#include <stdlib.h>
#include <string.h>

#include "ct/projector/bricks.h"
#include "ct/projector/cluster_model.h"
#include "ct/stream/slab.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/ranks/sharing.h"
#include "num/md/distributed.h"

void xray_forward_shared(const struct xray *x, enum dtype type, void *proj, const void *vol)
{
	const long views = x->g->views;
	const size_t view = (size_t)(x->g->cols * x->g->rows) * dtype_size(type);
	long first, end;

	ranks_part(views, 1, &first, &end);

	if (first < end)
		xray_forward(x, type, (char *)proj + (size_t)first * view, vol, first, end - first);

	sharing_gather(&(const struct sharing){view, views, 1, 1}, proj);
}

/** Rows of bricks [row, end) of one layer, `line` bytes along x: their lines in every slice. */
static void add_in_layer(struct sharing_runs *r, const struct xray *x, long row, long end, size_t line)
{
	const long *n = x->grid.size, per = x->bricks[1], z = row / per * x->edge[2],
	           y = row % per * x->edge[1], below = min_long(((end - 1) % per + 1) * x->edge[1], n[1]);

	for (long k = z; k < min_long(z + x->edge[2], n[2]); k++)
		sharing_runs_add(r, (size_t)(k * n[1] + y) * line, (size_t)(below - y) * line);
}

/** Rows of bricks [row, end). */
static void add_rows(struct sharing_runs *r, const struct xray *x, enum dtype type, long row, long end)
{
	const long per = x->bricks[1];
	const size_t line = (size_t)x->grid.size[0] * dtype_size(type);

	for (long to; row < end; row = to) {
		to = min_long(end, (row / per + 1) * per);
		add_in_layer(r, x, row, to, line);
	}
}

/** The rows of bricks of every rank. */
static struct sharing_runs rows_of_ranks(const struct xray *x, enum dtype type)
{
	struct sharing_runs r = sharing_runs_create();
	long first, end;

	for (int k = 0; k < ranks_count(); k++) {
		ranks_part_of(k, xray_rows(x), 1, &first, &end);
		add_rows(&r, x, type, first, end);
		r.start[k + 1] = r.n;
	}

	return r;
}

void xray_adjoint_shared(const struct xray *x, enum dtype type, void *vol, const void *proj)
{
	const long rows = xray_rows(x);
	struct sharing_runs r = rows_of_ranks(x, type);
	long first, end;

	ranks_part(rows, 1, &first, &end);

	if (first < end)
		xray_adjoint_tile(x, type, vol, proj,
		        &(const struct xray_tile){.views = x->g->views, .row = first, .rows = end - first});

	ranks_share(vol, r.run, r.start);
	sharing_runs_free(&r);
}

/** The runs moved by `at` bytes, to the array that begins there in a vector. */
static void move(struct sharing_runs *r, long at)
{
	for (long i = 0; i < r->n; i++)
		r->run[i].first += (size_t)at;
}

/** The end of the rows of bricks from `row` on that are fetched together: in one layer. */
static long piece_end(const struct xray *x, enum dtype type, long row)
{
	const long *n = x->grid.size, per = x->bricks[1],
	           bytes = n[0] * x->edge[1] * x->edge[2] * (long)dtype_size(type);

	return min_long(row + max_long(1, CLUSTER_PIECE / bytes), (row / per + 1) * per);
}

/** Returns the memory of rows of bricks, and at the end of a layer that of pages which its rows share. */
static void release_rows(const struct xray *x, enum dtype type, const struct xray_vector *vol,
        const struct sharing_runs *r, long end)
{
	const long *n = x->grid.size, size = (long)dtype_size(type), per = x->bricks[1],
	           last = min_long(end / per * x->edge[2], n[2]);

	for (long i = 0; i < r->n; i++)
		distributed_release(vol->n, (size_t)size, vol->data, (long)r->run[i].first / size,
		        (long)(r->run[i].first + r->run[i].bytes) / size);

	if (0 == end % per)
		distributed_release(vol->n, (size_t)size, vol->data, vol->at, vol->at + last * n[0] * n[1]);
}

/** Some rows of bricks, on their way from their owners. */
struct piece {
	long row, end;
	struct sharing_runs r;
	struct distributed_fetch *fetch;
};

/** Begins to fetch the rows of bricks from `row` on; an empty piece beyond the last row. */
static struct piece piece_begin(
        const struct xray *x, enum dtype type, const struct xray_vector *vol, long row)
{
	const long size = (long)dtype_size(type);
	struct piece p = {.row = row, .end = row, .r = sharing_runs_create()};

	if (row == xray_rows(x))
		return p;

	p.end = piece_end(x, type, row);
	add_rows(&p.r, x, type, row, p.end);
	move(&p.r, vol->at * size);
	p.fetch = distributed_fetch_begin(vol->n, (size_t)size, vol->data, p.r.run, p.r.n);
	return p;
}

/** Each piece is computed while the next one is fetched. */
void xray_forward_distributed(
        const struct xray *x, enum dtype type, const struct xray_vector *proj, const struct xray_vector *vol)
{
	const long views = x->g->views, view = x->g->cols * x->g->rows, size = (long)dtype_size(type);
	struct sharing_runs r = sharing_runs_create();
	long first, end;

	ranks_part(views, 1, &first, &end);

	char *p = (char *)proj->data + (proj->at + first * view) * size;

	memset(p, 0, (size_t)((end - first) * view * size));

	struct piece now = piece_begin(x, type, vol, 0);

	while (now.row < now.end) {
		distributed_fetch_end(now.fetch);

		struct piece next = piece_begin(x, type, vol, now.end);

		if (first < end)
			xray_forward_tile(x, type, p, (const char *)vol->data + vol->at * size,
			        &(const struct xray_tile){.first = first,
			                .views = end - first,
			                .row = now.row,
			                .rows = now.end - now.row,
			                .blank = 0 == now.row});

		release_rows(x, type, vol, &now.r, now.end);
		sharing_runs_free(&now.r);
		now = next;
	}

	sharing_runs_free(&now.r);

	for (int k = 0; k < ranks_count(); k++) {
		ranks_part_of(k, views, 1, &first, &end);
		sharing_runs_add(&r, (size_t)((proj->at + first * view) * size),
		        (size_t)((end - first) * view * size));
		r.start[k + 1] = r.n;
	}

	distributed_settle(proj->n, (size_t)size, proj->data, r.run, r.start);
	distributed_release(proj->n, (size_t)size, proj->data, proj->at, proj->at + views * view);
	sharing_runs_free(&r);
}

/** Detector rows [lo[i], hi[i]) of views k + i, i < n, that meet rows of bricks [row, end). */
static void rows_seen(const struct xray *x, long row, long end, long k, long n, long lo[], long hi[])
{
	long *a = mem_alloc(2 * (size_t)n * sizeof *a), *b = a + n;

	memset(lo, 0, (size_t)n * sizeof *lo);
	memset(hi, 0, (size_t)n * sizeof *hi);

	while (row < end) {
		const struct slab s = slab_of(x, row, end, end - row);

		slab_footprint(x, &s, k, n, a, b);

		for (long i = 0; i < n; i++)
			if (a[i] < b[i]) {
				lo[i] = (lo[i] < hi[i]) ? min_long(lo[i], a[i]) : a[i];
				hi[i] = max_long(hi[i], b[i]);
			}

		row += s.rows;
	}

	free(a);
}

/** Views of a batch of A', of which no rank receives much more than CLUSTER_BATCH bytes; some views show how
 * much. */
static long batch_views(const struct xray *x, enum dtype type)
{
	enum { SOME = 8 };
	const long row = x->g->cols * (long)dtype_size(type);
	long most = 1;

	for (int i = 0; i < ranks_count() * SOME; i++) {
		long first, end, lo, hi;

		ranks_part_of(i / SOME, xray_rows(x), 1, &first, &end);
		rows_seen(x, first, end, i % SOME * x->g->views / SOME, 1, &lo, &hi);
		most = max_long(most, hi - lo);
	}

	return max_long(CLUSTER_FEWEST_VIEWS, CLUSTER_BATCH / (most * row));
}

/** Begins to fetch at most n views from view k on, for each rank the detector rows that its rows of bricks
 * meet; NULL beyond the last view. */
static struct distributed_fetch *batch_begin(
        const struct xray *x, enum dtype type, const struct xray_vector *proj, long k, long n)
{
	const long size = (long)dtype_size(type), row = x->g->cols * size, view = x->g->rows * row;
	struct sharing_runs r = sharing_runs_create();

	n = min_long(n, x->g->views - k);

	long *lo = mem_alloc(2 * (size_t)n * sizeof *lo), *hi = lo + n;

	for (int rank = 0; rank < ranks_count(); rank++) {
		long first, end;

		ranks_part_of(rank, xray_rows(x), 1, &first, &end);
		rows_seen(x, first, end, k, n, lo, hi);

		for (long i = 0; i < n; i++)
			if (lo[i] < hi[i])
				sharing_runs_add(&r, (size_t)(proj->at * size + (k + i) * view + lo[i] * row),
				        (size_t)((hi[i] - lo[i]) * row));

		r.start[rank + 1] = r.n;
	}

	struct distributed_fetch *f =
	        (n > 0) ? distributed_fetch_for_begin(proj->n, (size_t)size, proj->data, r.run, r.start)
	                : NULL;

	sharing_runs_free(&r);
	free(lo);
	return f;
}

/** Each batch of views is computed while the next one is fetched. */
void xray_adjoint_distributed(
        const struct xray *x, enum dtype type, const struct xray_vector *vol, const struct xray_vector *proj)
{
	const long rows = xray_rows(x), views = x->g->views, size = (long)dtype_size(type),
	           view = x->g->cols * x->g->rows, batch = batch_views(x, type);
	char *p = (char *)proj->data + proj->at * size, *v = (char *)vol->data + vol->at * size;
	struct sharing_runs r = rows_of_ranks(x, type);
	long first, end;

	for (long i = r.start[ranks_rank()]; i < r.start[ranks_rank() + 1]; i++)
		memset(v + r.run[i].first, 0, r.run[i].bytes);

	ranks_part(rows, 1, &first, &end);

	struct distributed_fetch *fetch = batch_begin(x, type, proj, 0, batch);

	for (long k = 0; k < views; k += batch) {
		const long n = min_long(batch, views - k), from = proj->at + k * view;

		distributed_fetch_end(fetch);
		fetch = batch_begin(x, type, proj, k + n, batch);

		if (first < end)
			xray_adjoint_tile(x, type, v, p + k * view * size,
			        &(const struct xray_tile){
			                .first = k, .views = n, .row = first, .rows = end - first});

		distributed_release(proj->n, (size_t)size, proj->data, from, from + n * view);
	}

	move(&r, vol->at * size);
	distributed_settle(vol->n, (size_t)size, vol->data, r.run, r.start);
	distributed_release(vol->n, (size_t)size, vol->data, vol->at,
	        vol->at + x->grid.size[0] * x->grid.size[1] * x->grid.size[2]);
	sharing_runs_free(&r);
}
