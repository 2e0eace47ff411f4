/** Views of any flat detector for the kernels of the GPU: which of them are supported, tiles of their rays.
 */

#include "ct/projector/gpu/any_orientation_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "ct/projector/bricks.h"
#include "misc/mem.h"

/** Slack of windows, for float32 in kernels [voxels]. */
static const double slack = 0.05;

struct range {
	double lo, hi;
};

static void widen(struct range *r, double x)
{
	r->lo = fmin(r->lo, x);
	r->hi = fmax(r->hi, x);
}

static int min_int(int a, int b)
{
	return (a < b) ? a : b;
}

static int max_int(int a, int b)
{
	return (a > b) ? a : b;
}

void any_orientation_order(int order[3], int fast)
{
	static const int orders[3][3] = {{1, 2, 0}, {0, 2, 1}, {0, 1, 2}};

	memcpy(order, orders[fast], sizeof orders[fast]);
}

struct any_orientation_scan any_orientation_scan_of(const struct any_orientation *t, int fast)
{
	struct any_orientation_scan g = {.middle = {(double)(t->cols - 1) / 2., (double)(t->rows - 1) / 2.},
	        .parallel = t->x->g->parallel,
	        .fast = fast};
	int order[3];

	any_orientation_order(order, fast);

	for (int i = 0; i < 3; i++)
		g.spacing[i] = t->x->grid.spacing[order[i]];

	return g;
}

/** Voxels along the axes of a frame. */
static void sizes(long n[3], const struct any_orientation *t, int fast)
{
	int order[3];

	any_orientation_order(order, fast);

	for (int i = 0; i < 3; i++)
		n[i] = t->size[order[i]];
}

/** w in the frame, for the whole detector, rows as they are. */
static void aim(struct any_orientation_view *out, const struct any_orientation *t, long view, int fast)
{
	const struct xray_view *w = t->x->view + view;
	const bool parallel = t->x->g->parallel;
	int order[3];

	any_orientation_order(order, fast);

	for (int i = 0; i < 3; i++) {
		const int k = order[i];

		out->s[i] = parallel ? w->d[k] : w->s[k];
		out->d[i] = parallel ? w->s[k] : w->d[k] - w->s[k];
		out->u[i] = w->u[k];
		out->v[i] = w->v[k];
	}

	out->down = 0;
}

static void invert(struct any_orientation_view *w)
{
	cross3(w->to[0], w->v, w->d);
	cross3(w->to[1], w->d, w->u);
	cross3(w->to[2], w->u, w->v);

	const double det = dot3(w->u, w->to[0]);

	for (int i = 0; i < 3; i++)
		scale3(w->to[i], 1. / det, w->to[i]);
}

/** Rows count the other way. */
static void transpose_over(struct any_orientation_view *w)
{
	for (int i = 0; i < 3; i++)
		w->v[i] = -w->v[i];

	w->down = !w->down;
	invert(w);
}

struct any_orientation_view any_orientation_view_of(
        const struct any_orientation *t, long view, int fast, long row, long rows)
{
	struct any_orientation_view w = t->view[fast][view];

	w.first = (int)(w.down ? t->rows - (row + rows) : row);
	return w;
}

/** The frame for rays dominated by m, and the axis of it that m is. */
static int axis_in(const struct any_orientation_look *l, int m, int *fast)
{
	int order[3];

	*fast = (m == l->fast) ? l->other : l->fast;
	any_orientation_order(order, *fast);
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
static bool find_columns(struct any_orientation_look *l, const struct xray *x, long view)
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
static bool in_front(const struct any_orientation *t, const struct any_orientation_view *w, const long n[3])
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
static void choose_frames(struct any_orientation_look *l, const struct xray_view *w, bool parallel)
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

/** A place of the volume, by pixel and plane. */
struct place {
	double y, z;
	bool known; // as any_orientation_anchor() says
	struct any_orientation_anchor o;
};

static struct place place_of(const struct any_orientation_scan *g, const struct any_orientation_view *w,
        int axis, double x, double r, double i)
{
	struct any_orientation_plane at;
	struct place q;

	any_orientation_plane(&at, g, w, axis, i);

	const double f = at.w[0] + x * at.w[1] + r * at.w[2];

	q.y = (at.y[0] + x * at.y[1] + r * at.y[2]) / f;
	q.z = (at.z[0] + x * at.z[1] + r * at.z[2]) / f;
	q.known = (f > 0.) == (at.w[0] > 0.) && any_orientation_anchor(&q.o, g, w, axis, i, q.y, q.z);

	return q;
}

/** Where slices per row, (a + b x) / W^2 along a row of pixels, have an extreme; INFINITY: nowhere. */
static double turning_point(const struct any_orientation_scan *g, const struct any_orientation_view *w,
        int axis, double r, double i)
{
	struct any_orientation_plane p;

	any_orientation_plane(&p, g, w, axis, i);

	const double a = p.z[2] * p.w[0] - p.w[2] * p.z[0], b = p.z[2] * p.w[1] - p.w[2] * p.z[1],
	             c = p.w[0] + r * p.w[2], d = p.w[1], x = (b * c - 2. * d * a) / (d * b);

	return isfinite(x) ? x : INFINITY;
}

/** Do these places, with all between them, suit the adjoint? */
static bool suits(struct any_orientation_look *l, const struct place *q, long n)
{
	float least = INFINITY, near = 0.f, lean = 0.f;

	for (long k = 0; k < n; k++) {
		const struct any_orientation_anchor *o = &q[k].o;

		if (!q[k].known || !(fabsf(o->across) >= 0.05f && fabsf(o->bend) * 21.f <= fabsf(o->across)))
			return false;

		least = fminf(least, o->rise);
		near = fmaxf(near, fabsf(o->near));
		lean = fmaxf(lean, fabsf(o->lean));
	}

	l->least = fminf(l->least, least);
	l->near = fmaxf(l->near, near);
	l->lean = fmaxf(l->lean, lean);

	return least * (1.f - 42.f * near) >= 0.26f && near <= 5e-3f && lean <= 0.11f;
}

/** The range of pixels and planes in cells: lean, near and, but for turning points, slices per row are
 * monotone in column, row and plane, so that a cell has its extremes at its corners. Cells count that have
 * what a block at the volume may look at, rows beyond the detector included. */
static bool look_at_columns(struct any_orientation_look *l, const struct any_orientation *t,
        const struct any_orientation_view *w, int fast, int axis)
{
	enum { CELLS = 8, OUT = 18 /* voxels */ };
	const struct any_orientation_scan g = any_orientation_scan_of(t, fast);
	struct any_orientation_anchor o;
	long n[3];

	sizes(n, t, fast);

	if (!any_orientation_anchor(&o, &g, w, axis, (double)(n[axis] - 1) / 2.,
	            (double)(n[1 - axis] - 1) / 2., (double)(n[2] - 1) / 2.))
		return false;

	const double half = g.middle[1] + 1.25 * OUT * fabs((double)o.inv_rise); // rows of as many slices

	for (int k = 0; k < CELLS * CELLS * CELLS; k++) {
		const int at[3] = {k % CELLS, k / CELLS % CELLS, k / CELLS / CELLS};
		double x[2], r[2], i[2];
		struct place q[12];
		struct range y = {INFINITY, -INFINITY}, z = y;
		int places = 8;

		for (int e = 0; e < 2; e++) {
			x[e] = w->lo[axis] + (double)(w->hi[axis] - 1 - w->lo[axis]) * (at[0] + e) / CELLS -
			       g.middle[0];
			r[e] = half * (2. * (at[1] + e) / CELLS - 1.);
			i[e] = (double)(n[axis] - 1) * (at[2] + e) / CELLS;
		}

		for (int e = 0; e < 8; e++) {
			q[e] = place_of(&g, w, axis, x[e & 1], r[e >> 1 & 1], i[e >> 2]);
			widen(&y, q[e].y);
			widen(&z, q[e].z);
		}

		if (y.lo > (double)n[1 - axis] + OUT || y.hi < -OUT || z.lo > (double)n[2] + OUT ||
		        z.hi < -OUT)
			continue;

		for (int e = 0; e < 4; e++) {
			const double turn = turning_point(&g, w, axis, r[e & 1], i[e >> 1]);

			if (x[0] < turn && turn < x[1])
				q[places++] = place_of(&g, w, axis, turn, r[e & 1], i[e >> 1]);
		}

		if (!suits(l, q, places))
			return false;
	}

	return true;
}

/** Rays of one axis: can they be followed, and do their columns suit the adjoint? */
static void look_at_rays(struct any_orientation_look *l, const struct any_orientation *t,
        const struct any_orientation_view *w, int fast, int axis)
{
	const struct any_orientation_scan g = any_orientation_scan_of(t, fast);
	long n[3];

	sizes(n, t, fast);

	double way = 0.;

	for (int k = 0; k < 4; k++) { // linear: extremes are in the corners of the detector
		const double x = ((k & 1) ? w->hi[axis] - 1 : w->lo[axis]) - g.middle[0],
		             r = (k & 2) ? g.middle[1] : -g.middle[1];
		double e[3];

		any_orientation_direction(e, &g, w, x, r);
		way = (k == 0) ? copysign(1., e[axis]) : way;

		const double most = 4. * way * e[axis];

		l->steep = l->steep || fabs(e[2]) > fabs(e[axis]);

		if (!(fabs(e[1 - axis]) <= most && fabs(e[2]) <= most)) {
			l->forward = false;
			return;
		}
	}

	if (!g.parallel && w->s[axis] > -8. && w->s[axis] < (double)n[axis] + 7.)
		l->adjoint = false;

	l->adjoint = l->adjoint && look_at_columns(l, t, w, fast, axis);
}

bool any_orientation_close(const struct any_orientation_look *l)
{
	return l->least < 0.55f || l->lean > 0.05f || l->near > 0.9e-3f;
}

static void any_orientation_look_at(struct any_orientation *t, long view)
{
	const struct xray *x = t->x;
	const struct xray_view *w = x->view + view;
	struct any_orientation_look *l = &t->look[view];
	l->least = INFINITY;
	choose_frames(l, w, x->g->parallel);
	l->forward = l->adjoint = find_columns(l, x, view);

	for (int m = 0; m < 3; m++) {
		int fast;
		const int axis = axis_in(l, m, &fast);
		struct any_orientation_view *v = &t->view[fast][view];

		if (l->lo[m] >= l->hi[m])
			continue;

		v->lo[axis] = l->lo[m];
		v->hi[axis] = l->hi[m];
	}

	for (int fast = 0; fast < 3; fast++) {
		struct any_orientation_view *v = &t->view[fast][view];
		long n[3];

		aim(v, t, view, fast);
		invert(v);
		sizes(n, t, fast);

		if (!in_front(t, v, n))
			l->forward = false;

		const int axis = (v->lo[1] < v->hi[1]);
		struct any_orientation_anchor o;
		const struct any_orientation_scan g = any_orientation_scan_of(t, fast);

		if (v->lo[axis] < v->hi[axis] &&
		        any_orientation_anchor(&o, &g, v, axis, (double)(n[axis] - 1) / 2.,
		                (double)(n[1 - axis] - 1) / 2., (double)(n[2] - 1) / 2.) &&
		        o.rise < 0.f)
			transpose_over(v);

		for (int m = 0; m < 2 && l->forward; m++)
			if (v->lo[m] < v->hi[m])
				look_at_rays(l, t, v, fast, m);
	}

	l->adjoint = l->adjoint && l->forward;
}

struct any_orientation *any_orientation_create(const struct xray *x, const bool *open)
{
	struct any_orientation *t = NEW(struct any_orientation);
	const bool suits = x->model == XRAY_JOSEPH && x->g->radius == 0. && x->grid.size[2] > 1;

	*t = (struct any_orientation){.x = x,
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
			any_orientation_look_at(t, k);

	return t;
}

void any_orientation_free(struct any_orientation *t)
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

/** What rays meet in planes. */
struct cuts {
	struct range y[PLANES + 1], z[PLANES + 1];
};

static void add_ray(struct cuts *c, const struct any_orientation_scan *g,
        const struct any_orientation_view *w, int axis, double x, double r, long n)
{
	struct any_orientation_plane p;
	double y[2], z[2];

	for (int e = 0; e < 2; e++) { // a straight line
		any_orientation_plane(&p, g, w, axis, e ? (double)(n - 1) : 0.);

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

/** Blocks of rays of a tile's views that begin in columns u[0]..u[1] and rows r[0]..r[1]. */
struct blocks {
	const struct any_orientation *t;
	const struct any_orientation_scan *g;
	const struct any_orientation_tile *tile;
	long n[3];
	int across, rows;
};

/** Pixels of a view in blocks that begin in that range, from the detector's centre; false: none that the axis
 * may dominate, so that kernels leave it out. */
static bool pixels(const struct blocks *b, const struct any_orientation_view *w, const double u[2],
        const double r[2], double x[2], double y[2])
{
	const int axis = b->tile->axis;

	x[0] = fmax(u[0], w->lo[axis]) - b->g->middle[0];
	x[1] = fmin(u[1] + b->across, w->hi[axis]) - 1. - b->g->middle[0];
	y[0] = r[0] - b->g->middle[1];
	y[1] = r[1] + b->rows - 1. - b->g->middle[1];

	return x[0] <= x[1] && any_orientation_touches(b->g, w, axis, x, y);
}

/** How far y = P / W, W = w.(1, x, r), is from a straight line along the columns of a range of pixels of
 * length `far`: at most far^2 / 8 times its second derivative; along rows with the places of 1 and 2 in p and
 * w exchanged. */
static double bend(const double p[3], const double w[3], const double across[2], double least, double far)
{
	double most = 0.;

	for (int e = 0; e < 2; e++)
		most = fmax(most, fabs(p[1] * (w[0] + w[2] * across[e]) - w[1] * (p[0] + p[2] * across[e])));

	return 0.25 * far * far * fabs(w[1]) * most / (least * least * least);
}

/** The same of a view, of lines and slices in all planes: for blocks that begin in that range, along columns
 * and along rows. */
static void add_bends(double out[2], const struct blocks *b, const struct any_orientation_view *w,
        const double x[2], const double y[2], const double far[2])
{
	double most[2] = {0., 0.};

	for (int e = 0; e < 2; e++) {
		struct any_orientation_plane p;
		double least = INFINITY;

		any_orientation_plane(&p, b->g, w, b->tile->axis, e ? (double)(b->n[b->tile->axis] - 1) : 0.);

		for (int k = 0; k < 4; k++)
			least = fmin(least, fabs(p.w[0] + x[k & 1] * p.w[1] + y[k >> 1] * p.w[2]));

		for (int k = 0; k < 2; k++) {
			const double *v = k ? p.z : p.y, turned[3] = {v[0], v[2], v[1]},
			             turned_w[3] = {p.w[0], p.w[2], p.w[1]};

			most[0] = fmax(most[0], bend(v, p.w, y, least, far[0]));
			most[1] = fmax(most[1], bend(turned, turned_w, x, least, far[1]));
		}
	}

	out[0] = fmax(out[0], most[0]);
	out[1] = fmax(out[1], most[1]);
}

/** Extents are convex functions of the plane: no more between two planes than in them. `more`: what they may
 * be larger than in the blocks that were looked at. */
static void take_cuts(
        struct any_orientation_need *need, const struct cuts c[4], const struct blocks *b, const double more)
{
	const int axis = b->tile->axis;

	for (int e = 0; e < PLANES; e++) {
		struct range y = {INFINITY, -INFINITY}, z = y;
		double tall = 0., wide = 0.;

		for (int k = 0; k < 8; k++) {
			const struct range *ry = &c[k / 2].y[e + k % 2], *rz = &c[k / 2].z[e + k % 2];

			if (ry->lo > ry->hi)
				continue;

			widen(&y, ry->lo);
			widen(&y, ry->hi);
			widen(&z, rz->lo);
			widen(&z, rz->hi);
			tall = fmax(tall, ry->hi - ry->lo);
			wide = fmax(wide, rz->hi - rz->lo);
		}

		const double out = 1. + 2. * slack;

		if (y.hi <= -out || y.lo >= (double)b->n[1 - axis] + out || z.hi <= -out ||
		        z.lo >= (double)b->n[2] + out)
			continue;

		need->lines = max_int(need->lines, (int)fmin(tall + more + 2. * slack, 1e6) + 3);
		need->width = max_int(need->width, (int)fmin(wide + more + 2. * slack, 1e6) + 6);
	}
}

/** The most that any block needs which begins in that range: that of those in its corners, and what others
 * may have more because rays do not move in straight lines as blocks do. */
static void most_of_blocks(
        struct any_orientation_need *need, const struct blocks *b, const double u[2], const double r[2])
{
	enum { COLUMNS = 8 };                         // blocks that the axis partly dominates are told apart
	const double rows = b->rows / 8., most = 0.1; // voxels
	const double far[2] = {u[1] - u[0], r[1] - r[0]};
	struct cuts c[4];
	double bends[2] = {0., 0.};
	bool some = false, all = true;

	for (int e = 0; e < 4; e++)
		for (int k = 0; k <= PLANES; k++)
			c[e].y[k] = c[e].z[k] = (struct range){INFINITY, -INFINITY};

	for (int k = 0; k < b->tile->views; k++) {
		const int view = b->tile->view + k;
		const struct any_orientation_view *w = &b->t->view[b->g->fast][view];
		double x[2], y[2];

		if (!b->t->look[view].forward || !pixels(b, w, u, r, x, y))
			continue;

		some = true;
		add_bends(bends, b, w, x, y, far);

		for (int e = 0; e < 4; e++) {
			const double col[2] = {u[e & 1], u[e & 1]}, row[2] = {r[e >> 1], r[e >> 1]};

			all = pixels(b, w, col, row, x, y) && all;

			for (int i = 0; i < 4; i++)
				add_ray(&c[e], b->g, w, b->tile->axis, x[i & 1], y[i >> 1],
				        b->n[b->tile->axis]);
		}
	}

	if (!some)
		return;

	struct any_orientation_need more = *need;
	const bool apart = !all && (far[0] > COLUMNS || far[1] > rows);

	take_cuts(&more, c, b, 2. * (bends[0] + bends[1]));

	if (more.lines == need->lines && more.width == need->width)
		return;

	if (!apart && bends[0] + bends[1] <= most) {
		*need = more;
		return;
	}

	const bool columns = apart ? far[0] * rows > far[1] * COLUMNS : bends[0] > bends[1];
	const double middle = columns ? (u[0] + u[1]) / 2. : (r[0] + r[1]) / 2.;

	for (int e = 0; e < 2; e++) {
		const double part[2] = {e         ? middle
		                        : columns ? u[0]
		                                  : r[0],
		        e ? columns ? u[1] : r[1] : middle};

		most_of_blocks(need, b, columns ? part : u, columns ? r : part);
	}
}

/** The largest window of blocks of `across` columns that begin in u[0]..u[1] and of `rows` rows that begin
 * anywhere, for the views of a tile. */
static struct any_orientation_need blocks_need(const struct any_orientation *t, int fast,
        const struct any_orientation_tile *tile, int across, int rows, const double u[2])
{
	const struct any_orientation_scan g = any_orientation_scan_of(t, fast);
	const int all = (int)t->rows;
	struct blocks b = {.t = t, .g = &g, .tile = tile, .across = across, .rows = min_int(rows, all)};
	const double r[2] = {0., (double)(all - b.rows)};
	struct any_orientation_need need = {0, 0};

	sizes(b.n, t, fast);
	most_of_blocks(&need, &b, u, r);

	return need;
}

static struct any_orientation_need tile_need(const struct any_orientation *t, int fast,
        const struct any_orientation_tile *tile, int across, int rows)
{
	return blocks_need(t, fast, tile, across, rows, (const double[]){tile->u, tile->u});
}

static void most_of(struct any_orientation_need *a, struct any_orientation_need b)
{
	a->lines = max_int(a->lines, b.lines);
	a->width = max_int(a->width, b.width);
}

/** Columns of an axis in any of these views. */
static void common_columns(
        const struct any_orientation *t, int fast, struct any_orientation_tile *tile, int *end)
{
	tile->u = (int)t->cols;
	*end = 0;

	for (int k = 0; k < tile->views; k++) {
		const struct any_orientation_view *w = &t->view[fast][tile->view + k];

		if (!t->look[tile->view + k].forward)
			continue;

		tile->u = min_int(tile->u, w->lo[tile->axis]);
		*end = max_int(*end, w->hi[tile->axis]);
	}
}

/** Tiles of these views, one after the other. */
static struct any_orientation_need group_need(
        const struct any_orientation *t, int first, int views, int across, int rows)
{
	struct any_orientation_need need = {0, 0};

	for (int k = 0; k < 6; k++) {
		struct any_orientation_tile tile = {.view = first, .views = views, .axis = k % 2};
		int end;

		common_columns(t, k / 2, &tile, &end);

		for (; tile.u < end; tile.u += across)
			most_of(&need, tile_need(t, k / 2, &tile, across, rows));
	}

	return need;
}

void any_orientation_view_needs(
        const struct any_orientation *t, int across, int rows, struct any_orientation_need need[])
{
#pragma omp parallel for schedule(dynamic, 4)
	for (long k = 0; k < t->views; k++) {
		need[k] = (struct any_orientation_need){0, 0};

		for (int i = 0; i < 6; i++) {
			const struct any_orientation_tile tile = {.view = (int)k, .views = 1, .axis = i % 2};
			const struct any_orientation_view *w = &t->view[i / 2][k];
			const int lo = w->lo[i % 2], hi = w->hi[i % 2], columns = min_int(across, hi - lo);

			if (t->look[k].forward && lo < hi)
				most_of(&need[k], blocks_need(t, i / 2, &tile, columns, rows,
				                          (const double[]){lo, hi - columns}));
		}
	}
}

struct any_orientation_need any_orientation_need(
        const struct any_orientation *t, int across, int together, int rows, int every)
{
	const long groups = ((t->views + together - 1) / together + every - 1) / every;
	int lines = 0, width = 0;

#pragma omp parallel for schedule(dynamic) reduction(max : lines, width)
	for (long k = 0; k < groups; k++) {
		const int first = (int)k * every * together;
		const struct any_orientation_need n =
		        group_need(t, first, min_int(together, (int)t->views - first), across, rows);

		lines = max_int(lines, n.lines);
		width = max_int(width, n.width);
	}

	return (struct any_orientation_need){lines, width};
}

/** Tiles under way. */
struct tiles {
	struct any_orientation_tile *t;
	long n, room;
};

static void push(struct tiles *s, struct any_orientation_tile t)
{
	if (s->n == s->room) {
		s->room = 2 * s->room + 64;
		s->t = mem_realloc(s->t, mul_checked(s->room, sizeof *s->t, "tiles of rays"));
	}

	s->t[s->n++] = t;
}

static void split(struct tiles *s, const struct any_orientation *t, int fast,
        struct any_orientation_tile tile, int across, int rows, const struct any_orientation_need *most)
{
	const struct any_orientation_need need = tile_need(t, fast, &tile, across, rows);

	if (tile.views > 1 && (need.lines > most->lines || need.width > most->width)) {
		struct any_orientation_tile half = tile;

		half.views = tile.views / 2;
		split(s, t, fast, half, across, rows, most);
		tile.view += half.views;
		tile.views -= half.views;
		split(s, t, fast, tile, across, rows, most);
		return;
	}

	push(s, tile);
}

long any_orientation_tiles(const struct any_orientation *t, int fast, long first, long n, int across,
        int together, int rows, const struct any_orientation_need *most, struct any_orientation_tile **out)
{
	const long groups = 2 * ((n + together - 1) / together);
	struct tiles *group = mem_calloc(groups, sizeof *group), all = {0};

#pragma omp parallel for schedule(dynamic)
	for (long k = 0; k < groups; k++) {
		const int at = (int)(k / 2) * together;
		struct any_orientation_tile tile = {.view = (int)first + at,
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

/** A block's corner from its first voxel, neighbours counted. */
static void block_corner(double o[3], const int block[3], int axis, int c)
{
	const double planes = (c & 1) * (block[0] - 1.), lines = (c >> 1 & 1) * (block[1] + 1.) - 1.;

	o[0] = axis ? lines : planes;
	o[1] = axis ? planes : lines;
	o[2] = (c >> 2) * (block[2] + 1.) - 1.;
}

/** The most by which A(p) / C(p) and A(p + d) / C(p + d) differ with p in a box, A and C linear, C > 0: the
 * difference is N(p) / (C(p) C(p + d)), N linear, the rest convex. With p the mean of the corners by weights
 * l, it is at most the product of the means of both, and so the largest (N_i H_j + N_j H_i) / 2. */
static double most_apart(const double a[3], const double c[3], const double d[3], const double box[8][3])
{
	double n[3], up[8], down[8], h[8], most = 0.;

	for (int i = 0; i < 3; i++)
		n[i] = dot3(c, d) * a[i] - dot3(a, d) * c[i];

	for (int e = 0; e < 8; e++) {
		const double at = dot3(n, box[e]);

		up[e] = fmax(at, 0.);
		down[e] = fmax(-at, 0.);
		h[e] = 1. / (dot3(c, box[e]) * (dot3(c, box[e]) + dot3(c, d)));
	}

	for (int i = 0; i < 8; i++)
		for (int j = i; j < 8; j++)
			most = fmax(most,
			        fmax(up[i] * h[j] + up[j] * h[i], down[i] * h[j] + down[j] * h[i]) / 2.);

	return most;
}

/** Columns and rows between the corners of any block whose first voxel is in a box [lo, hi] of the frame;
 * INFINITY where it is not in front of the source. */
static void add_apart(double most[2], const struct any_orientation_scan *g,
        const struct any_orientation_view *w, int axis, const double lo[3], const double hi[3],
        const int block[3])
{
	for (int k = 0; k < 64; k++) {
		const int from = k / 8, to = k % 8;
		double o[3], d[3], box[8][3];

		if (from >= to) // in either order, by its sign
			continue;

		block_corner(o, block, axis, from);
		block_corner(d, block, axis, to);

		for (int i = 0; i < 3; i++)
			d[i] -= o[i];

		for (int e = 0; e < 8; e++) {
			for (int i = 0; i < 3; i++)
				box[e][i] = ((e >> i & 1) ? hi[i] : lo[i]) + o[i] - w->s[i];

			const double c = dot3(w->to[2], box[e]);

			if (!g->parallel && !(c > 1e-4 && c + dot3(w->to[2], d) > 1e-4)) {
				most[0] = most[1] = INFINITY;
				return;
			}
		}

		for (int i = 0; i < 2; i++)
			most[i] = fmax(most[i], g->parallel ? fabs(dot3(w->to[i], d))
			                                    : most_apart(w->to[i], w->to[2], d, box));
	}
}

/** Those of a view, wherever in the volume blocks begin: the last may stand out of it. */
static void view_apart(double most[2], const struct any_orientation *t, const struct any_orientation_view *w,
        int fast, int axis, const int block[3])
{
	enum { PARTS = 3 }; // of the volume along each axis: for a bound of a per cent
	const struct any_orientation_scan g = any_orientation_scan_of(t, fast);
	long n[3];

	sizes(n, t, fast);

	for (int k = 0; k < PARTS * PARTS * PARTS; k++) {
		const int at[3] = {k % PARTS, k / PARTS % PARTS, k / PARTS / PARTS};
		double lo[3], hi[3];

		for (int i = 0; i < 3; i++) {
			const double end = (i == axis) ? fmax((double)(n[i] - block[0]), 0.) : n[i] - 1.;

			lo[i] = end * at[i] / PARTS;
			hi[i] = end * (at[i] + 1) / PARTS;
		}

		add_apart(most, &g, w, axis, lo, hi, block);
	}
}

void any_orientation_patches(
        const struct any_orientation *t, const int block[3], bool close, struct any_orientation_patch patch[])
{
#pragma omp parallel for schedule(dynamic, 4)
	for (long k = 0; k < t->views; k++) {
		double most[2] = {0., 0.};

		patch[k] = (struct any_orientation_patch){0, 0};

		if (!t->look[k].adjoint)
			continue;

		for (int i = 0; i < 6; i++) {
			const struct any_orientation_view *w = &t->view[i / 2][k];

			if (w->lo[i % 2] < w->hi[i % 2])
				view_apart(most, t, w, i / 2, i % 2, block);
		}

		patch[k].columns = min_int((int)fmin(most[0] + slack, 1e6) + 4, (int)t->cols);
		patch[k].rows = (int)fmin(most[1] + slack, 1e6) + (close ? 15 : 10);
	}
}
