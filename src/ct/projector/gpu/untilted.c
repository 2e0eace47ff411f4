/** Views whose columns are parallel to z, and tiles of their rays, for the kernels of the GPU. */

#include "ct/projector/gpu/untilted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/bricks.h"
#include "ct/projector/model/column.h"
#include "ct/fbp/fbp_internal.h"
#include "ct/projector/cpu/footprints.h"
#include "ct/projector/xray.h"
#include "ct/geometry/vec3.h"
#include "misc/mem.h"

/** Slack of windows, for float32 in kernels [voxels]. */
static const double slack = 0.02;

static int min_int(int a, int b)
{
	return (a < b) ? a : b;
}

static int max_int(int a, int b)
{
	return (a > b) ? a : b;
}

/** rows of `to`: coordinates along p, q, r of what is seen from `origin`. */
static void basis(
        struct hit_view *s, const double p[3], const double q[3], const double r[3], const double origin[3])
{
	double m[3][3];

	cross3(m[0], q, r);
	cross3(m[1], r, p);
	cross3(m[2], p, q);

	const double det = dot3(p, m[0]);

	for (int i = 0; i < 3; i++) {
		for (int c = 0; c < 3; c++)
			s->to[i][c] = m[i][c] / det;

		s->to[i][3] = -dot3(s->to[i], origin);
	}
}

static void aim_flat(struct hit_view *s, const struct xray *x, const struct xray_view *w)
{
	double first[3];

	for (int i = 0; i < 3; i++)
		first[i] = w->d[i] - s->middle[0] * w->u[i] - s->middle[1] * w->v[i];

	if (x->g->parallel) {
		basis(s, w->u, w->v, w->s, first);
		memcpy(s->to[2], (const double[4]){0., 0., 0., 1.}, sizeof s->to[2]);
		return;
	}

	sub3(first, first, w->s);
	basis(s, w->u, w->v, first, w->s);
}

static void aim_bent(struct hit_view *s, const struct xray *x, long view)
{
	const struct geom_view *w = x->g->view + view;
	const double *origin = x->grid.origin;
	double along[3], away[3], centre[3], from[3];

	geom_normal(x->g, view, away);
	scale3(away, -1., away);
	scale3(along, 1. / norm3(w->u), w->u);

	for (int i = 0; i < 3; i++) {
		centre[i] = w->d[i] - x->g->radius * away[i];
		from[i] = w->s[i] - (x->g->parallel ? 0. : centre[i]);
	}

	basis(s, along, away, w->v, centre);

	for (int r = 0; r < 3; r++) {
		s->from[r] = dot3(s->to[r], from);
		s->to[r][3] += dot3(s->to[r], origin);

		for (int c = 0; c < 3; c++)
			s->to[r][c] *= x->grid.spacing[c];
	}

	s->depth2 = 1.;
	s->radius = x->g->radius;
	s->pitch = norm3(w->u) / x->g->radius;
}

struct hit_view untilted_part(const struct untilted_view *v, long row, long rows, long slice)
{
	struct hit_view s = v->hit;
	const double last = (double)(row + rows - 1), first = (double)row;

	for (int r = 0; r < 3; r++)
		s.to[r][3] += s.to[r][2] * (double)slice;

	if (s.radius > 0.) {
		s.middle[1] = v->down ? last - s.middle[1] : s.middle[1] - first;

		for (int c = 0; c < 4 && v->down; c++)
			s.to[2][c] = -s.to[2][c];

		s.from[2] = v->down ? -s.from[2] : s.from[2];
		return s;
	}

	for (int c = 0; c < 4; c++)
		s.to[1][c] = v->down ? last * s.to[2][c] - s.to[1][c] : s.to[1][c] - first * s.to[2][c];

	return s;
}

/** A point on the column's rays, and their direction, in its middle row. */
static void column_line(double s[3], double d[3], const struct xray *x, const struct xray_view *w, long a)
{
	for (int i = 0; i < 3; i++) {
		s[i] = x->g->parallel ? w->d[i] + w->x[a] * w->u[i] + w->z[a] * w->n[i] : w->s[i];
		d[i] = column_direction(x, w, a, i);
	}
}

void untilted_column(struct column *c, const struct xray *x, const struct untilted_view *v, long view, long a,
        long row, long rows)
{
	const struct xray_view *w = x->view + view;
	const double up = fabs(w->v[2]);
	const long lowest = v->down ? row + rows - 1 : row;
	double s[3], d[3];

	column_line(s, d, x, w, a);
	*(x->g->parallel ? &s[2] : &d[2]) += ((double)lowest - (double)(x->g->rows - 1) / 2.) * w->v[2];
	column_aim(c, s, d, x->g->parallel ? up : 0., x->g->parallel ? 0. : up);
}

static double position(const struct column *c, double i)
{
	return c->pos + c->slope * i;
}

/** Columns of both axes, in order across the volume; no ray dominated by z. */
static bool look_at_columns(struct untilted_view *v, const struct xray *x, long view)
{
	const long cols = x->g->cols, rows = x->g->rows;
	struct column c, last = {.m = -1};
	int turn[2] = {0, 0};

	for (int m = 0; m < 2; m++) {
		v->lo[m] = (int)cols;
		v->hi[m] = 0;
	}

	for (long a = 0; a < cols; a++, last = c) {
		double s[3], d[3];

		column_line(s, d, x, x->view + view, a);

		const double half = x->g->parallel ? 0. : (double)(rows - 1) / 2. * fabs(x->view[view].v[2]);

		const double rise = (fabs(d[2]) + half) / fmax(fabs(d[0]), fabs(d[1]));

		if (!(rise <= 1.))
			return false;

		v->steep = fmax(v->steep, rise);

		untilted_column(&c, x, v, view, a, 0, rows);
		v->lo[c.m] = min_int(v->lo[c.m], (int)a);
		v->hi[c.m] = max_int(v->hi[c.m], (int)a + 1);

		if (last.m != c.m)
			continue;

		for (int e = 0; e < 2; e++) {
			const double i = e ? (double)x->grid.size[c.m] : -1.;
			const double step = position(&c, i) - position(&last, i);
			const int sign = (step > 0.) ? 1 : -1;

			if (step == 0. || (turn[c.m] != 0 && turn[c.m] != sign))
				return false;

			turn[c.m] = sign;
			v->apart = fmin(v->apart, fabs(step));
		}
	}

	return true;
}

/** Distances of rows in the volume; false where a part of it is not in front of the source. */
static bool look_at_volume(struct untilted_view *v, const struct grid *grid)
{
	enum { SIDE = 8 }; // places along an edge: those of a curved detector have no extreme in the corners

	v->least = INFINITY;
	v->most = 0.;

	for (int k = 0; k < 4 * SIDE; k++) {
		const double t = (double)(k % SIDE) / SIDE, nx = (double)grid->size[0] + 1.,
		             ny = (double)grid->size[1] + 1.;
		const double side[4][2] = {{t, 0.}, {1., t}, {1. - t, 1.}, {0., 1. - t}};
		const struct detector_hit s =
		        hit_at(&v->hit, side[k / SIDE][0] * nx - 1., side[k / SIDE][1] * ny - 1.);

		if (!(s.weight > 0. && s.rise * (v->down ? -1. : 1.) > 0.))
			return false;

		v->least = fmin(v->least, 1. / fabs(s.rise));
		v->most = fmax(v->most, 1. / fabs(s.rise));
	}

	if (v->hit.radius > 0.) {
		v->least *= 0.98;
		v->most *= 1.02;
	}

	return true;
}

static struct hit_footprint footprint_at(const struct untilted_view *v, double i, double j)
{
	const struct detector_hit s = hit_at(&v->hit, i, j);

	return (v->hit.radius > 0.) ? hit_footprint_curved(&v->hit, i, j)
	                            : hit_footprint_flat(&v->hit, &s, i, j);
}

/** Footprints of footprints: the largest one, and the unit of their amounts. False where a voxel throws none.
 */
static bool look_at_footprints(struct untilted_view *v, const struct xray *x, long view)
{
	enum { SIDE = 8 };
	const struct brick first = {.size = {1, 1, 1}};
	struct sf_view w;
	struct sf_hit s;

	footprints_view(&w, x, &first, view);
	v->wide = 0.;
	v->narrow = INFINITY;

	for (int k = 0; k < 4 * SIDE; k++) {
		const double t = (double)(k % SIDE) / SIDE, nx = (double)x->grid.size[0] - 1.,
		             ny = (double)x->grid.size[1] - 1.;
		const double side[4][2] = {{t, 0.}, {1., t}, {1. - t, 1.}, {0., 1. - t}};
		const double i = side[k / SIDE][0] * nx, j = side[k / SIDE][1] * ny;
		const struct hit_footprint o = footprint_at(v, i, j);

		sf_look(&s, &w, i + 1., j + 1., 1., w.radius > 0.);

		if (!(s.amount > 0. && o.amount > 0.f))
			return false;

		v->wide = fmax(v->wide, (double)o.wide + (double)o.soft);
		v->narrow = fmin(v->narrow, (double)o.wide);
		v->amount =
		        s.amount / (double)o.amount / (w.parallel ? 1. : sf_distance(&w, i + 1., j + 1., 1.));

		if (w.slice > 0.) // which is for the part of a slice that the row sees
			v->amount *= fabs(hit_at(&v->hit, i, j).rise);
	}

	return true;
}

static bool is_slice_parallel(const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;

	return x->g->parallel && x->g->radius == 0. && w->s[2] == 0. && w->u[2] == 0.;
}

static void untilted_look(struct untilted_view *v, const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;

	v->hit.middle[0] = (double)(x->g->cols - 1) / 2.;
	v->hit.middle[1] = (double)(x->g->rows - 1) / 2.;
	v->hit.parallel = x->g->parallel;
	v->down = (w->v[2] < 0.);
	v->up = fabs(w->v[2]);
	v->pitch = norm3(x->g->view[view].u);
	v->apart = INFINITY;
	memcpy(v->s, w->s, sizeof v->s);
	memcpy(v->d, w->d, sizeof v->d);
	memcpy(v->u, w->u, sizeof v->u);
	memcpy(v->n, w->n, sizeof v->n);

	if (!w->untilted)
		return;

	if (x->g->radius > 0.)
		aim_bent(&v->hit, x, view);
	else
		aim_flat(&v->hit, x, w);

	v->fits = look_at_volume(v, &x->grid) && look_at_columns(v, x, view) &&
	          (x->model != XRAY_SF || look_at_footprints(v, x, view));
	v->slice_parallel = is_slice_parallel(x, view);
}

static struct untilted *create(const struct geom *g, long cols, const struct grid *grid)
{
	struct untilted *a = NEW(struct untilted);

	*a = (struct untilted){.views = g->views,
	        .cols = cols,
	        .rows = g->rows,
	        .radius = g->radius,
	        .parallel = g->parallel,
	        .view = mem_calloc(g->views, sizeof *a->view)};
	memcpy(a->size, grid->size, sizeof a->size);
	memcpy(a->spacing, grid->spacing, sizeof a->spacing);
	return a;
}

struct untilted *untilted_create(const struct xray *x)
{
	struct untilted *a = create(x->g, x->g->cols, &x->grid);

	a->x = x;
	a->footprints = (x->model == XRAY_SF);
	a->siddon = (x->model == XRAY_SIDDON);

#pragma omp parallel for schedule(static)
	for (long k = 0; k < a->views; k++)
		untilted_look(&a->view[k], x, k);

	return a;
}

void untilted_free(struct untilted *a)
{
	if (!a)
		return;

	free(a->view);
	free(a);
}

struct untilted *untilted_only(const struct untilted *a, const bool *marked)
{
	struct untilted *only = NEW(struct untilted);

	*only = *a;
	only->view = mem_alloc(a->views * sizeof *a->view);
	memcpy(only->view, a->view, a->views * sizeof *a->view);

	for (long k = 0; k < a->views; k++)
		only->view[k].fits = marked[k];

	return only;
}

struct untilted *untilted_create_fbp(const struct fbp *f, const struct grid *grid)
{
	struct untilted *a = create(f->g, f->cols, grid);

	for (long k = 0; k < a->views; k++) {
		const struct fbp_view *w = f->view + k;
		struct untilted_view *v = &a->view[k];
		struct hit_view *s = &v->hit;

		for (int r = 0; r < 3; r++) {
			s->to[r][3] = w->to[r][3];
			s->from[r] = w->from[r];

			for (int c = 0; c < 3; c++) {
				s->to[r][c] = w->to[r][c] * grid->spacing[c];
				s->to[r][3] += w->to[r][c] * grid->origin[c];
			}
		}

		s->radius = w->curved ? w->radius : 0.;
		s->pitch = w->pitch;
		s->middle[0] = w->middle[0];
		s->middle[1] = w->middle[1];
		s->depth2 = w->depth * w->depth;
		s->parallel = w->parallel;
		v->down = (f->g->view[k].v[2] < 0.);
		v->fits = w->untilted && look_at_volume(v, grid);
	}

	return a;
}

/** Range of a quantity over the columns of a tile. */
struct range {
	double lo, hi;
};

static void widen(struct range *r, double x)
{
	r->lo = fmin(r->lo, x);
	r->hi = fmax(r->hi, x);
}

/** Lines and heights in plane i; z[g][e]: of the first 32 (g + 1) rows, and of the last. */
struct cut {
	struct range y, z[4][2];
};

static void cut_at(struct cut *k, const struct column *c, int n, double i, long rows)
{
	const struct range none = {INFINITY, -INFINITY};

	k->y = none;

	for (int e = 0; e < 8; e++)
		k->z[e / 2][e % 2] = none;

	for (int a = 0; a < n; a++) {
		const double t = c[a].away[0] + c[a].away[1] * i, z = c[a].z[0] + t * c[a].z[1],
		             step = c[a].step[0] + t * c[a].step[1];

		widen(&k->y, position(&c[a], i));

		for (int e = 0; e < 8; e++) {
			const double block = fmin(32. * (e / 2 + 1), (double)rows);
			const double first = (e % 2) ? (double)rows - block : 0., last = first + block - 1.;

			widen(&k->z[e / 2][e % 2], z + first * step);
			widen(&k->z[e / 2][e % 2], z + last * step);
		}
	}
}

struct untilted_need untilted_tile_need(const struct untilted *a, const struct untilted_tile *t, int across)
{
	enum { PLANES = 16, MOST = 8 * 9 };
	const struct xray *x = a->x;
	const int per = (x->g->radius > 0.) ? 9 : 2; // columns that stand for all: the ends, unless bent
	const long m = x->grid.size[t->axis], p = x->grid.size[1 - t->axis];
	struct untilted_need need = {0};
	struct column c[MOST];
	struct cut last = {0}, now;
	int n = 0;

	for (int k = 0; k < t->views; k++) {
		const struct untilted_view *v = &a->view[t->view + k];
		const int lo = max_int(t->u, v->lo[t->axis]),
		          hi = v->fits ? min_int(t->u + across, v->hi[t->axis]) : 0;

		for (int e = 0; e < per && lo < hi && n < MOST; e++) {
			untilted_column(
			        &c[n], x, v, t->view + k, lo + (hi - 1 - lo) * e / (per - 1), 0, x->g->rows);
			n += (c[n].m == t->axis);
		}
	}

	// what the window holds is a convex function of the plane: no more between two planes than in them
	for (int k = 0; k <= PLANES && n > 0; k++, last = now) {
		cut_at(&now, c, n, (double)(m - 1) * k / PLANES, x->g->rows);

		if (k == 0)
			continue;

		if (fmax(now.y.hi, last.y.hi) <= -1. || fmin(now.y.lo, last.y.lo) >= (double)p)
			continue;

		const struct cut *both[2] = {&last, &now};

		for (int e = 0; e < 2; e++) {
			const struct cut *b = both[e];

			need.lines = max_int(need.lines, (int)fmin(b->y.hi - b->y.lo + 2. * slack, 1e6) + 3);

			for (int h = 0; h < 8; h++) {
				const struct range *z = &b->z[h / 2][h % 2];

				need.depth[h / 2] = max_int(
				        need.depth[h / 2], (int)fmin(z->hi - z->lo + 2. * slack, 1e6) + 6);
			}
		}
	}

	need.lines = min_int(need.lines, (int)p + 2);
	return need;
}

/** Tiles under way. */
struct tiles {
	struct untilted_tile *t;
	long n, room;
};

static void push(struct tiles *s, struct untilted_tile t)
{
	if (s->n == s->room) {
		s->room = 2 * s->room + 64;
		s->t = mem_realloc(s->t, mul_checked(s->room, sizeof *s->t, "tiles of rays"));
	}

	s->t[s->n++] = t;
}

static bool is_within(struct untilted_need need, const struct untilted_need *most)
{
	bool within = need.lines <= most->lines;

	for (int g = 0; g < 4; g++)
		within = within && need.depth[g] <= most->depth[g];

	return within;
}

static void split(struct tiles *s, const struct untilted *a, struct untilted_tile t, int across,
        const struct untilted_need *most)
{
	if (t.views > 1 && !is_within(untilted_tile_need(a, &t, across), most)) {
		struct untilted_tile half = t;

		half.views = t.views / 2;
		split(s, a, half, across, most);
		t.view += half.views;
		t.views -= half.views;
		split(s, a, t, across, most);
		return;
	}

	push(s, t);
}

/** Columns of an axis in any of these views. */
static void common_columns(const struct untilted *a, long first, int views, int axis, int *lo, int *hi)
{
	*lo = (int)a->x->g->cols;
	*hi = 0;

	for (int e = 0; e < views; e++) {
		*lo = min_int(*lo, a->view[first + e].lo[axis]);
		*hi = max_int(*hi, a->view[first + e].hi[axis]);
	}
}

/** Tiles of some views of one axis. */
static void tiles_of_axis(struct tiles *s, const struct untilted *a, long first, int views, int axis,
        int across, const struct untilted_need *most)
{
	int lo, hi;

	common_columns(a, first, views, axis, &lo, &hi);

	for (int u = lo; u < hi; u += across)
		split(s, a, (struct untilted_tile){.view = (int)first, .views = views, .u = u, .axis = axis},
		        across, most);
}

long untilted_tiles(const struct untilted *a, long first, long n, int across,
        const struct untilted_need *most, struct untilted_tile **out)
{
	const long together = ALIGNED_ITEMS / across, groups = 2 * ((n + together - 1) / together);
	struct tiles *group = mem_calloc(groups, sizeof *group), all = {0};

#pragma omp parallel for schedule(dynamic)
	for (long k = 0; k < groups; k++) {
		const long at = k / 2 * together, left = n - at;

		tiles_of_axis(&group[k], a, first + at, (int)(left < together ? left : together),
		        (int)(k % 2), across, most);
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

struct untilted_need untilted_need(const struct untilted *a, int across, int most)
{
	const long groups = (a->views + most - 1) / most;
	int lines = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0;

#pragma omp parallel for schedule(dynamic) reduction(max : lines, d0, d1, d2, d3)
	for (long k = 0; k < 2 * groups; k++) {
		struct untilted_tile t = {.view = (int)(k / 2) * most, .axis = (int)(k % 2)};
		int lo, hi;

		t.views = min_int(most, (int)a->views - t.view);
		common_columns(a, t.view, t.views, t.axis, &lo, &hi);

		for (t.u = lo; t.u < hi; t.u += across) {
			const struct untilted_need need = untilted_tile_need(a, &t, across);

			lines = max_int(lines, need.lines);
			d0 = max_int(d0, need.depth[0]);
			d1 = max_int(d1, need.depth[1]);
			d2 = max_int(d2, need.depth[2]);
			d3 = max_int(d3, need.depth[3]);
		}
	}

	return (struct untilted_need){lines, {d0, d1, d2, d3}};
}

/** The patch of one block, its first voxel at p. */
static void patch_of(
        const struct hit_view *s, const double p[3], const int block[3], struct range *u, struct range *v)
{
	*u = *v = (struct range){INFINITY, -INFINITY};

	for (int c = 0; c < 8; c++) {
		const struct detector_hit at = hit_at(
		        s, p[0] - 1. + (c & 1) * (block[0] + 1.), p[1] - 1. + (c >> 1 & 1) * (block[1] + 1.));

		widen(u, at.column);
		widen(v, at.row + at.rise * (p[2] - 1. + (c >> 2) * (block[2] + 1.)));
	}
}

void untilted_patch(const struct untilted *a, const int block[3], int *columns, int *rows)
{
	enum { SIDE = 8 };
	int u_most = 0, v_most = 0;

#pragma omp parallel for schedule(static) reduction(max : u_most, v_most)
	for (long k = 0; k < a->views; k++)
		for (int e = 0; e < 8 * SIDE && a->view[k].fits; e++) {
			const double t = (double)(e / 2 % SIDE) / SIDE;
			const double side[4][2] = {{t, 0.}, {1., t}, {1. - t, 1.}, {0., 1. - t}};
			const double *at = side[e / 2 / SIDE];
			double p[3];
			struct range u, v;

			for (int i = 0; i < 2; i++)
				p[i] = fmax(0., (double)a->size[i] - block[i]) * at[i];

			p[2] = (e % 2) ? (double)a->size[2] - 1. : 0.; // the last block may stand out

			patch_of(&a->view[k].hit, p, block, &u, &v);
			u_most = max_int(u_most, (int)(1.02 * (u.hi - u.lo)) + 4);
			v_most = max_int(v_most, (int)(1.02 * (v.hi - v.lo)) + 8);
		}

	*columns = u_most;
	*rows = v_most;
}
