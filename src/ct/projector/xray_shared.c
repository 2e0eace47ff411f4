/** The X-ray transform of arrays of which every rank has a copy; the work is divided among the ranks. */

#include "ct/projector/bricks.h"
#include "misc/minmax.h"
#include "misc/ranks/sharing.h"

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
static void add_rows(struct sharing_runs *r, const struct xray *x, long row, long end, size_t line)
{
	const long *n = x->grid.size, per = x->bricks[1], z = row / per * x->edge[2],
	           y = row % per * x->edge[1], below = min_long(((end - 1) % per + 1) * x->edge[1], n[1]);

	for (long k = z; k < min_long(z + x->edge[2], n[2]); k++)
		sharing_runs_add(r, (size_t)(k * n[1] + y) * line, (size_t)(below - y) * line);
}

void xray_adjoint_shared(const struct xray *x, enum dtype type, void *vol, const void *proj)
{
	const long rows = xray_rows(x), per = x->bricks[1];
	const size_t line = (size_t)x->grid.size[0] * dtype_size(type);
	struct sharing_runs r = sharing_runs_create();
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
		xray_adjoint_tile(x, type, vol, proj,
		        &(const struct xray_tile){.views = x->g->views, .row = first, .rows = end - first});

	ranks_share(vol, r.run, r.start);
	sharing_runs_free(&r);
}
