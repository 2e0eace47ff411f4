/* Filtered back projection: the ramp in space and frequency, how views share the circle, and a uniform
 * cylinder from its exact line integrals through every kind of geometry. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ct/fbp/fbp.h"
#include "ct/fbp/scan.h"
#include "ct/geometry/orbit.h"
#include "ct/phantom/phantoms.h"
#include "num/md/rand.h"

/** Values of a window of one's own. */
static const double own[4] = {1., 0.9, 0.2, 0.1};

static struct ramp_filter filter_of(int w, double cutoff)
{
	return (struct ramp_filter){
	        .window = (enum ramp_window)w, .cutoff = cutoff, .mean = 0.7, .samples = 4, .own = own};
}

/** The response that the filter should have. */
static double response(const struct ramp_filter *r, double f)
{
	double nyquist = 0.5 * ((r->cutoff > 0.) ? r->cutoff : (RAMP_BUTTERWORTH == r->window) ? 0.5 : 1.);

	if (RAMP_LAMBDA == r->window)
		return 2. * pow(sin(M_PI * f), 2.) / M_PI + r->mean / (2. * M_PI);

	if (RAMP_BUTTERWORTH != r->window && f > nyquist)
		return 0.;

	return f * ramp_window_at(r, f / nyquist);
}

static void test_kernel(void)
{
	enum { N = 4000 };
	static double h[N];

	for (int i = 0; i < 2 * RAMP_WINDOWS; i++) {
		struct ramp_filter r = filter_of(i % RAMP_WINDOWS, (i < RAMP_WINDOWS) ? 0. : 0.63);
		double worst = 0.;

		ramp_kernel(&r, N, h);

		for (double f = 0.; f <= 0.5; f += 0.05) {
			double sum = h[0];

			for (long n = 1; n < N; n++)
				sum += 2. * h[n] * cos(2. * M_PI * f * (double)n) *
				       pow(cos(M_PI / 2. * (double)n / N), 2.); // no ringing of the end

			worst = fmax(worst, (fabs(f - 0.315) < 0.01) ? 0. : fabs(sum - response(&r, f)));
		}

		check(worst < 3e-4, "kernel %d has the response |f| W(f): off by %g", i, worst);
	}
}

/** Quadrature against the closed form: a Kaiser window of beta 0 is none, up to Nyquist's frequency. */
static void test_quadrature(void)
{
	enum { N = 3000 };
	static double h[N], plain[N];
	const struct ramp_filter ramp = {.window = RAMP_RAMP},
	                         kaiser = {.window = RAMP_KAISER, .beta = 1e-12};
	double worst = 0.;

	ramp_kernel(&ramp, N, plain);
	ramp_kernel(&kaiser, N, h);

	for (int i = 0; i < N; i++)
		worst = fmax(worst, fabs(h[i] - plain[i]));

	check(worst < 1e-13, "quadrature gives the closed form: off by %g", worst);
}

static void test_windows_known(void)
{
	const struct ramp_filter butter = {.window = RAMP_BUTTERWORTH, .order = 2.},
	                         parzen = {.window = RAMP_PARZEN},
	                         kaiser = {.window = RAMP_KAISER, .beta = 5.},
	                         black = {.window = RAMP_BLACKMAN};

	const struct ramp_filter usual = {.window = RAMP_BUTTERWORTH};

	check(fabs(ramp_window_at(&butter, 1.) - sqrt(0.5)) < 1e-15, "Butterworth at its cut-off");
	check(fabs(ramp_window_at(&usual, 2.) - 1. / sqrt(257.)) < 1e-15, "Butterworth's order is 4");
	check(fabs(ramp_window_at(&parzen, 0.5) - 0.25) < 1e-15 && ramp_window_at(&parzen, 1.) == 0.,
	        "Parzen half-way and at the end");
	check(fabs(ramp_window_at(&kaiser, 1.) * 27.239871823604442 - 1.) < 1e-14,
	        "Kaiser ends at 1 / I0(5)");
	check(fabs(ramp_window_at(&black, 1.)) < 1e-15 && fabs(ramp_window_at(&black, 0.) - 1.) < 1e-15,
	        "Blackman begins at 1 and ends at 0");
}

static double kernel_at(const double h[], long n, double bend)
{
	double f = (0. == bend || 0 == n) ? 1. : (double)n * bend / sin((double)n * bend);

	return h[labs(n)] * f * f;
}

static double convolution_error(int w, double bend, enum dtype type)
{
	enum { N = 37, LINES = 5 };
	double x[N * LINES], direct[N * LINES], h[N], worst = 0.;
	float y[N * LINES];
	const struct ramp_filter filter = filter_of(w, 0.);
	struct ramp *r = ramp_create(&filter, N, bend);

	ramp_kernel(&filter, N, h);

	for (int i = 0; i < N * LINES; i++) {
		x[i] = rand_normal(1, (uint64_t)i);
		y[i] = (float)x[i];
	}

	for (int l = 0; l < LINES; l++)
		for (int i = 0; i < N; i++) {
			direct[l * N + i] = 0.;

			for (int j = 0; j < N; j++)
				direct[l * N + i] += kernel_at(h, i - j, bend) * x[l * N + j];
		}

	ramp_lines(r, type, LINES, (DT_FLOAT32 == type) ? (void *)y : (void *)x);
	ramp_free(r);

	for (int i = 0; i < N * LINES; i++)
		worst = fmax(worst, fabs((DT_FLOAT32 == type ? (double)y[i] : x[i]) - direct[i]));

	return worst;
}

static void test_lines(void)
{
	for (int w = 0; w < RAMP_WINDOWS; w++) {
		check(convolution_error(w, 0., DT_FLOAT64) < 1e-13, "filter %d is the plain convolution", w);
		check(convolution_error(w, 0.01, DT_FLOAT64) < 1e-13, "filter %d with equiangular columns",
		        w);
	}

	check(convolution_error(RAMP_RAMP, 0., DT_FLOAT32) < 1e-6, "filter in float32");
}

static void test_gaps(void)
{
	const double turn[5] = {0., M_PI / 2., M_PI, 3. * M_PI / 2., 2. * M_PI};
	double weight[5], gap[5];
	long order[5];

	scan_half_gaps(5, turn, 2. * M_PI, weight, gap, order);
	check(fabs(weight[0] - M_PI / 4.) < 1e-15 && fabs(weight[4] - M_PI / 4.) < 1e-15 &&
	                fabs(weight[2] - M_PI / 2.) < 1e-15,
	        "a repeated end point shares its weight");

	scan_half_gaps(4, turn, M_PI, weight, gap, order);
	check(fabs(weight[0] + weight[2] - M_PI / 2.) < 1e-15 &&
	                fabs(weight[1] + weight[3] - M_PI / 2.) < 1e-15,
	        "opposite views share modulo 180 degrees");

	const double uneven[3] = {2., 0.1, 0.5};

	scan_half_gaps(3, uneven, M_PI, weight, gap, order);
	check(1 == order[0] && 2 == order[1] && 0 == order[2] && fabs(weight[2] - (0.4 + 1.5) / 2.) < 1e-15,
	        "half the gap to both sides");
}

struct setup {
	const char *name;
	struct orbit orbit;
	long views, cols, rows;
	double first, arc; // arc 0: golden angles
	double tolerance;
};

static struct geom *setup_geom(const struct setup *s)
{
	double *angle = malloc((size_t)s->views * sizeof *angle);

	for (long k = 0; k < s->views; k++)
		angle[k] =
		        s->first + (double)k * (0. == s->arc ? 180. * 0.6180340 : s->arc / (double)s->views);

	struct geom *g = orbit_geom(&s->orbit, s->views, angle, s->cols, s->rows);

	free(angle);
	return g;
}

static const struct setup setups[] = {
        {"parallel, 180 degrees", {.parallel = true, .pitch = {1., 1.}}, 120, 63, 1, 0., 180., 0.01},
        {"parallel, 360 degrees", {.parallel = true, .pitch = {1., 1.}}, 121, 63, 1, 0., 360., 0.01},
        {"parallel, clockwise, mirrored, fine pitch", {.parallel = true, .pitch = {-.5, .5}}, 120, 63, 1, 33.,
                -180., 0.01},
        {"parallel, repeated end point", {.parallel = true, .pitch = {1., 1.}}, 121, 63, 1, 0., 181.5, 0.01},
        {"parallel, 250 degrees", {.parallel = true, .pitch = {1., 1.}}, 175, 63, 1, 0., 250., 0.01},
        {"parallel, golden angles", {.parallel = true, .pitch = {1., 1.}}, 130, 63, 1, 0., 0., 0.01},
        {"parallel, displaced over 360 degrees", {.parallel = true, .pitch = {1., 1.}, .offset = {18., 0.}},
                240, 63, 1, 0., 360., 0.01},
        {"parallel, curved detector", {.parallel = true, .pitch = {1., 1.}, .radius = 60.}, 120, 75, 1, 0.,
                180., 0.01},
        {"fan, flat", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}, 180, 63, 1, 0., 360., 0.01},
        {"fan, golden angles", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}, 190, 63, 1, 0., 0., 0.01},
        {"fan, wide", {.sod = 60., .sdd = 90., .pitch = {2., 2.}}, 240, 63, 1, 10., 360., 0.01},
        {"fan, flat, short scan", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}, 160, 63, 1, 70., 198.,
                0.01},
        {"fan, flat, 280 degrees clockwise", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}, 160, 63, 1, 20.,
                -280., 0.01},
        {"fan, equiangular", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .radius = 300.}, 180, 63, 1, 0.,
                360., 0.01},
        {"fan, equiangular, short scan", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .radius = 300.}, 160,
                63, 1, 0., 200., 0.01},
        {"fan, detector of another radius", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .radius = 150.},
                180, 63, 1, 0., 360., 0.01},
        {"fan, detector of nearly the distance as radius",
                {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .radius = 330.}, 180, 63, 1, 0., 360., 0.01},
        {"fan, shifted detector", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .offset = {4., 0.}}, 180,
                63, 1, 0., 360., 0.01},
        {"fan, half-fan detector", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .offset = {-30., 0.}}, 300,
                63, 1, 0., 360., 0.02},
        {"cone", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}, 120, 63, 33, 0., 360., 0.01},
        {"cone, short scan", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}, 120, 63, 33, 0., 200., 0.01},
        {"cone, equiangular columns", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .radius = 300.}, 120,
                63, 33, 0., 360., 0.01},
        {"cone, detector shifted along both directions",
                {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .offset = {5., 9.}}, 120, 63, 33, 0., 360.,
                0.02},
        {"cone, half-fan detector", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .offset = {30., 0.}}, 240,
                63, 17, 0., 360., 0.02},
        {"parallel, three-dimensional", {.parallel = true, .pitch = {1., 2.}}, 120, 63, 16, 0., 180., 0.01},
};

enum { SETUPS = sizeof setups / sizeof setups[0] };

/** The weights of all measurements of a line sum up to pi: here of the line through the middle of every fan.
 */
static void test_shares(void)
{
	for (int i = 0; i < SETUPS; i++) {
		const struct setup *s = setups + i;

		if (0. != s->orbit.offset[0])
			continue;

		struct geom *g = setup_geom(s);
		struct scan *scan = scan_create(g, SCAN_SILVER, "test");
		double *weight = malloc((size_t)g->cols * sizeof *weight), sum = 0.;

		for (long k = 0; k < g->views; k++) {
			scan_weights(scan, k, weight);
			sum += weight[g->cols / 2];
		}

		check(fabs(sum - M_PI) < 1e-3 * M_PI, "%s: central rays weigh pi in all, found %.9g", s->name,
		        sum);
		free(weight);
		scan_free(scan);
		geom_free(g);
	}
}

/** Filters and back-projects exact integrals, in batches. */
static float *reconstruct(
        const struct geom *g, const struct shapes *o, const struct grid *grid, enum ramp_window w, long batch)
{
	long size = g->cols * g->rows, voxels = grid->size[0] * grid->size[1] * grid->size[2];
	struct fbp *f = fbp_create(g, &(struct fbp_settings){.filter.window = w}, "test");
	double *view = malloc((size_t)size * sizeof *view);
	float *p = malloc((size_t)(batch * size) * sizeof *p);
	float *q = malloc((size_t)(batch * g->rows * fbp_cols(f)) * sizeof *q);
	float *vol = calloc((size_t)voxels, sizeof *vol);

	for (long k = 0, n; k < g->views; k += n) {
		n = (g->views - k < batch) ? g->views - k : batch;

		for (long l = 0; l < n; l++) {
			shapes_view(o, g, k + l, view);

			for (long i = 0; i < size; i++)
				p[l * size + i] = (float)view[i];
		}

		fbp_filter(f, DT_FLOAT32, q, p, k, n);
		fbp_backproject(f, grid, DT_FLOAT32, vol, 1, q, k, n);
	}

	free(q);
	free(p);
	free(view);
	fbp_free(f);
	return vol;
}

static struct grid cube(long nx, long nz, double spacing)
{
	struct grid g = {.size = {nx, nx, nz}, .spacing = {spacing, spacing, spacing}};

	for (int i = 0; i < 3; i++)
		g.origin[i] = -0.5 * (double)(g.size[i] - 1) * spacing;

	return g;
}

/** Largest deviation from 1 inside 0.9 times the radius, in the slice at z = 0. */
static double worst_inside(const float *vol, const struct grid *g, double radius)
{
	double worst = 0.;
	const float *mid = vol + g->size[2] / 2 * g->size[0] * g->size[1];

	for (long j = 0; j < g->size[1]; j++)
		for (long i = 0; i < g->size[0]; i++)
			if (hypot(g->origin[0] + (double)i * g->spacing[0],
			            g->origin[1] + (double)j * g->spacing[1]) < 0.9 * radius)
				worst = fmax(worst, fabs((double)mid[j * g->size[0] + i] - 1.));

	return worst;
}

/** A cylinder that fills 0.7 of the smallest field of view. */
static void test_cylinders(void)
{
	for (int i = 0; i < SETUPS; i++) {
		const struct setup *s = setups + i;
		struct geom *g = setup_geom(s);
		double m = s->orbit.parallel ? 1. : s->orbit.sdd / s->orbit.sod,
		       pitch = fabs(s->orbit.pitch[0]) / m;
		double radius = 0.35 * pitch * 63.;
		const double zero[3] = {0., 0., 0.}, half[3] = {radius, radius, 40.};
		struct grid grid = cube(61, (1 == s->rows) ? 1 : 9, pitch);
		struct shapes o = {0};

		shapes_add(&o, SHAPE_CYLINDER, 1., zero, half, zero);

		float *vol = reconstruct(g, &o, &grid, RAMP_RAMP, 50);
		double worst = worst_inside(vol, &grid, radius);

		check(worst < s->tolerance, "%s: the cylinder comes back as 1, off by %.4f", s->name, worst);
		free(vol);
		shapes_free(&o);
		geom_free(g);
	}
}

/** Every window leaves the value of a large flat area. */
static void test_windows(void)
{
	struct geom *g = setup_geom(setups + 8);
	struct grid grid = cube(61, 1, 1.);
	const double zero[3] = {0., 0., 0.}, half[3] = {22., 22., 1.};
	struct shapes o = {0};

	shapes_add(&o, SHAPE_CYLINDER, 1., zero, half, zero);

	for (int w = 0; w < RAMP_WINDOWS; w++) {
		if (RAMP_LAMBDA == w || RAMP_OWN == w) // no ramp; the tool's tests have a window of one's own
			continue;

		float *vol = reconstruct(g, &o, &grid, (enum ramp_window)w, 64);

		check(fabs((double)vol[30 * 61 + 30] - 1.) < 0.005, "window %d keeps the mean: %g", w,
		        (double)vol[30 * 61 + 30]);
		free(vol);
	}

	shapes_free(&o);
	geom_free(g);
}

/** Bricks of few voxels between two columns: float32 goes along lines, float64 does not. */
static void test_small_voxels(void)
{
	enum { N = 33, SLICES = 3, VOXELS = N * N * SLICES };
	static float vol[VOXELS];
	static double exact[VOXELS];
	const struct setup s = {"", {.parallel = true, .pitch = {1., 1.}}, 24, 9, 5, 3., 180., 0.};
	struct geom *g = setup_geom(&s);
	struct fbp *f = fbp_create(g, &(struct fbp_settings){.filter.window = RAMP_RAMP}, "test");

	for (int i = 0; i < 2; i++) { // in the middle of the detector, and across its end
		struct grid grid = cube(N, SLICES, 0.2);
		const long pixels = s.views * s.rows * fbp_cols(f);
		float *q = malloc((size_t)pixels * sizeof *q);
		double *wide = malloc((size_t)pixels * sizeof *wide), worst = 0.;

		for (long k = 0; k < pixels; k++)
			wide[k] = q[k] = (float)rand_normal(2, (uint64_t)k);

		grid.origin[0] += 5. * i;
		memset(vol, 0, sizeof vol);
		memset(exact, 0, sizeof exact);
		fbp_backproject(f, &grid, DT_FLOAT32, vol, 1, q, 0, s.views);
		fbp_backproject(f, &grid, DT_FLOAT64, exact, 1, wide, 0, s.views);

		for (int k = 0; k < VOXELS; k++)
			worst = fmax(worst, fabs((double)vol[k] - exact[k]));

		check(worst < 2e-5, "voxels much smaller than pixels, grid %d: off by %g", i, worst);
		free(q);
		free(wide);
	}

	fbp_free(f);
	geom_free(g);
}

/** A small ball stands where it is, whatever the vectors: shifted, leaning, transposed and anisotropic
 * detectors.
 */
static void test_place(void)
{
	const struct orbit orbit = {.sod = 200., .sdd = 300., .pitch = {1.5, 2.}, .offset = {3., -4.}};
	const double ball[3] = {9., -6., 5.}, half[3] = {4., 4., 4.}, zero[3] = {0., 0., 0.};
	double angle[90], sum = 0., at[3] = {0., 0., 0.};
	struct grid grid = cube(41, 31, 1.);
	struct shapes o = {0};

	for (int k = 0; k < 90; k++)
		angle[k] = 4. * k;

	struct geom *g = orbit_geom(&orbit, 90, angle, 61, 41);

	for (long k = 0; k < 90; k++) { // turn the detector about its normal, and lean it
		struct geom_view *v = g->view + k;

		for (int i = 0; i < 3; i++) {
			double u = v->u[i], w = v->v[i];

			v->u[i] = u + 0.02 * w;
			v->v[i] = w - 0.02 * u - 0.05 * (v->s[i] - v->d[i]) / 300.;
		}
	}

	shapes_add(&o, SHAPE_ELLIPSOID, 1., ball, half, zero);

	float *vol = reconstruct(g, &o, &grid, RAMP_HANN, 16);

	for (long k = 0; k < 31; k++)
		for (long j = 0; j < 41; j++)
			for (long i = 0; i < 41; i++) {
				const double p[3] = {(double)i - 20., (double)j - 20., (double)k - 15.};
				double d = hypot(hypot(p[0] - ball[0], p[1] - ball[1]), p[2] - ball[2]);
				double x = (d < 7.) ? (double)vol[(k * 41 + j) * 41 + i] : 0.;

				sum += x;

				for (int c = 0; c < 3; c++)
					at[c] += x * p[c];
			}

	double off = 0.;

	for (int c = 0; c < 3; c++)
		off = fmax(off, fabs(at[c] / sum - ball[c]));

	check(off < 0.1, "a ball stands at its place for any vectors: off by %.3f mm", off);
	check(fabs((double)vol[(20 * 41 + 14) * 41 + 29] - 1.) < 0.05, "and has its value: %g",
	        (double)vol[(20 * 41 + 14) * 41 + 29]);
	free(vol);
	shapes_free(&o);
	geom_free(g);
}

/** Weights of a displaced detector grow from 0 to 1 without a step. */
static void test_displaced(void)
{
	for (int parallel = 0; parallel < 2; parallel++) {
		struct geom *g = setup_geom(&(struct setup){"",
		        {.parallel = parallel,
		                .sod = 2000.,
		                .sdd = 3000.,
		                .pitch = {1., 1.},
		                .offset = {40., 0.}},
		        90, 128, 1, 0., 360., 0.});
		struct scan *scan = scan_create(g, SCAN_SILVER, "test");
		double weight[128], step = 0., least = INFINITY;

		scan_weights(scan, 0, weight);

		for (int a = 1; a < 128; a++) {
			step = fmax(step, fabs(weight[a] - weight[a - 1]) / weight[127]);
			least = fmin(least, weight[a] / weight[127]);
		}

		check(step < 0.04 && least < 0.01, "%s: weights of a displaced detector, steps of %g from %g",
		        parallel ? "parallel" : "fan", step, least);
		scan_free(scan);
		geom_free(g);
	}
}

/** A short scan may lack half a step, no more. */
static struct geom *coarse_fan(double arc)
{
	return setup_geom(
	        &(struct setup){"", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}, 20, 63, 1, 0., arc, 0.});
}

static void coarse_short_fan(void)
{
	scan_create(coarse_fan(190.), SCAN_SILVER, "short");
}

static void test_short_limit(void)
{
	struct geom *g = coarse_fan(193.5);
	struct scan *scan = scan_create(g, SCAN_SILVER, "test");

	check(scan_is_short(scan), "193.5 degrees in 20 views are enough for 197.6");
	scan_free(scan);
	geom_free(g);
	check_ends(1, "needs 197.6 degrees (180 degrees + the fan angle)", coarse_short_fan,
	        "190 degrees in 20 views are not");
}

static void short_parallel(void)
{
	struct geom *g = setup_geom(
	        &(struct setup){"", {.parallel = true, .pitch = {1., 1.}}, 100, 63, 1, 0., 120., 0.});

	scan_create(g, SCAN_SILVER, "short");
}

static void short_fan(void)
{
	struct geom *g = setup_geom(&(struct setup){
	        "", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}, 100, 63, 1, 0., 190., 0.});

	scan_create(g, SCAN_SILVER, "short");
}

static void axis_behind(void)
{
	struct geom *g = setup_geom(setups + 8);

	g->view[3].d[0] = 10. * g->view[3].s[0];
	g->view[3].d[1] = 10. * g->view[3].s[1];
	fbp_create(g, &(struct fbp_settings){.short_scan = SCAN_SILVER}, "behind");
}

int main(void)
{
	test_kernel();
	test_quadrature();
	test_windows_known();
	test_lines();
	test_gaps();
	test_shares();
	test_cylinders();
	test_windows();
	test_small_voxels();
	test_place();
	test_displaced();
	test_short_limit();
	check_ends(1, "cover 120.0 degrees, but filtered back projection of a parallel beam needs 180",
	        short_parallel, "120 degrees are too few");
	check_ends(1, "cover 190.0 degrees, but a fan beam needs 197.6 degrees (180 degrees + the fan angle)",
	        short_fan, "190 degrees are too few");
	check_ends(1, "view 3: the rotation axis is", axis_behind, "the axis must be in front of the source");

	return checks_failed ? 1 : 0;
}
