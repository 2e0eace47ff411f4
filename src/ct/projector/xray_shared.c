/** The X-ray transform of arrays that every rank holds, with the work divided among the ranks. */

#include <stdlib.h>

#include "ct/projector/bricks.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/ranks/ranks.h"

/** Runs of all ranks, one rank after the other. */
struct runs {
	struct ranks_run *run;
	long *start, n, room;
};

static struct runs runs_create(void)
{
	return (struct runs){.start = mem_calloc((size_t)ranks_count() + 1, sizeof(long))};
}

static void runs_free(struct runs *r)
{
	free(r->run);
	free(r->start);
}

static void add(struct runs *r, size_t first, size_t bytes)
{
	if (r->n == r->room) {
		r->room = 2 * r->room + 16;
		r->run = mem_realloc(r->run, (size_t)r->room * sizeof *r->run);
	}

	r->run[r->n++] = (struct ranks_run){first, bytes};
}

void xray_forward_shared(const struct xray *x, enum dtype type, void *proj, const void *vol)
{
	const long views = x->g->views;
	const size_t view = (size_t)(x->g->cols * x->g->rows) * dtype_size(type);
	struct runs r = runs_create();
	long first, end;

	for (int k = 0; k < ranks_count(); k++) {
		ranks_part_of(k, views, 1, &first, &end);
		add(&r, (size_t)first * view, (size_t)(end - first) * view);
		r.start[k + 1] = r.n;
	}

	ranks_part(views, 1, &first, &end);

	if (first < end)
		xray_forward(x, type, (char *)proj + (size_t)first * view, vol, first, end - first);

	ranks_share(proj, r.run, r.start);
	runs_free(&r);
}

/** Rows of bricks [row, end) of one layer, `line` bytes along x: their lines in every slice. */
static void add_rows(struct runs *r, const struct xray *x, long row, long end, size_t line)
{
	const long *n = x->grid.size, per = x->bricks[1], z = row / per * x->edge[2],
	           y = row % per * x->edge[1], below = min_long(((end - 1) % per + 1) * x->edge[1], n[1]);

	for (long k = z; k < min_long(z + x->edge[2], n[2]); k++)
		add(r, (size_t)(k * n[1] + y) * line, (size_t)(below - y) * line);
}

void xray_adjoint_shared(const struct xray *x, enum dtype type, void *vol, const void *proj)
{
	const long rows = xray_rows(x), per = x->bricks[1];
	const size_t line = (size_t)x->grid.size[0] * dtype_size(type);
	struct runs r = runs_create();
	long first, end;

	for (int k = 0; k < ranks_count(); k++) {
		ranks_part_of(k, rows, 1, &first, &end);

		for (long row = first, to; row < end; row = to) {
			to = min_long(end, (row / per + 1) * per);
			add_rows(&r, x, row, to, line);
		}

		r.start[k + 1] = r.n;
	}

	ranks_part(rows, 1, &first, &end);

	if (first < end)
		xray_adjoint_piece(x, type, vol, proj,
		        &(const struct xray_piece){.views = x->g->views, .row = first, .rows = end - first});

	ranks_share(vol, r.run, r.start);
	runs_free(&r);
}
