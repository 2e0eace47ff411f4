/* The X-ray transform by OpenCL: the CPU's numbers element by element for every model and kind of scan, the
 * transpose, the same bytes again, in parts, through little memory. Ends at once where there is no device. */

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp_internal.h"
#include "ct/projector/mask.h"
#include "ct/projector/opencl/general.h"
#include "ct/projector/xray_backend.h"
#include "misc/error.h"
#include "num/device/cache.h"
#include "num/device/opencl.h"
#include "num/device/opencl/api.h"
#include "num/device/opencl/selftest.h"
#include "num/expr/expr.h"
#include "num/expr/expr_opencl.h"
#include "num/md/multind.h"
#include "xray_scans.h"

enum { VIEWS = 5 };

/** A case, with the CPU's results in float64, and the bounds of rounding |A| |x|. Complex numbers are pairs.
 */
struct whole {
	enum dtype type;
	struct geom *g;
	struct grid grid;
	struct xray *x;
	char what[96];
	long n, m; // numbers of the volume and of the projections
	void *vol, *y;
	double *proj, *back, *proj_bound, *back_bound;
	double own[2]; // deviation of the CPU in that type: forward, adjoint
};

static double value(enum dtype type, const void *x, long i)
{
	return (dtype_real(type) == DT_FLOAT64) ? ((const double *)x)[i] : ((const float *)x)[i];
}

static void *noise(enum dtype type, long n, unsigned long seed)
{
	void *x = mem_alloc(n * sizeof(double));

	for (long i = 0; i < n; i++) {
		const float v = (float)(rand_uniform(seed, i) - 0.5);

		if (dtype_real(type) == DT_FLOAT64)
			((double *)x)[i] = v;
		else
			((float *)x)[i] = v;
	}

	return x;
}

/** The CPU's numbers in float64. */
static double *exactly(const struct whole *w, const void *in, long n, long m, bool forward, bool magnitude)
{
	const struct xray_tile all = {.views = w->g->views, .rows = xray_rows(w->x)};
	const enum dtype wide = dtype_is_complex(w->type) ? DT_COMPLEX128 : DT_FLOAT64;
	double *x = mem_alloc(n * sizeof(double)), *y = mem_calloc(m, sizeof(double));

	for (long i = 0; i < n; i++) {
		x[i] = value(w->type, in, i);
		x[i] = magnitude ? fabs(x[i]) : x[i];
	}

	if (forward)
		xray_backend_cpu.forward(w->x, wide, y, x, &all, false);
	else
		xray_backend_cpu.adjoint(w->x, wide, y, x, &all);

	free(x);
	return y;
}

/** Largest |g - c| in units of |A| |x|, of a part of its mean where next to no weight is. */
static double deviation(enum dtype type, const void *g, const double *c, const double *bound, long n)
{
	double mean = 0., worst = 0., count = 0.;

	for (long i = 0; i < n; i++) {
		mean += bound[i];
		count += bound[i] > 0.;
	}

	mean /= fmax(count, 1.);

	for (long i = 0; i < n; i++) {
		const double d = fabs(value(type, g, i) - c[i]) / (bound[i] + 0.2 * mean);

		worst = (d <= worst) ? worst : d; // NaN stays
	}

	return worst;
}

static double inner(enum dtype type, const void *a, const void *b, long n)
{
	double sum = 0.;

	for (long i = 0; i < n; i++)
		sum += value(type, a, i) * value(type, b, i);

	return sum;
}

/** g belongs to the case. */
static struct whole prepare_scan(
        struct geom *g, const char *name, enum xray_model model, enum dtype type, struct grid grid)
{
	struct whole w = {.type = type, .g = g, .grid = grid};
	const int step = dtype_is_complex(type) ? 2 : 1;

	snprintf(w.what, sizeof w.what, "%s, %s, %s", xray_model_name[model], name, dtype_name(type));
	w.x = xray_create(w.g, &grid, model);
	w.n = step * volume_size(&grid);
	w.m = step * proj_size(w.g);
	w.vol = noise(type, w.n, 1);
	w.y = noise(type, w.m, 2);
	w.proj = exactly(&w, w.vol, w.n, w.m, true, false);
	w.back = exactly(&w, w.y, w.m, w.n, false, false);
	w.proj_bound = exactly(&w, w.vol, w.n, w.m, true, true);
	w.back_bound = exactly(&w, w.y, w.m, w.n, false, true);

	const struct xray_tile all = {.views = g->views, .rows = xray_rows(w.x)};
	void *proj = mem_calloc(w.m, sizeof(double)), *back = mem_calloc(w.n, sizeof(double));

	xray_backend_cpu.forward(w.x, type, proj, w.vol, &all, false);
	xray_backend_cpu.adjoint(w.x, type, back, w.y, &all);
	w.own[0] = deviation(type, proj, w.proj, w.proj_bound, w.m);
	w.own[1] = deviation(type, back, w.back, w.back_bound, w.n);
	free(proj);
	free(back);
	return w;
}

static struct whole prepare(enum kind kind, enum xray_model model, enum dtype type, struct grid grid)
{
	return prepare_scan(scan(kind, 12., VIEWS, 13, 11), kind_name[kind], model, type, grid);
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

/** Largest deviation of an adjoint that is computed voxel by voxel, as on all devices but processors. */
static double deviation_by_voxels(const struct whole *w)
{
	const bool shares = opencl.shares;
	void *back = mem_calloc(w->n, sizeof(double));

	opencl.shares = false;
	xray_adjoint(w->x, w->type, back, w->y, 0, w->g->views);
	opencl.shares = shares;

	const double f = deviation(w->type, back, w->back, w->back_bound, w->n);

	free(back);
	return f;
}

static void test_case(enum kind kind, enum xray_model model, enum dtype type, struct grid grid)
{
	struct whole w = prepare(kind, model, type, grid);
	const bool wide = dtype_real(type) == DT_FLOAT64;
	const size_t size = dtype_size(dtype_real(type));
	const double limit = wide ? 1e-12 : 2e-6;
	char *proj = mem_alloc(w.m * size), *back = mem_calloc(w.n, size), *again = mem_calloc(w.n, size);

	xray_forward(w.x, type, proj, w.vol, 0, VIEWS);
	xray_adjoint(w.x, type, back, w.y, 0, VIEWS);

	const double e = deviation(type, proj, w.proj, w.proj_bound, w.m),
	             f = deviation(type, back, w.back, w.back_bound, w.n);
	const double a = inner(type, proj, w.y, w.m), b = inner(type, w.vol, back, w.n),
	             c = sqrt(inner(type, proj, proj, w.m) * inner(type, w.y, w.y, w.m)),
	             d = sqrt(inner(type, back, back, w.n) * inner(type, w.vol, w.vol, w.n));

	check(e <= limit, "%s: forward, %.1e of |A||x| (CPU: %.1e)", w.what, e, w.own[0]);
	check(f <= limit, "%s: adjoint, %.1e of |A'||y| (CPU: %.1e)", w.what, f, w.own[1]);

	if (XRAY_SF != model) {
		const double v = deviation_by_voxels(&w);

		check(v <= limit, "%s: adjoint by voxels, %.1e of |A'||y|", w.what, v);
	}

	check(fabs(a - b) <= (wide ? 1e-13 : 1e-7) * fmax(c, d), "%s: dot test %.1e", w.what,
	        fabs(a - b) / fmax(c, d));

	// in two batches of views: the adjoint's sums go on from the first
	xray_adjoint(w.x, type, again, w.y, 0, 2);
	xray_adjoint(w.x, type, again, (char *)w.y + 2 * (w.m / VIEWS) * size, 2, VIEWS - 2);
	check(0 == memcmp(back, again, w.n * size), "%s: the same bytes in two batches of views", w.what);
	free(proj);
	free(back);
	free(again);
	done(&w);
}

/** Rays far apart in long runs of planes: voxels get single small weights, which show errors of positions. */
static void test_far_apart(enum kind kind)
{
	struct whole w = prepare_scan(scan(kind, 40., 3, 24, 16), kind_name[kind], XRAY_JOSEPH, DT_FLOAT32,
	        centred(40, 38, 36, 1., 1., 1.));
	float *proj = mem_alloc(w.m * sizeof *proj), *back = mem_calloc(w.n, sizeof *back);

	xray_forward(w.x, DT_FLOAT32, proj, w.vol, 0, 3);
	xray_adjoint(w.x, DT_FLOAT32, back, w.y, 0, 3);

	const double e = deviation(DT_FLOAT32, proj, w.proj, w.proj_bound, w.m),
	             f = deviation(DT_FLOAT32, back, w.back, w.back_bound, w.n), v = deviation_by_voxels(&w);

	check(e <= 2e-7 && f <= 2e-6 && v <= 2e-6,
	        "%s: rays far apart, %.1e of |A||x|, %.1e of |A'||y|, by voxels %.1e (CPU: %.1e)", w.what, e,
	        f, v, w.own[1]);
	free(proj);
	free(back);
	done(&w);
}

/** Twice the same bytes: footprints are summed by atomic operations. */
static void test_again(void)
{
	struct whole w = prepare(CONE, XRAY_SF, DT_FLOAT32, centred(12, 13, 11, 1., 1.1, 0.9));
	char *proj[2];

	for (int i = 0; i < 2; i++) {
		proj[i] = mem_alloc(w.m * sizeof(float));
		xray_forward(w.x, DT_FLOAT32, proj[i], w.vol, 0, VIEWS);
	}

	check(0 == memcmp(proj[0], proj[1], w.m * sizeof(float)), "%s: the same bytes again", w.what);
	free(proj[0]);
	free(proj[1]);
	done(&w);
}

/** Rows of bricks one after the other, views in any order, a mask: as on the CPU. */
static void test_pieces(void)
{
	static const long at[4] = {2, 0, 3, 1};
	struct geom *g = scan(CONE, 70., 4, 20, 9);
	const struct grid grid = centred(8, 70, 9, 1.1, 1., 1.2);
	struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);
	struct mask *mask = mask_create("circle:30", &grid);
	const long n = volume_size(&grid), m = proj_size(g), rows = xray_rows(x);
	float *vol = noise(DT_FLOAT32, n, 6), *y = noise(DT_FLOAT32, m, 7), *proj[2], *back[2];

	xray_set_mask(x, mask);

	for (int i = 0; i < 2; i++) {
		const struct xray_backend *b = i ? &xray_backend_opencl : &xray_backend_cpu;

		proj[i] = mem_calloc(m, sizeof(float));
		back[i] = mem_calloc(n, sizeof(float));

		for (long r = 0; r < rows; r++) {
			const struct xray_tile piece = {
			        .views = g->views, .row = r, .rows = 1, .at = at, .blank = r == 0};

			b->forward(x, DT_FLOAT32, proj[i], vol, &piece, true);
			b->adjoint(x, DT_FLOAT32, back[i], y, &piece);
		}
	}

	double worst[2] = {0., 0.}, most[2] = {0., 0.};

	for (long i = 0; i < m; i++) {
		worst[0] = fmax(worst[0], fabs((double)proj[0][i] - proj[1][i]));
		most[0] = fmax(most[0], fabs(proj[0][i]));
	}

	for (long i = 0; i < n; i++) {
		worst[1] = fmax(worst[1], fabs((double)back[0][i] - back[1][i]));
		most[1] = fmax(most[1], fabs(back[0][i]));
	}

	check(rows > 1 && worst[0] <= 2e-6 * most[0] && worst[1] <= 2e-6 * most[1],
	        "%ld rows of bricks one by one, scattered views, a mask: %.1e of %.1e, %.1e of %.1e", rows,
	        worst[0], most[0], worst[1], most[1]);

	for (int i = 0; i < 2; i++) {
		free(proj[i]);
		free(back[i]);
	}

	free(vol);
	free(y);
	xray_free(x);
	mask_free(mask);
	geom_free(g);
}

static void test_memory(void)
{
	const float x[6] = {1, 2, 3, 4, 5, 6};
	float back[6] = {0}, pairs[6] = {0};
	char *p = opencl_alloc(sizeof x), *q = opencl_alloc(100);

	opencl_upload(p, x, sizeof x);
	opencl_download(back, p, sizeof x);
	check(0 == memcmp(x, back, sizeof x), "what is uploaded is downloaded");
	opencl_download2(4, 3, pairs, 4, p + 4, 8);
	check(2.f == pairs[0] && 4.f == pairs[1] && 6.f == pairs[2], "every second element");
	opencl_clear(p + 8, 8);
	opencl_download(back, p, sizeof x);
	check(2.f == back[1] && 0.f == back[2] && 0.f == back[3] && 5.f == back[4], "a part is cleared");
	check(opencl_holds(p) && opencl_holds(p + 20) && opencl_holds(q) && !opencl_holds(x),
	        "addresses are the device's or not");
	opencl_free(q);
	check(!opencl_holds(q), "freed memory is nobody's");
	opencl_free(p);
	opencl_free(NULL);
}

static void open_device(void)
{
	opencl_use(getenv("GANTRY_TEST_OPENCL"), "unit/opencl");
}

static void open_unknown(void)
{
	opencl_use("0:no such device", "--device");
}

static void take_too_much(void)
{
	setenv("GANTRY_GPU_MEM", "64K", 1);
	open_device();
	opencl_alloc(1 << 20);
}

static void build_wrong(void)
{
	static const struct opencl_source wrong = {"wrong", "__kernel void k(void) { no_such_function(1); }"};

	open_device();
	opencl_kernel(&wrong, "", "k");
}

/* ---- drivers that fail, by replaced functions of the library ---- */

static int lost(cl_queue q)
{
	(void)q;
	return CL_INVALID_COMMAND_QUEUE;
}

static void lose_device(void)
{
	open_device();
	char *p = opencl_alloc(100);
	opencl.api.clFinish = lost;
	opencl_clear(p, 100);
	opencl_sync();
}

static cl_memory no_memory(cl_context c, uint64_t flags, size_t size, void *host, int *status)
{
	(void)c, (void)flags, (void)size, (void)host;
	*status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	return NULL;
}

static void fill_device(void)
{
	open_device();
	opencl_selftest(&opencl_selftest_copies);
	opencl.api.clCreateBuffer = no_memory;
	opencl_alloc(100);
}

/* ---- devices that compute wrong results ---- */

static struct opencl_api right;
static const char *right_text, *wrong_text;

/** Builds the source with one wrong expression. */
static cl_program wrong_program(
        cl_context c, unsigned n, const char *const *text, const size_t *length, int *status)
{
	const char *at = strstr(*text, right_text);

	(void)n;

	if (!at)
		return right.clCreateProgramWithSource(c, 1, text, length, status);

	char *wrong = mem_printf("%.*s%s%s", (int)(at - *text), *text, wrong_text, at + strlen(right_text));
	cl_program p = right.clCreateProgramWithSource(c, 1, (const char *const *)&wrong, NULL, status);

	free(wrong);
	return p;
}

static void use_wrong_kernel(struct selftest *t, const char *from, const char *to)
{
	open_device();
	right = opencl.api;
	right_text = from;
	wrong_text = to;
	opencl.api.clCreateProgramWithSource = wrong_program;
	opencl_selftest(t);
}

static void add_wrong(void)
{
	use_wrong_kernel(&opencl_selftest_expressions, "EACH2(el_add, x + y)", "EACH2(el_add, x - y)");
}

static void project_wrong(void)
{
	use_wrong_kernel(opencl_general_selftest(XRAY_JOSEPH, false, true),
	        "sum += fma(wp, high - low, low);", "sum += low;");
}

static void gather_wrong(void)
{
	use_wrong_kernel(
	        opencl_general_selftest(XRAY_JOSEPH, false, false), " * (real)gather_length(&w.g, &r);", ";");
}

static void back_project_wrong(void)
{
	use_wrong_kernel(&opencl_selftest_back_projection_float32, "below + up * (above - below)", "below");
}

/** The silent zeros that some drivers download. */
static int zeros(cl_queue q, cl_memory m, unsigned blocking, size_t at, size_t size, void *host, unsigned n,
        const void *wait, void *event)
{
	const int status = right.clEnqueueReadBuffer(q, m, blocking, at, size, host, n, wait, event);

	memset((char *)host + size / 2, 0, 8);
	return status;
}

static void download_wrong(void)
{
	open_device();
	right = opencl.api;
	opencl.api.clEnqueueReadBuffer = zeros;
	opencl_alloc(100);
}

static void download_right(void)
{
	open_device();
	opencl_free(opencl_alloc(100));
}

static void test_wrong_devices(void)
{
	const char *before = getenv("GANTRY_CACHE");
	char folder[SCRATCH], *kept = mem_strdup(before ? before : "/dev/null/gantry");

	setenv("GANTRY_CACHE", "/dev/null/gantry", 1); // no verdict and no kernel is stored
	check_ends(1, ". The results of this device, driver and build cannot be trusted", add_wrong,
	        "a wrong sum is refused");
	check_ends(1, "the self-test 'joseph_float32_forward' fails on ", project_wrong,
	        "a wrong projection is refused");
	check_ends(1, "the self-test 'joseph_float32_adjoint' fails on ", gather_wrong,
	        "a wrong adjoint is refused");
	check_ends(1, "the self-test 'back_projection_float32' fails on ", back_project_wrong,
	        "a wrong back projection is refused");
	check_ends(1, "the self-test 'copies' fails on ", download_wrong, "a wrong download is refused");

	setenv("GANTRY_CACHE", mkdtemp(scratch_name(folder)), 1);
	check_ends(100, "", download_right, "right copies pass");
	check_ends(100, "", download_wrong, "the verdict is stored: the test does not run again");
	check(cache_clear() == 1, "one verdict is removed");
	check_ends(1, "the self-test 'copies' fails on ", download_wrong, "without it, the test runs");
	check_ends(1, "the self-test 'copies' failed before on ", download_right, "and fails from then on");
	cache_clear();
	check_ends(100, "", download_right, "until the cache is cleared");
	cache_clear();
	rmdir(folder);
	setenv("GANTRY_CACHE", kept, 1);
	free(kept);
}

/* ---- threads ---- */

enum { THREADS = 4, TIMES = 20 };

/** Projections and expressions, which have to be the same each time; error() if not. */
static void *compute(void *ctx)
{
	static const char *const names[1] = {"x"};
	const struct whole *w = ctx;
	float *first = mem_alloc(w->m * sizeof *first), *y = mem_alloc(w->m * sizeof *y),
	      *z = mem_alloc(w->m * sizeof *z);
	const struct array *in = array_borrow(DT_FLOAT32, 1, &w->m, NULL, y);
	struct array *out = array_borrow(DT_FLOAT32, 1, &w->m, NULL, z);

	for (int k = 0; k < TIMES; k++) {
		xray_forward(w->x, DT_FLOAT32, y, w->vol, 0, VIEWS);

		if (k == 0)
			memcpy(first, y, w->m * sizeof *y);

		expr_opencl_eval("-2*x", 1, &out, 1, names, &in);

		for (long i = 0; i < w->m; i++)
			if (y[i] != first[i] || z[i] != -2.f * y[i])
				error("element %ld differs", i);
	}

	array_free(in);
	array_free(out);
	free(first);
	free(y);
	free(z);
	return NULL;
}

static void compute_in_threads(void)
{
	struct whole w = {.g = scan(CONE, 12., VIEWS, 13, 11), .grid = centred(12, 13, 11, 1., 1.1, 0.9)};
	pthread_t thread[THREADS];

	open_device();
	w.x = xray_create(w.g, &w.grid, XRAY_JOSEPH);
	w.n = volume_size(&w.grid);
	w.m = proj_size(w.g);
	w.vol = noise(DT_FLOAT32, w.n, 1);

	for (int k = 0; k < THREADS; k++)
		pthread_create(&thread[k], NULL, compute, &w);

	for (int k = 0; k < THREADS; k++)
		pthread_join(thread[k], NULL);
}

/* ---- neighbourhoods ---- */

/** Slabs with the slices around them, and a repeated operand, on a device that does not use memory of the
 * host. */
static void test_slabs(void)
{
	static const char *const names[2] = {"v", "u"};
	const char *text = "laplacian(max(v, box(1)) - v[2,0,-1]) + u[1,0,2]";
	const long dims[4] = {17, 9, 12, 2}, repeated[4] = {17, 1, 12, 1}, n = md_calc_size(4, dims);
	float *v = noise(DT_FLOAT32, n, 7), *u = noise(DT_FLOAT32, md_calc_size(4, repeated), 8),
	      *cpu = mem_alloc((size_t)n * sizeof *cpu), *device = mem_calloc((size_t)n, sizeof *device);
	const size_t memory = opencl.memory;
	const bool shares = opencl.shares;
	const struct array *in[2] = {
	        array_borrow(DT_FLOAT32, 4, dims, NULL, v), array_borrow(DT_FLOAT32, 4, repeated, NULL, u)};
	struct array *out[2] = {array_borrow(DT_FLOAT32, 4, dims, NULL, cpu),
	        array_borrow(DT_FLOAT32, 4, dims, NULL, device)};

	expr_eval(text, 1, out, 2, names, in, array_default);
	opencl.memory = 32 << 10;
	opencl.shares = false;
	expr_opencl_eval(text, 1, out + 1, 2, names, in);
	opencl.shares = shares;
	opencl.memory = memory;
	check(0 == memcmp(cpu, device, (size_t)n * sizeof *cpu), "neighbourhoods in slabs are the CPU's");

	for (int k = 0; k < 2; k++) {
		array_free(in[k]);
		array_free(out[k]);
	}

	free(v);
	free(u);
	free(cpu);
	free(device);
}

/* ---- filtered back projection ---- */

/** Slabs on a device that does not use memory of the host, with every second element of a volume. */
static void test_fbp_slabs(void)
{
	enum {
		ANGLES = 5,
		COLS = 11,
		ROWS = 9,
		SIDE = 13,
		SLICES = 10,
		STEP = 2,
		N = SIDE * SIDE * SLICES * STEP
	};
	static const double angle[ANGLES] = {3., 75., 147., 219., 291.};
	const struct orbit o = {.sod = 50., .sdd = 80., .pitch = {1.6, 1.7}};
	const struct grid grid = {.size = {SIDE, SIDE, SLICES},
	        .spacing = {1., 1., 1.1},
	        .origin = {-.5 * (SIDE - 1), -.5 * (SIDE - 1), -.55 * (SLICES - 1)}};
	const struct fbp_settings set = {0};
	const long slices[2] = {0, SLICES};
	struct geom *g = orbit_geom(&o, ANGLES, angle, COLS, ROWS);
	struct fbp *f = fbp_create(g, &set, "slabs");
	float *q = noise(DT_FLOAT32, ANGLES * COLS * ROWS, 4), *shared = noise(DT_FLOAT32, N, 5),
	      *slabs = noise(DT_FLOAT32, N, 5);
	const size_t memory = opencl.memory;
	const bool shares = opencl.shares;

	fbp_opencl_backproject(f, &grid, DT_FLOAT32, shared, STEP, q, 0, ANGLES, slices);
	opencl.memory = 12 << 10;
	opencl.shares = false;
	fbp_opencl_backproject(f, &grid, DT_FLOAT32, slabs, STEP, q, 0, ANGLES, slices);
	opencl.shares = shares;
	opencl.memory = memory;
	check(0 == memcmp(shared, slabs, (N - STEP + 1) * sizeof *slabs),
	        "filtered back projection in slabs is that in place");
	fbp_free(f);
	geom_free(g);
	free(q);
	free(shared);
	free(slabs);
}

/* ---- devices without float64 ---- */

enum { MANY = 200003 };

/** r + N for a reduction N of x and y and one element r = 0, on the device. */
static float reduce(const char *text, const float *x, const float *y)
{
	static const char *const names[3] = {"x", "y", "r"};
	const long n = MANY, one = 1;
	float zero = 0.f, value = NAN;
	const struct array *in[3] = {array_borrow(DT_FLOAT32, 1, &n, NULL, (void *)x),
	        array_borrow(DT_FLOAT32, 1, &n, NULL, (void *)y),
	        array_borrow(DT_FLOAT32, 1, &one, NULL, &zero)};
	struct array *out = array_borrow(DT_FLOAT32, 1, &one, NULL, &value);

	expr_opencl_eval(text, 1, &out, 3, names, in);
	array_free(out);

	for (int k = 0; k < 3; k++)
		array_free(in[k]);

	return value;
}

/** Sums of pairs of float32, of numbers that cancel. The kernels do not know float64. */
static void test_float32(void)
{
	float *x = mem_alloc(MANY * sizeof *x), *y = mem_alloc(MANY * sizeof *y);
	long double sum = 0, dot = 0, sum_bound = 0, dot_bound = 0;

	opencl.float64 = false;

	for (long i = 0; i < MANY; i++) {
		const long k = MANY - 1 - i;

		x[i] = (float)((rand_uniform(3, (i < k) ? i : k) + 1.) * 1e3 * ((i < k) ? 1. : -1.));
		x[i] += (i % 10 == 0) ? (float)rand_uniform(5, i) : 0.f;
		y[i] = (float)(rand_uniform(4, (i < k) ? i : k) + 0.5);
		sum += x[i];
		sum_bound += fabsl((long double)x[i]);
		dot += (long double)x[i] * y[i];
		dot_bound += fabsl((long double)x[i] * y[i]);
	}

	const double a = fabs((double)(reduce("r + sum(x)", x, y) - sum)),
	             b = fabs((double)(reduce("r + dot(x, y)", x, y) - dot)),
	             round = 0x1p-24 * (fabs((double)sum) + fabs((double)dot)); // of the results

	check(a <= 1e-12 * (double)sum_bound + round, "without float64: a sum, %.1e of |x|",
	        a / (double)sum_bound);
	check(b <= 1e-12 * (double)dot_bound + round, "without float64: an inner product, %.1e of |x||y|",
	        b / (double)dot_bound);
	check(round < 1e-10 * (double)sum_bound, "they cancel");

	double error;
	char why[256] = "";

	struct selftest *const families[] = {&opencl_selftest_expressions, &opencl_selftest_reductions};

	for (int i = 0; i < 2; i++) {
		const bool good = selftest_try(SELFTEST_OPENCL, families[i], &error, why, sizeof why);

		check(good, "without float64: %s, %.1e %s", families[i]->name, error, why);
	}

	check(!selftest_applies(SELFTEST_OPENCL, opencl_general_selftest(XRAY_JOSEPH, false, true)) &&
	                xray_backend_of(x, y) == &xray_backend_cpu,
	        "without float64: projections are the CPU's");
	opencl.float64 = true;
	check(xray_backend_of(x, y) == &xray_backend_opencl, "with float64: the device's");
	free(x);
	free(y);
}

int main(void)
{
	const struct grid grid = centred(12, 13, 11, 1., 1.1, 0.9);
	char said[1024];

	if (100 != status_of(open_device, said, sizeof said)) {
		printf("ok no OpenCL device: %s\n", said);
		return 0;
	}

	check_ends(1, "--device: unknown OpenCL device '0:no such device' (found: 0:0 ", open_unknown,
	        "an unknown device");
	check_ends(1, "OpenCL: out of memory. 1.0 MiB (1048576 bytes) are needed, but 64 KiB are left",
	        take_too_much, "too much memory");
	check_ends(1, "cannot build the kernels 'wrong'", build_wrong, "a kernel that is wrong");
	check_ends(1, "a computation fails on ", lose_device, "a lost device");
	check_ends(1, ": the device was lost or reset. Use --device cpu to compute without OpenCL",
	        lose_device, "says that it was lost");
	check_ends(1, ": out of device memory (GANTRY_GPU_MEM limits the memory of a command)", fill_device,
	        "a device without free memory");
	check_ends(100, "", compute_in_threads, "threads use the device one after the other");
	test_wrong_devices();
	open_device();
	test_memory();

	for (int model = 0; model < XRAY_MODELS; model++)
		for (int kind = 0; kind < KINDS; kind++)
			if (!short_tests() || kind % 4 == 0)
				test_case(kind, model, DT_FLOAT32, grid);

	for (int model = 0; model < XRAY_MODELS && !short_tests(); model++) {
		test_case(WOBBLE, model, DT_FLOAT64, grid);
		test_case(CURVED, model, DT_COMPLEX64, grid);
	}

	test_far_apart(ANY_ORIENTATION_PARALLEL);
	test_far_apart(OFFSET);
	test_again();
	test_pieces();
	test_slabs();
	test_fbp_slabs();
	test_float32();
	leave(checks_failed > 0);
}
