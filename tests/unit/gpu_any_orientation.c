/* The GPU's projectors for flat detectors of any direction against the processor's: tilt, skew and wobble,
 * rays dominated by every axis, sizes that are no multiple of anything, cuts, dot tests, the same bytes. On
 * the emulated GPU some of it again as older ones do it. */

#include "ct/geometry/view_offsets.h"
#include "ct/projector/cuda/any_orientation.h"
#include "num/device/device.h"
#include "xray_scans.h"

/** A scan, the transform on both sides, and data. */
struct both {
	const char *name;
	struct geom *g;
	struct grid grid;
	struct xray *x;
	struct gpu_any_orientation *p;
	long n, m; // voxels, pixels
	float *vol, *proj;
};

static float *noise(long n, unsigned long seed)
{
	float *x = mem_alloc((size_t)n * sizeof *x);

	for (long i = 0; i < n; i++)
		x[i] = (float)(rand_uniform(seed, i) - 0.5);

	return x;
}

static float *magnitude(const float *x, long n)
{
	float *a = mem_alloc((size_t)n * sizeof *a);

	for (long i = 0; i < n; i++)
		a[i] = fabsf(x[i]);

	return a;
}

/** Largest |g - c| / |A||x|; where less is seen than in the mean of what is seen at all, of that. */
static double difference(const float *g, const float *c, const float *size, long n)
{
	double worst = 0., sum = 0., seen = 1e-300;

	for (long i = 0; i < n; i++) {
		sum += size[i];
		seen += (size[i] > 0.f);
	}

	for (long i = 0; i < n; i++) {
		const double d = fabs((double)g[i] - (double)c[i]) / fmax(size[i], sum / seen);

		worst = (d <= worst) ? worst : d; // NaN stays
	}

	return worst;
}

static double inner(const float *a, const float *b, long n)
{
	double s = 0.;

	for (long i = 0; i < n; i++)
		s += (double)a[i] * (double)b[i];

	return s;
}

/** A or A' of the processor: arrays on the host go through the GPU while one is in use. */
static float *on_cpu(const struct both *t, const float *in, bool forward)
{
	float *out = mem_calloc((size_t)(forward ? t->m : t->n), sizeof *out);

	device_use(-1);

	if (forward)
		xray_forward(t->x, DT_FLOAT32, out, in, 0, t->g->views);
	else
		xray_adjoint(t->x, DT_FLOAT32, out, in, 0, t->g->views);

	device_use(0);
	return out;
}

/** The part of the arrays in memory of the GPU; the output holds noise. */
static float *on_gpu(const struct both *t, const struct gpu_tile *tile, bool forward)
{
	const size_t n = (size_t)t->n * sizeof(float), m = (size_t)t->m * sizeof(float);
	float *vol = device_alloc(n), *proj = device_alloc(m), *out = mem_alloc(forward ? m : n);

	device_copy(vol, t->vol, n);
	device_copy(proj, t->proj, m);

	if (forward)
		gpu_any_orientation_forward(t->p, proj, vol, tile);
	else
		gpu_any_orientation_adjoint(t->p, vol, proj, tile);

	device_copy(out, forward ? proj : vol, forward ? m : n);
	device_free(vol);
	device_free(proj);
	return out;
}

static struct gpu_tile whole(const struct both *t, bool add)
{
	return (struct gpu_tile){
	        .views = t->g->views, .rows = t->g->rows, .slices = t->grid.size[2], .add = add};
}

static void start(struct both *t, const char *name, struct geom *g, struct grid grid)
{
	*t = (struct both){.name = name, .g = g, .grid = grid, .x = xray_create(g, &grid, XRAY_JOSEPH)};
	t->n = volume_size(&grid);
	t->m = proj_size(g);
	t->vol = noise(t->n, 1);
	t->proj = noise(t->m, 2);
	t->p = gpu_any_orientation_create(t->x, NULL);
}

static void stop(struct both *t)
{
	gpu_any_orientation_free(t->p);
	xray_free(t->x);
	geom_free(t->g);
	free(t->vol);
	free(t->proj);
}

static long fitting(const struct both *t, bool forward)
{
	long fit = 0;

	for (long k = 0; k < t->g->views; k++)
		fit += gpu_any_orientation_fits(t->p, k, forward);

	return fit;
}

/** The GPU's. */
static float *compare_one(const struct both *t, bool forward, double bound)
{
	const struct gpu_tile all = whole(t, false);
	const long n = forward ? t->m : t->n;
	const float *in = forward ? t->vol : t->proj;
	float *size = magnitude(in, forward ? t->n : t->m);
	float *c = on_cpu(t, in, forward), *most = on_cpu(t, size, forward), *g = on_gpu(t, &all, forward);
	const double e = difference(g, c, most, n);

	check(e <= bound, "%s: %s differs by %.1e", t->name, forward ? "forward" : "adjoint", e);
	free(size);
	free(c);
	free(most);
	return g;
}

/** Both directions are the processor's, and each other's transpose. */
static void compare(struct both *t, double bound, bool adjoint)
{
	check(fitting(t, true) == t->g->views, "%s: %ld of %ld views fit", t->name, fitting(t, true),
	        t->g->views);
	check(!adjoint || fitting(t, false) == t->g->views, "%s: %ld of %ld views fit the adjoint", t->name,
	        fitting(t, false), t->g->views);

	if (fitting(t, true) < t->g->views)
		return;

	float *y = compare_one(t, true, bound);

	if (fitting(t, false) < t->g->views) {
		free(y);
		return;
	}

	const struct gpu_tile all = whole(t, false);
	float *x = compare_one(t, false, bound), *again = on_gpu(t, &all, false);
	const double dot = fabs(inner(y, t->proj, t->m) - inner(t->vol, x, t->n)) /
	                   sqrt(fmax(inner(y, y, t->m) * inner(t->proj, t->proj, t->m),
	                           inner(x, x, t->n) * inner(t->vol, t->vol, t->n)));

	check(dot <= 3e-8, "%s: dot test %.1e", t->name, dot);
	check(0 == memcmp(x, again, (size_t)t->n * sizeof *x), "%s: the adjoint again has the same bytes",
	        t->name);
	free(again);
	free(x);
	free(y);
}

static struct geom *orbit(bool parallel, long views, long cols, long rows, double pu, double pv, double helix,
        double tilt, double turn)
{
	const struct orbit o = {.parallel = parallel,
	        .sod = 80.,
	        .sdd = 120.,
	        .pitch = {pu, pv},
	        .offset = {1.7, -2.3},
	        .helix = helix,
	        .tilt = tilt};
	double *angle = mem_alloc((size_t)views * sizeof *angle);

	for (long k = 0; k < views; k++)
		angle[k] = 3. + turn * (double)k / (double)views;

	struct geom *g = orbit_geom(&o, views, angle, cols, rows);

	free(angle);
	return g;
}

/** Roll, tilt and yaw of so many degrees, and shifts. */
static struct geom *wobbly(struct geom *g, double degrees)
{
	const double by[6] = {1., 1., g->parallel ? 0. : 1., degrees, degrees, degrees};

	view_offsets_random(g, 6, by, 4);
	return g;
}

static struct geom *upside_down(struct geom *g)
{
	for (long k = 0; k < g->views; k += 2)
		for (int i = 0; i < 3; i++)
			g->view[k].v[i] = -g->view[k].v[i];

	return g;
}

/** What was along x, y, z is along y, z, x, or along z, x, y. */
static struct geom *transposed(struct geom *g, int by)
{
	for (long k = 0; k < g->views; k++) {
		double *list[4] = {g->view[k].s, g->view[k].d, g->view[k].u, g->view[k].v};

		for (int e = 0; e < 4; e++) {
			const double was[3] = {list[e][0], list[e][1], list[e][2]};

			for (int i = 0; i < 3; i++)
				list[e][(i + by) % 3] = was[i];
		}
	}

	return g;
}

static void test_kinds(bool some)
{
	const struct grid cube = centred(37, 33, 29, 1., 1., 1.),
	                  odd = {{35, 31, 41}, {1., 1.2, 0.8}, {-15., -20., -14.}};
	const struct {
		const char *name;
		struct geom *g;
		struct grid grid;
		bool adjoint; // all views fit it
		bool few;     // pixels that a voxel sums up: the rounding of one weight shows
	} list[] = {
	        {"untilted", orbit(false, 11, 45, 37, 1.6, 1.6, 0., 0., 60.), cube, true, false},
	        {"wobble", wobbly(orbit(false, 11, 45, 37, 2.2, 2.2, 0., 0., 360.), 1.), cube, true, false},
	        {"wobble, offset, voxels no cubes, upside down",
	                upside_down(wobbly(orbit(false, 13, 47, 40, 2., 2., 10., 0., 100.), 1.)), odd, true,
	                false},
	        {"wobble, rows close", wobbly(orbit(false, 9, 50, 67, 1.4, 1., 0., 0., 100.), 0.7), odd, true,
	                false},
	        {"wobble, rows far apart", wobbly(orbit(false, 9, 31, 20, 3., 4.2, 0., 0., 100.), 1.), odd,
	                true, true},
	        {"columns lean", wobbly(orbit(false, 7, 45, 55, 2., 1.4, 0., 0., 90.), 2.), cube, true,
	                false},
	        {"columns lean much", wobbly(orbit(false, 5, 45, 37, 2., 2., 0., 0., 90.), 12.), cube, false,
	                false},
	        {"tilt", orbit(false, 9, 45, 37, 2., 2., 0., 6., 90.), cube, true, false},
	        {"tilt, parallel", orbit(true, 9, 45, 37, 1., 1., 0., 20., 100.), odd, true, false},
	        {"wobble, parallel", wobbly(orbit(true, 9, 45, 33, 1.2, 1.2, 0., 0., 180.), 1.5), odd, true,
	                false},
	        {"laminography, axes mixed", orbit(false, 7, 45, 37, 2., 2., 0., 40., 90.), odd, false,
	                false},
	        {"along y and z", transposed(wobbly(orbit(false, 9, 45, 37, 2., 2., 0., 0., 80.), 1.), 1),
	                odd, true, false},
	        {"along z and x", transposed(wobbly(orbit(false, 13, 45, 37, 2., 2., 0., 0., 100.), 1.), 2),
	                cube, true, false},
	        {"along z", transposed(wobbly(orbit(false, 9, 45, 37, 2., 2., 0., 0., 20.), 1.), 2), odd,
	                true, false},
	        {"one column and row", orbit(false, 3, 1, 1, 2., 2., 0., 3., 90.), cube, true, true},
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct both t;

		if (some && i % 6 != 1) {
			geom_free(list[i].g);
			continue;
		}

		start(&t, list[i].name, list[i].g, list[i].grid);
		compare(&t, list[i].few ? 6e-6 : 2e-6,
		        list[i].adjoint && (!some || i == 1)); // older ones have little shared memory
		stop(&t);
	}
}

/** The adjoint has the same bytes from tiles that begin where they may; forward and adjoint of any other
 * tiles add up. */
static void test_parts(void)
{
	const struct grid tall = {{9, 9, 270}, {1., 1., 1.}, {-4., -4., -256.}};
	struct both t;

	start(&t, "parts", wobbly(orbit(false, 300, 13, 11, 2., 2., 0., 0., 360.), 1.), tall);

	const struct gpu_tile all = whole(&t, false);
	const long nz = t.grid.size[2], slice = t.grid.size[0] * t.grid.size[1], view = t.g->cols * t.g->rows;
	float *want = on_gpu(&t, &all, false), *y = on_gpu(&t, &all, true),
	      *got = mem_alloc((size_t)t.n * sizeof *got), *sum = mem_alloc((size_t)t.m * sizeof *sum),
	      *size = magnitude(t.vol, t.n), *most = on_cpu(&t, size, true);
	float *vol = device_alloc((size_t)t.n * sizeof *vol),
	      *proj = device_alloc((size_t)t.m * sizeof *proj);

	device_copy(proj, t.proj, (size_t)t.m * sizeof *proj);

	for (long z = 0; z < nz; z += GPU_SLAB_SLICES)
		for (long k = 0; k < t.g->views; k += GPU_BATCH_VIEWS) {
			const struct gpu_tile tile = {.view = k,
			        .views = k + GPU_BATCH_VIEWS < t.g->views ? GPU_BATCH_VIEWS : t.g->views - k,
			        .rows = t.g->rows,
			        .slice = z,
			        .slices = z + GPU_SLAB_SLICES < nz ? GPU_SLAB_SLICES : nz - z,
			        .add = k > 0};

			gpu_any_orientation_adjoint(t.p, vol + z * slice, proj + k * view, &tile);
		}

	device_copy(got, vol, (size_t)t.n * sizeof *got);
	check(0 == memcmp(got, want, (size_t)t.n * sizeof *got),
	        "the adjoint in tiles has the bytes of the whole");
	device_copy(vol, t.vol, (size_t)t.n * sizeof *vol);

	for (long z = 0; z < nz; z += 84)
		for (long k = 0; k < t.g->views; k += 77) {
			const struct gpu_tile tile = {.view = k,
			        .views = k + 77 < t.g->views ? 77 : t.g->views - k,
			        .rows = t.g->rows,
			        .slice = z,
			        .slices = z + 84 < nz ? 84 : nz - z,
			        .add = z > 0};

			gpu_any_orientation_forward(t.p, proj + k * view, vol + z * slice, &tile);
		}

	device_copy(sum, proj, (size_t)t.m * sizeof *sum);
	check(difference(sum, y, most, t.m) <= 2e-6, "parts add up: %.1e", difference(sum, y, most, t.m));

	/* some rows of a view alone are those of the whole */
	const struct gpu_tile rows = {.view = 5, .views = 1, .row = 3, .rows = 6, .slices = nz};

	device_copy(vol, t.vol, (size_t)t.n * sizeof *vol);
	gpu_any_orientation_forward(t.p, proj, vol, &rows);
	device_copy(sum, proj, (size_t)(6 * t.g->cols) * sizeof *sum);

	const long at = 5 * view + 3 * t.g->cols;

	check(difference(sum, y + at, most + at, 6 * t.g->cols) <= 2e-6, "rows alone: %.1e",
	        difference(sum, y + at, most + at, 6 * t.g->cols));
	free(want);
	free(y);
	free(got);
	free(sum);
	free(size);
	free(most);
	device_free(vol);
	device_free(proj);
	stop(&t);
}

/** Views that fit, some of them one way alone, among others, through the operator. */
static void test_mixture(void)
{
	const struct grid cube = centred(37, 33, 29, 1., 1., 1.);
	struct geom *g = orbit(false, 9, 45, 37, 2., 2., 0., 0., 90.),
	            *leaning = orbit(false, 9, 45, 37, 2., 2., 0., 20., 90.);
	struct both t;

	wobbly(leaning, 1.);

	for (long k = 0; k < g->views; k++)
		if (k % 3 == 1)
			g->view[k] = leaning->view[k];
		else if (k % 3 == 2)
			view_offsets_apply(g, k, 6, (const double[]){1., 1., 1., 1., 1., 1.});

	for (int i = 0; i < 3; i++) // not in front of the source
		g->view[7].s[i] *= 0.1;

	geom_free(leaning);
	start(&t, "mixture", g, cube);
	check(fitting(&t, true) == 7 && fitting(&t, false) == 6, "mixture: %ld and %ld of 9 views fit",
	        fitting(&t, true), fitting(&t, false));

	for (int forward = 0; forward < 2; forward++) {
		const long n = forward ? t.m : t.n;
		const float *in = forward ? t.vol : t.proj;
		float *c = on_cpu(&t, in, forward), *size = magnitude(in, forward ? t.n : t.m),
		      *most = on_cpu(&t, size, forward), *got = mem_calloc((size_t)n, sizeof *got);

		if (forward)
			xray_forward(t.x, DT_FLOAT32, got, in, 0, g->views);
		else
			xray_adjoint(t.x, DT_FLOAT32, got, in, 0, g->views);

		check(difference(got, c, most, n) <= 2e-6, "mixture, %s: differs by %.1e",
		        forward ? "forward" : "adjoint", difference(got, c, most, n));
		free(c);
		free(size);
		free(most);
		free(got);
	}

	stop(&t);
}

/** Runs this program for an older GPU. */
static void test_older(const char *program, const char *capability)
{
	char *command = mem_printf("GANTRY_EMULATED_CC=%s '%s' some", capability, program);

	fflush(stdout);
	check(0 == system(command), "as compute capability %s does it", capability);
	free(command);
}

int main(int argc, char *argv[])
{
	if (device_count() == 0) {
		printf("ok gpu_any_orientation # SKIP %s\n", device_none_reason());
		return 0;
	}

	device_use(0);
	test_kinds(argc > 1);

	if (argc == 1) {
		test_parts();
		test_mixture();
	}

	if (argc == 1 && strstr(device_name(0), "emulated")) {
		test_older(argv[0], "8.0");
		test_older(argv[0], "7.5");
	}

	return checks_failed ? 1 : 0;
}
