/* Shapes: chords against a march along the line, sources far away and inside, samples against the inside
 * test, volumes. */

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "ct/geometry/orbit.h"
#include "ct/phantom/phantoms.h"
#include "ct/phantom/shapes.h"
#include "num/md/rand.h"

static uint64_t drawn;

static double uniform(double lo, double hi)
{
	return lo + (hi - lo) * rand_uniform(5, drawn++);
}

/** The definition: the point transposed back into the shape's own axes. */
static bool is_inside(const struct shape *s, const double p[3])
{
	double q[3];

	for (int i = 0; i < 3; i++) {
		q[i] = 0.;

		for (int c = 0; c < 3; c++)
			q[i] += s->frame[i][c] * (p[c] - s->centre[c]);

		q[i] /= s->half[i];
	}

	switch (s->kind) {
	case SHAPE_ELLIPSOID:
		return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] <= 1.;
	case SHAPE_CYLINDER:
		return q[0] * q[0] + q[1] * q[1] <= 1. && fabs(q[2]) <= 1.;
	case SHAPE_BOX:
		break;
	}

	return fabs(q[0]) <= 1. && fabs(q[1]) <= 1. && fabs(q[2]) <= 1.;
}

static void add_random(struct shapes *o, enum shape_kind kind)
{
	double c[3], h[3], a[3];

	for (int i = 0; i < 3; i++) {
		c[i] = uniform(-3., 3.);
		h[i] = uniform(1., 5.);
		a[i] = uniform(-3., 3.);
	}

	shapes_add(o, kind, uniform(0.5, 2.), c, h, a);
}

/** Worst difference between chord lengths and the number of steps inside, over lines through the
 * neighbourhood. */
static double march_error(const struct shape *s, int lines)
{
	const double step = 0.002;
	double worst = 0.;

	for (int l = 0; l < lines; l++) {
		double p[3], d[3], norm = 0., t[2], length = 0., marched = 0.;

		for (int i = 0; i < 3; i++) {
			p[i] = s->centre[i] + uniform(-2., 2.);
			d[i] = uniform(-1., 1.);
			norm += d[i] * d[i];
		}

		for (int i = 0; i < 3; i++)
			d[i] /= sqrt(norm);

		for (double at = -10. + step / 2.; at < 10.; at += step) {
			double q[3] = {p[0] + at * d[0], p[1] + at * d[1], p[2] + at * d[2]};

			marched += is_inside(s, q) ? step : 0.;
		}

		if (shape_chord(s, p, d, t))
			length = t[1] - t[0];

		worst = fmax(worst, fabs(length - marched));
	}

	return worst;
}

static void test_chords(void)
{
	static const char *const names[] = {"ellipsoid", "box", "cylinder"};

	for (int kind = 0; kind < 3; kind++) {
		struct shapes o = {0};

		add_random(&o, (enum shape_kind)kind);
		check(march_error(o.shape, 40) < 0.005,
		        "chords of a rotated %s are those of a march along the line", names[kind]);
		shapes_free(&o);
	}
}

static void test_frame(void)
{
	struct shapes o = {0};
	const double zero[3] = {0., 0., 0.}, half[3] = {1., 2., 3.};

	shapes_add(&o, SHAPE_BOX, 1., zero, half, (const double[3]){M_PI / 6., 0., 0.});

	const double *x = o.shape->frame[0];

	check(fabs(x[0] - cos(M_PI / 6.)) < 1e-15 && fabs(x[1] - 0.5) < 1e-15,
	        "phi turns the first axis counter-clockwise");

	shapes_add(&o, SHAPE_BOX, 1., zero, half, (const double[3]){0., M_PI / 6., 0.});
	x = o.shape[1].frame[1];
	check(fabs(x[1] - cos(M_PI / 6.)) < 1e-15 && fabs(x[2] - 0.5) < 1e-15,
	        "theta turns the second axis towards z");
	shapes_free(&o);
}

/** From a distant source a ball's chord keeps its digits; an integral starts at a source inside. */
static void test_sources(void)
{
	struct shapes o = {0};
	const double zero[3] = {0., 0., 0.}, half[3] = {2., 2., 2.};

	shapes_add(&o, SHAPE_ELLIPSOID, 3., zero, half, zero);

	double far =
	        shapes_integral(&o, (const double[3]){1., -1e7, 0.}, (const double[3]){0., 5., 0.}, true);
	double expected = 3. * 2. * sqrt(3.);

	check(fabs(far - expected) < 1e-8 * expected, "a chord seen from 10 km");

	double inside = shapes_integral(&o, zero, (const double[3]){1., 1., 1.}, true);
	double both = shapes_integral(&o, zero, (const double[3]){1., 1., 1.}, false);
	double behind =
	        shapes_integral(&o, (const double[3]){5., 0., 0.}, (const double[3]){1., 0., 0.}, true);

	check(fabs(inside - 6.) < 1e-14 && fabs(both - 12.) < 1e-14 && 0. == behind,
	        "rays are half-lines from their source");

	double touching =
	        shapes_integral(&o, (const double[3]){2., -9., 0.}, (const double[3]){0., 1., 0.}, false);

	check(touching >= 0. && touching < 1e-6, "a tangent has no length");
	shapes_free(&o);
}

static void test_rows(void)
{
	struct grid g = {.size = {23, 19, 17}, .spacing = {0.7, 0.8, 0.9}, .origin = {-7., -8., -7.5}};
	struct shapes o = {0};
	double row[23], volume = 0., worst = 0.;

	for (int kind = 0; kind < 3; kind++)
		add_random(&o, (enum shape_kind)kind);

	for (long k = 0; k < 17; k++)
		for (long j = 0; j < 19; j++) {
			shapes_row(&o, &g, 1, j, k, row);

			for (long i = 0; i < 23; i++) {
				const double p[3] = {
				        -7. + 0.7 * (double)i, -8. + 0.8 * (double)j, -7.5 + 0.9 * (double)k};
				double sum = 0.;

				for (long n = 0; n < o.n; n++)
					sum += is_inside(o.shape + n, p) ? o.shape[n].value : 0.;

				worst = fmax(worst, fabs(sum - row[i]));
			}
		}

	check(worst < 1e-12, "one sample per voxel is the value at its centre");
	shapes_free(&o);

	const double half[3] = {4., 3., 5.}, at[3] = {0.3, -0.8, 0.1}, turn[3] = {0.4, 0.5, 0.6};

	shapes_add(&o, SHAPE_ELLIPSOID, 1., at, half, turn);

	for (long k = 0; k < 17; k++)
		for (long j = 0; j < 19; j++) {
			shapes_row(&o, &g, 4, j, k, row);

			for (long i = 0; i < 23; i++)
				volume += row[i] * 0.7 * 0.8 * 0.9;
		}

	check(fabs(volume / (4. / 3. * M_PI * 60.) - 1.) < 2e-3,
	        "voxels sum up to the ellipsoid's volume: %g", volume);
	shapes_free(&o);
}

/** A ball's footprint on a slanted view: largest where the ray passes its centre, and half the chord formula
 * elsewhere. */
static void test_view(void)
{
	const struct orbit orbit = {.sod = 50., .sdd = 80., .pitch = {0.5, 0.5}, .radius = 80.};
	const double angle[1] = {30.}, zero[3] = {0., 0., 0.}, centre[3] = {1., 2., 3.},
	             half[3] = {6., 6., 6.};
	struct geom *g = orbit_geom(&orbit, 1, angle, 40, 30);
	struct shapes o = {0};
	double view[1200], worst = 0.;

	shapes_add(&o, SHAPE_ELLIPSOID, 0.5, centre, half, zero);
	shapes_view(&o, g, 0, view);

	for (long b = 0; b < 30; b++)
		for (long a = 0; a < 40; a++) {
			double s[3], d[3], cross[3], to[3], dd = 0., cc = 0.;

			geom_ray(g, 0, (double)a, (double)b, s, d);

			for (int i = 0; i < 3; i++)
				to[i] = centre[i] - s[i];

			for (int i = 0; i < 3; i++) {
				cross[i] =
				        to[(i + 1) % 3] * d[(i + 2) % 3] - to[(i + 2) % 3] * d[(i + 1) % 3];
				dd += d[i] * d[i];
				cc += cross[i] * cross[i];
			}

			double in = 36. - cc / dd;

			worst = fmax(worst, fabs(view[b * 40 + a] - (in > 0. ? sqrt(in) : 0.)));
		}

	check(worst < 1e-11, "a ball's projections are the chords at each ray's distance: %g", worst);
	shapes_free(&o);
	geom_free(g);
}

static void make_volume(double *out, enum phantom_kind kind, const struct grid *g, double mu)
{
	struct shapes o = {0};

	phantom_make(&o, kind, g, mu);

	for (long k = 0; k < g->size[2]; k++)
		for (long j = 0; j < g->size[1]; j++)
			shapes_row(&o, g, 2, j, k, out + (k * g->size[1] + j) * g->size[0]);

	shapes_free(&o);
}

/** Element of a cube of n after axes order[] and flips (bits). */
static long transposed(long n, const int order[3], int flips, long i, long j, long k)
{
	const long in[3] = {i, j, k};
	long p[3];

	for (int d = 0; d < 3; d++)
		p[order[d]] = (flips & 1 << d) ? n - 1 - in[d] : in[d];

	return (p[2] * n + p[1]) * n + p[0];
}

/** None of the 47 other positions of the cube, and of the 7 of the square, leaves the letter as it is. */
static void test_letter(void)
{
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	enum { N = 24 };
	double *x = malloc(N * N * N * sizeof *x);

	for (int flat = 0; flat < 2; flat++) {
		struct grid g = {.size = {N, N, flat ? 1 : N},
		        .spacing = {1., 1., 1.},
		        .origin = {-11.5, -11.5, flat ? 0. : -11.5}};
		int alike = 0;

		make_volume(x, PHANTOM_LETTER_F, &g, 1.);

		for (int o = 0; o < 6; o++)
			for (int flips = 0; flips < 8; flips++) {
				double differ = 0.;

				if (flat && (2 != orders[o][2] || flips & 4))
					continue;

				for (long k = 0; k < g.size[2]; k++)
					for (long j = 0; j < N; j++)
						for (long i = 0; i < N; i++)
							differ += fabs(
							        x[(k * N + j) * N + i] -
							        x[transposed(N, orders[o], flips, i, j, k)]);

				alike += differ < 10.;
			}

		check(1 == alike, "no flip or turn in %s maps the letter to itself", flat ? "2-D" : "3-D");
	}

	free(x);
}

static void test_heads(void)
{
	enum { N = 64 };
	struct grid g = {.size = {N, N, 1}, .spacing = {0.5, 0.5, 0.5}, .origin = {-15.75, -15.75, 0.}};
	double *x = malloc(N * N * sizeof *x);

	make_volume(x, PHANTOM_MODIFIED, &g, 0.02);
	check(fabs(x[32 * N + 32] - 0.02 * 0.2) < 1e-9 && fabs(x[32 * N + 24]) < 1e-9,
	        "brain and ventricle of the modified head");
	make_volume(x, PHANTOM_SHEPP_LOGAN, &g, 1.);
	check(fabs(x[32 * N + 32] - 1.02) < 1e-12 && fabs(x[32 * N + 24] - 1.) < 1e-12,
	        "brain and ventricle of the original head");
	make_volume(x, PHANTOM_DISK, &g, 1.);

	double sum = 0.;

	for (long i = 0; i < N * N; i++)
		sum += x[i] * 0.25;

	check(fabs(sum / (M_PI * 12.8 * 12.8) - 1.) < 2e-3, "the disk's area");
	free(x);
}

int main(void)
{
	test_chords();
	test_frame();
	test_sources();
	test_rows();
	test_view();
	test_letter();
	test_heads();

	return checks_failed ? 1 : 0;
}
