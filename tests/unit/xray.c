/* The X-ray transform: dot test, float64 reference, analytic integrals, symmetries, odd shapes, splits. */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "linops/xray/bricks.h"
#include "linops/xray/joseph.h"
#include "linops/xray/orbit.h"
#include "linops/xray/prove.h"
#include "misc/mem.h"
#include "num/rand.h"

enum kind { PARALLEL, TILTED_PARALLEL, CONE, CURVED, HELIX, LAMINOGRAPHY, OFFSET, WOBBLE, RANDOM, KINDS };

static const char *const kind_name[KINDS] = {"parallel", "tilted parallel", "cone", "curved", "helix",
        "laminography", "offset", "wobble", "random vectors"};

static double uniform(long i)
{
	return rand_uniform(99, i) - 0.5;
}

/* Sources at random places, some inside the volume, detectors skewed and somewhere behind the origin. */
static void random_views(struct geom *g, double n)
{
	for (long k = 0; k < g->views; k++) {
		struct geom_view *w = g->view + k;
		double r = n * (0.3 + 2. * rand_uniform(7, k)), at[3], size = 0.;

		for (int i = 0; i < 3; i++) {
			at[i] = rand_normal(8, 3 * k + i);
			size += at[i] * at[i];
		}

		for (int i = 0; i < 3; i++) {
			at[i] /= sqrt(size);
			w->s[i] = r * at[i];
			w->d[i] = -1.2 * n * at[i] + 0.2 * n * uniform(100 + 3 * k + i);
			w->u[i] = 3. * uniform(1000 + 3 * k + i);
			w->v[i] = 3. * uniform(2000 + 3 * k + i);
		}
	}
}

/* A scan of an object of n mm; every view of a wobbling one has its own detector. */
static struct geom *scan(enum kind kind, double n, long views, long cols, long rows)
{
	struct orbit o = {.parallel = (kind == PARALLEL || kind == TILTED_PARALLEL),
	        .sod = 2 * n,
	        .sdd = 3 * n,
	        .pitch = {1.5 * n / cols, 1.5 * n / (rows > 1 ? rows : cols)}};
	double *angle = mem_alloc(views * sizeof(double));

	for (long k = 0; k < views; k++)
		angle[k] = 3. + 360. * k / views;

	if (kind == TILTED_PARALLEL)
		o.tilt = 25.;
	if (kind == LAMINOGRAPHY)
		o.tilt = 60.;
	if (kind == CURVED)
		o.radius = o.sdd;
	if (kind == HELIX)
		o.helix = n / 2;
	if (kind == OFFSET)
		o.offset[0] = n / 2, o.offset[1] = n / 5;

	struct geom *g = orbit_geom(&o, views, angle, cols, rows);

	for (long k = 0; k < views && kind == WOBBLE; k++)
		for (int i = 0; i < 3; i++) {
			g->view[k].s[i] += 3. * uniform(9 * k + i);
			g->view[k].d[i] += 3. * uniform(9 * k + 3 + i);
			g->view[k].u[i] += 0.1 * uniform(9 * k + 6 + i);
		}
	if (kind == RANDOM)
		random_views(g, n);

	free(angle);
	return g;
}

static struct grid centred(long nx, long ny, long nz, double sx, double sy, double sz)
{
	return (struct grid){
	        {nx, ny, nz}, {sx, sy, sz}, {-(nx - 1) / 2. * sx, -(ny - 1) / 2. * sy, -(nz - 1) / 2. * sz}};
}

static long volume_size(const struct grid *g)
{
	return g->size[0] * g->size[1] * g->size[2];
}

static long proj_size(const struct geom *g)
{
	return g->cols * g->rows * g->views;
}

static double *deviates(long n, unsigned long seed)
{
	double *x = mem_alloc(n * sizeof(double));

	for (long i = 0; i < n; i++)
		x[i] = rand_uniform(seed, i) - 0.5;
	return x;
}

static const char *const model_name[XRAY_MODELS] = {"joseph", "siddon", "sf"};

static void proof_of(enum xray_model m, prove_fn *fn, const struct geom *g, const struct grid *grid,
        const char *what, const char *name)
{
	struct str said = {0};
	const bool good = fn(g, grid, m, &said);

	check(good, "%s, %s, %s: %s", model_name[m], name, what, said.data);
	free(said.data);
}

/* Of every model. */
static void proof(
        prove_fn *fn, const struct geom *g, const struct grid *grid, const char *what, const char *name)
{
	for (int m = 0; m < XRAY_MODELS; m++)
		proof_of(m, fn, g, grid, what, name);
}

static void test_proofs(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct geom *g = scan(kind, 64., 7, 65, 63);
		const struct grid grid = centred(64, 65, 66, 1., 1., 1.);

		proof_of(XRAY_JOSEPH, prove_dot, g, &grid, "dot test", kind_name[kind]);
		if (kind % 2 == 0) // the slower one on half of them
			proof_of(XRAY_SIDDON, prove_dot, g, &grid, "dot test", kind_name[kind]);
		if (kind == CONE || kind == CURVED || kind == RANDOM)
			proof(prove_reference, g, &grid, "reference", kind_name[kind]);
		geom_free(g);

		g = scan(kind, 20., 5, 23, 21);
		const struct grid small = {
		        {20, 17, 23}, {1., 1.3, 0.8}, {-8., -9., -11.}}; // not cubic, not centred
		proof(prove_reference, g, &small, "reference, other voxels", kind_name[kind]);
		proof(prove_elements, g, &small, "elements", kind_name[kind]);
		geom_free(g);
	}
}

/* One half of each must not do: the same bits whatever the split. */
static void test_splits(void)
{
	for (int kind = 0; kind < KINDS; kind += 2) {
		struct geom *g = scan(kind, 70., 9, 51, 43);
		const struct grid grid = centred(70, 67, 66, 1., 1., 1.);

		proof(prove_split, g, &grid, "splits", kind_name[kind]);
		geom_free(g);
	}
}

/* Largest difference to the reference over everything, relative to the largest value. */
static void exact(const char *name, const struct geom *g, const struct grid *grid)
{
	struct xray *x = xray_create(g, grid, XRAY_JOSEPH);
	const long n = volume_size(grid), m = proj_size(g);
	double *vol = deviates(n, 1), *proj = mem_alloc(m * sizeof(double)), *y = deviates(m, 2),
	       *back = mem_calloc(n, sizeof(double));
	double worst = 0., most = 0., worst_back = 0., most_back = 0.;

	xray_forward(x, DT_FLOAT64, proj, vol, 0, g->views);
	xray_adjoint(x, DT_FLOAT64, back, y, 0, g->views);

	const long step = m / 2000 + 1, back_step = n / 12 + 1;

	for (long i = 0; i < m; i += step) {
		const double want = xray_reference_pixel(
		        x, vol, i % g->cols, i / g->cols % g->rows, i / g->cols / g->rows);

		worst = fmax(worst, fabs(proj[i] - want));
		most = fmax(most, fabs(want));
	}
	for (long i = 0; i < n; i += back_step) {
		const double want = xray_reference_voxel(x, y, i % grid->size[0],
		        i / grid->size[0] % grid->size[1], i / grid->size[0] / grid->size[1]);

		worst_back = fmax(worst_back, fabs(back[i] - want));
		most_back = fmax(most_back, fabs(want));
	}
	check(worst <= 1e-11 * most && most > 0., "%s: float64 forward, %.1e of %.1e", name, worst, most);
	check(worst_back <= 1e-11 * most_back && most_back > 0., "%s: float64 adjoint, %.1e of %.1e", name,
	        worst_back, most_back);
	free(vol);
	free(proj);
	free(y);
	free(back);
	xray_free(x);
}

static void test_sizes(void)
{
	static const long wide[] = {2047, 2049, 4097};

	for (int i = 0; i < 3; i++) {
		char name[64];
		struct geom *g = scan(CONE, 40., 3, wide[i], 2);
		struct grid grid = centred(40, 40, 3, 1., 1., 20.);

		snprintf(name, sizeof name, "%ld columns", wide[i]);
		exact(name, g, &grid);
		geom_free(g);

		g = scan(PARALLEL, 40., wide[i], 5, 2);
		snprintf(name, sizeof name, "%ld views", wide[i]);
		exact(name, g, &grid);
		geom_free(g);

		g = scan(CONE, 40., 3, 2, wide[i]);
		grid = centred(7, 5, wide[i], 6., 8., 40. / wide[i]);
		snprintf(name, sizeof name, "%ld rows and slices", wide[i]);
		exact(name, g, &grid);
		geom_free(g);

		g = scan(PARALLEL, 40., 5, 33, 1);
		grid = centred(wide[i], 3, 1, 40. / wide[i], 13., 1.);
		snprintf(name, sizeof name, "%ld x 3 image", wide[i]);
		exact(name, g, &grid);
		grid = centred(3, wide[i], 1, 13., 40. / wide[i], 1.);
		snprintf(name, sizeof name, "3 x %ld image", wide[i]);
		exact(name, g, &grid);
		geom_free(g);
	}
}

static void test_flat(void)
{
	struct geom *g = scan(CONE, 100., 30, 120, 1);
	struct grid grid = centred(100, 101, 1, 1., 1., 1.);

	exact("fan beam", g, &grid);
	proof(prove_dot, g, &grid, "dot test", "fan beam");
	geom_free(g);
	g = scan(PARALLEL, 100., 30, 120, 1);
	exact("2-D parallel beam", g, &grid);
	geom_free(g);
	g = scan(TILTED_PARALLEL, 100., 30, 120, 3);
	exact("one slice seen from above", g, &grid);
	geom_free(g);
	g = scan(RANDOM, 30., 6, 20, 20);
	grid = centred(1, 1, 1, 10., 10., 10.);
	exact("one voxel", g, &grid);
	geom_free(g);
}

/* Integral along the whole line of exp(-r^2 / 2 sigma^2): sigma sqrt(2 pi) exp(-distance^2 / 2 sigma^2). */
static void test_gaussian(enum kind kind)
{
	double error[2];

	for (int fine = 0; fine < 2; fine++) {
		const long n = fine ? 96 : 48;
		const double h = 48. / n, sigma = 3., c[3] = {4.3, -6.1, 3.7};
		struct geom *g = scan(kind, 48., 6, 30, 28);
		const struct grid grid = centred(n, n, n, h, h, h);
		struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);
		double *vol = mem_alloc(n * n * n * sizeof(double)),
		       *proj = mem_alloc(proj_size(g) * sizeof(double)), worst = 0.;

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

			worst = fmax(worst, fabs(proj[i] - want));
		}
		error[fine] = worst;
		free(vol);
		free(proj);
		xray_free(x);
		geom_free(g);
	}
	// interpolation widens it by h^2 / 6 in both directions across, 3.7 % at the top
	check(error[0] < 0.037 * 3. * sqrt(2. * M_PI), "%s: a Gaussian's integrals to 3.7 %%: %.4f",
	        kind_name[kind], error[0]);
	check(error[1] < 0.3 * error[0], "%s: halving the voxels quarters the error: %.5f, %.5f",
	        kind_name[kind], error[0], error[1]);
}

/* A box of ones is crossed along its axes: the chord is its edge, wherever the ray passes inside. */
static void test_chords(void)
{
	const struct orbit o = {.parallel = true, .pitch = {1., 1.}};
	struct geom *g = orbit_geom(&o, 2, (double[]){0., 90.}, 6, 5);
	const struct grid grid = centred(12, 10, 8, 0.5, 0.7, 1.1);
	struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);
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
	check(good, "chords of a box along x and y");
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

/* Turning the scan by 90 degrees and the volume with it changes nothing. */
static void test_quarter_turn(void)
{
	enum { N = 24 };
	const double angle[2][3] = {{10., 45., 80.}, {100., 135., 170.}};
	double *vol[2] = {deviates(N * N * N, 5), mem_alloc(N * N * N * sizeof(double))}, *proj[2],
	       worst = 0.;
	const struct grid grid = centred(N, N, N, 1., 1., 1.);

	for (int k = 0; k < N; k++)
		for (int j = 0; j < N; j++)
			for (int i = 0; i < N; i++) // (x, y) -> (-y, x)
				vol[1][(N - 1 - j) + N * (i + N * k)] = vol[0][i + N * (j + N * k)];

	for (int t = 0; t < 2; t++) {
		const struct orbit o = {.sod = 50., .sdd = 80., .pitch = {1.3, 1.3}};
		struct geom *g = orbit_geom(&o, 3, angle[t], 31, 29);
		struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);

		proj[t] = mem_alloc(proj_size(g) * sizeof(double));
		xray_forward(x, DT_FLOAT64, proj[t], vol[t], 0, 3);
		xray_free(x);
		geom_free(g);
	}
	for (int i = 0; i < 31 * 29 * 3; i++)
		if (i / (31 * 29) !=
		        1) // at 45 degrees ties choose x first in both, which are other axes of the object
			worst = fmax(worst, fabs(proj[0][i] - proj[1][i]));
	check(worst < 1e-10, "a quarter turn of scan and volume: %.1e", worst);
	for (int t = 0; t < 2; t++) {
		free(vol[t]);
		free(proj[t]);
	}
}

/* Mirrored columns give mirrored views; a parallel ray is the same from the other side. */
static void test_mirrors(void)
{
	const struct grid grid = centred(20, 20, 20, 1., 1., 1.);
	double *vol = deviates(8000, 6), proj[3][25 * 21], worst[2] = {0., 0.};

	for (int t = 0; t < 3; t++) {
		const struct orbit o = {.parallel = true, .pitch = {(t == 1) ? -1. : 1., 1.}};
		struct geom *g = orbit_geom(&o, 1, (double[]){(t == 2) ? 213. : 33.}, 25, 21);
		struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);

		xray_forward(x, DT_FLOAT64, proj[t], vol, 0, 1);
		xray_free(x);
		geom_free(g);
	}
	for (int t = 1; t < 3; t++)
		for (int b = 0; b < 21; b++)
			for (int a = 0; a < 25; a++)
				worst[t - 1] = fmax(
				        worst[t - 1], fabs(proj[0][a + 25 * b] - proj[t][24 - a + 25 * b]));
	check(worst[0] < 1e-12, "a negative pitch mirrors: %.1e", worst[0]);
	check(worst[1] < 1e-10, "a parallel beam from the other side: %.1e", worst[1]);
	free(vol);
}

/* Sum over u times pitch is the mass of the slice. */
static void test_mass(void)
{
	enum { N = 64 };
	double *vol = mem_alloc(N * N * sizeof(double)), mass = 0., worst = 0.;
	struct geom *g = scan(PARALLEL, N, 40, 192, 1);
	const struct grid grid = centred(N, N, 1, 1., 1., 1.);
	struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);
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
	check(worst < 1e-3, "the mass of a slice in every view: %.1e", worst);
	free(vol);
	free(proj);
	xray_free(x);
	geom_free(g);
}

/* Complex data act part by part; A(2 x + y) = 2 A x + A y in float64. */
static void test_types(void)
{
	struct geom *g = scan(CONE, 20., 4, 22, 18);
	const struct grid grid = centred(20, 21, 19, 1., 1., 1.);
	const long n = volume_size(&grid), m = proj_size(g);
	struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);
	double *a = deviates(n, 1), *b = deviates(n, 2), *pa = mem_alloc(m * sizeof(double)),
	       *pb = mem_alloc(m * sizeof(double));
	double *sum = mem_alloc(n * sizeof(double)), *psum = mem_alloc(m * sizeof(double)), worst = 0.;
	complex double *z = mem_alloc(n * sizeof *z), *pz = mem_alloc(m * sizeof *pz);
	bool parts = true;

	for (long i = 0; i < n; i++) {
		sum[i] = 2. * a[i] + b[i];
		z[i] = a[i] + I * b[i];
	}
	xray_forward(x, DT_FLOAT64, pa, a, 0, 4);
	xray_forward(x, DT_FLOAT64, pb, b, 0, 4);
	xray_forward(x, DT_FLOAT64, psum, sum, 0, 4);
	xray_forward(x, DT_COMPLEX128, pz, z, 0, 4);
	for (long i = 0; i < m; i++) {
		worst = fmax(worst, fabs(psum[i] - 2. * pa[i] - pb[i]));
		parts &= creal(pz[i]) == pa[i] && cimag(pz[i]) == pb[i];
	}
	check(worst < 1e-12, "linear: %.1e", worst);
	check(parts, "complex data: both parts as real data, bit for bit");

	double *back = mem_calloc(n, sizeof(double));

	memset(z, 0, n * sizeof *z);
	xray_adjoint(x, DT_FLOAT64, back, pb, 0, 4);
	xray_adjoint(x, DT_COMPLEX128, z, pz, 0, 4);
	parts = true;
	for (long i = 0; i < n; i++)
		parts &= cimag(z[i]) == back[i];
	check(parts, "complex data backwards");
	free(back);
	free(a);
	free(b);
	free(pa);
	free(pb);
	free(sum);
	free(psum);
	free(z);
	free(pz);
	xray_free(x);
	geom_free(g);
}

static void test_operator(void)
{
	struct geom *g = scan(CONE, 20., 4, 22, 18);
	const struct grid grid = centred(20, 21, 19, 1., 1., 1.);

	for (int t = 0; t < 2; t++) {
		struct linop *A =
		        linop_xray_create(g, &grid, XRAY_JOSEPH, t ? DT_COMPLEX64 : DT_FLOAT32, 2, 3);
		const double d = linop_dot_test(A, 1);

		check(linop_domain(A)[3] == 2 && linop_codomain(A)[4] == 3 && linop_codomain(A)[2] == 4,
		        "operator: channels and times");
		check(d < 3e-8, "operator: dot test %.1e", d);
		linop_free(A);
	}
	geom_free(g);
}

static void test_axis(void)
{
	check(joseph_axis(1, 1, 1) == 0 && joseph_axis(-1, 1, 0.5) == 0 && joseph_axis(0.5, -1, 1) == 1 &&
	                joseph_axis(0.1, 0.2, -0.3) == 2,
	        "ties of the dominant axis: x before y before z");
}

int main(void)
{
	omp_set_num_threads(2);
	test_axis();
	test_proofs();
	test_splits();
	test_sizes();
	test_flat();
	for (int kind = 0; kind < RANDOM; kind++)
		test_gaussian(kind);
	test_chords();
	test_half_line();
	test_quarter_turn();
	test_mirrors();
	test_mass();
	test_types();
	test_operator();
	return checks_failed ? 1 : 0;
}
