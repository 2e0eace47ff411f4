/** The fast path of separable footprints for arbitrarily oriented detectors: the selection of supported
 * views, windows of these views, and the lines of voxels that are projected to them. */

#include "ct/projector/cpu/sf_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/cpu/footprints.h"
#include "ct/projector/cpu/window.h"
#include "misc/mem.h"

enum { MOST_FLOATS = 1 << 17 };

/** A brick, a view, and where its pixels are. */
struct sweep {
	const struct xray *x;
	const struct brick *b;
	struct sf_view w;
	struct sf_lines s;
	const struct sf_lines_kernels *k;
	float *box, *proj;
	double reach[2];       // of footprints along u and v [pixels]
	int fast;              // direction of the detector: 0 along u, 1 along v
	long first[2], end[2]; // pixels along u and v that are dealt with
	long origin, next;     // pixel 0 of a window along the fast direction, and the step
	int step;
	bool adjoint;
};

/** A voxel of the ring's corners. */
static void corner_of(double at[3], const struct brick *b, int corner)
{
	for (int i = 0; i < 3; i++)
		at[i] = (corner >> i & 1) ? b->size[i] + 1. : 0.;
}

static double largest(double a, double b)
{
	return (a > b) ? a : b;
}

/** Is the brick far enough before the source, and are footprints of its voxels so small that kernels take
 * them? Positions are linear, so that corners tell. */
static bool sf_lines_fit(double reach[2], const struct sf_view *w, const struct brick *b)
{
	double near = INFINITY, far = 0., r[2] = {0., 0.}, half = 0.;

	for (int corner = 0; corner < 8; corner++) {
		double at[3];

		corner_of(at, b, corner);

		const double depth =
		        w->parallel ? -w->from[2] : w->from[2] - sf_coordinate(w, 2, at[0], at[1], at[2]);

		near = fmin(near, depth);
		far = fmax(far, depth);

		for (int d = 0; d < 2; d++)
			r[d] = largest(r[d],
			        fabs(w->parallel ? w->from[d]
			                         : sf_coordinate(w, d, at[0], at[1], at[2]) - w->from[d]));
	}

	const double scale = w->parallel ? 1. : w->from[2] / near;

	for (int i = 0; i < 3; i++)
		half += 0.5 * fabs(w->to[2][i]);

	if (!(near > 0. && (w->parallel || (near > 16. * half && far < 4. * near && w->from[2] > 0.))))
		return false;

	for (int d = 0; d < 2; d++) {
		double sum = 0.;

		for (int i = 0; i < 3; i++)
			sum += scale * (fabs(w->to[d][i]) + r[d] / near * fabs(w->to[2][i]));

		reach[d] = 0.5 * sum / (d ? 1. : w->pitch) + 0.75; // and half a pixel

		if (!(reach[d] < SF_FAST / 2.))
			return false;
	}

	return true;
}

/** How the footprint of the brick's middle moves along its axes: columns and rows. */
static void motion(double g[2][3], const struct sf_view *w, const struct brick *b)
{
	const double x = (b->size[0] + 1) / 2., y = (b->size[1] + 1) / 2., z = (b->size[2] + 1) / 2.;
	const double before = w->parallel ? -w->from[2] : w->from[2] - sf_coordinate(w, 2, x, y, z);

	for (int d = 0; d < 2; d++) {
		const double r = w->parallel ? w->from[d] : sf_coordinate(w, d, x, y, z) - w->from[d];

		for (int i = 0; i < 3; i++)
			g[d][i] = (w->parallel ? 1. : w->from[2] / before) *
			          (w->to[d][i] + r / before * w->to[2][i]) / (d ? 1. : w->pitch);
	}
}

/** Footprints that are not so small that products of their boxes leave the range of float32? */
static bool shows(double g[2][3])
{
	for (int d = 0; d < 2; d++)
		if (!(fmax(fmax(fabs(g[d][0]), fabs(g[d][1])), fabs(g[d][2])) > 1e-5))
			return false;

	return true;
}

/** The ranges of pixels that the brick's footprint may touch, within columns [lo, hi). */
static void sf_lines_look(struct sweep *s, long lo, long hi)
{
	const long size[2] = {s->x->g->cols, s->x->g->rows}, from[2] = {lo, 0}, to[2] = {hi, size[1]};
	double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};

	for (int corner = 0; corner < 8; corner++) {
		struct sf_hit o;
		struct sf_view w = s->w;
		double at[3];

		w.slice = 0.; // its corners are not in it
		corner_of(at, s->b, corner);
		sf_look(&o, &w, at[0], at[1], at[2], 0);

		for (int d = 0; d < 2; d++) {
			least[d] = fmin(least[d], o.at[d]);
			most[d] = fmax(most[d], o.at[d]);
		}
	}

	for (int d = 0; d < 2; d++) {
		const double first = floor(least[d] + 0.5), end = floor(most[d] + 0.5) + 1.;

		s->first[d] = (long)fmin(fmax(first, from[d]), to[d]);
		s->end[d] = (long)fmax(fmin(end, to[d]), from[d]);
	}
}

/** A slice that the row's middle sees everywhere, 1; nowhere, 0; here and there, -1. */
static int slice_seen(const struct sweep *s)
{
	int in = 0, out = 0;

	for (int corner = 0; corner < 8; corner++) {
		struct sf_view w = s->w;
		struct sf_hit o;

		w.slice = 0.;
		sf_look(&o, &w, (corner & 1) ? s->b->size[0] : 1., (corner & 2) ? s->b->size[1] : 1., 1., 0);
		in += fabs(o.at[1]) < 0.49 * o.wide[1];
		out += o.at[1] > 0.51 * o.wide[1];
	}

	return (in == 8) ? 1 : (out == 8) ? 0 : -1;
}

/** What kernels need of the direction d of the detector, in which pixel `origin` comes first. */
static struct sf_along along(const struct sweep *s, int d, long origin, long next)
{
	const struct sf_view *w = &s->w;
	const double scale = (d ? 1. : 1. / w->pitch) * next, slope = w->from[d] / w->from[2];
	struct sf_along a = {.reach = s->reach[d],
	        .from = w->parallel ? 0. : scale * w->from[d],
	        .middle = next * w->middle[d],
	        .origin = (int)(next * origin)};

	for (int i = 0; i < 4; i++)
		a.to[i] = scale * (w->parallel ? w->to[d][i] - slope * w->to[2][i] : w->to[d][i]);

	return a;
}

/** Slopes of rays along a direction, and magnifications, between which those of the brick are: extreme at the
 * corners. */
struct slopes {
	double low, high, least, scale;
};

static struct slopes slopes_of(const struct sf_along *a, const struct sf_lines *l, const struct brick *b)
{
	struct slopes o = {INFINITY, -INFINITY, INFINITY, 0.};

	for (int corner = 0; corner < 8; corner++) {
		double at[3], r = a->to[3] - a->from, depth = l->depth[3];

		corner_of(at, b, corner);

		for (int i = 0; i < 3; i++) {
			r += a->to[i] * at[i];
			depth += l->depth[i] * at[i];
		}

		o.low = fmin(o.low, r / depth);
		o.high = fmax(o.high, r / depth);
		o.least = fmin(o.least, l->far / depth);
		o.scale = fmax(o.scale, l->far / depth);
	}

	return o;
}

/** Which edge of a voxel looks longest along direction d, and is so from everywhere in the brick: false where
 * that is not known. Footprints of edges are linear in the slope. */
static bool set_order(struct sf_along *a, const struct sf_lines *l, const struct slopes *o, bool plain)
{
	for (int m = 2; m >= 0; m--) {
		const double one = a->to[m] - o->low * l->depth[m], two = a->to[m] - o->high * l->depth[m];
		bool longest = one * two > 0.;

		for (int i = 0; i < 3 && !plain; i++)
			longest = longest && fabs(one) >= fabs(a->to[i] - o->low * l->depth[i]) &&
			          fabs(two) >= fabs(a->to[i] - o->high * l->depth[i]);

		if (longest) {
			a->order[0] = m;
			a->order[1] = (m == 0) ? 1 : 0;
			a->order[2] = (m == 2) ? 1 : 2;
			a->sign = (one > 0.) ? 1. : -1.;
			return true;
		}
	}

	a->sign = 1.;

	for (int i = 0; i < 3; i++)
		a->order[i] = i;

	return false;
}

/** The widest footprint along a direction: the largest edge and the root of the sum of squares of the others
 * are together a norm of the three, so that it is at one of the slopes. */
static double widest(const struct sf_along *a, const struct sf_lines *l, const struct slopes *o)
{
	double most = 0.;

	for (int end = 0; end < 2; end++) {
		const double slope = end ? o->high : o->low;
		double edge[3], wide = 0., sum = 0.;

		for (int i = 0; i < 3; i++) {
			edge[i] = fabs(a->to[i] - slope * l->depth[i]);
			wide = fmax(wide, edge[i]);
			sum += edge[i] * edge[i];
		}

		most = fmax(most, wide + sqrt(fmax(sum - wide * wide, 0.)));
	}

	return most * o->scale;
}

/** Pixels that a footprint so wide touches, at most. */
static int taps_of(double wide)
{
	return (int)fmin(floor(wide + 1e-4) + 2., SF_FAST);
}

/** From voxel to voxel a footprint moves by the magnification times what is linear in the slope. Its edge
 * moves as much, but for the change of its width, of which the slack is a bound: that of the magnification,
 * and of slopes times the depth of a voxel. */
static void set_steps(struct sf_lines *l, const struct slopes *o)
{
	const double step = l->d[0].to[l->axis], depth = l->depth[l->axis], one = step - o->low * depth,
	             two = step - o->high * depth, low = fmin(one, two) * o->least,
	             high = fmax(one, two) * o->scale,
	             deep = fmax(fmax(fabs(l->depth[0]), fabs(l->depth[1])), fabs(l->depth[2])),
	             slack = l->parallel ? 0. : 2. * (l->d[0].out + 1.) * deep * o->scale / l->far;

	l->steps = !(low - slack > 0.34 && high + slack < 0.99) ? ANY_STEPS
	           : (low - slack > 0.51)                       ? PAIRS
	                                                        : TRIPLES;
	l->dense = l->slice && l->taps <= SF_DENSE && l->steps != ANY_STEPS;
}

/** Half a group of voxels, over their distance from the source: terms left out are of its fourth power. */
static bool is_far(const struct sf_lines *l, const struct slopes *o)
{
	const double near = l->far / o->scale, half = SF_LANES / 2;

	return half * fmax(fabs(l->depth[l->axis]) * 1.8, l->spacing[l->axis]) < 0.035 * near;
}

static void set_lines(struct sweep *s, long row)
{
	const struct sf_view *w = &s->w;
	struct sf_lines *l = &s->s;
	struct slopes slopes[2];
	struct sf_hit o;

	l->d[0] = along(s, s->fast, s->origin, s->next);
	l->d[1] = along(s, 1 - s->fast, row, 1);

	for (int i = 0; i < 4; i++)
		l->depth[i] = (i < 3 ? 0. : w->parallel ? 0. : w->from[2]) - w->to[2][i];

	for (int i = 0; i < 3; i++) {
		l->source[i] = w->source[i];
		l->spacing[i] = w->spacing[i];
	}

	l->far = w->from[2];
	l->parallel = w->parallel;
	l->slice = w->slice > 0.;
	l->plain = w->untilted ? 1 - s->fast : -1;
	l->amount = w->density;

	if (!w->parallel) {
		l->known = true;

		for (int d = 0; d < 2; d++) {
			slopes[d] = slopes_of(l->d + d, l, s->b);
			l->known &= set_order(l->d + d, l, slopes + d, l->plain == d);
			l->d[d].out = 0.5 * widest(l->d + d, l, slopes + d);
		}

		l->taps = taps_of(2. * l->d[0].out);
		l->series = !l->slice && l->plain < 0 && is_far(l, slopes);
		set_steps(l, slopes);
		return;
	}

	sf_look(&o, w, (s->b->size[0] + 1) / 2., (s->b->size[1] + 1) / 2., (s->b->size[2] + 1) / 2., 0);

	for (int d = 0; d < 2; d++) {
		l->d[d].wide = o.wide[d ? 1 - s->fast : s->fast];
		l->d[d].soft = o.soft[d ? 1 - s->fast : s->fast];
		l->d[d].out = 0.5 * (l->d[d].wide + l->d[d].soft);
	}

	l->taps = taps_of(2. * l->d[0].out);
	set_steps(l, &(struct slopes){0., 0., 1., 1.});
	l->amount = o.amount / (l->slice ? o.wide[0] : o.wide[0] * o.wide[1]);
}

/** Between the view and a window of it, whose first line is pixel `row` along the slow direction. */
static void exchange(const struct sweep *s, float *window, long row)
{
	const long cols = s->x->g->cols;
	const long fast = (s->fast ? cols : 1) * s->step, slow = (s->fast ? 1 : cols) * s->step;
	float *first = s->proj + s->origin * fast + row * slow;

	if (s->adjoint)
		window_get(window, s->s.pitch, first, slow, s->next * fast, s->s.rows, s->s.pixels);
	else
		window_add(first, slow, s->next * fast, window, s->s.pitch, s->s.rows, s->s.pixels);
}

/** All lines of the brick over a window. */
static void sf_lines_walk(const struct sweep *s, float *box, const int stride[3], float *window)
{
	const int m = s->s.axis, q = (m == 0) ? 1 : 0, p = 3 - m - q;

	for (int i = 1; i <= s->b->size[p]; i++) {
		float *f = box + (long)i * stride[p] + stride[q] + stride[m];
		double at[3];

		at[p] = i;
		at[q] = 1.;
		at[m] = 1.;

		if (s->adjoint)
			s->k->adjoint(&s->s, at, q, s->b->size[q], f, stride[q], window);
		else
			s->k->forward(&s->s, at, q, s->b->size[q], f, stride[q], window);
	}
}

/** Windows of as many lines as fit the memory for them. */
static void sweep_windows(struct sweep *s, float *box, const int stride[3])
{
	const int slow = 1 - s->fast;
	const long all = s->end[slow] - s->first[slow];

	s->s.pixels = (int)(s->end[s->fast] - s->first[s->fast]);
	s->s.pitch = (s->s.pixels + 2 * SF_GUARD + SF_LANES - 1) / SF_LANES * SF_LANES;

	const long most = MOST_FLOATS / s->s.pitch, rows = (all < most) ? all : most;
	const size_t bytes = (size_t)rows * s->s.pitch * sizeof(float);
	float *memory = mem_alloc(bytes);

	for (long row = s->first[slow]; row < s->end[slow]; row += rows) {
		s->s.rows = (int)((s->end[slow] - row < rows) ? s->end[slow] - row : rows);
		set_lines(s, row);
		memset(memory, 0, bytes);

		if (s->adjoint)
			exchange(s, memory + SF_GUARD, row);

		sf_lines_walk(s, box, stride, memory + SF_GUARD);

		if (!s->adjoint)
			exchange(s, memory + SF_GUARD, row);
	}

	free(memory);
}

/** The voxels of a slice with x and y exchanged, there and back. */
static void sf_lines_transpose(
        float *transposed, float *box, const struct xray *x, const struct brick *b, bool back)
{
	const int nx = b->size[0], ny = b->size[1];

	for (int i = 1; i <= nx; i++) {
		float *p = box + x->stride[2] + i, *q = transposed + (i - 1) * SF_EDGE;

		for (int j = 1; j <= ny; j++)
			if (back)
				p[j * x->stride[1]] = q[j - 1];
			else
				q[j - 1] = p[j * x->stride[1]];
	}
}

/** Along the axis of neighbours in memory, or along the other one of a slice. */
static void sweep_lines(struct sweep *s)
{
	const struct xray *x = s->x;

	if (s->s.axis == 2 || s->s.axis == 0) {
		sweep_windows(s, s->box, x->stride);
		return;
	}

	// voxel (1, 1, 1) of the box is the first one of the transposed slice
	const int stride[3] = {SF_EDGE, 1, 0};
	float *transposed = mem_alloc(SF_EDGE * SF_EDGE * sizeof(float));

	sf_lines_transpose(transposed, s->box, x, s->b, false);
	sweep_windows(s, transposed - SF_EDGE - 1, stride);

	if (s->adjoint)
		sf_lines_transpose(transposed, s->box, x, s->b, true);

	free(transposed);
}

bool sf_lines_sweep(const struct xray *x, const struct brick *b, float *box, float *proj, long view, long lo,
        long hi, int step, bool adjoint)
{
	const bool flat = (x->stride[0] == 1);
	struct sweep s = {.x = x, .b = b, .box = box, .proj = proj, .step = step, .adjoint = adjoint};
	double g[2][3];

	if (x->g->radius > 0.)
		return false;

	for (int i = 0; i < 3; i++)
		if (b->size[i] > SF_EDGE)
			return false;

	footprints_view(&s.w, x, b, view);

	if (!sf_lines_fit(s.reach, &s.w, b))
		return false;

	if (s.w.slice > 0.) {
		const int seen = slice_seen(&s);

		if (seen <= 0)
			return seen == 0;
	}

	motion(g, &s.w, b);

	if (!shows(g))
		return false;

	s.s.slice = s.w.slice > 0.;
	s.s.axis = !flat                                                                        ? 2
	           : (fmax(fabs(g[0][0]), fabs(g[1][0])) >= fmax(fabs(g[0][1]), fabs(g[1][1]))) ? 0
	                                                                                        : 1;

	if (s.w.slice > 0.)
		s.s.axis = (fabs(g[0][0]) >= fabs(g[0][1])) ? 0 : 1;

	s.s.count = b->size[s.s.axis];
	s.fast = (s.w.slice == 0. && fabs(g[1][s.s.axis]) > fabs(g[0][s.s.axis])) ? 1 : 0;
	sf_lines_look(&s, lo, hi);

	if (s.w.slice > 0.) {
		s.first[1] = 0;
		s.end[1] = 1;
	}

	if (s.first[0] >= s.end[0] || s.first[1] >= s.end[1])
		return true;

	if (s.end[s.fast] - s.first[s.fast] > SF_PIXELS)
		return false;

	s.next = (g[s.fast][s.s.axis] < 0.) ? -1 : 1;
	s.origin = (s.next > 0) ? s.first[s.fast] : s.end[s.fast] - 1;
	s.k = sf_lines_kernels();
	sweep_lines(&s);
	return true;
}
