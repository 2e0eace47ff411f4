/** Self-tests of the X-ray transform's kernels. */

#include <stdlib.h>

#include "ct/projector/gpu/selftest_scan.h"
#include "ct/projector/mask.h"
#include "ct/projector/xray_backend.h"
#include "misc/mem.h"
#include "num/device/opencl/selftest.h"

enum {
	SIDE = 7,
	SLICES = 5,
	VIEWS = 3,
	VOXELS = SIDE * SIDE * SLICES,
	PIXELS = (SIDE * 10 / 7) * (SIDE * 6 / 7) * VIEWS,
	NUMBERS = VOXELS + PIXELS
};

/** Forward of x, then the adjoint of y, as float64. */
static double *project_and_back(const struct xray_backend *b, const struct xray *x, enum dtype type)
{
	const struct xray_tile all = {.views = VIEWS, .rows = xray_rows(x), .blank = true};
	const bool wide = type == DT_FLOAT64;
	const size_t size = dtype_size(type);
	float in[NUMBERS];
	double *out = mem_alloc(NUMBERS * sizeof *out);
	char *from = mem_alloc(NUMBERS * size), *to = mem_calloc(NUMBERS, size);

	selftest_fill(in, NUMBERS, 1);

	for (long i = 0; i < NUMBERS; i++)
		if (wide)
			((double *)from)[i] = in[i];
		else
			((float *)from)[i] = in[i];

	b->forward(x, type, to, from, &all, false);
	b->adjoint(x, type, to + PIXELS * size, from + VOXELS * size, &all);

	for (long i = 0; i < NUMBERS; i++)
		out[i] = wide ? ((const double *)to)[i] : ((const float *)to)[i];

	free(from);
	free(to);
	return out;
}

static bool works(double lean, double radius, enum xray_model model, enum dtype type, const char *what,
        char *why, size_t room)
{
	struct selftest_scan scan = selftest_scan(SIDE, SLICES, VIEWS, lean, radius, model);
	struct mask *mask = mask_create("circle:6", &scan.grid);

	xray_set_mask(scan.x, mask);

	double *cpu = project_and_back(&xray_backend_cpu, scan.x, type),
	       *found = project_and_back(&xray_backend_opencl, scan.x, type);
	const bool good =
	        selftest_same(why, room, what, found, cpu, NUMBERS, (type == DT_FLOAT64) ? 1e-12 : 1e-5);

	free(cpu);
	free(found);
	selftest_scan_free(&scan);
	mask_free(mask);
	return good;
}

static bool all_work(enum dtype type, char *why, size_t room)
{
	return works(8., 0., XRAY_JOSEPH, type, "projections", why, room) &&
	       works(8., 80., XRAY_JOSEPH, type, "projections on a curved detector", why, room) &&
	       works(8., 0., XRAY_SIDDON, type, "projections by Siddon's method", why, room) &&
	       works(8., 0., XRAY_SF, type, "projections by footprints", why, room);
}

static bool float32_works(char *why, size_t room)
{
	return all_work(DT_FLOAT32, why, room);
}

OPENCL_SELFTEST_FLOAT64(projections_float32, float32_works);

static bool float64_works(char *why, size_t room)
{
	return all_work(DT_FLOAT64, why, room);
}

OPENCL_SELFTEST_FLOAT64(projections_float64, float64_works);
