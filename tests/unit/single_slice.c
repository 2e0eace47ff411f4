/* The path of single slices (slice/single_slice.h) against float64 by the general path, every pixel and
 * voxel, for rays near and far apart, several bricks and every instruction set; A and A' against each other.
 */

#include "ct/projector/bricks.h"
#include "ct/projector/projector.h"
#include "num/kern/kern.h"
#include "other_isa.h"
#include "xray_scans.h"

enum { NX = 150, NY = 83, COLS = 131, VIEWS = 13 };

static struct geom *slice_scan(bool parallel, double pitch, double sod)
{
	const struct orbit o = {.parallel = parallel,
	        .sod = sod,
	        .sdd = 1.5 * sod,
	        .pitch = {pitch, fabs(pitch)},
	        .offset = {0.2931 * pitch, 0.}};
	double angle[VIEWS];

	for (int k = 0; k < VIEWS; k++) // along an axis, diagonal, and between
		angle[k] = (k < 8) ? 45. * k : 13. + 27.7 * k;

	return orbit_geom(&o, VIEWS, angle, COLS, 1);
}

static double apart(const float *a, const double *b, long n)
{
	double worst = 0., most = 0.;

	for (long i = 0; i < n; i++) {
		worst = fmax(worst, fabs(a[i] - b[i]));
		most = fmax(most, fabs(b[i]));
	}

	return worst / most;
}

static double inner(const float *a, const float *b, long n, double *size)
{
	double sum = 0., aa = 0., bb = 0.;

	for (long i = 0; i < n; i++) {
		sum += (double)a[i] * b[i];
		aa += (double)a[i] * a[i];
		bb += (double)b[i] * b[i];
	}

	*size = sqrt(aa * bb);
	return sum;
}

static void test_scan(enum xray_model m, bool parallel, double pitch, double sod)
{
	enum { VOXELS = NX * NY, PIXELS = COLS * VIEWS };
	static float vol[VOXELS], back[VOXELS], proj[PIXELS], y[PIXELS];
	static double vol64[VOXELS], back64[VOXELS], proj64[PIXELS], y64[PIXELS];
	const struct grid grid = centred(NX, NY, 1, 1., 1.1, 1.);
	struct geom *g = slice_scan(parallel, pitch, sod);
	struct xray *x = xray_create(g, &grid, m);
	char *path[2] = {xray_paths(x, DT_FLOAT32, true), xray_paths(x, DT_FLOAT32, false)};
	const double most = (m == XRAY_JOSEPH) ? 2e-6 : 1e-5; // crossings of faces at grazing angles
	double size[2];

	memset(back, 0, sizeof back);
	memset(back64, 0, sizeof back64);

	for (long i = 0; i < VOXELS; i++)
		vol64[i] = vol[i] = (float)rand_normal(1, i);

	for (long i = 0; i < PIXELS; i++)
		y64[i] = y[i] = (float)rand_normal(2, i);

	xray_forward(x, DT_FLOAT32, proj, vol, 0, VIEWS);
	xray_adjoint(x, DT_FLOAT32, back, y, 0, VIEWS);
	xray_forward(x, DT_FLOAT64, proj64, vol64, 0, VIEWS);
	xray_adjoint(x, DT_FLOAT64, back64, y64, 0, VIEWS);

	const double a = apart(proj, proj64, PIXELS), b = apart(back, back64, VOXELS),
	             dot = fabs(inner(proj, y, PIXELS, &size[0]) - inner(vol, back, VOXELS, &size[1])) /
	                   size[0];

	check(0 == strcmp(path[0], "single_slice") && 0 == strcmp(path[1], "single_slice") && a < most &&
	                b < most && dot < 2e-8,
	        "%s, %s, %s, pitch %g: paths %s, %s; off float64 by %.1e, %.1e; dot test %.1e", kern_isa(),
	        xray_model_name[m], parallel ? "parallel" : "fan", pitch, path[0], path[1], a, b, dot);
	free(path[0]);
	free(path[1]);
	xray_free(x);
	geom_free(g);
}

/** Sources beside a slice of long voxels: between planes of the dominant axis of some rays, which are then
 * not in the order of their columns. */
static void test_source_beside(void)
{
	enum { N = 3 * 31, COLUMNS = 300, ANGLES = 9, PIXELS = COLUMNS * ANGLES };
	static float vol[N], proj[PIXELS];
	static double vol64[N], proj64[PIXELS];
	const struct grid grid = centred(3, 31, 1, 3.7, 1., 1.);
	const struct orbit o = {.sod = 12.4, .sdd = 12.4, .pitch = {0.3, 0.3}, .offset = {30.313, 0.}};
	double angle[ANGLES];

	for (int k = 0; k < ANGLES; k++)
		angle[k] = 17.3 + 40. * k;

	struct geom *g = orbit_geom(&o, ANGLES, angle, COLUMNS, 1);
	struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);

	for (int i = 0; i < N; i++)
		vol64[i] = vol[i] = 1.f + (float)rand_normal(3, i);

	xray_forward(x, DT_FLOAT32, proj, vol, 0, ANGLES);
	xray_forward(x, DT_FLOAT64, proj64, vol64, 0, ANGLES);

	const double a = apart(proj, proj64, PIXELS);

	check(a < 1e-5, "a source beside the slice: off float64 by %.1e", a);
	xray_free(x);
	geom_free(g);
}

int main(int argc, char *argv[])
{
	static const double pitch[] = {0.15, 0.5, 0.65, 0.8, 1., 1.3, 1.9, 3., 6., 25., -1.};

	for (int m = XRAY_JOSEPH; m <= XRAY_SIDDON; m++)
		for (int i = 0; i < (int)(sizeof pitch / sizeof *pitch); i++) {
			test_scan(m, true, pitch[i], 1.);
			test_scan(m, false, pitch[i], 300.);
			test_scan(m, false, 2. * pitch[i], 110.);
		}

	test_source_beside();

	if (argc < 2) {
		test_isa(argv[0], "avx2");
		test_isa(argv[0], "plain");
	}

	return checks_failed ? 1 : 0;
}
