/** Self-tests of the X-ray transform's kernels. */

#include "ct/projector/cuda/selftest_xray.h"

#include <stdlib.h>

#include "ct/geometry/orbit.h"
#include "ct/projector/cuda/untilted.h"
#include "ct/projector/xray_backend.h"
#include "num/device/device.h"

enum { VIEWS = 5, COLS = 20, ROWS = 12, SIDE = 14, SLICES = 9 };

/** The operator under test; its arrays are among the numbers of gpu_selftest_same(). */
static _Thread_local const struct xray *under_test;

/** Forward of x, then the adjoint of y. */
static void project_and_back(float *out, const float *x, const float *y)
{
	const struct xray_backend *b = device_holds(out) ? &xray_backend_gpu : &xray_backend_cpu;
	const struct xray_tile all = {.views = VIEWS, .rows = xray_rows(under_test)};

	b->forward(under_test, DT_FLOAT32, out, x, &all, false);
	b->adjoint(under_test, DT_FLOAT32, out + 2 * SELFTEST_NUMBERS, y, &all);
}

static struct geom *scan(double lean, double radius, long rows)
{
	const struct orbit o = {
	        .sod = 50., .sdd = 80., .radius = radius, .pitch = {1.6, 1.7}, .detector = {lean, 0., 0.}};
	static const double angle[VIEWS] = {3., 75., 146., 220., 301.};

	return orbit_geom(&o, VIEWS, angle, COLS, rows);
}

static bool works_on(long slices, double lean, double radius, enum xray_model model, const char *what,
        char *why, size_t room)
{
	const struct grid grid = {.size = {SIDE, SIDE, slices},
	        .spacing = {1., 1., 1.1},
	        .origin = {-.5 * (SIDE - 1), -.5 * (SIDE - 1), -.55 * (double)(slices - 1)}};
	struct geom *g = scan(lean, radius, (1 == slices) ? 1 : ROWS);
	struct xray *x = xray_create(g, &grid, model);
	const struct xray *before = under_test; // the first use of kernels in a test may start another

	under_test = x;

	const bool good = gpu_selftest_same(why, room, what, project_and_back, 1e-4);

	under_test = before;
	xray_free(x);
	geom_free(g);
	return good;
}

static bool works(double lean, double radius, enum xray_model model, const char *what, char *why, size_t room)
{
	return works_on(SLICES, lean, radius, model, what, why, room);
}

static bool untilted_works(char *why, size_t room)
{
	return works(0., 0., XRAY_JOSEPH, "projections on untilted columns", why, room) &&
	       works(0., 0., XRAY_SIDDON, "projections on untilted columns by Siddon's method", why, room) &&
	       works(0., 0., XRAY_SF, "projections on untilted columns by footprints", why, room) &&
	       works_on(1, 0., 0., XRAY_JOSEPH, "projections of a single slice", why, room);
}

GPU_SELFTEST(untilted, untilted_works);

static bool any_orientation_works(char *why, size_t room)
{
	return works(3., 0., XRAY_JOSEPH, "projections on tilted detectors", why, room);
}

GPU_SELFTEST(any_orientation, any_orientation_works);

static bool general_works(char *why, size_t room)
{
	return works(8., 80., XRAY_JOSEPH, "projections", why, room) &&
	       works(8., 0., XRAY_SIDDON, "projections by Siddon's method", why, room) &&
	       works(8., 0., XRAY_SF, "projections by footprints", why, room);
}

GPU_SELFTEST(general, general_works);
