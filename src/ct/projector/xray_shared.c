/** The X-ray transform whose work is divided among the ranks: of arrays of which every rank has a copy, and
 * of distributed vectors. */

#include <string.h>

#include "ct/projector/bricks.h"
#include "misc/minmax.h"
#include "misc/ranks/sharing.h"
#include "num/md/distributed.h"

/** Bytes that a rank receives at a time, about, and the fewest views: each call also reads or writes the
 * volume of its rows of bricks. */
enum { PIECE = 4 << 20, FEWEST_VIEWS = 16 };

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

	return min_long(row + max_long(1, PIECE / bytes), (row / per + 1) * per);
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

/** Adds the voxels of rows of bricks [row, end), which their owners send, to views [first, first + n). */
static void add_piece(const struct xray *x, enum dtype type, const struct xray_vector *proj,
        const struct xray_vector *vol, const struct xray_tile *tile)
{
	const long size = (long)dtype_size(type), view = x->g->cols * x->g->rows;
	struct sharing_runs r = sharing_runs_create();

	add_rows(&r, x, type, tile->row, tile->row + tile->rows);
	move(&r, vol->at * size);
	distributed_fetch(vol->n, (size_t)size, vol->data, r.run, r.n);

	if (tile->views > 0)
		xray_forward_tile(x, type, (char *)proj->data + (proj->at + tile->first * view) * size,
		        (const char *)vol->data + vol->at * size, tile);

	release_rows(x, type, vol, &r, tile->row + tile->rows);
	sharing_runs_free(&r);
}

void xray_forward_distributed(
        const struct xray *x, enum dtype type, const struct xray_vector *proj, const struct xray_vector *vol)
{
	const long rows = xray_rows(x), views = x->g->views, view = x->g->cols * x->g->rows,
	           size = (long)dtype_size(type);
	struct sharing_runs r = sharing_runs_create();
	long first, end;

	ranks_part(views, 1, &first, &end);
	memset((char *)proj->data + (proj->at + first * view) * size, 0,
	        (size_t)((end - first) * view * size));

	for (long row = 0, to; row < rows; row = to) {
		to = piece_end(x, type, row);
		add_piece(x, type, proj, vol,
		        &(const struct xray_tile){.first = first,
		                .views = end - first,
		                .row = row,
		                .rows = to - row,
		                .blank = 0 == row});
	}

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

void xray_adjoint_distributed(
        const struct xray *x, enum dtype type, const struct xray_vector *vol, const struct xray_vector *proj)
{
	const long rows = xray_rows(x), views = x->g->views, size = (long)dtype_size(type),
	           view = x->g->cols * x->g->rows, batch = max_long(FEWEST_VIEWS, PIECE / (view * size));
	char *p = (char *)proj->data + proj->at * size, *v = (char *)vol->data + vol->at * size;
	struct sharing_runs r = rows_of_ranks(x, type);
	long first, end;

	for (long i = r.start[ranks_rank()]; i < r.start[ranks_rank() + 1]; i++)
		memset(v + r.run[i].first, 0, r.run[i].bytes);

	ranks_part(rows, 1, &first, &end);

	for (long k = 0; k < views; k += batch) {
		const long n = min_long(batch, views - k), from = proj->at + k * view;

		distributed_fetch(proj->n, (size_t)size, proj->data,
		        &(const struct ranks_run){(size_t)(from * size), (size_t)(n * view * size)}, 1);

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
