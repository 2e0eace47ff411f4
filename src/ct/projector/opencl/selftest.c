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
	MOST = (VOXELS > PIXELS) ? VOXELS : PIXELS
};

/** A x or A' y for a volume x or projections y, as float64. */
static double *computed(const struct xray_backend *b, const struct xray *x, enum dtype type, bool forward)
{
	const struct xray_tile all = {.views = VIEWS, .rows = xray_rows(x), .blank = true};
	const bool wide = type == DT_FLOAT64;
	const size_t size = dtype_size(type);
	const long n = forward ? VOXELS : PIXELS, m = forward ? PIXELS : VOXELS;
	float in[MOST];
	double *out = mem_alloc(MOST * sizeof *out);
	void *from = mem_alloc(MOST * size), *to = mem_calloc(MOST, size);

	selftest_fill(in, n, 1);

	for (long i = 0; i < n; i++)
		if (wide)
			((double *)from)[i] = in[i];
		else
			((float *)from)[i] = in[i];

	if (forward)
		b->forward(x, type, to, from, &all, false);
	else
		b->adjoint(x, type, to, from, &all);

	for (long i = 0; i < m; i++)
		out[i] = wide ? ((const double *)to)[i] : ((const float *)to)[i];

	free(from);
	free(to);
	return out;
}

static bool works(double radius, enum xray_model model, enum dtype type, bool forward, const char *what,
        char *why, size_t room)
{
	struct selftest_scan scan = selftest_scan(SIDE, SLICES, VIEWS, 8., radius, model);
	double *cpu = computed(&xray_backend_cpu, scan.x, type, forward),
	       *found = computed(&xray_backend_opencl, scan.x, type, forward);
	const bool good = selftest_same(
	        why, room, what, found, cpu, forward ? PIXELS : VOXELS, (type == DT_FLOAT64) ? 1e-12 : 1e-5);

	free(cpu);
	free(found);
	selftest_scan_free(&scan);
	return good;
}

/** A family for each model, type and direction, because the driver compiles kernels for each. */
#define FAMILY(name, model, type, forward, what)                                                             \
	static bool name##_works(char *why, size_t room)                                                     \
	{                                                                                                    \
		return works(0., model, type, forward, what, why, room) &&                                   \
		       works(80., model, type, forward, what " with a curved detector", why, room);          \
	}                                                                                                    \
	OPENCL_SELFTEST_FLOAT64(name, name##_works);
#define DIRECTIONS(name, model, type)                                                                        \
	FAMILY(name##_forward, model, type, true, "projections")                                             \
	FAMILY(name##_adjoint, model, type, false, "back projection")
#define FAMILIES(name, NAME)                                                                                 \
	DIRECTIONS(name##_float32, XRAY_##NAME, DT_FLOAT32)                                                  \
	DIRECTIONS(name##_float64, XRAY_##NAME, DT_FLOAT64)
XRAY_MODEL_LIST(FAMILIES, )

#define PAIR(name)                                                                                           \
	{                                                                                                    \
		&opencl_selftest_##name##_adjoint, &opencl_selftest_##name##_forward                         \
	}
#define PAIRS(name, NAME) {PAIR(name##_float32), PAIR(name##_float64)},
static struct selftest *const family[XRAY_MODELS][2][2] = {XRAY_MODEL_LIST(PAIRS, )};

struct selftest *opencl_general_selftest(enum xray_model model, bool wide, bool forward)
{
	return family[model][wide][forward];
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
