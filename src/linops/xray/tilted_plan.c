/** Views of any flat detector for the kernels of the GPU: which of them fit, tiles of their rays. */

#include "linops/xray/tilted_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/bricks.h"
#include "linops/xray/vec3.h"
#include "misc/mem.h"

/** Slack of windows, for float32 in kernels [voxels]. */
static const double slack = 0.05;

enum { SIDE = 5 }; // places along each side of the detector and of the volume that are looked at

static int min_int(int a, int b)
{
	return (a < b) ? a : b;
}

static int max_int(int a, int b)
{
	return (a > b) ? a : b;
}

void tilted_order(int order[3], int fast)
{
	static const int orders[3][3] = {{1, 2, 0}, {0, 2, 1}, {0, 1, 2}};

	memcpy(order, orders[fast], sizeof orders[fast]);
}

struct tilted_scan tilted_scan_of(const struct tilted *t, int fast)
{
	struct tilted_scan g = {.middle = {(double)(t->cols - 1) / 2., (double)(t->rows - 1) / 2.},
	        .parallel = t->x->g->parallel,
	        .fast = fast};
	int order[3];

	tilted_order(order, fast);

	for (int i = 0; i < 3; i++)
		g.spacing[i] = t->x->grid.spacing[order[i]];

	return g;
}

/** Voxels along the axes of a frame. */
static void sizes(long n[3], const struct tilted *t, int fast)
{
	int order[3];

	tilted_order(order, fast);

	for (int i = 0; i < 3; i++)
		n[i] = t->size[order[i]];
}

/** w in the frame, for the whole detector, rows as they are. */
static void aim(struct tilted_view *out, const struct tilted *t, long view, int fast)
{
	const struct xray_view *w = t->x->view + view;
	const bool parallel = t->x->g->parallel;
	int order[3];

	tilted_order(order, fast);

	for (int i = 0; i < 3; i++) {
		const int k = order[i];

		out->s[i] = parallel ? w->d[k] : w->s[k];
		out->d[i] = parallel ? w->s[k] : w->d[k] - w->s[k];
		out->u[i] = w->u[k];
		out->v[i] = w->v[k];
	}

	out->down = 0;
}

static void invert(struct tilted_view *w)
{
	cross3(w->to[0], w->v, w->d);
	cross3(w->to[1], w->d, w->u);
	cross3(w->to[2], w->u, w->v);

	const double det = dot3(w->u, w->to[0]);

	for (int i = 0; i < 3; i++)
		scale3(w->to[i], 1. / det, w->to[i]);
}

/** Rows count the other way. */
static void turn_over(struct tilted_view *w)
{
	for (int i = 0; i < 3; i++)
		w->v[i] = -w->v[i];

	w->down = !w->down;
	invert(w);
}

struct tilted_view tilted_view_of(const struct tilted *t, long view, int fast, long row, long rows)
{
	struct tilted_view w = t->view[fast][view];

	w.first = (int)(w.down ? t->rows - (row + rows) : row);
	return w;
}

/** The frame for rays dominated by m, and the axis of it that m is. */
static int axis_in(const struct tilted_look *l, int m, int *fast)
{
	int order[3];

	*fast = (m == l->fast) ? l->other : l->fast;
	tilted_order(order, *fast);
	return (order[0] == m) ? 0 : 1;
}

/** Narrows [lo, hi] to where a + b r >= 0. */
static void narrow(double *lo, double *hi, double a, double b)
{
	if (b > 0.)
		*lo = fmax(*lo, -a / b);
	else if (b < 0.)
		*hi = fmin(*hi, -a / b);
	else if (!(a >= 0.))
		*lo = INFINITY;
}

/** Columns with a ray that an axis dominates, or nearly; false where such rays go both ways along it. */
static bool find_columns(struct tilted_look *l, const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;
	const double half = (double)(x->g->rows - 1) / 2., near = 1. + 1e-9;
	int way[3] = {0, 0, 0};

	for (int m = 0; m < 3; m++) {
		l->lo[m] = (int)x->g->cols;
		l->hi[m] = 0;
	}

	for (long k = 0; k < 6 * x->g->cols; k++) {
		const long a = k / 6;
		const int m = (int)(k % 3), sign = (k % 6 < 3) ? 1 : -1;
		double lo = -half, hi = half, e[3], v[3];

		for (int i = 0; i < 3; i++) {
			e[i] = column_direction(x, w, a, i);
			v[i] = x->g->parallel ? 0. : w->v[i];
		}

		for (int i = 0; i < 3; i++)
			for (int s = -1; s <= 1 && i != m; s += 2)
				narrow(&lo, &hi, near * sign * e[m] + s * e[i],
				        near * sign * v[m] + s * v[i]);

		if (!(lo <= hi))
			continue;

		if (way[m] == -sign)
			return false;

		way[m] = sign;
		l->lo[m] = min_int(l->lo[m], (int)a);
		l->hi[m] = max_int(l->hi[m], (int)a + 1);
	}

	return true;
}

/** Is all of the volume, with its neighbours, in front of the source? */
static bool in_front(const struct tilted *t, const struct tilted_view *w, const long n[3])
{
	const double size = norm3(w->u) * norm3(w->v) * norm3(w->d);
	double m[3];

	cross3(m, w->u, w->v);

	if (!(fabs(dot3(m, w->d)) > 1e-2 * size))
		return false;

	for (int c = 0; c < 8 && !t->x->g->parallel; c++) {
		double p[3];

		for (int i = 0; i < 3; i++)
			p[i] = ((c >> i & 1) ? (double)n[i] : -1.) - w->s[i];

		if (!(dot3(w->to[2], p) > 1e-4))
			return false;
	}

	return true;
}

/** Slices count along the axis that rows go along, so that columns lean little; in planes across that axis
 * along the one that they go along as the central ray sees them. */
static void choose_frames(struct tilted_look *l, const struct xray_view *w, bool parallel)
{
	double along[3];
	int m = 2;

	for (int i = 0; i < 2; i++)
		m = (fabs(w->v[i]) > fabs(w->v[m])) ? i : m;

	for (int i = 0; i < 3; i++) {
		const double d = parallel ? w->s[i] : w->d[i] - w->s[i],
		             dm = parallel ? w->s[m] : w->d[m] - w->s[m];

		along[i] = fabs(w->v[i] * dm - w->v[m] * d);
	}

	l->fast = m;
	l->other = (along[(m + 1) % 3] > along[(m + 2) % 3]) ? (m + 1) % 3 : (m + 2) % 3;
}

/** Rays of one axis: can they be followed, and do their columns suit the adjoint? */
static void look_at_rays(struct tilted_look *l, const struct tilted *t, const struct tilted_view *w, int fast,
        int axis, int lo, int hi)
{
	const struct tilted_scan g = tilted_scan_of(t, fast);
	const double half = g.middle[1];
	long n[3];

	sizes(n, t, fast);

	if (!g.parallel && w->s[axis] > -8. && w->s[axis] < (double)n[axis] + 7.)
		l->adjoint = false;

	for (int k = 0; k < SIDE * SIDE && l->forward; k++) {
		const double x = lo + (double)(hi - 1 - lo) * (k % SIDE) / (SIDE - 1) - g.middle[0],
		             r = half * (2 * (k / SIDE) - SIDE + 1) / (SIDE - 1);
		double e[3];

		tilted_direction(e, &g, w, x, r);

		const double most = 4. * fabs(e[axis]);

		l->steep = l->steep || fabs(e[2]) > fabs(e[axis]);

		if (!(fabs(e[1 - axis]) <= most && fabs(e[2]) <= most)) {
			l->forward = false;
			return;
		}

		for (int p = 0; p < SIDE; p++) {
			const double i = (double)(n[axis] - 1) * p / (SIDE - 1);
			struct tilted_plane at;
			struct tilted_anchor o;

			tilted_plane(&at, &g, w, axis, i);

			const double f = at.w[0] + x * at.w[1] + r * at.w[2],
			             y = (at.y[0] + x * at.y[1] + r * at.y[2]) / f,
			             z = (at.z[0] + x * at.z[1] + r * at.z[2]) / f, out = 18.;

			if (y < -out || y > (double)n[1 - axis] + out || z < -out || z > (double)n[2] + out)
				continue;

			if (!tilted_anchor(&o, &g, w, axis, i, y, z)) {
				l->adjoint = false;
				continue;
			}

			l->least = fminf(l->least, o.rise);
			l->lean = fmaxf(l->lean, fabsf(o.lean));

			l->near = fmaxf(l->near, fabsf(o.near));

			if (!(o.rise * (1.f - 42.f * fabsf(o.near)) >= 0.26f && fabsf(o.near) <= 5e-3f &&
			            fabsf(o.lean) <= 0.11f && fabsf(o.across) >= 0.05f &&
			            fabsf(o.bend) * 21.f <= fabsf(o.across)))
				l->adjoint = false;
		}
	}
}

bool tilted_close(const struct tilted_look *l)
{
	return l->least < 0.55f || l->lean > 0.05f || l->near > 0.9e-3f;
}

static void look(struct tilted *t, long view)
{
	const struct xray *x = t->x;
	const struct xray_view *w = x->view + view;
	struct tilted_look *l = &t->look[view];
	l->least = INFINITY;
	choose_frames(l, w, x->g->parallel);
	l->forward = l->adjoint = find_columns(l, x, view);

	for (int m = 0; m < 3; m++) {
		int fast;
		const int axis = axis_in(l, m, &fast);
		struct tilted_view *v = &t->view[fast][view];

		if (l->lo[m] >= l->hi[m])
			continue;

		v->lo[axis] = l->lo[m];
		v->hi[axis] = l->hi[m];
	}

	for (int fast = 0; fast < 3; fast++) {
		struct tilted_view *v = &t->view[fast][view];
		long n[3];

		aim(v, t, view, fast);
		invert(v);
		sizes(n, t, fast);

		if (!in_front(t, v, n))
			l->forward = false;

		const int axis = (v->lo[1] < v->hi[1]);
		struct tilted_anchor o;
		const struct tilted_scan g = tilted_scan_of(t, fast);

		if (v->lo[axis] < v->hi[axis] &&
		        tilted_anchor(&o, &g, v, axis, (double)(n[axis] - 1) / 2.,
		                (double)(n[1 - axis] - 1) / 2., (double)(n[2] - 1) / 2.) &&
		        o.rise < 0.f)
			turn_over(v);

		for (int m = 0; m < 2 && l->forward; m++)
			if (v->lo[m] < v->hi[m])
				look_at_rays(l, t, v, fast, m, v->lo[m], v->hi[m]);
	}

	l->adjoint = l->adjoint && l->forward;
}

struct tilted *tilted_create(const struct xray *x, const bool *open)
{
	struct tilted *t = NEW(struct tilted);
	const bool suits = x->model == XRAY_JOSEPH && x->g->radius == 0. && x->grid.size[2] > 1;

	*t = (struct tilted){.x = x,
	        .views = x->g->views,
	        .cols = x->g->cols,
	        .rows = x->g->rows,
	        .look = mem_calloc(x->g->views, sizeof *t->look)};

	memcpy(t->size, x->grid.size, sizeof t->size);

	for (int f = 0; f < 3; f++) {
		t->view[f] = mem_calloc(t->views, sizeof *t->view[f]);

		for (long k = 0; k < t->views; k++)
			for (int m = 0; m < 2; m++)
				t->view[f][k].lo[m] = (int)t->cols;
	}

#pragma omp parallel for schedule(static)
	for (long k = 0; k < t->views; k++)
		if (suits && (!open || open[k]))
			look(t, k);

	return t;
}

void tilted_free(struct tilted *t)
{
	if (!t)
		return;

	for (int f = 0; f < 3; f++)
		free(t->view[f]);

	free(t->look);
	free(t);
}

/* ---- windows ---- */

enum { PLANES = 8 };

struct range {
	double lo, hi;
};

static void widen(struct range *r, double x)
{
	r->lo = fmin(r->lo, x);
	r->hi = fmax(r->hi, x);
}

/** What rays meet in planes. */
struct cuts {
	struct range y[PLANES + 1], z[PLANES + 1];
	bool any;
};

static void add_ray(struct cuts *c, const struct tilted_scan *g, const struct tilted_view *w, int axis,
        double x, double r, long n)
{
	struct tilted_plane p;
	double y[2], z[2];

	for (int e = 0; e < 2; e++) { // a straight line
		tilted_plane(&p, g, w, axis, e ? (double)(n - 1) : 0.);

		const double f = 1. / (p.w[0] + x * p.w[1] + r * p.w[2]);

		y[e] = (p.y[0] + x * p.y[1] + r * p.y[2]) * f;
		z[e] = (p.z[0] + x * p.z[1] + r * p.z[2]) * f;
	}

	for (int k = 0; k <= PLANES; k++) {
		const double at = (double)k / PLANES;

		widen(&c->y[k], y[0] + at * (y[1] - y[0]));
		widen(&c->z[k], z[0] + at * (z[1] - z[0]));
	}
}

/** The rays of a view in a tile, rows [first, first + rows) upwards. Kernels leave out what no ray of the
 * axis is in. */
static void add_view(struct cuts *c, const struct tilted *t, const struct tilted_scan *g,
        const struct tilted_tile *tile, long view, int across, double first, double rows, long n)
{
	const struct tilted_view *w = &t->view[g->fast][view];
	const int lo = max_int(tile->u, w->lo[tile->axis]), hi = min_int(tile->u + across, w->hi[tile->axis]);
	const double x[2] = {lo - g->middle[0], hi - 1 - g->middle[0]},
	             r[2] = {first - g->middle[1], first + rows - 1. - g->middle[1]};

	if (!t->look[view].forward || lo >= hi || !tilted_touches(g, w, tile->axis, x, r))
		return;

	for (int e = 0; e < 4; e++)
		add_ray(c, g, w, tile->axis, x[e & 1], r[e >> 1], n);

	c->any = true;
}

/** Extents are convex functions of the plane: no more between two planes than in them. */
static void take_cuts(struct tilted_need *need, const struct cuts *c, const long n[3], int axis, double more)
{
	for (int e = 0; e < PLANES && c->any; e++) {
		const struct range *y = &c->y[e], *z = &c->z[e];

		if (fmax(y[0].hi, y[1].hi) <= -1. || fmin(y[0].lo, y[1].lo) >= (double)n[1 - axis] ||
		        fmax(z[0].hi, z[1].hi) <= -1. || fmin(z[0].lo, z[1].lo) >= (double)n[2])
			continue;

		for (int k = 0; k < 2; k++) {
			const double tall = more * (y[k].hi - y[k].lo) + 2. * slack,
			             wide = more * (z[k].hi - z[k].lo) + 2. * slack;

			need->lines = max_int(need->lines, (int)fmin(tall, 1e6) + 3);
			need->width = max_int(need->width, (int)fmin(wide, 1e6) + 6);
		}
	}
}

static struct tilted_need tile_need(
        const struct tilted *t, int fast, const struct tilted_tile *tile, int across, int rows)
{
	const struct tilted_scan g = tilted_scan_of(t, fast);
	const int all = (int)t->rows, block = min_int(rows, all);
	struct tilted_need need = {0, 0};
	bool steep = false;
	long n[3];

	sizes(n, t, fast);

	for (int k = 0; k < tile->views; k++)
		steep = steep || t->look[tile->view + k].steep;

	// the bottom, the middle and the top; all where the largest may be in between, blocks beginning
	// anywhere
	const int steps = steep ? 2 * (all / block) + 1 : 2;
	const double more = steep ? 1.1 : 1.01;

	for (int b = 0; b <= steps; b++) {
		struct cuts c = {.any = false};

		for (int k = 0; k <= PLANES; k++)
			c.y[k] = c.z[k] = (struct range){INFINITY, -INFINITY};

		for (int k = 0; k < tile->views; k++)
			add_view(&c, t, &g, tile, tile->view + k, across, (double)(all - block) * b / steps,
			        block, n[tile->axis]);

		take_cuts(&need, &c, n, tile->axis, more);
	}

	return need;
}

static void most_of(struct tilted_need *a, struct tilted_need b)
{
	a->lines = max_int(a->lines, b.lines);
	a->width = max_int(a->width, b.width);
}

/** Columns of an axis in any of these views. */
static void common_columns(const struct tilted *t, int fast, struct tilted_tile *tile, int *end)
{
	tile->u = (int)t->cols;
	*end = 0;

	for (int k = 0; k < tile->views; k++) {
		const struct tilted_view *w = &t->view[fast][tile->view + k];

		if (!t->look[tile->view + k].forward)
			continue;

		tile->u = min_int(tile->u, w->lo[tile->axis]);
		*end = max_int(*end, w->hi[tile->axis]);
	}
}

static struct tilted_need group_need(
        const struct tilted *t, int first, int views, int across, int rows, int every)
{
	struct tilted_need need = {0, 0};

	for (int k = 0; k < 6; k++) {
		struct tilted_tile tile = {.view = first, .views = views, .axis = k % 2};
		int end;

		common_columns(t, k / 2, &tile, &end);

		for (; tile.u < end; tile.u += every * across) {
			most_of(&need, tile_need(t, k / 2, &tile, across, rows));

			if (tile.u + across < end && tile.u + every * across >= end) // the last one
				tile.u = end - across - every * across;
		}
	}

	return need;
}

void tilted_view_needs(const struct tilted *t, int across, int rows, struct tilted_need need[])
{
#pragma omp parallel for schedule(dynamic, 4)
	for (long k = 0; k < t->views; k++)
		need[k] = group_need(t, (int)k, 1, across, rows, 4);
}

struct tilted_need tilted_need(const struct tilted *t, int across, int together, int rows, int every)
{
	const long groups = ((t->views + together - 1) / together + every - 1) / every;
	int lines = 0, width = 0;

#pragma omp parallel for schedule(dynamic) reduction(max : lines, width)
	for (long k = 0; k < groups; k++) {
		const int first = (int)k * every * together;
		const struct tilted_need n =
		        group_need(t, first, min_int(together, (int)t->views - first), across, rows, 1);

		lines = max_int(lines, n.lines);
		width = max_int(width, n.width);
	}

	return (struct tilted_need){lines, width};
}

/** Tiles under way. */
struct tiles {
	struct tilted_tile *t;
	long n, room;
};

static void push(struct tiles *s, struct tilted_tile t)
{
	if (s->n == s->room) {
		s->room = 2 * s->room + 64;
		s->t = mem_realloc(s->t, mul_checked(s->room, sizeof *s->t, "tiles of rays"));
	}

	s->t[s->n++] = t;
}

static void split(struct tiles *s, const struct tilted *t, int fast, struct tilted_tile tile, int across,
        int rows, const struct tilted_need *most)
{
	const struct tilted_need need = tile_need(t, fast, &tile, across, rows);

	if (tile.views > 1 && (need.lines > most->lines || need.width > most->width)) {
		struct tilted_tile half = tile;

		half.views = tile.views / 2;
		split(s, t, fast, half, across, rows, most);
		tile.view += half.views;
		tile.views -= half.views;
		split(s, t, fast, tile, across, rows, most);
		return;
	}

	push(s, tile);
}

long tilted_tiles(const struct tilted *t, int fast, long first, long n, int across, int together, int rows,
        const struct tilted_need *most, struct tilted_tile **out)
{
	const long groups = 2 * ((n + together - 1) / together);
	struct tiles *group = mem_calloc(groups, sizeof *group), all = {0};

#pragma omp parallel for schedule(dynamic)
	for (long k = 0; k < groups; k++) {
		const int at = (int)(k / 2) * together;
		struct tilted_tile tile = {.view = (int)first + at,
		        .views = min_int((int)n - at, together),
		        .axis = (int)(k % 2)};
		int end;

		common_columns(t, fast, &tile, &end);

		for (; tile.u < end; tile.u += across)
			split(&group[k], t, fast, tile, across, rows, most);
	}

	for (long k = 0; k < groups; k++) {
		for (long i = 0; i < group[k].n; i++)
			push(&all, group[k].t[i]);

		free(group[k].t);
	}

	free(group);
	*out = all.t;
	return all.n;
}

/* ---- patches ---- */

/** A block with its first voxel at p: planes, lines and slices n, the neighbours counted. */
static void block_patch(const struct tilted_scan *g, const struct tilted_view *w, int axis, const double p[3],
        const int block[3], struct range *u, struct range *v)
{
	*u = *v = (struct range){INFINITY, -INFINITY};

	for (int c = 0; c < 8; c++) {
		const double i = p[0] + (c & 1) * (block[0] - 1.),
		             j = p[1] - 1. + (c >> 1 & 1) * (block[1] + 1.),
		             k = p[2] - 1. + (c >> 2) * (block[2] + 1.);
		double x, r;

		tilted_pixel(g, w, (axis ? j : i) - w->s[0], (axis ? i : j) - w->s[1], k - w->s[2], &x, &r);
		widen(u, x);
		widen(v, r);
	}
}

void tilted_patch(const struct tilted *t, const int block[3], int *columns, int *rows)
{
	int u_most = 0, v_most = 0;

#pragma omp parallel for schedule(static) reduction(max : u_most, v_most)
	for (long k = 0; k < 6 * t->views; k++) {
		const long view = k / 6;
		const int fast = (int)(k % 6) / 2, axis = (int)(k % 2);
		const struct tilted_view *w = &t->view[fast][view];
		const struct tilted_scan g = tilted_scan_of(t, fast);
		long n[3];

		if (!t->look[view].adjoint || w->lo[axis] >= w->hi[axis])
			continue;

		sizes(n, t, fast);

		for (int e = 0; e < 27; e++) {
			const double left[3] = {(double)n[axis], (double)n[1 - axis], (double)n[2]};
			const int at[3] = {e % 3, e / 3 % 3, e / 9};
			struct range u, v;
			double p[3];

			for (int i = 0; i < 3; i++) // the last block may stand out
				p[i] = (i > 0 && at[i] == 2) ? left[i] - 1.
				                             : fmax(0., left[i] - block[i]) * at[i] / 2.;

			block_patch(&g, w, axis, p, block, &u, &v);
			u_most = max_int(u_most, (int)(1.02 * (u.hi - u.lo)) + 4);
			v_most = max_int(v_most,
			        (int)(1.02 * (v.hi - v.lo)) + (tilted_close(&t->look[view]) ? 15 : 10));
		}
	}

	*columns = min_int(u_most, (int)t->cols);
	*rows = v_most;
}
