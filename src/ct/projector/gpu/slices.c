/** Views of a single slice, and tiles of their rays, for the kernels of the GPU. */

#include "ct/projector/gpu/slices.h"

#include <math.h>
#include <stdlib.h>

#include "ct/projector/bricks.h"
#include "misc/mem.h"

static int min_int(int a, int b)
{
	return (a < b) ? a : b;
}

static int max_int(int a, int b)
{
	return (a > b) ? a : b;
}

bool slices_view(const struct untilted *a, long view)
{
	const struct xray_view *w = a->x->view + view;
	const double climb = a->parallel ? w->s[2] : w->d[2] - w->s[2];

	return a->view[view].fits && a->size[2] == 1 && a->rows == 1 && climb == 0. && w->u[2] == 0. &&
	       (a->radius == 0. || w->n[2] == 0.);
}

/** Columns that a place in the volume moves by per voxel across its ray. */
static double rate_at(const struct hit_view *s, double x, double y)
{
	const double along_x = hit_at(s, x + 0.5, y).column - hit_at(s, x - 0.5, y).column,
	             along_y = hit_at(s, x, y + 0.5).column - hit_at(s, x, y - 0.5).column;

	return fmax(fabs(along_x), fabs(along_y));
}

double slices_rate(const struct untilted *a)
{
	enum { SIDE = 16 }; // places along an edge
	double most = 0.;

#pragma omp parallel for schedule(static) reduction(max : most)
	for (long k = 0; k < a->views; k++)
		for (int e = 0; e < 4 * SIDE && a->view[k].fits; e++) {
			const double t = (double)(e % SIDE) / SIDE;
			const double side[4][2] = {{t, 0.}, {1., t}, {1. - t, 1.}, {0., 1. - t}};
			const double *at = side[e / SIDE];

			most = fmax(most, rate_at(&a->view[k].hit, at[0] * ((double)a->size[0] - 1.),
			                          at[1] * ((double)a->size[1] - 1.)));
		}

	return 1.01 * most;
}

/** Positions of a tile's outermost rays in plane 0, and per plane. */
struct ends {
	double pos[2 * SLICES_RAYS], slope[2 * SLICES_RAYS];
	int n;
};

/** The first (way 1) or last (-1) column of the tile's axis in a view. */
static void add_end(struct ends *e, const struct untilted *a, const struct untilted_tile *t, int view,
        int from, int end, int way)
{
	for (int u = from; u != end; u += way) {
		struct column c;

		untilted_column(&c, a->x, &a->view[view], view, u, 0, 1);

		if (c.m != t->axis)
			continue;

		e->pos[e->n] = c.pos;
		e->slope[e->n++] = c.slope;
		return;
	}
}

static void find_ends(struct ends *e, const struct untilted *a, const struct untilted_tile *t, int across)
{
	e->n = 0;

	for (int k = t->view; k < t->view + t->views; k++) {
		const struct untilted_view *v = &a->view[k];
		const int lo = max_int(t->u, v->lo[t->axis]), hi = min_int(t->u + across, v->hi[t->axis]);

		if (!v->fits || lo >= hi)
			continue;

		add_end(e, a, t, k, lo, hi, 1);
		add_end(e, a, t, k, hi - 1, lo - 1, -1);
	}
}

static void range_at(const struct ends *e, double i, double *lo, double *hi)
{
	*lo = INFINITY;
	*hi = -INFINITY;

	for (int k = 0; k < e->n; k++) {
		const double y = e->pos[k] + e->slope[k] * i;

		*lo = fmin(*lo, y);
		*hi = fmax(*hi, y);
	}
}

/* The width is a convex function of the plane: no more between two planes than in them. A run of planes has
 * one window, and lies between two of these planes. */
int slices_need(const struct untilted *a, const struct untilted_tile *t, int across)
{
	enum { PARTS = 16, MORE = 8 /* begins at a multiple of 4, neighbours, rounding */ };
	const long planes = a->size[t->axis], lines = a->size[1 - t->axis],
	           runs = (planes + SLICES_RUN - 1) / SLICES_RUN;
	struct ends *e = mem_alloc(sizeof *e);
	double steep = 0., wide = 0., lo[2], hi[2];
	bool meets = false;

	find_ends(e, a, t, across);

	for (int k = 0; k < e->n; k++)
		steep = fmax(steep, fabs(e->slope[k]));

	for (long k = 0; k <= PARTS && e->n > 0; k++) {
		range_at(e, (double)(runs * k / PARTS * SLICES_RUN), &lo[k % 2], &hi[k % 2]);

		if (k == 0 || fmax(hi[0], hi[1]) <= -1. || fmin(lo[0], lo[1]) >= (double)lines)
			continue;

		meets = true;
		wide = fmax(wide, fmax(hi[0] - lo[0], hi[1] - lo[1]));
	}

	free(e);
	return meets ? (int)fmin(wide + steep * (SLICES_RUN - 1), 1e6) + MORE : 0;
}

/** Tiles under way. */
struct tiles {
	struct untilted_tile *t;
	long n, room;
	bool wide; // one does not fit
};

/** A tile, or its views in halves. Tiles that meet nothing stay: their sums are 0. */
static void split(struct tiles *s, const struct untilted *a, struct untilted_tile t, int across, int most)
{
	const bool fits = slices_need(a, &t, across) <= most;

	if (!fits && t.views > 1) {
		struct untilted_tile half = t;

		half.views = t.views / 2;
		split(s, a, half, across, most);
		t.view += half.views;
		t.views -= half.views;
		split(s, a, t, across, most);
		return;
	}

	if (s->n == s->room) {
		s->room = 2 * s->room + 64;
		s->t = mem_realloc(s->t, mul_checked(s->room, sizeof *s->t, "tiles of rays"));
	}

	s->wide |= !fits;
	s->t[s->n++] = t;
}

/** All tiles of some views. */
static void tiles_of(struct tiles *s, const struct untilted *a, long first, int views, int across, int most)
{
	for (int axis = 0; axis < 2; axis++) {
		int lo = (int)a->cols, hi = 0;

		for (long k = first; k < first + views; k++)
			if (a->view[k].fits) {
				lo = min_int(lo, a->view[k].lo[axis]);
				hi = max_int(hi, a->view[k].hi[axis]);
			}

		for (int u = lo / across * across; u < hi; u += across)
			split(s, a,
			        (struct untilted_tile){
			                .view = (int)first, .views = views, .u = u, .axis = axis},
			        across, most);
	}
}

long slices_tiles(
        const struct untilted *a, long first, long n, int across, int most, struct untilted_tile **out)
{
	const long together = SLICES_RAYS / across, groups = (n + together - 1) / together;
	struct tiles *group = mem_calloc(groups, sizeof *group);
	long count = 0;
	bool wide = false;

#pragma omp parallel for schedule(dynamic)
	for (long k = 0; k < groups; k++) {
		const long left = n - k * together;

		tiles_of(&group[k], a, first + k * together, (int)(left < together ? left : together), across,
		        most);
	}

	for (long k = 0; k < groups; k++) {
		count += group[k].n;
		wide |= group[k].wide;
	}

	*out = mem_alloc(mul_checked(count + 1, sizeof **out, "tiles of rays"));
	count = 0;

	for (long k = 0; k < groups; k++) {
		for (long i = 0; i < group[k].n; i++)
			(*out)[count++] = group[k].t[i];

		free(group[k].t);
	}

	free(group);
	return wide ? -1 : count;
}

int slices_columns(const struct untilted *a, int block)
{
	const int edges[3] = {block + 1, block + 1, 1}; // either axis
	int columns, rows;

	untilted_patch(a, edges, &columns, &rows);
	return columns;
}
