/* Geometry: the positions of the conventions in doc/geometry.md, pixels of flat and curved detectors, default
 * grid, field of view, shifts. */

#include <math.h>
#include <string.h>

#include "check.h"
#include "ct/geometry/geom.h"
#include "ct/geometry/geom_edit.h"
#include "ct/geometry/geom_report.h"
#include "ct/geometry/orbit.h"

static bool same3(const double a[3], double x, double y, double z)
{
	return a[0] == x && a[1] == y && a[2] == z;
}

static bool near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance;
}

static bool near3(const double a[3], double x, double y, double z)
{
	return near(a[0], x, 1e-12) && near(a[1], y, 1e-12) && near(a[2], z, 1e-12);
}

static const double quarters[4] = {0., 90., 180., 270.};

static void test_cone_quarters(void)
{
	const struct orbit o = {.sod = 100., .sdd = 150., .pitch = {2., 3.}};
	struct geom *g = orbit_geom(&o, 4, quarters, 8, 6);
	const struct geom_view *v = g->view;

	check(same3(v[0].s, 0, -100, 0) && same3(v[0].d, 0, 50, 0) && same3(v[0].u, 2, 0, 0) &&
	                same3(v[0].v, 0, 0, 3),
	        "cone at 0 degrees");
	check(same3(v[1].s, 100, 0, 0) && same3(v[1].d, -50, 0, 0) && same3(v[1].u, 0, 2, 0) &&
	                same3(v[1].v, 0, 0, 3),
	        "cone at 90 degrees");
	check(same3(v[2].s, 0, 100, 0) && same3(v[2].d, 0, -50, 0) && same3(v[2].u, -2, 0, 0),
	        "cone at 180 degrees");
	check(same3(v[3].s, -100, 0, 0) && same3(v[3].d, 50, 0, 0) && same3(v[3].u, 0, -2, 0),
	        "cone at 270 degrees");
	geom_free(g);
}

static void test_parallel_quarters(void)
{
	const struct orbit o = {.parallel = true, .pitch = {1., 1.}, .offset = {4., 2.}};
	struct geom *g = orbit_geom(&o, 4, quarters, 8, 6);
	const struct geom_view *v = g->view;

	check(same3(v[0].s, 0, 1, 0) && same3(v[0].d, 4, 0, 2) && same3(v[0].u, 1, 0, 0),
	        "parallel at 0 degrees");
	check(same3(v[1].s, -1, 0, 0) && same3(v[1].d, 0, 4, 2) && same3(v[1].u, 0, 1, 0),
	        "parallel at 90 degrees");
	check(same3(v[3].s, 1, 0, 0) && same3(v[3].d, 0, -4, 2) && same3(v[3].u, 0, -1, 0),
	        "parallel at 270 degrees");
	geom_free(g);
}

static void test_many_turns(void)
{
	double s, c;
	bool good = true;

	for (long k = -4000; k <= 4000; k++) {
		sincos_degrees(90. * k, &s, &c);
		good &= s == (double[]){0, 1, 0, -1}[((k % 4) + 4) % 4] &&
		        c == (double[]){1, 0, -1, 0}[((k % 4) + 4) % 4];
		sincos_degrees(45. + 90. * k, &s, &c);
		good &= fabs(s) == fabs(c);
		sincos_degrees(0.37 * k, &s, &c);
		good &= near(s, sin(0.37 * k * M_PI / 180.), 1e-13) &&
		        near(c, cos(0.37 * k * M_PI / 180.), 1e-13);
	}
	check(good, "sines and cosines are exact at quarter turns, equal at 45 degrees");
}

static void test_tilt_and_helix(void)
{
	const struct orbit tilted = {.sod = 100., .sdd = 150., .pitch = {1., 1.}, .tilt = 30.};
	struct geom *g = orbit_geom(&tilted, 4, quarters, 8, 6);

	// the axis leans towards the source: seen from the axis, the source rises
	check(near3(g->view[0].s, 0, -100 * cos(M_PI / 6), 50.),
	        "tilt lifts the source above the plane of rotation");
	check(near3(g->view[0].v, 0, sin(M_PI / 6), cos(M_PI / 6)), "tilt leans the rows");
	check(near3(g->view[1].s, 100 * cos(M_PI / 6), 0, 50.), "a tilted scan turns about z");
	geom_free(g);

	const struct orbit helix = {.sod = 100., .sdd = 150., .pitch = {1., 1.}, .helix = 40.};
	g = orbit_geom(&helix, 4, quarters, 8, 6);
	check(near3(g->view[0].s, 0, -100, -15) && near3(g->view[3].s, -100, 0, 15) &&
	                near3(g->view[3].d, 50, 0, 15),
	        "a helix climbs 40 mm per turn, its middle at 0");
	geom_free(g);
}

static void test_pixels(void)
{
	const struct orbit o = {.sod = 100., .sdd = 150., .pitch = {2., -3.}};
	struct geom *g = orbit_geom(&o, 4, quarters, 5, 4);
	double p[3], s[3], d[3];

	geom_pixel(g, 0, 0, 0, p);
	check(near3(p, -4, 50, 4.5), "pixel (0, 0) with mirrored rows");
	geom_pixel(g, 1, 4, 1.5, p);
	check(near3(p, -50, 4, 0), "pixel (4, 1.5) at 90 degrees");
	geom_ray(g, 1, 4, 1.5, s, d);
	check(near3(s, 100, 0, 0) && near3(d, -150, 4, 0), "ray from the source through it");
	geom_free(g);
}

static void test_curved(void)
{
	const struct orbit o = {.sod = 100., .sdd = 150., .pitch = {2., 3.}, .radius = 150.};
	struct geom *g = orbit_geom(&o, 4, quarters, 41, 4);
	bool good = true;
	double p[3];

	for (int a = 0; a < 41; a++) {
		const double turn = (a - 20) * 2. / 150.;

		geom_pixel(g, 0, a, 1.5, p);
		good &= near3(p, 150 * sin(turn), 150 * cos(turn) - 100, 0.);
	}
	check(good, "equiangular detector: every pixel SDD away from the source");
	geom_shift(g, 3., 1.);

	double q[3];
	geom_pixel(g, 0, 17., 0.5, q);
	check(near3(q, 0, 50, 0.), "a shifted curved detector stays on its circle");
	geom_pixel(g, 0, 30., 1.5, q);
	check(near3(q, 150 * sin(13 * 2. / 150.), 150 * cos(13 * 2. / 150.) - 100, 3.),
	        "and its pixels move along the arc");
	geom_free(g);
}

static void test_default_grid(void)
{
	const struct orbit o = {.sod = 1000., .sdd = 1500., .pitch = {1.5, 3.}};
	struct geom *g = orbit_geom(&o, 4, quarters, 64, 32);
	struct grid grid;

	geom_default_grid(g, &grid);
	check(grid.size[0] == 64 && grid.size[1] == 64 && grid.size[2] == 32,
	        "default grid: cols, cols, rows");
	check(near3(grid.spacing, 1, 1, 2) && near3(grid.origin, -31.5, -31.5, -31),
	        "default grid: pitch over magnification, centred");
	check(geom_grid_covers(g, &grid), "it covers a full circle's field of view");
	geom_shift(g, 10., 0.);
	check(!geom_grid_covers(g, &grid), "but not that of an offset detector");
	geom_free(g);
}

/* Whether a slice `thick` mm thick at height z holds what a scan of one row, or more, sees. */
static bool slice_covers(const struct geom *g, double z, double thick)
{
	const struct grid grid = {
	        .size = {60, 60, 1}, .spacing = {1., 1., thick}, .origin = {-29.5, -29.5, z}};

	return geom_grid_covers(g, &grid);
}

/* Of a single row whose rays stay in one plane the slice of that plane is enough, however thin; where they
 * are inclined or roll it must hold the heights that they have at the axis. */
static void test_slices(void)
{
	const struct orbit fan = {.sod = 100., .sdd = 150., .pitch = {1.5, 1.5}},
	                   up = {.sod = 100., .sdd = 150., .pitch = {1.5, 1.5}, .offset = {0., 10.}},
	                   parallel = {.parallel = true, .pitch = {1., 1.}, .offset = {0., 10.}},
	                   inclined = {.parallel = true, .pitch = {1., 1.}, .tilt = 20.};
	struct geom *flat = orbit_geom(&fan, 4, quarters, 20, 1), *two = orbit_geom(&fan, 4, quarters, 20, 2),
	            *above = orbit_geom(&up, 4, quarters, 20, 1),
	            *level = orbit_geom(&parallel, 4, quarters, 20, 1),
	            *leaning = orbit_geom(&inclined, 4, quarters, 20, 1),
	            *rolled = orbit_geom(&fan, 4, quarters, 20, 1);

	for (int k = 0; k < 4; k++)
		rolled->view[k].u[2] = 0.4;

	check(slice_covers(flat, 0., 0.1) && slice_covers(flat, 0.04, 0.1) && !slice_covers(flat, 0.06, 0.1),
	        "a fan in the plane of a slice");
	check(slice_covers(level, 10., 0.1) && !slice_covers(level, 9., 0.1) && !slice_covers(level, 0., 0.1),
	        "a parallel row in the plane of a slice");
	check(!slice_covers(two, 0., 0.1) && slice_covers(two, 0., 2.1),
	        "two rows of 1 mm at the axis need 2 mm");
	check(!slice_covers(above, 10., 1.) && slice_covers(above, 20. / 3., 1.1) &&
	                !slice_covers(above, 20. / 3., 0.9),
	        "a fan that is inclined");
	check(!slice_covers(leaning, 0., 0.1) && slice_covers(leaning, 0., 1.2),
	        "a parallel row that is inclined");
	check(!slice_covers(rolled, 0., 0.1) && slice_covers(rolled, 0., 1.2), "a row that rolls");
	geom_free(flat);
	geom_free(two);
	geom_free(above);
	geom_free(level);
	geom_free(leaning);
	geom_free(rolled);
}

static void test_field_of_view(void)
{
	const struct orbit o = {.parallel = true, .pitch = {0.5, 2.}};
	struct geom *g = orbit_geom(&o, 4, quarters, 100, 10);
	double radius, z[2];

	geom_field_of_view(g, &radius, z);
	check(near(radius, 25., 1e-12) && near(z[0], -10., 1e-12) && near(z[1], 10., 1e-12),
	        "field of view of a parallel beam");
	geom_free(g);

	const struct orbit fan = {.sod = 100., .sdd = 200., .pitch = {1., 1.}};
	g = orbit_geom(&fan, 4, quarters, 200, 1);
	geom_field_of_view(g, &radius, z);
	check(near(radius, 100. * 100. / hypot(100., 200.), 1e-10), "field of view of a fan beam");
	geom_free(g);
}

static void test_angles(void)
{
	double angle[7] = {0., 30., 90., 179.5, 180., 300., 359.};
	bool good = true;

	for (int parallel = 0; parallel < 2; parallel++) {
		const struct orbit o = {
		        .parallel = parallel, .sod = 10., .sdd = 20., .pitch = {1., 1.}, .tilt = 20.};
		struct geom *g = orbit_geom(&o, 7, angle, 8, 1);

		for (int k = 0; k < 7; k++)
			good &= near(geom_angle(g, k) * 180. / M_PI, angle[k], 1e-9);
		geom_free(g);
	}
	check(good, "scan angles come back");
}

static void test_store(void)
{
	const struct orbit o = {.sod = 10., .sdd = 20., .pitch = {1., 2.}};
	struct geom *g = orbit_geom(&o, 4, quarters, 8, 3);
	double out[64];
	struct hdr h;

	hdr_init(&h);
	geom_header(g, &h);
	geom_store(g, out);
	check(h.dims[0] == 4 && h.dims[1] == 4 && h.dims[2] == 4 && h.detector[0] == 8 &&
	                h.detector[1] == 3 && h.quantity == Q_GEOMETRY,
	        "header of a geometry");
	check(out[1] == -10. && out[3] == 1. && out[5] == 10. && out[7] == 1. && out[8] == 1. &&
	                out[11] == 0. && out[14] == 2.,
	        "columns s, d, u, v with their last components");
	check(out[16] == 10. && out[17] == 0., "views follow each other");
	hdr_free(&h);
	geom_free(g);
}

/** Points on the ray of a pixel are seen in that pixel; with the source outside of the detector's cylinder
 * the ray meets the near side first, which is not the detector's. */
static void test_project(void)
{
	for (int kind = 0; kind < 6; kind++) {
		const struct orbit o = {.parallel = kind == 1 || kind == 5,
		        .sod = 100.,
		        .sdd = 150.,
		        .pitch = {kind == 3 ? -2. : 2., 3.},
		        .offset = {7., -4.},
		        .radius = (kind == 2)  ? 130.
		                  : (kind > 3) ? 60.
		                               : 0.,
		        .detector = {10., 5., (kind == 2) ? 0. : -8.},
		        .tilt = 12.};
		struct geom *g = orbit_geom(&o, 4, quarters, 41, 30);
		bool good = true;

		for (long k = 0; k < 4; k++)
			for (double a = 0.; a < 41.; a += 4.3)
				for (double b = 0.; b < 30.; b += 3.7) {
					double s[3], d[3], x[3], c, r;

					geom_ray(g, k, a, b, s, d);

					for (int i = 0; i < 3; i++)
						x[i] = s[i] + 0.4 * d[i];

					good &= geom_project(g, k, x, &c, &r) && near(c, a, 1e-9) &&
					        near(r, b, 1e-9);
				}

		check(good, "points on rays are projected to their pixels: %s",
		        (const char *[]){"flat", "parallel", "curved", "mirrored", "curved, source outside",
		                "parallel, curved"}[kind]);
		geom_free(g);
	}

	const struct orbit o = {.sod = 100., .sdd = 150., .pitch = {2., 3.}};
	struct geom *g = orbit_geom(&o, 1, quarters, 8, 6);
	double a, b;

	check(!geom_project(g, 0, (double[]){0., -120., 0.}, &a, &b), "nothing behind the source is seen");
	geom_free(g);
}

/** Angles that rounding makes a whole turn, or -0, are 0. */
static void test_angle_zero(void)
{
	for (int parallel = 0; parallel < 2; parallel++)
		for (int k = 0; k < 3; k++) {
			const struct orbit o = {
			        .parallel = parallel, .sod = 100., .sdd = 150., .pitch = {2., 3.}};
			struct geom *g = orbit_geom(&o, 1, quarters, 8, 6);

			g->view[0].s[0] = (const double[]){-1e-20, 1e-20, -0.}[k];

			const double angle = geom_angle(g, 0);

			check(angle >= 0. && angle < 1e-15 && !signbit(angle), "an angle of almost 0 is %g",
			        angle);
			geom_free(g);
		}
}

static void check_wrong(void (*change)(struct geom *g))
{
	const struct orbit o = {.sod = 100., .sdd = 150., .pitch = {2., 3.}, .radius = 150.};
	struct geom *g = orbit_geom(&o, 2, quarters, 8, 6);

	change(g);
	geom_check(g, "wrong");
}

static void make_parallel(struct geom *g)
{
	memcpy(g->view[1].v, g->view[1].u, sizeof g->view[1].v);
}

static void make_round(struct geom *g)
{
	g->radius = 8. * 2. / (2. * M_PI);
}

static void parallel_steps(void)
{
	check_wrong(make_parallel);
}

static void whole_turn(void)
{
	check_wrong(make_round);
}

static void test_turns(void)
{
	const struct orbit o = {.sod = 100., .sdd = 150., .pitch = {2., 3.}};
	struct geom *g = orbit_geom(&o, 1, quarters, 8, 6);

	geom_turn_detector(g, 0, (double[]){90., 0., 0.});
	check(same3(g->view[0].u, 0, 0, 2) && same3(g->view[0].v, -3, 0, 0),
	        "a quarter roll: columns grow upwards, rows to the left");
	geom_turn_detector(g, 0, (double[]){-90., 0., 0.});
	geom_turn_detector(g, 0, (double[]){0., 30., 0.});
	check(near3(g->view[0].v, 0, -1.5, 3 * cos(M_PI / 6)) && near3(g->view[0].u, 2, 0, 0),
	        "a tilt leans the upper edge towards the source");
	check(near(orbit_short_arc(&o, 8), 180. + 2. * atan(8. / 150.) * 180. / M_PI, 1e-9),
	        "a short scan turns by 180 degrees and the fan angle");
	geom_free(g);
}

static void test_edits(void)
{
	const struct orbit o = {.sod = 100., .sdd = 150., .pitch = {2., 3.}, .radius = 150.};
	struct geom *g = orbit_geom(&o, 4, quarters, 41, 9);
	double p[3], q[3];

	geom_pixel(g, 1, 4., 2.5, p);
	geom_bin(g, 3, 2);
	geom_pixel(g, 1, 1., 1., q);
	check(g->cols == 13 && g->rows == 4 && near3(q, p[0], p[1], p[2]),
	        "bins of a curved detector lie in the middle of their pixels");

	geom_rotate(g, (double[]){0., 0., 270.});
	check(same3(g->view[1].s, 0, -100, 0), "turns back by quarters are exact");

	struct geom *some = geom_pick(g, 3, (long[]){2, 0, 2});

	check(some->views == 3 && some->radius == 150. && near3(some->view[1].s, -100, 0, 0) &&
	                near3(some->view[2].s, 100, 0, 0),
	        "views in any order");
	check(near(geom_axis_column(some, "g"), 6. + 1. / 3., 1e-9), "where the axis is seen");
	geom_free(some);
	geom_free(g);
}

static void test_coverage(void)
{
	const struct orbit o = {.parallel = true, .pitch = {1., 1.}};
	struct geom *g = orbit_geom(&o, 4, quarters, 40, 20);
	struct geom_coverage c;
	struct grid v = {.size = {40, 40, 20}, .spacing = {1., 1., 1.}, .origin = {-19.5, -19.5, -9.5}};

	geom_cover(&c, g, &v);
	check(c.every == 1. && c.worst == 1. && near(c.common, 10., 1e-9) && near(c.fine[0], 1., 1e-12),
	        "a volume as large as the detector is covered");
	v.origin[2] = 0.5;
	geom_cover(&c, g, &v);
	check(c.every > 0.4 && c.every < 0.7, "half beside the detector is not");
	geom_free(g);
}

int main(void)
{
	test_project();
	test_angle_zero();
	check_ends(1, "wrong: view 1: u and v are parallel", parallel_steps, "columns along rows");
	check_ends(1,
	        "wrong: view 0: 8 columns of 2 mm on a circle of radius 2.54648 mm cover 360 degrees or "
	        "more, expected less",
	        whole_turn, "a detector that closes");
	test_turns();
	test_edits();
	test_coverage();
	test_cone_quarters();
	test_parallel_quarters();
	test_many_turns();
	test_tilt_and_helix();
	test_pixels();
	test_curved();
	test_default_grid();
	test_slices();
	test_field_of_view();
	test_angles();
	test_store();
	return checks_failed ? 1 : 0;
}
