/** Self-tests of the X-ray transform's kernels. */

#include <stdlib.h>

#include "ct/projector/gpu/selftest_scan.h"
#include "ct/projector/opencl/general.h"
#include "ct/projector/xray_backend.h"
#include "misc/mem.h"
#include "num/device/opencl.h"
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

static bool works(
        double radius, enum xray_model model, enum dtype type, const char *what, char *why, size_t room)
{
	struct selftest_scan scan = selftest_scan(SIDE, SLICES, VIEWS, 8., radius, model);
	double *cpu = project_and_back(&xray_backend_cpu, scan.x, type),
	       *found = project_and_back(&xray_backend_opencl, scan.x, type);
	const bool good =
	        selftest_same(why, room, what, found, cpu, NUMBERS, (type == DT_FLOAT64) ? 1e-12 : 1e-5);

	free(cpu);
	free(found);
	selftest_scan_free(&scan);
	return good;
}

/** A family for each model and type, because the driver compiles a program for each. */
#define FAMILY(name, model, type)                                                                            \
	static bool name##_works(char *why, size_t room)                                                     \
	{                                                                                                    \
		return works(0., model, type, "projections", why, room) &&                                   \
		       works(80., model, type, "projections on a curved detector", why, room);               \
	}                                                                                                    \
	OPENCL_SELFTEST_FLOAT64(name, name##_works);
#define FAMILIES(name, NAME)                                                                                 \
	FAMILY(name##_float32, XRAY_##NAME, DT_FLOAT32)                                                      \
	FAMILY(name##_float64, XRAY_##NAME, DT_FLOAT64)
XRAY_MODEL_LIST(FAMILIES, )

#define PAIR(name, NAME) {&opencl_selftest_##name##_float32, &opencl_selftest_##name##_float64},
static struct selftest *const family[XRAY_MODELS][2] = {XRAY_MODEL_LIST(PAIR, )};

struct selftest *opencl_general_selftest(enum xray_model model, bool wide)
{
	return family[model][wide];
}

static bool masks_work(char *why, size_t room)
{
	double found[VOXELS], expected[VOXELS];
	float x[VOXELS];
	unsigned char inside[VOXELS];
	void *vol = opencl_alloc(sizeof x), *mask = opencl_alloc(sizeof inside);

	selftest_fill(x, VOXELS, 1);

	for (long i = 0; i < VOXELS; i++) {
		inside[i] = i % 7 < 4;
		expected[i] = inside[i] ? x[i] : 0.;
	}

	opencl_upload(vol, x, sizeof x);
	opencl_upload(mask, inside, sizeof inside);
	opencl_general_hide(vol, sizeof *x, mask, VOXELS);
	opencl_download(x, vol, sizeof x);

	for (long i = 0; i < VOXELS; i++)
		found[i] = x[i];

	opencl_free(vol);
	opencl_free(mask);
	return selftest_same(why, room, "mask", found, expected, VOXELS, 0.);
}

OPENCL_SELFTEST(masks, masks_work);
