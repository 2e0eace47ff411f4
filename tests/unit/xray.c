/* The X-ray transform: single slices, symmetries, types, the operator. */

#include <complex.h>
#include <omp.h>

#include "ct/projector/model/joseph.h"
#include "xray_scans.h"

static void test_flat(enum xray_model m)
{
	struct geom *g = scan(CONE, 100., 30, 120, 1);
	struct grid grid = centred(100, 101, 1, 1., 1., 1.);

	exact(m, "fan beam", g, &grid);
	proof_of(m, verify_dot, g, &grid, "dot test", "fan beam");
	geom_free(g);
	g = scan(PARALLEL, 100., 30, 120, 1);
	exact(m, "2-D parallel beam", g, &grid);
	geom_free(g);
	g = scan(ANY_ORIENTATION_PARALLEL, 100., 30, 120, 3);
	exact(m, "one slice seen from above", g, &grid);
	geom_free(g);
	g = scan(RANDOM, 30., 6, 20, 20);
	grid = centred(1, 1, 1, 10., 10., 10.);
	exact(m, "one voxel", g, &grid);
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

/* Directions parallel to the axes but for rounding are parallel to them: the same bytes, on the same path. */
static void test_rounding(enum xray_model m)
{
	const struct grid grid = centred(20, 21, 19, 1., 1., 1.);

	for (int kind = PARALLEL; kind <= CONE; kind += CONE - PARALLEL) {
		struct geom *g = scan((enum kind)kind, 20., 4, 22, 18);
		const long n = volume_size(&grid), size = proj_size(g);
		double *in = deviates(n, 1);
		float *vol = mem_alloc(n * sizeof(float)), *proj = mem_alloc(2 * size * sizeof(float));

		for (long i = 0; i < n; i++)
			vol[i] = (float)in[i];
		for (int t = 0; t < 2; t++) {
			struct xray *x = xray_create(g, &grid, m);

			xray_forward(x, DT_FLOAT32, proj + t * size, vol, 0, 4);
			xray_free(x);
			for (int k = 0; k < 4; k++) {
				g->view[k].v[0] = 2e-16 * g->view[k].v[2];
				g->view[k].v[1] = -1e-16 * g->view[k].v[2];
				g->view[k].u[2] = 1e-17;
				if (g->parallel)
					g->view[k].s[2] = -6e-17;
			}
		}
		check(0 == memcmp(proj, proj + size, size * sizeof(float)),
		        "model %d, kind %d: columns parallel to z but for rounding", m, kind);
		free(in);
		free(vol);
		free(proj);
		geom_free(g);
	}
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
	for (int m = 0; m < XRAY_MODELS; m++)
		test_flat(m);
	for (int m = 0; m < XRAY_MODELS; m++)
		test_rounding(m);
	test_quarter_turn();
	test_mirrors();
	test_types();
	test_operator();
	return checks_failed ? 1 : 0;
}
