/** Self-test of ray casting. */

#include "volume/render/cuda/selftest_render.h"

#include <math.h>
#include <stdlib.h>

#include "misc/mem.h"
#include "volume/render/extent.h"

enum { SIDE = 12, PIXELS = 24 };

/* The numbers of a picture, by the GPU or by the CPU; NAN if the GPU did not draw it. */
static double *draw(const struct render *r, bool gpu)
{
	const long n = 4L * PIXELS * PIXELS;
	struct render_extent *e = render_extent_create(r);
	float *picture = mem_alloc((size_t)n * sizeof *picture);
	double *numbers = mem_alloc((size_t)n * sizeof *numbers);

	if (gpu)
		render_extent_to_device(e, r);

	render_run(r, e, picture);

	for (long i = 0; i < n; i++)
		numbers[i] = gpu && !e->device ? (double)NAN : (double)picture[i];

	render_extent_free(e);
	free(picture);
	return numbers;
}

static bool works(const struct render *r, const char *what, char *why, size_t room)
{
	double *found = draw(r, true), *expected = draw(r, false);
	const bool good = selftest_same(why, room, what, found, expected, 4L * PIXELS * PIXELS, 1e-5);

	free(found);
	free(expected);
	return good;
}

static bool render_works(char *why, size_t room)
{
	float x[SIDE * SIDE * SIDE];
	struct transfer *t = transfer_named("shells", -.5, .5, .3);
	struct render r = {.mode = RENDER_VOLUME,
	        .camera = {.azimuth = .5, .elevation = .3, .width = PIXELS, .height = PIXELS, .pixel = .8},
	        .step = 1.,
	        .iso = .2,
	        .color = {.5, .6, .7},
	        .volumes = 1,
	        .volume = {{.name = "test", .type = DT_FLOAT32, .data = x, .transfer = t}},
	        .memory = 1L << 30};

	for (int d = 0; d < 3; d++) {
		r.n[d] = SIDE;
		r.spacing[d] = 1.;
		r.clip[d][0] = -.5;
		r.clip[d][1] = SIDE - .5;
	}

	selftest_fill(x, SIDE * SIDE * SIDE, 1);

	bool good = works(&r, "pictures of a volume", why, room);

	r.mode = RENDER_ISO;
	good = good && works(&r, "pictures of a surface", why, room);
	r.mode = RENDER_XRAY;
	good = good && works(&r, "line integrals", why, room);
	r.mode = RENDER_MIP;
	good = good && works(&r, "maximum projections", why, room);
	transfer_free(t);
	return good;
}

GPU_SELFTEST(render, render_works);
