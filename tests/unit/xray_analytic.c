/* The X-ray transform against what is known exactly: Gaussians, ellipsoids, chords, masses. */

#include <omp.h>

#include "ct/geometry/vec3.h"
#include "ct/phantom/shapes.h"
#include "xray_scans.h"

/* Integral along the whole line of exp(-r^2 / 2 sigma^2): sigma sqrt(2 pi) exp(-distance^2 / 2 sigma^2). */
static void test_gaussian(enum xray_model m, enum kind kind)
{
	double error[2];

	for (int fine = 0; fine < 2; fine++) {
		const long n = fine ? 80 : 40;
		const double h = 48. / n, sigma = 3.5, c[3] = {4.3, -6.1, 3.7};
		struct geom *g = scan(kind, 48., 2, 48 << fine, (kind == FAN) ? 1 : 44 << fine);
		const struct grid grid = centred(n, n, n, h, h, h);
		struct xray *x = xray_create(g, &grid, m);
		double *vol = mem_alloc(n * n * n * sizeof(double)),
		       *proj = mem_alloc(proj_size(g) * sizeof(double)), diff = 0., size = 0.;

		for (long i = 0; i < n * n * n; i++) {
			const double p[3] = {grid.origin[0] + i % n * h - c[0],
			        grid.origin[1] + i / n % n * h - c[1], grid.origin[2] + i / n / n * h - c[2]};

			vol[i] = exp(-(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (2. * sigma * sigma));
		}
		xray_forward(x, DT_FLOAT64, proj, vol, 0, g->views);

		for (long i = 0; i < proj_size(g); i++) {
			double s[3], d[3], dd = 0., sd = 0., ss = 0.;

			geom_ray(g, i / g->cols / g->rows, i % g->cols, i / g->cols % g->rows, s, d);
			for (int k = 0; k < 3; k++) {
				dd += d[k] * d[k];
				sd += (s[k] - c[k]) * d[k];
				ss += (s[k] - c[k]) * (s[k] - c[k]);
			}
			const double want =
			        sigma * sqrt(2. * M_PI) * exp(-(ss - sd * sd / dd) / (2. * sigma * sigma));

			diff += (proj[i] - want) * (proj[i] - want);
			size += want * want;
		}
		error[fine] = sqrt(diff / size);
		free(vol);
		free(proj);
		xray_free(x);
		geom_free(g);
	}
	// Siddon's voxels are blocks whose edges are seen; footprints blur them, but for what repeats
	const double most[XRAY_MODELS] = {0.02, 0.3, 0.03}, order[XRAY_MODELS] = {0.3, 0.6, 0.36};

	check(error[0] < most[m] && error[1] < order[m] * error[0],
	        "%s, %s: a Gaussian's integrals, error %.5f, voxels and pixels halved %.5f",
	        xray_model_name[m], kind_name[kind], error[0], error[1]);
}

/* Ellipsoids against their exact integrals: root mean square over the scan, relative. */
static double ellipsoid_error(enum xray_model m, enum kind kind, long n)
{
	struct shapes o = {0};
	struct geom *g = scan(kind, 48., 3, n, (kind == FAN) ? 1 : n);
	const struct grid grid = centred(n, n, n, 48. / n, 48. / n, 48. / n);
	struct xray *x = xray_create(g, &grid, m);
	double *vol = mem_alloc(n * n * n * sizeof(double)), *proj = mem_alloc(proj_size(g) * sizeof(double)),
	       *want = mem_alloc(g->cols * g->rows * sizeof(double)), diff = 0., size = 0.;

	shapes_add(&o, SHAPE_ELLIPSOID, 1., (const double[]){2., -3., 1.}, (const double[]){15., 11., 13.},
	        (const double[]){0.4, 0.3, 0.2});
	shapes_add(&o, SHAPE_ELLIPSOID, -0.5, (const double[]){-3., 2., 0.}, (const double[]){6., 4., 5.},
	        (const double[]){0., 0.5, 0.});

	for (long i = 0; i < n * n; i++)
		shapes_row(&o, &grid, 3, i % n, i / n, vol + i * n);

	xray_forward(x, DT_FLOAT64, proj, vol, 0, g->views);

	for (long k = 0; k < g->views; k++) {
		shapes_view(&o, g, k, want);

		for (long i = 0; i < g->cols * g->rows; i++) {
			const double e = proj[k * g->cols * g->rows + i] - want[i];

			diff += e * e;
			size += want[i] * want[i];
		}
	}

	shapes_free(&o);
	free(vol);
	free(proj);
	free(want);
	xray_free(x);
	geom_free(g);
	return sqrt(diff / size);
}

static void test_ellipsoids(enum xray_model m, enum kind kind)
{
	const double coarse = ellipsoid_error(m, kind, 24), fine = ellipsoid_error(m, kind, 48);

	check(coarse < 0.12 && fine < 0.7 * coarse,
	        "%s, %s: ellipsoids, error %.4f, half the voxels and pixels %.4f", xray_model_name[m],
	        kind_name[kind], coarse, fine);
}

/* Parallel beams: the sum over the pixels times their area across the beam is the mass of the volume. */
static void test_mass_parallel(enum kind kind)
{
	struct geom *g = scan(kind, 30., 7, 70, 70);
	const struct grid grid = centred(14, 15, 13, 1., 0.8, 1.1);
	struct xray *x = xray_create(g, &grid, XRAY_SF);
	double *vol = deviates(volume_size(&grid), 3), *proj = mem_alloc(proj_size(g) * sizeof(double)),
	       mass = 0., worst = 0.;

	for (long i = 0; i < volume_size(&grid); i++) {
		vol[i] += 1.;
		mass += vol[i] * 0.88;
	}

	xray_forward(x, DT_FLOAT64, proj, vol, 0, g->views);

	for (long k = 0; k < g->views; k++) {
		double n[3], sum = 0.;

		cross3(n, g->view[k].u, g->view[k].v);

		for (long i = 0; i < g->cols * g->rows; i++)
			sum += proj[k * g->cols * g->rows + i];

		worst = fmax(
		        worst, fabs(sum * fabs(dot3(n, g->view[k].s)) / norm3(g->view[k].s) / mass - 1.));
	}

	check(worst < 1e-12, "sf, %s: the mass of the volume in every view, %.1e", kind_name[kind], worst);
	free(vol);
	free(proj);
	xray_free(x);
	geom_free(g);
}

/* Area of the beam of a pixel [mm^2], across it, where it passes p; false where p is not seen well inside. */
static bool beam_area(double *area, const struct geom *g, long k, const double p[3])
{
	const double e = 1e-4;
	double a, b, q[3], left[3], right[3], u[3], n[3], d[3], far[3];

	if (!verify_pixel(g, k, p, &a, &b) || a < 6. || a > g->cols - 7. || b < 6. || b > g->rows - 7.)
		return false;

	geom_pixel(g, k, a, b, q);
	geom_pixel(g, k, a - e, b, left);
	geom_pixel(g, k, a + e, b, right);
	sub3(u, right, left);
	scale3(u, 0.5 / e, u);
	cross3(n, u, g->view[k].v);

	if (g->parallel) {
		*area = fabs(dot3(n, g->view[k].s)) / norm3(g->view[k].s);
		return true;
	}

	sub3(d, p, g->view[k].s);
	sub3(far, q, g->view[k].s);
	*area = fabs(dot3(n, far)) / norm3(far) * dot3(d, d) / dot3(far, far);
	return true;
}

/* What the pixels see of a voxel, times the area of a pixel's beam there, is its volume. */
static void test_mass(enum kind kind)
{
	struct geom *g = scan(kind, 20., 7, 41, 43);
	const struct grid grid = centred(10, 9, 11, 1., 1.1, 0.9);
	struct xray *x = xray_create(g, &grid, XRAY_SF);
	const long n = volume_size(&grid);
	double *ones = mem_alloc(g->cols * g->rows * sizeof(double)), worst = 0.;
	long seen = 0;

	for (long i = 0; i < g->cols * g->rows; i++)
		ones[i] = 1.;

	for (long k = 0; k < g->views; k++) {
		double *back = mem_calloc(n, sizeof(double)), area;

		xray_adjoint(x, DT_FLOAT64, back, ones, k, 1);

		for (long i = 0; i < n; i++) {
			const double p[3] = {grid.origin[0] + i % 10 * 1., grid.origin[1] + i / 10 % 9 * 1.1,
			        grid.origin[2] + i / 90 * 0.9};

			if (!beam_area(&area, g, k, p))
				continue;

			worst = fmax(worst, fabs(back[i] * area / 0.99 - 1.));
			seen++;
		}

		free(back);
	}

	check(seen > 0 && worst < 1e-9, "sf, %s: the mass of each voxel in every view, %ld times, %.1e",
	        kind_name[kind], seen, worst);
	free(ones);
	xray_free(x);
	geom_free(g);
}

/* Sum over u times pitch is the mass of the slice. */
static void test_slice_mass(enum xray_model m)
{
	enum { N = 64 };
	double *vol = mem_alloc(N * N * sizeof(double)), mass = 0., worst = 0.;
	struct geom *g = scan(PARALLEL, N, 40, 192, 1);
	const struct grid grid = centred(N, N, 1, 1., 1., 1.);
	struct xray *x = xray_create(g, &grid, m);
	double *proj = mem_alloc(proj_size(g) * sizeof(double));

	for (int i = 0; i < N * N; i++) {
		vol[i] = exp(-(pow(i % N - 28., 2) + pow(i / N - 36., 2)) / 100.);
		mass += vol[i];
	}
	xray_forward(x, DT_FLOAT64, proj, vol, 0, g->views);
	for (int k = 0; k < 40; k++) {
		double sum = 0.;

		for (int a = 0; a < 192; a++)
			sum += proj[a + 192 * k] * 0.5;
		worst = fmax(worst, fabs(sum / mass - 1.));
	}
	check(worst < ((m == XRAY_SF) ? 1e-12 : 1e-3), "%s: the mass of a slice in every view: %.1e",
	        xray_model_name[m], worst);
	free(vol);
	free(proj);
	xray_free(x);
	geom_free(g);
}

/* A box of ones is crossed along its axes: the chord is its edge, wherever the ray passes inside. */
static void test_chords(enum xray_model m)
{
	const struct orbit o = {.parallel = true, .pitch = {1., 1.}};
	struct geom *g = orbit_geom(&o, 2, (double[]){0., 90.}, 6, 5);
	const struct grid grid = centred(12, 10, 8, 0.5, 0.7, 1.1);
	struct xray *x = xray_create(g, &grid, m);
	float vol[960], proj[60];
	bool good = true;

	for (int i = 0; i < 960; i++)
		vol[i] = 2.f;
	xray_forward(x, DT_FLOAT32, proj, vol, 0, 2);
	for (int a = 0; a < 6; a++)
		for (int b = 0; b < 5; b++) {
			const bool inside = fabs(a - 2.5) < 2.7 && fabs(b - 2.) < 3.8;

			good &= !inside ||
			        fabs(proj[a + 6 * b] - 2. * 7.) < 1e-5; // along y: 10 planes of 0.7 mm
			good &= !(fabs(a - 2.5) < 3.1) || fabs(proj[30 + a + 6 * b] - 2. * 6.) < 1e-5;
		}
	check(good, "%s: chords of a box along x and y", xray_model_name[m]);
	xray_free(x);
	geom_free(g);
}

/* A source inside sees only what is in front of it. */
static void test_half_line(void)
{
	struct geom *g = geom_create(1, 3, 1, false);
	const struct grid grid = centred(21, 21, 1, 1., 1., 1.);
	struct xray *x;
	double vol[441], proj[3];

	g->view[0] = (struct geom_view){
	        .s = {0., -2.5, 0.}, .d = {0., 40., 0.}, .u = {1e-3, 0., 0.}, .v = {0., 0., 1.}};
	x = xray_create(g, &grid, XRAY_JOSEPH);
	for (int i = 0; i < 441; i++)
		vol[i] = (i / 21 - 10 > -2.5) ? 1. : 100.;
	xray_forward(x, DT_FLOAT64, proj, vol, 0, 1);
	check(fabs(proj[1] - 13.) < 1e-12, "source inside the volume: planes -2 to 10, not those behind: %g",
	        proj[1]);
	xray_free(x);

	g->view[0].s[1] = 30.; // the volume lies behind the source
	x = xray_create(g, &grid, XRAY_JOSEPH);
	xray_forward(x, DT_FLOAT64, proj, vol, 0, 1);
	check(proj[0] == 0. && proj[1] == 0. && proj[2] == 0., "nothing behind the source");
	xray_free(x);

	g->view[0].s[1] = -30.;
	g->view[0].d[1] = -20.; // the detector stands before the volume: rays do not end there
	x = xray_create(g, &grid, XRAY_JOSEPH);
	for (int i = 0; i < 441; i++)
		vol[i] = 1.;
	xray_forward(x, DT_FLOAT64, proj, vol, 0, 1);
	check(fabs(proj[1] - 21.) < 1e-6, "rays go on behind the detector: %g", proj[1]);
	xray_free(x);
	geom_free(g);
}

int main(void)
{
	omp_set_num_threads(2);

	const int step = short_tests() ? 5 : 1;

	for (int m = 0; m < XRAY_MODELS; m++) {
		for (int kind = 0; kind < RANDOM; kind += step)
			test_gaussian(m, kind);

		for (int kind = PARALLEL; kind <= CURVED; kind += step)
			test_ellipsoids(m, kind);

		test_slice_mass(m);
		test_chords(m);
	}

	test_mass_parallel(PARALLEL);
	test_mass_parallel(ANY_ORIENTATION_PARALLEL);

	for (int kind = 0; kind < RANDOM; kind++)
		if (kind != FAN)
			test_mass(kind);

	test_half_line();
	return checks_failed ? 1 : 0;
}
