/* Findings that indicate a wrong unit: the volume is a box, and the rays of a view fill a pyramid (parallel:
 * a prism) with its apex at the source. Two convex bodies intersect if an edge of one intersects the other.
 */

#include "ct/geometry/plausible.h"

#include <math.h>
#include <stdlib.h>

#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "misc/mem.h"

static const double degree = M_PI / 180.;

enum { SAMPLED = 24, CORNERS = 4, MANY_VIEWS = 16 };

/** Fewer degrees than this are no scan to reconstruct from, and radians for degrees give them. */
static const double few_degrees = 7.;

struct box {
	double lo[3], hi[3];
};

static struct box box_of(const struct grid *v, double margin)
{
	struct box b;

	for (int i = 0; i < 3; i++) {
		const double step = fabs(v->spacing[i]),
		             last = v->origin[i] + (double)(v->size[i] - 1) * v->spacing[i];

		b.lo[i] = fmin(v->origin[i], last) - (0.5 + margin) * step;
		b.hi[i] = fmax(v->origin[i], last) + (0.5 + margin) * step;
	}

	return b;
}

/** Whether the line from + t along, t in [first, last], meets the box. */
static bool line_meets(
        const struct box *b, const double from[3], const double along[3], double first, double last)
{
	for (int i = 0; i < 3; i++) {
		const double near = (b->lo[i] - from[i]) / along[i], far = (b->hi[i] - from[i]) / along[i];

		if (along[i] == 0.) {
			if (from[i] < b->lo[i] || from[i] > b->hi[i])
				return false;

			continue;
		}

		first = fmax(first, fmin(near, far));
		last = fmin(last, fmax(near, far));
	}

	return first <= last;
}

/** The rays through the detector's corners, half a pixel outside, in the order of its rim, and the planes
 * that go through two neighbours, their normals inwards. */
struct pyramid {
	double from[CORNERS][3], along[CORNERS][3], normal[CORNERS][3];
	bool wide; // more than about 160 degrees: no pyramid
};

static struct pyramid pyramid_of(const struct geom *g, long view)
{
	const double a[2] = {-1., (double)g->cols}, b[2] = {-1., (double)g->rows};
	double from[3], middle[3];
	struct pyramid p = {.wide = false};

	geom_ray(g, view, 0.5 * (a[0] + a[1]), 0.5 * (b[0] + b[1]), from, middle);

	for (int k = 0; k < CORNERS; k++) {
		geom_ray(g, view, a[k == 1 || k == 2], b[k > 1], p.from[k], p.along[k]);
		p.wide |= !(dot3(middle, p.along[k]) > 0.17 * norm3(middle) * norm3(p.along[k]));
	}

	for (int k = 0; k < CORNERS; k++) {
		double rim[3], in[3];

		sub3(rim, p.from[(k + 1) % CORNERS], p.from[k]);
		const bool upright = g->stack && k % 2; // a side along the line of sources

		cross3(p.normal[k], p.along[k], (g->parallel || upright) ? rim : p.along[(k + 1) % CORNERS]);
		sub3(in, from, p.from[k]);

		if (dot3(p.normal[k], (g->parallel || (g->stack && !upright)) ? in : middle) < 0.)
			scale3(p.normal[k], -1., p.normal[k]);
	}

	return p;
}

/** Whether the edge of the box from corner c along axis i has a point inside the pyramid. */
static bool edge_meets(const struct box *b, const struct pyramid *p, int c, int i)
{
	const double corner[3] = {
	        c & 1 ? b->hi[0] : b->lo[0], c & 2 ? b->hi[1] : b->lo[1], c & 4 ? b->hi[2] : b->lo[2]};
	double first = 0., last = b->hi[i] - b->lo[i];

	for (int k = 0; k < CORNERS; k++) {
		double to[3];

		sub3(to, corner, p->from[k]);

		const double height = dot3(p->normal[k], to), slope = p->normal[k][i], t = -height / slope;

		if (slope > 0.)
			first = fmax(first, t);
		else if (slope < 0.)
			last = fmin(last, t);
		else if (height < 0.)
			return false;
	}

	return first <= last;
}

static bool view_meets(const struct geom *g, long view, const struct box *b)
{
	const struct pyramid p = pyramid_of(g, view);

	if (p.wide)
		return true;

	for (int k = 0; k < CORNERS; k++)
		if (line_meets(b, p.from[k], p.along[k], g->parallel ? -INFINITY : 0., INFINITY))
			return true;

	for (int c = 0; c < 8; c++)
		for (int i = 0; i < 3; i++)
			if (!(c >> i & 1) && edge_meets(b, &p, c, i))
				return true;

	return false;
}

static bool some_view_meets(const struct geom *g, const struct grid *grid)
{
	const struct box grown = box_of(grid, 1.);

	for (long k = 0; k < g->views; k++)
		if (view_meets(g, k, &grown))
			return true;

	return false;
}

static long sources_inside(const struct geom *g, const struct grid *grid)
{
	const struct box b = box_of(grid, 0.);
	long n = 0;

	for (long k = 0; k < g->views && !g->parallel; k++) {
		const double *s = g->view[k].s;
		bool in = true;

		for (int i = 0; i < 3; i++)
			in &= (s[i] > b.lo[i] && s[i] < b.hi[i]) || (g->stack && i == 2);

		n += in;
	}

	return n;
}

/** Columns and rows between which the untilted cylinder in the box is seen; false where part of it is behind
 * the source. */
static bool projected_bounds(const struct geom *g, long view, const struct box *b, double a[2], double r[2])
{
	a[0] = r[0] = INFINITY;
	a[1] = r[1] = -INFINITY;

	for (int c = 0; c < 8; c++) {
		double x[3], column, row;

		for (int i = 0; i < 3; i++) {
			const double part = (i < 2) ? sqrt(0.5) : 1., half = 0.5 * (b->hi[i] - b->lo[i]);

			x[i] = 0.5 * (b->lo[i] + b->hi[i]) + (c >> i & 1 ? part : -part) * half;
		}

		if (!geom_project(g, view, x, &column, &row))
			return false;

		a[0] = fmin(a[0], column);
		a[1] = fmax(a[1], column);
		r[0] = fmin(r[0], row);
		r[1] = fmax(r[1], row);
	}

	return true;
}

/** Where [0, n) pixels begin and end in the range r, both from 0 to 1. */
static void part_seen(double part[2], const double r[2], long n)
{
	for (int i = 0; i < 2; i++)
		part[i] = fmin(fmax(((i ? (double)n : 0.) - 0.5 - r[0]) / (r[1] - r[0]), 0.), 1.);
}

static void measure_coverage(struct plausible *p, const struct geom *g, const struct grid *grid)
{
	const struct box b = box_of(grid, 0.);
	const long n = (g->views < SAMPLED) ? g->views : SAMPLED;
	const double across = (double)(grid->size[0] > grid->size[1] ? grid->size[0] : grid->size[1]);
	double ends[2] = {1., 0.};
	long used = 0;

	p->across = p->footprint = 0.;

	for (long i = 0; i < n; i++) {
		double a[2], r[2], u[2], v[2];

		if (!projected_bounds(g, i * g->views / n, &b, a, r))
			continue;

		part_seen(u, a, g->cols);
		part_seen(v, r, g->rows);
		p->across += u[1] - u[0];
		p->footprint += a[1] - a[0];
		ends[0] = fmin(ends[0], v[0]);
		ends[1] = fmax(ends[1], v[1]);
		used++;
	}

	if (0 == used) {
		p->across = p->along = 1.;
		p->footprint = p->voxel = NAN;
		return;
	}

	p->across /= (double)used;
	p->along = (g->rows > 1) ? ends[1] - ends[0] : 1.;
	p->footprint /= (double)used;
	p->voxel = p->footprint / across;
}

/** Direction of the ray through the detector's centre. */
static void direction(double d[3], const struct geom *g, long view)
{
	const struct geom_view *w = g->view + view;

	for (int i = 0; i < 3; i++)
		d[i] = g->parallel ? w->s[i] : w->d[i] - w->s[i];

	scale3(d, 1. / norm3(d), d);
}

static void measure_angles(struct plausible *p, const struct geom *g)
{
	double first[3], d[3], cross[3];

	direction(first, g, 0);
	p->spread = 0.;

	for (long k = 1; k < g->views; k++) {
		direction(d, g, k);
		cross3(cross, first, d);
		p->spread = fmax(p->spread, atan2(norm3(cross), dot3(first, d)) / degree);
	}

	p->is_radians = false;

	for (int turns = 1; turns <= 2 && g->views >= MANY_VIEWS; turns++) {
		const double arc = turns * M_PI, step = arc / (double)g->views;

		/* without the end point, or with it */
		p->is_radians |=
		        fabs(p->spread - arc) < 1e-3 * arc || fabs(p->spread - arc + step) < 1e-3 * arc;
	}
}

void plausible_measure(struct plausible *p, const struct geom *g, const struct grid *grid)
{
	*p = (struct plausible){.meets = true, .across = 1., .along = 1., .footprint = NAN, .voxel = NAN};
	measure_angles(p, g);

	if (!grid)
		return;

	p->meets = some_view_meets(g, grid);
	p->inside = sources_inside(g, grid);
	measure_coverage(p, g, grid);
}

char *plausible_angles(const struct plausible *p, const struct geom *g, enum plausible_use use)
{
	const bool few = PLAUSIBLE_RECONSTRUCTS == use && g->views >= MANY_VIEWS && p->spread > 0.01 &&
	                 p->spread < few_degrees;

	if (!few && !p->is_radians)
		return NULL;

	return mem_printf("the %ld views span only %.4g degrees%s", g->views, p->spread,
	        p->is_radians ? " (are the angles in radians?)" : "");
}

/** Lengths in other units: little of the volume is seen, or all of it in one column. */
static void warn_coverage(const struct plausible *p, const struct grid *grid, const char *name)
{
	const double seen = p->across * p->along;

	if (seen < 0.02 || (p->across < 0.15 && p->voxel >= 5.))
		warn("%s: a view sees only %.2g %% of the volume (check that all lengths are in mm)", name,
		        100. * seen);
	else if (p->footprint < 1. && (grid->size[0] >= 8 || grid->size[1] >= 8))
		warn("%s: the whole volume is narrower than one detector column (check that all lengths are "
		     "in "
		     "mm)",
		        name);
}

static void warn_missed(const struct grid *grid, const char *name)
{
	const struct box b = box_of(grid, 0.);
	char *text =
	        mem_printf("%s: no ray meets the volume: x %.4g to %.4g, y %.4g to %.4g, z %.4g to %.4g mm "
	                   "(check that all lengths are in mm%s)",
	                name, b.lo[0], b.hi[0], b.lo[1], b.hi[1], b.lo[2], b.hi[2],
	                tool_force() ? "" : ", or --force");

	if (!tool_force())
		error("%s", text);

	warn("%s", text);
	free(text);
}

void plausible_warn(const struct geom *g, const struct grid *grid, const char *name, enum plausible_use use)
{
	struct plausible p;

	plausible_measure(&p, g, grid);

	char *angles = plausible_angles(&p, g, use);

	if (angles)
		warn("%s: %s", name, angles);

	free(angles);

	if (!p.meets)
		warn_missed(grid, name);
	else if (p.inside > 0)
		warn("%s: the source is inside the volume in %ld of %ld views (check that all lengths are in "
		     "mm)",
		        name, p.inside, g->views);
	else if (grid)
		warn_coverage(&p, grid, name);
}
