/** Self-test of the kernels of filtered back projection. */

#include <stdlib.h>

#include "ct/fbp/fbp_internal.h"
#include "ct/geometry/orbit.h"
#include "misc/mem.h"
#include "num/device/opencl/selftest.h"

enum { VIEWS = 6, COLS = 10, ROWS = 6, PIXELS = COLS * ROWS * VIEWS, SIDE = 7, SLICES = 5 };
enum { VOXELS = SIDE * SIDE * SLICES };

static double number(enum dtype type, const void *x, long i)
{
	return (type == DT_FLOAT64) ? ((const double *)x)[i] : ((const float *)x)[i];
}

static bool works(double radius, enum dtype type, const char *what, char *why, size_t room)
{
	static const double angle[VIEWS] = {3., 63., 123., 183., 243., 303.};
	const struct orbit o = {.sod = 50., .sdd = 80., .radius = radius, .pitch = {1.6, 1.7}};
	const struct grid grid = {.size = {SIDE, SIDE, SLICES},
	        .spacing = {1., 1., 1.1},
	        .origin = {-.5 * (SIDE - 1), -.5 * (SIDE - 1), -.55 * (SLICES - 1)}};
	const struct fbp_box all = {{0, SLICES}, {0, SIDE}};
	const struct fbp_settings set = {0};
	const size_t size = dtype_size(type);
	struct geom *g = orbit_geom(&o, VIEWS, angle, COLS, ROWS);
	struct fbp *f = fbp_create(g, &set, "self-test");
	float in[PIXELS];
	double wide[PIXELS], found[VOXELS], expected[VOXELS];
	void *q = (type == DT_FLOAT64) ? (void *)wide : in, *cpu = mem_calloc(VOXELS, size),
	     *device = mem_calloc(VOXELS, size);

	selftest_fill(in, PIXELS, 1);

	for (long i = 0; i < PIXELS; i++)
		wide[i] = in[i];

	fbp_backproject_box(f, &grid, type, cpu, 1, q, 0, VIEWS, &all);
	fbp_opencl_backproject(f, &grid, type, device, 1, q, 0, VIEWS, all.z);

	for (long i = 0; i < VOXELS; i++) {
		expected[i] = number(type, cpu, i);
		found[i] = number(type, device, i);
	}

	const bool good =
	        selftest_same(why, room, what, found, expected, VOXELS, (type == DT_FLOAT64) ? 1e-12 : 1e-5);

	free(cpu);
	free(device);
	fbp_free(f);
	geom_free(g);
	return good;
}

static bool float32_works(char *why, size_t room)
{
	return works(0., DT_FLOAT32, "back projection of filtered views", why, room) &&
	       works(80., DT_FLOAT32, "back projection from a curved detector", why, room);
}

OPENCL_SELFTEST_FLOAT64(back_projection_float32, float32_works);

static bool float64_works(char *why, size_t room)
{
	return works(0., DT_FLOAT64, "back projection in float64", why, room);
}

OPENCL_SELFTEST_FLOAT64(back_projection_float64, float64_works);
