/* The X-ray transform on the GPU: the CPU's numbers element by element, the transpose, the same bytes in
 * every run and however the arrays are cut. */

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/cuda/untilted.h"
#include "ct/projector/xray_backend.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"
#include "xray_scans.h"

enum { VIEWS = 5 };

/* A case: the CPU's results, and the bounds of rounding |A| |x|. */
struct whole {
	struct geom *g;
	struct grid grid;
	struct xray *x;
	enum dtype type;
	enum xray_model model;
	char what[96];
	long n, m; /* values of the volume and the projections */
	void *vol, *y, *proj, *back, *proj_bound, *back_bound;
	double own[2]; /* deviation of the CPU in float32 from its float64: forward, adjoint */
};

static double value(const void *x, enum dtype type, long i)
{
	return (dtype_real(type) == DT_FLOAT64) ? ((const double *)x)[i] : ((const float *)x)[i];
}

static void *noise(enum dtype type, long n, unsigned long seed, bool positive)
{
	void *x = mem_alloc(n * dtype_size(dtype_real(type)));

	for (long i = 0; i < n; i++) {
		double v = rand_uniform(seed, i) - 0.5;

		v = positive ? fabs(v) : v;
		if (dtype_real(type) == DT_FLOAT64)
			((double *)x)[i] = v;
		else
			((float *)x)[i] = (float)v;
	}
	return x;
}

static void *on_device(const void *x, size_t bytes)
{
	void *p = device_alloc(bytes);

	device_copy(p, x, bytes);
	return p;
}

static void *zeros(const struct whole *w, long n)
{
	return mem_calloc(n, dtype_size(dtype_real(w->type)));
}

/* Largest |g - c| in units of tolerance |A| |x|, of a part of its mean where next to no weight is. */
static double deviation(const struct whole *w, const void *g, const void *c, const void *bound, long n)
{
	const double tolerance = (dtype_real(w->type) == DT_FLOAT64) ? 1e-12 : 2e-6;
	double mean = 0., worst = 0., count = 0.;

	for (long i = 0; i < n; i++) {
		mean += value(bound, w->type, i);
		count += value(bound, w->type, i) > 0.;
	}
	mean /= fmax(count, 1.);
	for (long i = 0; i < n; i++) {
		const double d = fabs(value(g, w->type, i) - value(c, w->type, i)) /
		                 (tolerance * (value(bound, w->type, i) + 0.2 * mean));

		worst = (d <= worst) ? worst : d;
	}
	return worst;
}

static double dot(const struct whole *w, const void *a, const void *b, long n)
{
	double sum = 0.;

	for (long i = 0; i < n; i++)
		sum += value(a, w->type, i) * value(b, w->type, i);
	return sum;
}

/* The CPU's numbers in float64, rounded. */
static void *exactly(const struct whole *w, const void *in, long n, long m, bool forward)
{
	const struct xray_tile all = {.views = w->g->views, .rows = xray_rows(w->x)};
	const enum dtype wide = dtype_is_complex(w->type) ? DT_COMPLEX128 : DT_FLOAT64;
	double *x = mem_alloc(n * sizeof(double)), *y = mem_calloc(m, sizeof(double));
	float *out = (float *)y;

	for (long i = 0; i < n; i++)
		x[i] = value(in, w->type, i);
	if (forward)
		xray_backend_cpu.forward(w->x, wide, y, x, &all, false);
	else
		xray_backend_cpu.adjoint(w->x, wide, y, x, &all);
	for (long i = 0; i < m && dtype_real(w->type) == DT_FLOAT32; i++)
		out[i] = (float)y[i];
	free(x);
	return y;
}

static void prepare(struct whole *w)
{
	const int step = dtype_is_complex(w->type) ? 2 : 1;
	const struct xray_tile all = {.views = w->g->views, .rows = xray_rows(w->x)};
	void *vol, *y, *proj, *back;

	w->n = step * volume_size(&w->grid);
	w->m = step * proj_size(w->g);
	w->vol = noise(w->type, w->n, 1, false);
	w->y = noise(w->type, w->m, 2, false);
	vol = noise(w->type, w->n, 1, true);
	y = noise(w->type, w->m, 2, true);
	w->proj = exactly(w, w->vol, w->n, w->m, true);
	w->back = exactly(w, w->y, w->m, w->n, false);
	w->proj_bound = exactly(w, vol, w->n, w->m, true);
	w->back_bound = exactly(w, y, w->m, w->n, false);

	proj = zeros(w, w->m);
	back = zeros(w, w->n);
	xray_backend_cpu.forward(w->x, w->type, proj, w->vol, &all, false);
	xray_backend_cpu.adjoint(w->x, w->type, back, w->y, &all);
	w->own[0] = deviation(w, proj, w->proj, w->proj_bound, w->m);
	w->own[1] = deviation(w, back, w->back, w->back_bound, w->n);
	free(vol);
	free(y);
	free(proj);
	free(back);
}

static void done(struct whole *w)
{
	free(w->vol);
	free(w->y);
	free(w->proj);
	free(w->back);
	free(w->proj_bound);
	free(w->back_bound);
	xray_free(w->x);
	geom_free(w->g);
}

/* Have the kernels an order of sums for whole blocks of views alone, and numbers of their own for each group
 * of slices? */
static bool in_blocks(const struct whole *w)
{
	const double *v = w->g->view[0].v;
	const bool leans = v[0] != 0. || v[1] != 0.; // of those, Joseph's method alone has kernels for a kind

	return w->type == DT_FLOAT32 && !(leans && w->model != XRAY_JOSEPH);
}

static void check_back(const struct whole *w, const void *got, const void *back, const char *how, bool same)
{
	const size_t bytes = w->n * dtype_size(dtype_real(w->type));
	const double f = deviation(w, got, back, w->back_bound, w->n); // of two roundings

	check(same ? !memcmp(got, back, bytes) : f <= 2., "%s: adjoint %s, %s: %.2f of the tolerance",
	        w->what, how, same ? "the same bytes" : "the same numbers", f);
}

/* Arrays on the host, which pass through the device in parts: a few slices and views, or all. */
static void test_parts(const struct whole *w, const void *proj, const void *back)
{
	const size_t size = dtype_size(dtype_real(w->type)), vb = w->n * size, pb = w->m * size;
	const struct xray_tile all = {.views = w->g->views, .rows = xray_rows(w->x)};
	char *y = mem_alloc(pb), *v = mem_alloc(vb);

	memset(y, 255, pb); /* is overwritten */
	memset(v, 0, vb);
	xray_gpu_through(w->x, w->type, w->vol, y, &all, true, false, 4, 3);
	xray_gpu_through(w->x, w->type, v, w->y, &all, false, true, 4, 3);

	const double e = deviation(w, y, proj, w->proj_bound, w->m);

	check(e <= 1., "%s: forward in parts, %.2f of the tolerance from the whole", w->what, e);
	check_back(w, v, back, "in parts", !in_blocks(w));
	memset(v, 0, vb);
	xray_forward(w->x, w->type, y, w->vol, 0, w->g->views);
	xray_adjoint(w->x, w->type, v, w->y, 0, w->g->views);
	check(!memcmp(y, proj, pb) && !memcmp(v, back, vb), "%s: through the device at once, the same bytes",
	        w->what);
	free(y);
	free(v);
}

/* Arrays on the device, twice, and in two batches of views. */
static void test_device(const struct whole *w)
{
	const size_t size = dtype_size(dtype_real(w->type)), vb = w->n * size, pb = w->m * size;
	const long first = 2, views = w->g->views;
	void *vol = on_device(w->vol, vb), *y = on_device(w->y, pb), *proj = device_alloc(pb),
	     *back = device_alloc(vb);
	char *got = mem_alloc(pb), *again = mem_alloc(pb), *gotback = mem_alloc(vb),
	     *againback = mem_alloc(vb);
	char *part = y;

	xray_forward(w->x, w->type, proj, vol, 0, views);
	device_copy(got, proj, pb);
	device_fill(back, 0, vb);
	xray_adjoint(w->x, w->type, back, y, 0, views);
	device_copy(gotback, back, vb);

	const double e = deviation(w, got, w->proj, w->proj_bound, w->m),
	             f = deviation(w, gotback, w->back, w->back_bound, w->n);

	check(e <= fmax(1., 1.1 * w->own[0]), "%s: forward, %.2f of the tolerance (CPU: %.2f)", w->what, e,
	        w->own[0]);
	check(f <= fmax(1., 1.1 * w->own[1]), "%s: adjoint, %.2f of the tolerance (CPU: %.2f)", w->what, f,
	        w->own[1]);

	const double a = dot(w, got, w->y, w->m), b = dot(w, w->vol, gotback, w->n),
	             c = sqrt(dot(w, got, got, w->m) * dot(w, w->y, w->y, w->m)),
	             d = sqrt(dot(w, gotback, gotback, w->n) * dot(w, w->vol, w->vol, w->n)),
	             error = fabs(a - b) / fmax(c, d);

	check(error <= ((dtype_real(w->type) == DT_FLOAT64) ? 1e-13 : 1e-7), "%s: dot test %.1e", w->what,
	        error);

	xray_forward(w->x, w->type, proj, vol, 0, views);
	device_copy(again, proj, pb);
	device_fill(back, 0, vb);
	xray_adjoint(w->x, w->type, back, part, 0, first);
	xray_adjoint(w->x, w->type, back, part + first * (pb / views), first, views - first);
	device_copy(againback, back, vb);
	check(!memcmp(got, again, pb), "%s: forward gives the same bytes again", w->what);
	check_back(w, againback, gotback, "in two batches", !in_blocks(w));
	device_fill(back, 0, vb);
	xray_adjoint(w->x, w->type, back, y, 0, views);
	device_copy(againback, back, vb);
	check(!memcmp(gotback, againback, vb), "%s: adjoint gives the same bytes again", w->what);
	test_parts(w, got, gotback);
	device_free(vol);
	device_free(y);
	device_free(proj);
	device_free(back);
	free(got);
	free(again);
	free(gotback);
	free(againback);
}

static void test_case(enum kind kind, enum xray_model model, enum dtype type, struct grid grid)
{
	struct whole w = {.type = type, .model = model, .g = scan(kind, 12., VIEWS, 13, 11), .grid = grid};

	snprintf(w.what, sizeof w.what, "%s, %s, %s", xray_model_name[model], kind_name[kind],
	        dtype_name(type));
	w.x = xray_create(w.g, &w.grid, model);
	prepare(&w);
	test_device(&w);
	done(&w);
}

/* The adjoint in slabs of whole groups of slices and any batches of views has the bytes of the whole. */
static void test_blocks(enum kind kind, enum xray_model model)
{
	static const long cuts[][2] = {{GPU_SLAB_SLICES, 7}, {2 * GPU_SLAB_SLICES, 24}, {1000, 11}};
	struct geom *g = scan(kind, 16., 40, 17, 90);
	const struct grid grid = centred(14, 12, 3 * GPU_SLAB_SLICES + 3, 1.1, 1.3, 0.16);
	struct xray *x = xray_create(g, &grid, model);
	const struct xray_tile all = {.views = g->views, .rows = xray_rows(x)};
	const long n = volume_size(&grid), m = proj_size(g);
	float *y = noise(DT_FLOAT32, m, 3, false), *start = noise(DT_FLOAT32, n, 4, false),
	      *back = mem_alloc(n * sizeof *back);
	char *one = mem_alloc(n * sizeof *back), *dy = on_device(y, m * sizeof *y),
	     *dback = on_device(start, n * sizeof *back);

	xray_adjoint(x, DT_FLOAT32, dback, dy, 0, g->views);
	device_copy(one, dback, n * sizeof *back);

	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
		memcpy(back, start, n * sizeof *back);
		xray_gpu_through(x, DT_FLOAT32, back, y, &all, false, true, cuts[i][0], cuts[i][1]);
		check(!memcmp(one, back, n * sizeof *back),
		        "%s, %s: slabs of %ld slices, %ld views at a time: the same bytes",
		        xray_model_name[model], kind_name[kind], cuts[i][0], cuts[i][1]);
	}

	device_free(dy);
	device_free(dback);
	free(y);
	free(start);
	free(back);
	free(one);
	xray_free(x);
	geom_free(g);
}

/* Rows of bricks one after the other, as arrays larger than memory come, give what the whole gives: slabs
 * then have a part of the lines of a slice. */
static void test_rows(enum kind kind, enum xray_model model)
{
	struct geom *g = scan(kind, 70., 4, 20, 9);
	const struct grid grid = centred(8, 70, 9, 1.1, 1., 1.2);
	struct xray *x = xray_create(g, &grid, model);
	const long n = volume_size(&grid), m = proj_size(g), rows = xray_rows(x);
	const struct xray_tile all = {.views = g->views, .rows = rows};
	float *vol = noise(DT_FLOAT32, n, 6, false), *y = noise(DT_FLOAT32, m, 7, false),
	      *proj = mem_calloc(m, sizeof *proj), *back = mem_alloc(n * sizeof *back),
	      *whole = mem_calloc(m, sizeof *whole), *whole_back = mem_alloc(n * sizeof *whole_back);

	memcpy(back, vol, n * sizeof *vol);
	memcpy(whole_back, vol, n * sizeof *vol);
	xray_gpu_through(x, DT_FLOAT32, vol, whole, &all, true, false, 4, 3);
	xray_gpu_through(x, DT_FLOAT32, whole_back, y, &all, false, true, 4, 3);

	for (long r = 0; r < rows; r++) {
		const struct xray_tile tile = {.views = g->views, .row = r, .rows = 1};

		xray_gpu_through(x, DT_FLOAT32, vol, proj, &tile, true, r > 0, 4, 3);
		xray_gpu_through(x, DT_FLOAT32, back, y, &tile, false, true, 4, 3);
	}

	const double size = vec_norm(DT_FLOAT32, m, whole), size_back = vec_norm(DT_FLOAT32, n, whole_back);

	vec_axpy(DT_FLOAT32, m, proj, -1., whole);
	vec_axpy(DT_FLOAT32, n, back, -1., whole_back);

	const double e = vec_norm(DT_FLOAT32, m, proj) / size, f = vec_norm(DT_FLOAT32, n, back) / size_back;

	check(rows > 1 && e < 1e-5 && f < 1e-6,
	        "%s, %s: %ld rows of bricks one by one: %.1e, %.1e from the whole", xray_model_name[model],
	        kind_name[kind], rows, e, f);
	free(vol);
	free(y);
	free(proj);
	free(back);
	free(whole);
	free(whole_back);
	xray_free(x);
	geom_free(g);
}

/* Applications of the kernels for columns parallel to z and of the general ones leave nothing behind. */
static void test_leaks(int times)
{
	const struct grid grid = centred(6, 7, 8, 1., 1., 1.);
	const long n = volume_size(&grid);

	for (int model = XRAY_JOSEPH; model <= XRAY_SIDDON; model++) {
		struct geom *g = scan(CONE, 6., 3, 7, 8);
		struct xray *x = xray_create(g, &grid, model);
		float *vol = noise(DT_FLOAT32, n, 4, false), *y = noise(DT_FLOAT32, proj_size(g), 5, false);
		void *dvol = on_device(vol, n * sizeof *vol), *dy = on_device(y, proj_size(g) * sizeof *y);
		size_t taken = 0, left = 0;

		for (int i = 0; i <= times; i++) {
			xray_forward(x, DT_FLOAT32, dy, dvol, 0, g->views);
			xray_adjoint(x, DT_FLOAT32, dvol, dy, 0, g->views);
			xray_forward(x, DT_FLOAT32, y, vol, 0, g->views);
			device_fill(dvol, 0, n * sizeof *vol);

			if (i == 0) { // what the first prepares stays
				device_sync();
				taken = device_taken();
				left = device_left();
			}
		}

		device_sync();
		check(device_taken() == taken && device_left() + (16 << 20) > left,
		        "%d applications, %s: no memory is lost", times, xray_model_name[model]);
		device_free(dvol);
		device_free(dy);
		free(vol);
		free(y);
		xray_free(x);
		geom_free(g);
	}
}

int main(int argc, char **argv)
{
	if (device_count() == 0) {
		printf("ok gpu_xray # SKIP %s\n", device_none_reason());
		return 0;
	}
	(void)argv;
	device_use(0);
	for (int model = 0; model < XRAY_MODELS; model++)
		for (int kind = 0; kind < KINDS; kind++) {
			const struct grid cube = centred(12, 11, (kind == FAN) ? 1 : 13, 1., 1., 1.),
			                  other = {{9, 10, 14}, {1., 1.3, 0.8}, {-3., -6., -6.}};

			test_case(kind, model, DT_FLOAT32, cube);
			test_case(kind, model, (kind % 3) ? DT_FLOAT64 : DT_COMPLEX64, other);
		}
	for (int model = XRAY_JOSEPH; model < XRAY_MODELS; model++)
		for (int kind = 0; kind < KINDS; kind++)
			if (kind == PARALLEL || kind == CONE || kind == CURVED || kind == HELIX)
				test_blocks(kind, model);
	test_rows(CONE, XRAY_JOSEPH);
	test_rows(HELIX, XRAY_SIDDON);

	test_leaks((argc > 1 || strstr(device_name(0), "emulated")) ? 10 : 1000);
	return checks_failed ? 1 : 0;
}
