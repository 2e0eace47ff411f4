/** Bricks of the volume and the pixels that can see them. */

#include "ct/projector/bricks.h"

#include <math.h>

#include "ct/geometry/vec3.h"
#include "ct/projector/cpu/columns.h"
#include "ct/projector/cpu/ray_packet.h"
#include "ct/projector/stack/stack.h"
#include "misc/minmax.h"

void brick_at(struct brick *b, const struct xray *x, long bx, long by, long bz)
{
	const long at[3] = {bx, by, bz};

	for (int i = 0; i < 3; i++) {
		long left = x->grid.size[i] - at[i] * x->edge[i];

		b->first[i] = at[i] * x->edge[i];
		b->size[i] = (left < x->edge[i]) ? left : x->edge[i];
	}
}

/** Rows per voxel along z in the middle of the volume, at most of all views. */
static double rows_per_slice(const struct xray *x)
{
	double most = 0.;

	for (long k = 0; k < x->g->views; k++) {
		const struct xray_view *w = x->view + k;
		double middle[3], from = 0., to = 0.;

		for (int i = 0; i < 3; i++) {
			middle[i] = (double)(x->grid.size[i] - 1) / 2. - w->s[i];
			from += w->dual[2][i] * middle[i];
			to += w->dual[2][i] * (w->d[i] - w->s[i]);
		}

		most = fmax(most, fabs(to / (from * w->v[2])));
	}

	return most;
}

/** Voxels of a brick along z, at least so many: whole cache lines. */
static int whole_lines(long depth)
{
	enum { LINE = 16 };

	return (depth < LEVEL_EDGE) ? LEVEL_EDGE : (int)((depth + LINE - 1) / LINE * LINE);
}

/** Voxels of a brick along z before columns parallel to z: a column is set up once for all of them, but its
 * rows must fit the memory for them. Layers of the same height. */
static int untilted_depth(const struct xray *x)
{
	enum { ROWS = 3 * COLUMN_ROWS / 4 };
	const long nz = x->grid.size[2];
	int most = COLUMN_EDGE;

	while (most > LEVEL_EDGE && (x->g->parallel || !(most * rows_per_slice(x) <= ROWS)))
		most /= 2;

	const long layers = (nz + most - 1) / most, depth = (nz + layers - 1) / layers;

	return whole_lines(depth);
}

/** Bricks that fit a cache of 1 MiB, and more and smaller ones where a small volume would leave threads idle.
 * Untilted columns take whole lines along z at a time: the longer the better. */
static void choose_edges(struct xray *x)
{
	enum { UNTILTED_EDGE = 32, GENERAL_EDGE = 48, FLAT_EDGE = 64, LEAST_EDGE = 32, LEAST_BRICKS = 32 };
	const bool flat = (x->grid.size[2] == 1);
	bool untilted = true;
	int *e = x->edge;

	for (long k = 0; k < x->g->views; k++)
		untilted = untilted && x->view[k].untilted;

	e[0] = e[1] = flat ? FLAT_EDGE : untilted ? UNTILTED_EDGE : GENERAL_EDGE;
	e[2] = flat ? 1 : untilted ? untilted_depth(x) : LEVEL_EDGE;

	for (;;) {
		long total = 1;

		for (int i = 0; i < 3; i++)
			total *= x->bricks[i] = (x->grid.size[i] + e[i] - 1) / e[i];

		int longest = (e[2] > LEVEL_EDGE) ? 2 : (e[0] >= e[1]) ? 0 : 1;

		if (total >= LEAST_BRICKS || e[longest] <= LEAST_EDGE)
			break;

		e[longest] =
		        (longest == 2) ? whole_lines(e[2] / 2) : (int)max_long(e[longest] / 2, LEAST_EDGE);
	}
}

/** Layers of whole slices of a stack of fans, and the layout of bricks that the layers are cut into. */
static void cut_layers(struct xray *x)
{
	enum { LINE = 16, MOST = 1 << 30 };
	const long *n = x->grid.size, layers = (n[2] + STACK_DEPTH - 1) / STACK_DEPTH;
	const int edge = STACK_EDGE + 2;

	x->edge[0] = (int)min_long(n[0], MOST);
	x->edge[1] = (int)min_long(n[1], MOST);
	x->edge[2] = (int)((n[2] + layers - 1) / layers);

	for (int i = 0; i < 3; i++)
		x->bricks[i] = (n[i] + x->edge[i] - 1) / x->edge[i];

	x->stride[2] = 1;
	x->stride[1] = stack_pitch(x->edge[2]);
	x->stride[0] = x->stride[1] * edge;
	x->lead = SHEET_GUARD + LINE - 1;
	x->room = (long)x->stride[0] * edge + 2L * SHEET_GUARD;
}

/** z runs fastest, so that rays of neighbouring rows share cache lines; a single slice has x fastest. */
void bricks_cut(struct xray *x)
{
	enum { LINE = 16 }; // float32 of a cache line
	const bool flat = (x->grid.size[2] == 1);
	const int *e = x->edge;

	if (x->g->stack) {
		cut_layers(x);
		return;
	}

	choose_edges(x);
	x->stride[flat ? 0 : 2] = 1;
	x->stride[1] = flat ? e[0] + 2 : e[2] + LINE;
	x->stride[flat ? 2 : 0] = x->stride[1] * (e[1] + 2);
	x->lead = SHEET_GUARD + LINE - 1;
	x->room = (flat ? (long)x->stride[2] * 3 : (long)x->stride[0] * (e[0] + 2)) + 2L * SHEET_GUARD;
	x->room = (x->room + 2 * LINE - 1) / LINE * LINE;
}

static void along(double out[3], const struct xray_view *w, const double p[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = dot3(w->dual[i], p);
}

/** Where the ray through the point at (x, y, z) along u, v, n meets the tangent plane z = 0; false when the
 * point is not in front of the source. */
static bool land(double out[2], const struct brick_bounds *s, const double p[3])
{
	if (s->parallel) {
		out[0] = p[0] - p[2] * s->from[0] / s->from[2];
		out[1] = p[1] - p[2] * s->from[1] / s->from[2];
		return true;
	}

	double depth = s->from[2] - p[2];

	if (!(depth > 1e-6 * fabs(s->from[2])))
		return false;

	out[0] = s->from[0] + s->from[2] / depth * (p[0] - s->from[0]);
	out[1] = s->from[1] + s->from[2] / depth * (p[1] - s->from[1]);
	return true;
}

void brick_bounds_find(struct brick_bounds *s, const struct xray *x, const struct brick *b, long view)
{
	const struct xray_view *w = x->view + view;
	double from[3];

	for (int i = 0; i < 3; i++)
		from[i] = w->s[i] - (x->g->parallel ? 0. : w->d[i]);

	*s = (struct brick_bounds){
	        .x = {INFINITY, -INFINITY}, .y = {INFINITY, -INFINITY}, .parallel = x->g->parallel};
	along(s->from, w, from);

	for (int corner = 0; corner < 8; corner++) {
		double p[3], q[3], at[2];

		for (int i = 0; i < 3; i++)
			p[i] = b->first[i] + ((corner >> i & 1) ? b->size[i] : -1) - w->d[i];

		along(q, w, p);

		if (!land(at, s, q)) {
			s->all = true;
			return;
		}

		s->x[0] = fmin(s->x[0], at[0]);
		s->x[1] = fmax(s->x[1], at[0]);
		s->y[0] = fmin(s->y[0], at[1]);
		s->y[1] = fmax(s->y[1], at[1]);
	}
}

/** Pixels of n, the centres counted from the middle, inside [x0, x1] and a little more. */
static void pixels(long *lo, long *hi, long n, double x0, double x1)
{
	double middle = (n - 1) / 2., slack = 1e-6 * (1. + fabs(x0) + fabs(x1)) + 1e-9 * n;
	double a = ceil(x0 - slack + middle), b = floor(x1 + slack + middle) + 1.;

	*lo = (a > 0.) ? (a < n ? (long)a : n) : 0;
	*hi = (b < n) ? (b > 0. ? (long)b : 0) : n;
}

/** Do the columns of a curved detector land one behind another on its tangent plane? Column t radians from
 * the middle of a circle of radius R lands where the derivative by t has the sign of R + (f_n - R) cos t -
 * f_u sin t, the source being at f [mm]: so they do where it is within the circle, and none stands beside or
 * behind it. */
static bool columns_in_order(const struct brick_bounds *s, const struct xray *x, long view)
{
	const double R = x->g->radius, pitch = norm3(x->g->view[view].u),
	             end = 0.5 * (double)(x->g->cols - 1) * pitch / R;

	if (s->parallel)
		return end < M_PI_2 && cos(end) > 1e-6 + fabs(s->from[0] * pitch / s->from[2]) * sin(end);

	return end < M_PI && hypot(s->from[2] - R, s->from[0] * pitch) < 0.999 * R &&
	       s->from[2] - R * (1. - cos(end)) > 1e-3 * R;
}

/** The first column that lands beyond a place, of columns in order. */
static long column_beyond(
        const struct brick_bounds *s, const struct xray *x, const struct xray_view *w, double place)
{
	long lo = 0, hi = x->g->cols;

	while (lo < hi) {
		const long a = lo + (hi - lo) / 2;
		double at[2];

		if (land(at, s, (const double[3]){w->x[a], 0., w->z[a]}) && at[0] > place)
			hi = a;
		else
			lo = a + 1;
	}

	return lo;
}

void brick_bounds_columns(const struct brick_bounds *s, const struct xray *x, long view, long *lo, long *hi)
{
	*lo = 0;
	*hi = x->g->cols;

	if (s->all)
		return;

	if (x->g->radius == 0.) {
		pixels(lo, hi, x->g->cols, s->x[0], s->x[1]);
	} else if (columns_in_order(s, x, view)) {
		const double slack =
		        2e-6 * (1. + fabs(s->x[0]) + fabs(s->x[1])); // more than brick_bounds_rows() has

		*lo = column_beyond(s, x, x->view + view, s->x[0] - slack);
		*hi = column_beyond(s, x, x->view + view, s->x[1] + slack);
	}
}

void brick_bounds_rows(const struct brick_bounds *s, const struct xray *x, const struct xray_view *w,
        long column, long *lo, long *hi)
{
	*lo = 0;
	*hi = x->g->rows;

	if (s->all)
		return;

	if (x->g->radius == 0.) {
		pixels(lo, hi, x->g->rows, s->y[0], s->y[1]);
		return;
	}

	double at[3][2], p[3] = {w->x[column], 0., w->z[column]};

	for (int i = 0; i < 2; i++) { // the column's rows land on a line, at equal steps
		p[1] = i;

		if (!land(at[i], s, p))
			return;
	}

	double slack = 1e-6 * (1. + fabs(s->x[0]) + fabs(s->x[1])), step = at[1][1] - at[0][1];

	if (at[0][0] < s->x[0] - slack || at[0][0] > s->x[1] + slack)
		*hi = 0;
	else
		pixels(lo, hi, x->g->rows, (s->y[0] - at[0][1]) / step, (s->y[1] - at[0][1]) / step);
}
