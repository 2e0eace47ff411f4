/** Self-test of corrections view by view. */

#include "correct/cuda/selftest_views.h"

#include <math.h>

#include "correct/distort.h"
#include "correct/outliers.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"

enum { SIDE = 16, VIEW = SIDE * SIDE, VIEWS = SELFTEST_NUMBERS / VIEW };

static void change(enum dtype to, void *out, enum dtype from, const void *in)
{
	if (device_holds(out))
		device_convert(to, out, from, in, SELFTEST_NUMBERS, false);
	else
		convert(to, out, from, in, SELFTEST_NUMBERS, NARROW_SATURATE);
}

typedef void view_fn(void *ctx, const struct single_view *v);
typedef void batch_fn(void *ctx, const struct view_batch *b);

/** All views by one of the two functions of a correction. */
static void correct(view_fn *fn, batch_fn *there, void *ctx, float *out, const float *x)
{
	const long n = SELFTEST_NUMBERS;
	double *in = md_alloc_sameplace(1, &n, sizeof *in, out),
	       *to = md_alloc_sameplace(1, &n, sizeof *to, out);

	change(DT_FLOAT64, in, DT_FLOAT32, x);

	if (device_holds(out))
		there(ctx, &(const struct view_batch){.n = VIEWS, .in = {in}, .out = to});

	for (long k = 0; k < VIEWS && !device_holds(out); k++)
		fn(ctx, &(const struct single_view){.number = k,
		                .view = k,
		                .size = VIEW,
		                .in = in + k * VIEW,
		                .out = to + k * VIEW});

	change(DT_FLOAT32, out, DT_FLOAT64, to);
	md_free(in);
	md_free(to);
}

static void distort(void *ctx, const struct single_view *v)
{
	distort_view(ctx, v->out, v->in);
}

static void corrections(float *out, const float *x, const float *y)
{
	const double k[] = {1., 1e-3, -2e-4};
	struct outliers o = {.cols = SIDE,
	        .rows = SIDE,
	        .radius = 1,
	        .dims = 3ul,
	        .threshold = NAN,
	        .sigmas = 1.5,
	        .bright = true,
	        .dark = true,
	        .views = VIEWS};
	struct distort d = {.cols = SIDE, .rows = SIDE, .centre = {7.2, 8.1}, .terms = 3, .k = k};

	correct(outliers_view, outliers_views, &o, out, x);
	o.radius = 2;
	o.threshold = .4;
	correct(outliers_view, outliers_views, &o, out + SELFTEST_NUMBERS, y);
	correct(distort, distort_views, &d, out + 2 * SELFTEST_NUMBERS, x);
}

static bool views_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "corrections of views", corrections, 1e-5);
}

GPU_SELFTEST(views, views_work);
