/** Self-tests of the X-ray transform's kernels. */

#include "ct/projector/cuda/selftest_xray.h"

#include "ct/projector/gpu/selftest_scan.h"
#include "ct/projector/xray_backend.h"
#include "num/device/device.h"

enum { SIDE = 14, SLICES = 9 };

/** The operator under test; its arrays are among the numbers of gpu_selftest_same(). */
static _Thread_local const struct xray *under_test;

/** Forward of x, then the adjoint of y. */
static void project_and_back(float *out, const float *x, const float *y)
{
	const struct xray_backend *b = device_holds(out) ? &xray_backend_gpu : &xray_backend_cpu;
	const struct xray_tile all = {.views = SELFTEST_SCAN_VIEWS, .rows = xray_rows(under_test)};

	b->forward(under_test, DT_FLOAT32, out, x, &all, false);
	b->adjoint(under_test, DT_FLOAT32, out + 2 * SELFTEST_NUMBERS, y, &all);
}

static bool works_on(long slices, double lean, double radius, enum xray_model model, const char *what,
        char *why, size_t room)
{
	struct selftest_scan scan = selftest_scan(SIDE, slices, SELFTEST_SCAN_VIEWS, lean, radius, model);
	const struct xray *before = under_test; // the first use of kernels in a test may start another

	under_test = scan.x;

	const bool good = gpu_selftest_same(why, room, what, project_and_back, 1e-4);

	under_test = before;
	selftest_scan_free(&scan);
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
