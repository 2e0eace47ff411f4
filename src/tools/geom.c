/** Prints a geometry, or writes it with the detector moved. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "linops/xray/geom.h"
#include "linops/xray/vec3.h"
#include "misc/error.h"

int main_geom(int argc, char *argv[]);

/** Smallest and largest value of something over the views. */
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
	double d = (geom_angle(g, view + 1) - geom_angle(g, view)) * (180. / M_PI);

	return (d > 180. + 1e-9) ? d - 360. : (d <= -180. + 1e-9) ? d + 360. : d;
}

static void print_angles(const struct geom *g)
{
	const double first = geom_angle(g, 0) * (180. / M_PI);
	double low = INFINITY, high = -INFINITY, total = 0.;

	for (long k = 0; k + 1 < g->views; k++) {
		low = fmin(low, step(g, k));
		high = fmax(high, step(g, k));
		total += step(g, k);
	}

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
	printf("%-16s%.7g x %.7g mm\n", "detector size", g->cols * u.high, g->rows * v.high);
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

static void print_view(const struct geom *g)
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

static void print(const struct geom *g)
{
	printf("%-16s%s\n", "kind",
	        g->parallel   ? (g->rows > 1 ? "parallel beam" : "parallel beam, one row")
	        : g->rows > 1 ? "cone beam"
	                      : "fan beam");
	printf("%-16s%ld\n", "views", g->views);
	print_distances(g);
	print_detector(g);
	print_angles(g);
	print_view(g);
}

static void write_geom(const char *name, const struct geom *g)
{
	struct hdr h;

	hdr_init(&h);
	geom_header(g, &h);

	struct cfl *f = cfl_create(name, &h);

	geom_store(g, cfl_slab(f, f->count));
	cfl_close(f);
}

int main_geom(int argc, char *argv[])
{
	const char *in = NULL, *out = NULL;
	double shift_u = 0., shift_v = 0.;
	struct opt_longs detector = {0};

	const struct opt opts[] = {OPT_DOUBLE(0, "shift-u", &shift_u, "PX", -1e9, 1e9,
	                                   "moves the detector by PX columns along u"),
	        OPT_DOUBLE(0, "shift-v", &shift_v, "PX", -1e9, 1e9, "moves the detector by PX rows along v"),
	        OPT_DETECTOR(&detector, "pixels about the same centre"),
	        ARG_IN("GEOM", &in, "geometry, 4 x 4 x views"),
	        ARG_OUT_OPTIONAL("OUT", &out, "the changed geometry; without it GEOM is printed"), OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "geom",
	                .about = "Print a geometry, or move its detector",
	                .details = "Shifts are in pixels, in every view alike. When the axis is seen at "
	                           "column C of N (counted from 0) although the geometry "
	                           "puts it in the middle, --shift-u (N-1)/2-C says so.",
	                .examples = "gantry geom scan\n"
	                            "gantry geom --shift-u 2.5 scan centred",
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *f = cfl_open(in);
	struct geom *g = geom_load(f, &detector, NULL);

	if (!out && (shift_u != 0. || shift_v != 0.))
		usage_error("OUT is missing: --shift-u and --shift-v make a new geometry");

	geom_shift(g, shift_u, shift_v);

	if (out) {
		write_geom(out, g);
	} else {
		tool_plan_text();
		print(g);
	}

	cfl_close(f);
	geom_free(g);
	leave(EXIT_DONE);
}
