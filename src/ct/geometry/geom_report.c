#include "ct/geometry/geom_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ct/geometry/plausible.h"
#include "ct/geometry/vec3.h"

static const double degree = M_PI / 180.;

/** The smallest and the largest value of a quantity over the views. */
struct range {
	double low, high;
};

typedef double measure_fn(const struct geom *g, long view);

static struct range over_views(const struct geom *g, measure_fn *measure)
{
	struct range r = {INFINITY, -INFINITY};

	for (long k = 0; k < g->views; k++) {
		double x = measure(g, k);

		r.low = fmin(r.low, x);
		r.high = fmax(r.high, x);
	}

	return r;
}

static double source_to_axis(const struct geom *g, long view)
{
	return hypot(g->view[view].s[0], g->view[view].s[1]);
}

static double source_height(const struct geom *g, long view)
{
	return g->view[view].s[2];
}

static double source_to_detector(const struct geom *g, long view)
{
	const struct geom_view *w = g->view + view;
	double n[3], to[3];

	geom_normal(g, view, n);
	sub3(to, w->s, w->d);
	return dot3(n, to);
}

static double column_pitch(const struct geom *g, long view)
{
	return norm3(g->view[view].u);
}

static double row_pitch(const struct geom *g, long view)
{
	return norm3(g->view[view].v);
}

static void print_range(const char *name, struct range r, const char *unit)
{
	const double slack = 1e-9 * (fabs(r.low) + fabs(r.high));

	if (r.high - r.low <= slack)
		printf("%-16s%.7g%s\n", name, r.low, unit);
	else
		printf("%-16s%.7g to %.7g%s\n", name, r.low, r.high, unit);
}

/** Degrees from one view to the next, in (-180, 180]. */
static double step(const struct geom *g, long view)
{
	double d = (geom_angle(g, view + 1) - geom_angle(g, view)) / degree;

	return (d > 180. + 1e-9) ? d - 360. : (d <= -180. + 1e-9) ? d + 360. : d;
}

static void print_angles(const struct geom *g)
{
	double first = geom_angle(g, 0) / degree, low = INFINITY, high = -INFINITY, total = 0.;

	for (long k = 0; k + 1 < g->views; k++) {
		low = fmin(low, step(g, k));
		high = fmax(high, step(g, k));
		total += step(g, k);
	}

	if (first > 180. && first + total > 360. && fabs(total) < 180.)
		first -= 360.;

	if (g->views == 1)
		printf("%-16s%.7g degrees\n", "angle", first);
	else if (high - low <= 1e-6)
		printf("%-16s%.7g to %.7g degrees in steps of %.7g, %s\n", "angles", first, first + total,
		        low, low < 0. ? "clockwise" : "counter-clockwise");
	else
		printf("%-16s%.7g to %.7g degrees in steps of %.7g to %.7g\n", "angles", first, first + total,
		        low, high);
}

static void print_detector(const struct geom *g)
{
	struct range u = over_views(g, column_pitch), v = over_views(g, row_pitch);

	printf("%-16s%ld columns x %ld rows", "detector", g->cols, g->rows);

	if (g->radius > 0.)
		printf(", curved with a radius of %.7g mm\n", g->radius);
	else
		printf(", flat\n");

	print_range("column pitch", u, " mm");
	print_range("row pitch", v, " mm");
	printf("%-16s%.7g x %.7g mm\n", "detector size", (double)g->cols * u.high, (double)g->rows * v.high);
}

static void print_distances(const struct geom *g)
{
	struct range m = over_views(g, geom_magnification), z = over_views(g, source_height);

	if (g->parallel)
		return;

	print_range("SOD", over_views(g, source_to_axis), " mm (source to axis)");
	print_range("SDD", over_views(g, source_to_detector), " mm (source to detector)");
	print_range("magnification", m, " (of the axis)");

	if (z.high != 0. || z.low != 0.)
		print_range("source z", z, " mm");
}

static void print_field_of_view(const struct geom *g)
{
	double radius, z[2], m = geom_magnification(g, 0);
	struct grid grid;

	geom_field_of_view(g, &radius, z);
	printf("%-16sdiameter %.7g mm, z from %.7g to %.7g mm\n", "field of view", 2. * radius, z[0], z[1]);

	if (!(m > 0. && isfinite(m)))
		return;

	geom_default_grid(g, &grid);
	printf("%-16s%ld:%ld:%ld voxels of %.7g:%.7g:%.7g mm%s\n", "default grid", grid.size[0], grid.size[1],
	        grid.size[2], grid.spacing[0], grid.spacing[1], grid.spacing[2],
	        geom_grid_covers(g, &grid) ? "" : " (does not cover the field of view)");
}

void geom_print(const struct geom *g)
{
	printf("%-16s%s\n", "kind",
	        g->parallel   ? (g->rows > 1 ? "parallel beam" : "parallel beam, one row")
	        : g->stack    ? "stack of fan beams"
	        : g->rows > 1 ? "cone beam"
	                      : "fan beam");
	printf("%-16s%ld\n", "views", g->views);
	print_distances(g);
	print_detector(g);
	print_angles(g);
	print_field_of_view(g);
}

static void print_vector(const double v[3], double f)
{
	printf("  %12.6g %12.6g %12.6g", f * v[0] + 0., f * v[1] + 0., f * v[2] + 0.);
}

void geom_print_views(const struct geom *g)
{
	printf("%6s %10s  %-38s  %-38s  %-38s  %s\n", "view", "angle",
	        g->parallel ? "beam direction x y z" : "source x y z [mm]", "detector's centre x y z [mm]",
	        "step of columns x y z [mm]", "step of rows x y z [mm]");

	for (long k = 0; k < g->views; k++) {
		const struct geom_view *w = g->view + k;

		printf("%6ld %10.6g", k, geom_angle(g, k) / degree);
		print_vector(w->s, g->parallel ? 1. / norm3(w->s) : 1.);
		print_vector(w->d, 1.);
		print_vector(w->u, 1.);
		print_vector(w->v, 1.);
		printf("\n");
	}
}

enum { LATTICE = 9 };

/** Point (i, j, k) of the lattice in the untilted cylinder that the volume's box holds: the square of the
 * lattice is drawn to a disc. A dim of one voxel is seen in its middle. */
static void lattice_point(double x[3], const struct grid *v, const int at[3])
{
	double p[3];

	for (int i = 0; i < 3; i++)
		p[i] = (1 == v->size[i]) ? 0. : 2. * (double)at[i] / (LATTICE - 1) - 1.;

	const double disc[3] = {
	        p[0] * sqrt(1. - 0.5 * p[1] * p[1]), p[1] * sqrt(1. - 0.5 * p[0] * p[0]), p[2]};

	for (int i = 0; i < 3; i++) {
		const double n = (double)v->size[i];

		x[i] = v->origin[i] + 0.5 * (n - 1.) * v->spacing[i] + 0.5 * n * v->spacing[i] * disc[i];
	}
}

static bool is_seen(const struct geom *g, long view, const double x[3])
{
	const double slack = 1e-6;
	double a, b;

	if (!geom_project(g, view, x, &a, &b))
		return false;

	/* One row sees a plane: only the columns count. */
	return a >= -0.5 - slack && a <= (double)g->cols - 0.5 + slack &&
	       (1 == g->rows || (b >= -0.5 - slack && b <= (double)g->rows - 0.5 + slack));
}

/** Pitch of columns and rows seen at a point: how far the ray there moves for one pixel, across the ray. */
static void note_sampling(struct geom_coverage *c, const struct geom *g, long view, const double x[3])
{
	const struct geom_view *w = g->view + view;
	double n[3], to[3], m = 1.;

	if (!g->parallel) {
		geom_normal(g, view, n);
		sub3(to, x, w->s);

		const double depth = -dot3(n, to);

		m = source_to_detector(g, view) / depth;
	}

	if (!(m > 0.) || !isfinite(m))
		return;

	const double fine[2] = {norm3(w->u) / m, norm3(w->v) / (g->stack ? 1. : m)};

	for (int i = 0; i < 2; i++) {
		c->fine[i] = fmin(c->fine[i], fine[i]);
		c->coarse[i] = fmax(c->coarse[i], fine[i]);
	}

	c->magnification[0] = fmin(c->magnification[0], m);
	c->magnification[1] = fmax(c->magnification[1], m);
}

/** Distance from the origin to a ray of the detector's edge. */
static double edge_distance(const struct geom *g, long view, double a, double b)
{
	double s[3], d[3], far[3];

	geom_ray(g, view, a, b, s, d);
	cross3(far, s, d);
	return norm3(far) / norm3(d);
}

/** Radius of the ball about the origin that a view sees whole; rows count only when there are several. */
static double seen_ball(const struct geom *g, long view)
{
	const double cols = (double)g->cols, rows = (double)g->rows, origin[3] = {0., 0., 0.};
	double least = INFINITY;
	enum { STEPS = 64 };

	if (!is_seen(g, view, origin))
		return 0.;

	for (int i = 0; i <= STEPS; i++) {
		const double a = -0.5 + cols * i / STEPS, b = (1 == g->rows) ? 0. : -0.5 + rows * i / STEPS;

		least = fmin(least, edge_distance(g, view, -0.5, b));
		least = fmin(least, edge_distance(g, view, cols - 0.5, b));

		if (g->rows > 1) {
			least = fmin(least, edge_distance(g, view, a, -0.5));
			least = fmin(least, edge_distance(g, view, a, rows - 0.5));
		}
	}

	return least;
}

static void note_source(struct geom_coverage *c, const struct geom *g, long view, const struct grid *v)
{
	double far = 0.;

	for (int i = 0; i < (g->stack ? 2 : 3) && !g->parallel; i++) {
		const double low = v->origin[i] - 0.5 * v->spacing[i], s = g->view[view].s[i];
		const double high = low + (double)v->size[i] * v->spacing[i];

		far = hypot(far, fmax(fmax(low - s, s - high), 0.));
	}

	c->inside = fmin(c->inside, g->parallel ? INFINITY : far);
}

void geom_cover(struct geom_coverage *c, const struct geom *g, const struct grid *volume)
{
	enum { POINTS = LATTICE * LATTICE * LATTICE };
	bool every[POINTS], some[POINTS];

	*c = (struct geom_coverage){.worst = 2.,
	        .common = INFINITY,
	        .fine = {INFINITY, INFINITY},
	        .magnification = {INFINITY, 0.},
	        .inside = INFINITY};

	for (int p = 0; p < POINTS; p++) {
		every[p] = true;
		some[p] = false;
	}

	for (long k = 0; k < g->views; k++) {
		long seen = 0;

		for (int p = 0; p < POINTS; p++) {
			double x[3];

			lattice_point(x, volume,
			        (int[]){p % LATTICE, p / LATTICE % LATTICE, p / LATTICE / LATTICE});

			const bool here = is_seen(g, k, x);

			seen += here;
			every[p] &= here;
			some[p] |= here;
			note_sampling(c, g, k, x);
		}

		if ((double)seen / POINTS < c->worst) {
			c->worst = (double)seen / POINTS;
			c->worst_view = k;
		}

		c->common = fmin(c->common, seen_ball(g, k));
		note_source(c, g, k, volume);
	}

	long by_every = 0, by_some = 0;

	for (int p = 0; p < POINTS; p++) {
		by_every += every[p];
		by_some += some[p];
	}

	c->every = (double)by_every / POINTS;
	c->some = (double)by_some / POINTS;
}

enum verdict { OK, NOTE, FAILED };

static bool line(enum verdict v, const char *name, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));

static bool line(enum verdict v, const char *name, const char *fmt, ...)
{
	static const char *const word[] = {"ok", "note", "FAILED"};
	va_list ap;

	printf("%-7s%-15s", word[v], name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	return FAILED != v;
}

static bool report_volume(
        const struct geom_coverage *c, const struct geom *g, const struct grid *v, bool demanded)
{
	bool good = true;

	good &= line(c->every >= 1. - 1e-9 ? OK
	             : demanded            ? FAILED
	                                   : NOTE,
	        "covered",
	        "%.4g %% of the volume's cylinder is seen in every view, %.4g %% in some view, %.4g %% in "
	        "view %ld",
	        100. * c->every, 100. * c->some, 100. * c->worst, c->worst_view);

	if (!g->parallel)
		good &= line(c->inside > 0. ? OK : FAILED, "source",
		        c->inside > 0. ? "keeps %.7g mm away from the volume"
		                       : "is %.7g mm from the volume's box: inside",
		        c->inside);

	const double pixel[2] = {c->fine[0], c->fine[1]};
	const bool finer = v->spacing[0] < 0.5 * pixel[0] || v->spacing[1] < 0.5 * pixel[0] ||
	                   (v->size[2] > 1 && v->spacing[2] < 0.5 * pixel[1]);

	line(finer ? NOTE : OK, "voxels",
	        "of %.7g:%.7g:%.7g mm, a pixel is %.7g x %.7g mm at the nearest point%s", v->spacing[0],
	        v->spacing[1], v->spacing[2], pixel[0], pixel[1],
	        finer ? ": voxels of less than half this size add no detail" : "");
	return good;
}

/** Angular gap between neighbours that would move an edge voxel by one of its pixels. */
static void report_sampling(const struct geom_coverage *c, const struct geom *g, const struct grid *v)
{
	double radius = 0.;

	for (int i = 0; i < 2; i++)
		radius = fmax(radius, 0.5 * (double)v->size[i] * v->spacing[i]);

	line(NOTE, "magnification", "%.7g to %.7g in the volume", c->magnification[0], c->magnification[1]);
	line(NOTE, "pixels", "%.7g x %.7g to %.7g x %.7g mm, seen in the volume", c->fine[0], c->fine[1],
	        c->coarse[0], c->coarse[1]);
	line(NOTE, "views",
	        "%ld; the volume's edge is sampled as finely as by the pixels with %.0f in half a turn",
	        g->views, ceil(M_PI * radius / c->fine[0]));
}

static bool report_plausible(const struct geom *g, const struct grid *volume)
{
	struct plausible p;
	bool good = true;

	plausible_measure(&p, g, volume);

	char *angles = plausible_angles(&p, g, PLAUSIBLE_RECONSTRUCTS);

	if (angles)
		good &= line(p.is_radians ? FAILED : NOTE, "angles", "%s", angles);
	else
		line(OK, "angles", "%.4g degrees between the first view and the farthest", p.spread);

	if (!p.meets)
		good &= line(FAILED, "rays", "none meets the volume");

	free(angles);
	return good;
}

bool geom_report(const struct geom *g, const struct grid *volume, bool demanded)
{
	struct geom_coverage c;
	double radius, z[2];

	geom_field_of_view(g, &radius, z);
	geom_cover(&c, g, volume);
	line(NOTE, "field of view", "diameter %.7g mm, z from %.7g to %.7g mm", 2. * radius, z[0], z[1]);
	line(c.common > 0. ? OK : NOTE, "common ball",
	        c.common > 0. ? "every view sees all within %.7g mm of the origin"
	                      : "some view does not see the origin (%.7g mm)",
	        c.common);
	line(NOTE, "volume",
	        "%ld:%ld:%ld voxels, x from %.7g to %.7g, y from %.7g to %.7g, z from %.7g to %.7g mm",
	        volume->size[0], volume->size[1], volume->size[2],
	        volume->origin[0] - 0.5 * volume->spacing[0],
	        volume->origin[0] + ((double)volume->size[0] - 0.5) * volume->spacing[0],
	        volume->origin[1] - 0.5 * volume->spacing[1],
	        volume->origin[1] + ((double)volume->size[1] - 0.5) * volume->spacing[1],
	        volume->origin[2] - 0.5 * volume->spacing[2],
	        volume->origin[2] + ((double)volume->size[2] - 0.5) * volume->spacing[2]);
	report_sampling(&c, g, volume);

	const bool good = report_plausible(g, volume);

	return report_volume(&c, g, volume, demanded) && good;
}
