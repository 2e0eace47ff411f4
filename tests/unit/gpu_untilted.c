/* The GPU's projectors for columns parallel to z against the processor's: every kind of scan, sizes that are
 * no multiple of anything, cuts, dot tests, the same bytes. On the emulated GPU some of it again as older
 * ones do it. */

#include "ct/fbp/fbp.h"
#include "ct/projector/cuda/untilted.h"
#include "num/device/device.h"
#include "xray_scans.h"

/** A scan, the transform on both sides, and data. */
struct both {
	const char *name;
	enum xray_model model;
	struct geom *g;
	struct grid grid;
	struct xray *x;
	struct gpu_untilted *p;
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

static float *to_device(const float *x, long n)
{
	float *p = device_alloc((size_t)n * sizeof *p);

	device_copy(p, x, (size_t)n * sizeof *p);
	return p;
}

static struct gpu_tile whole(const struct both *t)
{
	return (struct gpu_tile){
	        .views = t->g->views, .rows = t->g->rows, .slices = t->grid.size[2], .add = false};
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

/** Arrays on the host go through the GPU in use: the processor computes while none is. Siddon's method in
 * float64: the float32 of rays that rise little is no better than the bounds here. */
static float *cpu_apply(const struct both *t, const float *from, bool forward)
{
	const bool wide = (t->model == XRAY_SIDDON);
	const long n = forward ? t->n : t->m, m = forward ? t->m : t->n;
	float *out = mem_calloc((size_t)m, sizeof *out);
	double *from64 = mem_alloc((size_t)n * sizeof *from64), *out64 = mem_calloc((size_t)m, sizeof *out64);
	const void *in = wide ? (const void *)from64 : from;
	void *to = wide ? (void *)out64 : out;
	const enum dtype type = wide ? DT_FLOAT64 : DT_FLOAT32;

	for (long i = 0; i < n; i++)
		from64[i] = from[i];

	device_use(-1);

	if (forward)
		xray_forward(t->x, type, to, in, 0, t->g->views);
	else
		xray_adjoint(t->x, type, to, in, 0, t->g->views);

	device_use(0);

	for (long i = 0; i < m && wide; i++)
		out[i] = (float)out64[i];

	free(from64);
	free(out64);
	return out;
}

static float *cpu_forward(const struct both *t, const float *vol)
{
	return cpu_apply(t, vol, true);
}

static float *cpu_adjoint(const struct both *t, const float *proj)
{
	return cpu_apply(t, proj, false);
}

static float *gpu_forward(const struct both *t, const struct gpu_tile *tile)
{
	float *vol = to_device(t->vol, t->n), *proj = to_device(t->proj, t->m),
	      *out = mem_alloc((size_t)t->m * sizeof *out);

	gpu_untilted_forward(t->p, proj, vol, tile);
	device_copy(out, proj, (size_t)t->m * sizeof *out);
	device_free(vol);
	device_free(proj);
	return out;
}

static float *gpu_adjoint(const struct both *t, const struct gpu_tile *tile)
{
	float *vol = to_device(t->vol, t->n), *proj = to_device(t->proj, t->m),
	      *out = mem_alloc((size_t)t->n * sizeof *out);

	gpu_untilted_adjoint(t->p, vol, proj, tile);
	device_copy(out, vol, (size_t)t->n * sizeof *out);
	device_free(vol);
	device_free(proj);
	return out;
}

static void start(struct both *t, enum xray_model model, const char *name, struct geom *g, struct grid grid)
{
	*t = (struct both){
	        .name = name, .model = model, .g = g, .grid = grid, .x = xray_create(g, &grid, model)};
	t->n = volume_size(&grid);
	t->m = proj_size(g);
	t->vol = noise(t->n, 1);
	t->proj = noise(t->m, 2);
	t->p = gpu_untilted_create(t->x);
}

static void stop(struct both *t)
{
	gpu_untilted_free(t->p);
	xray_free(t->x);
	geom_free(t->g);
	free(t->vol);
	free(t->proj);
}

/** Forward and adjoint are the processor's, and each other's transpose; the adjoint has the same bytes again.
 * Footprints of a single slice have an adjoint alone: it is the transpose of the processor's forward. */
static void compare(struct both *t, double bound)
{
	const struct gpu_tile all = whole(t);
	const bool back_alone = t->model == XRAY_SF && t->grid.size[2] == 1;
	long fit = 0;

	for (long k = 0; k < t->g->views; k++)
		fit += gpu_untilted_fits(t->p, k, false) && (back_alone || gpu_untilted_fits(t->p, k, true));

	check(fit == t->g->views, "%s, %s: %ld of %ld views fit", xray_model_name[t->model], t->name, fit,
	        t->g->views);

	if (fit < t->g->views)
		return;

	float *size = magnitude(t->vol, t->n), *back_size = magnitude(t->proj, t->m);
	float *c = cpu_forward(t, t->vol), *most = cpu_forward(t, size),
	      *g = back_alone ? cpu_forward(t, t->vol) : gpu_forward(t, &all);
	float *back = cpu_adjoint(t, t->proj), *back_most = cpu_adjoint(t, back_size),
	      *gback = gpu_adjoint(t, &all), *again = gpu_adjoint(t, &all);
	const double e = difference(g, c, most, t->m), eb = difference(gback, back, back_most, t->n);
	const double dot = fabs(inner(g, t->proj, t->m) - inner(t->vol, gback, t->n)) /
	                   sqrt(fmax(inner(g, g, t->m) * inner(t->proj, t->proj, t->m),
	                           inner(gback, gback, t->n) * inner(t->vol, t->vol, t->n)));

	check(e <= bound, "%s, %s: forward differs by %.1e", xray_model_name[t->model], t->name, e);
	check(eb <= bound, "%s, %s: adjoint differs by %.1e", xray_model_name[t->model], t->name, eb);
	check(dot <= 3e-8, "%s, %s: dot test %.1e", xray_model_name[t->model], t->name, dot);
	check(0 == memcmp(gback, again, (size_t)t->n * sizeof *gback),
	        "%s, %s: the adjoint again has the same bytes", xray_model_name[t->model], t->name);

	float *list[] = {size, back_size, c, most, g, back, back_most, gback, again};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		free(list[i]);
}

static struct geom *upside_down(struct geom *g)
{
	for (long k = 0; k < g->views; k += 2)
		g->view[k].v[2] = -g->view[k].v[2];

	return g;
}

/** Source and detector of every view a little elsewhere, columns untilted. */
static struct geom *shaken(struct geom *g)
{
	for (long k = 0; k < g->views; k++)
		for (int i = 0; i < 3; i++) {
			g->view[k].s[i] += g->parallel ? 0. : 2. * uniform(9 * k + i);
			g->view[k].d[i] += 2. * uniform(9 * k + 3 + i);
			g->view[k].u[i] *= 1. + 0.1 * uniform(9 * k + 6);
		}

	return g;
}

/** The middle row looks level, into the faces of an even number of slices about it. */
static struct geom *in_faces(struct geom *g)
{
	for (long k = 0; k < g->views; k++)
		g->view[k].d[2] = 0.;

	return g;
}

static struct geom *skewed(struct geom *g)
{
	for (long k = 0; k < g->views; k++)
		g->view[k].u[2] += 0.05;

	return g;
}

static struct geom *orbit(bool parallel, long views, long cols, long rows, double pu, double pv, double helix,
        double radius, double turn)
{
	const struct orbit o = {.parallel = parallel,
	        .sod = 80.,
	        .sdd = 120.,
	        .pitch = {pu, pv},
	        .offset = {1.7, -2.3},
	        .helix = helix,
	        .radius = radius};
	double *angle = mem_alloc((size_t)views * sizeof *angle);

	for (long k = 0; k < views; k++)
		angle[k] = 3. + turn * (double)k / (double)views;

	struct geom *g = orbit_geom(&o, views, angle, cols, rows);

	free(angle);
	return g;
}

/** One row, in the plane of a slice or, where rays are parallel, a little above it. */
static struct geom *flat(struct geom *g)
{
	for (long k = 0; k < g->views; k++) {
		g->view[k].d[2] = g->parallel ? 0.3 : 0.;
		g->view[k].s[2] = 0.;
	}

	return g;
}

/** Views along the axes, their columns in the faces between voxels. */
static struct geom *along_faces(long cols)
{
	const struct orbit o = {.parallel = true, .sod = 80., .sdd = 120., .pitch = {1., 1.}};
	const double angle[4] = {0., 90., 180., 270.};

	return orbit_geom(&o, 4, angle, cols, 1);
}

/** Single slices, with blocks of voxels and tiles of rays that are not full. */
static void test_slices(enum xray_model model, bool some)
{
	const struct grid square = centred(137, 101, 1, 1., 1., 1.),
	                  odd = {{70, 131, 1}, {1., 1.2, 0.8}, {-30., -80., 0.}},
	                  line = {{1, 50, 1}, {1., 1., 1.}, {0., -24., 0.}};
	const struct {
		const char *name;
		struct geom *g;
		struct grid grid;
		bool few;
	} list[] = {
	        {"slice, parallel", orbit(true, 37, 170, 1, 1., 1., 0., 0., 180.), square, false},
	        {"slice, parallel, few views, columns close", orbit(true, 5, 400, 1, 0.4, 1., 0., 0., 180.),
	                odd, true},
	        {"slice, parallel, columns 0.7 apart", orbit(true, 21, 170, 1, 0.7, 1., 0., 0., 90.), square,
	                false},
	        {"slice, parallel, columns far apart", orbit(true, 70, 60, 1, 3., 1., 0., 0., 180.), square,
	                true},
	        {"slice, parallel, columns in faces", along_faces(61), centred(64, 64, 1, 1., 1., 1.), true},
	        {"slice, parallel, curved", orbit(true, 21, 150, 1, 1.1, 1., 0., 150., 100.), odd, false},
	        {"slice, parallel, one line of voxels", orbit(true, 11, 70, 1, 1., 1., 0., 0., 180.), line,
	                true},
	        {"slice, fan", orbit(false, 40, 190, 1, 1.7, 1., 0., 0., 360.), square, false},
	        {"slice, fan, columns close", orbit(false, 21, 300, 1, 1.1, 1., 0., 0., 360.), odd, false},
	        {"slice, fan, shaken", shaken(orbit(false, 21, 190, 1, 1.5, 1., 0., 0., 360.)), odd, false},
	        {"slice, fan, curved", orbit(false, 40, 190, 1, 1.5, 1., 0., 300., 360.), square, false},
	        {"slice, fan, curved otherwise", orbit(false, 21, 190, 1, 1.6, 1., 0., 500., 360.), odd,
	                false},
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct both t;

		if (some && i % 3 != 1) {
			geom_free(list[i].g);
			continue;
		}

		for (long k = 0; k < list[i].g->views && !list[i].g->parallel;
		        k++) // farther than of small volumes
			for (int c = 0; c < 3; c++) {
				list[i].g->view[k].s[c] *= 2.5;
				list[i].g->view[k].d[c] *= 2.5;
			}

		if (model == XRAY_SF && list[i].g->radius > 0.) {
			geom_free(list[i].g);
			continue;
		}

		start(&t, model, list[i].name, flat(list[i].g), list[i].grid);
		compare(&t, list[i].few ? 6e-6 : 2e-6);
		stop(&t);
	}
}

static void test_kinds(enum xray_model model, bool some)
{
	const double close = (model == XRAY_SF) ? 0.5 : 0.4; // footprints have eight columns at most
	const struct grid cube = centred(37, 33, 29, 1., 1., 1.),
	                  odd = {{35, 31, 41}, {1., 1.2, 0.8}, {-15., -20., -14.}};
	const struct {
		const char *name;
		struct geom *g;
		struct grid grid;
		bool few; // pixels that a voxel sums up: the rounding of one weight shows
	} list[] = {
	        {"cone", orbit(false, 11, 45, 37, 1.6, 1.6, 0., 0., 60.), cube, false},
	        {"cone, few views", orbit(false, 5, 45, 37, 2.2, 2.2, 0., 0., 360.), cube, true},
	        {"cone, rows close", orbit(false, 9, 50, 67, 1.2, 0.7, 0., 0., 100.), odd, false},
	        {"cone, all close", orbit(false, 3, 131, 70, close, 0.62, 0., 0., 100.), cube, false},
	        {"cone, rows far apart", orbit(false, 9, 31, 20, 3., 4.2, 0., 0., 100.), odd, true},
	        {"cone, few thick rows", orbit(false, 40, 60, 5, 1.6, 8., 0., 0., 100.), cube, true},
	        {"helix, every other view upside down",
	                upside_down(orbit(false, 9, 45, 37, 2., 2., 20., 0., 100.)), odd, false},
	        {"curved", orbit(false, 9, 47, 37, 2., 2., 0., 120., 90.), odd, false},
	        {"curved otherwise", orbit(false, 9, 47, 37, 2., 2., 0., 200., 90.), cube, false},
	        {"cone, shaken", shaken(orbit(false, 9, 45, 37, 2., 2., 0., 0., 90.)), odd, false},
	        {"cone, columns climb", skewed(orbit(false, 9, 45, 37, 2., 2., 0., 0., 90.)), cube, false},
	        {"cone, a row in faces", in_faces(orbit(false, 9, 45, 37, 2., 2., 0., 0., 90.)),
	                centred(37, 33, 30, 1., 1., 1.), false},
	        {"one column and row", orbit(false, 3, 1, 1, 2., 2., 0., 0., 90.), cube, true},
	        {"parallel", orbit(true, 13, 45, 29, 1., 1., 0., 0., 180.), cube, false},
	        {"parallel, rows between slices", upside_down(orbit(true, 9, 45, 33, 1.2, 0.7, 5., 0., 100.)),
	                odd, false},
	        {"parallel, columns close", orbit(true, 9, 70, 33, 0.6, 1.3, 0., 0., 100.), cube, false},
	        {"parallel, curved", orbit(true, 9, 45, 33, 1.2, 1.2, 0., 90., 100.), cube, false},
	        {"parallel, shaken", shaken(orbit(true, 9, 45, 33, 1.3, 1.1, 0., 0., 100.)), odd, false},
	        {"parallel, columns climb", skewed(orbit(true, 9, 45, 33, 1.2, 1.2, 0., 0., 100.)), cube,
	                false},
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct both t;

		if (some && i % (model == XRAY_JOSEPH ? 5 : 10) != 1) {
			geom_free(list[i].g);
			continue;
		}

		start(&t, model, list[i].name, list[i].g, list[i].grid);
		compare(&t, list[i].few ? 6e-6 : 2e-6);
		stop(&t);
	}
}

/** What all pixels that see a voxel get of it is its volume over the area of a pixel's beam there. */
static void test_mass(void)
{
	const struct grid cube = centred(9, 11, 7, 1., 1., 1.);
	struct both t;

	start(&t, XRAY_SF, "mass", orbit(false, 7, 40, 33, 1.6, 1.6, 0., 0., 60.), cube);

	for (long i = 0; i < t.m; i++)
		t.proj[i] = 1.f;

	const struct gpu_tile all = whole(&t);
	float *sum = gpu_adjoint(&t, &all);
	double worst = 0.;

	for (long i = 0; i < t.n; i++) {
		double x[3], want = 0.;

		for (int k = 0; k < 3; k++)
			x[k] = cube.origin[k] + (double)(k == 0 ? i % 9 : k == 1 ? i / 9 % 11 : i / 99);

		for (long k = 0; k < t.g->views; k++) {
			const struct geom_view *w = t.g->view + k;
			double r[3], n[3] = {w->u[1] * w->v[2], -w->u[0] * w->v[2], 0.}, far = 0., depth = 0.,
			             all_way = 0.;

			for (int d = 0; d < 3; d++) {
				r[d] = x[d] - w->s[d];
				far += r[d] * r[d];
				depth += r[d] * n[d];
				all_way += (w->d[d] - w->s[d]) * n[d];
			}

			want += sqrt(far) * all_way * all_way / fabs(depth * depth * depth);
		}

		worst = fmax(worst, fabs((double)sum[i] / want - 1.));
	}

	check(worst <= 2e-6, "sf: mass is conserved but for %.1e", worst);
	free(sum);
	stop(&t);
}

/** The adjoint has the same bytes from tiles that begin where they may; forward and adjoint of any other
 * tiles add up. */
static void test_parts(enum xray_model model)
{
	struct both t;

	const struct grid tall = {{9, 9, 270}, {1., 1., 1.}, {-4., -4., -256.}};

	start(&t, model, "parts", orbit(false, 300, 13, 11, 2., 2., 0., 0., 360.), tall);

	const struct gpu_tile all = whole(&t);
	const long nz = t.grid.size[2], slice = t.grid.size[0] * t.grid.size[1], view = t.g->cols * t.g->rows;
	float *want = gpu_adjoint(&t, &all), *got = mem_alloc((size_t)t.n * sizeof *got);
	float *y = gpu_forward(&t, &all), *sum = mem_alloc((size_t)t.m * sizeof *sum),
	      *size = magnitude(t.vol, t.n);
	float *vol = to_device(t.vol, t.n), *proj = to_device(t.proj, t.m), *most = cpu_forward(&t, size);

	for (long z = 0; z < nz; z += GPU_SLAB_SLICES)
		for (long k = 0; k < t.g->views; k += GPU_BATCH_VIEWS) {
			const struct gpu_tile tile = {.view = k,
			        .views = k + GPU_BATCH_VIEWS < t.g->views ? GPU_BATCH_VIEWS : t.g->views - k,
			        .rows = t.g->rows,
			        .slice = z,
			        .slices = z + GPU_SLAB_SLICES < nz ? GPU_SLAB_SLICES : nz - z,
			        .add = k > 0};

			gpu_untilted_adjoint(t.p, vol + z * slice, proj + k * view, &tile);
		}

	device_copy(got, vol, (size_t)t.n * sizeof *got);
	check(0 == memcmp(got, want, (size_t)t.n * sizeof *got),
	        "%s: the adjoint in tiles has the bytes of the whole", xray_model_name[model]);
	device_copy(vol, t.vol, (size_t)t.n * sizeof *vol);

	for (long z = 0; z < nz; z += 84) {
		const struct gpu_tile tile = {.views = t.g->views,
		        .rows = t.g->rows,
		        .slice = z,
		        .slices = z + 84 < nz ? 84 : nz - z,
		        .add = z > 0};

		gpu_untilted_forward(t.p, proj, vol + z * slice, &tile);
	}

	device_copy(sum, proj, (size_t)t.m * sizeof *sum);

	check(difference(sum, y, most, t.m) <= 2e-6, "%s: slabs add up: %.1e", xray_model_name[model],
	        difference(sum, y, most, t.m));
	free(want);
	free(got);
	free(y);
	free(sum);
	free(size);
	free(most);
	device_free(vol);
	device_free(proj);
	stop(&t);
}

/** The back projection of filtered views against the processor's. */
static void test_fdk(const char *name, struct geom *g, struct grid grid)
{
	struct fbp *f = fbp_create(g, &(struct fbp_settings){0}, name);
	struct gpu_fdk *p = gpu_fdk_create(f, &grid);
	const long n = volume_size(&grid), m = fbp_cols(f) * g->rows * g->views;
	float *q = noise(m, 5), *sizes = magnitude(q, m), *want = mem_calloc((size_t)n, sizeof *want),
	      *most = mem_calloc((size_t)n, sizeof *most), *got = mem_alloc((size_t)n * sizeof *got);
	float *qd = to_device(q, m), *vol = device_alloc((size_t)n * sizeof *vol);
	const struct gpu_tile all = {.views = g->views, .rows = g->rows, .slices = grid.size[2]};
	bool fits = true;

	for (long k = 0; k < g->views; k++)
		fits = fits && gpu_fdk_fits(p, k);

	check(fits, "back projection, %s: fits", name);

	if (fits) {
		device_use(-1);
		fbp_backproject(f, &grid, DT_FLOAT32, want, 1, q, 0, g->views);
		fbp_backproject(f, &grid, DT_FLOAT32, most, 1, sizes, 0, g->views);
		device_use(0);
		gpu_fdk_backproject(p, vol, qd, &all);
		device_copy(got, vol, (size_t)n * sizeof *got);
		check(difference(got, want, most, n) <= 4e-6, "back projection, %s: differs by %.1e", name,
		        difference(got, want, most, n));
	}

	free(q);
	free(sizes);
	free(want);
	free(most);
	free(got);
	device_free(qd);
	device_free(vol);
	gpu_fdk_free(p);
	fbp_free(f);
	geom_free(g);
}

static void test_back_projections(bool some)
{
	const struct grid cube = centred(37, 33, 29, 1., 1., 1.),
	                  odd = {{35, 31, 41}, {1., 1.2, 0.8}, {-15., -20., -14.}};

	test_fdk("cone", orbit(false, 40, 61, 37, 1.6, 1.6, 0., 0., 360.), cube);
	test_fdk("curved, upside down", upside_down(orbit(false, 40, 61, 37, 2., 2., 0., 120., 360.)), odd);
	test_fdk("parallel", orbit(true, 40, 61, 37, 1., 1., 0., 0., 180.), cube);

	if (!some) // so large a patch has no room on older ones
		test_fdk("rows close", orbit(false, 40, 61, 97, 1.6, 0.4, 0., 0., 360.), odd);
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
		printf("ok gpu_untilted # SKIP %s\n", device_none_reason());
		return 0;
	}

	device_use(0);
	test_kinds(XRAY_JOSEPH, argc > 1);
	test_kinds(XRAY_SF, argc > 1);
	test_kinds(XRAY_SIDDON, argc > 1);
	test_slices(XRAY_JOSEPH, argc > 1);
	test_slices(XRAY_SF, argc > 1);

	if (device_capability(0) >= 80) // before, the adjoint's stages have no room
		test_slices(XRAY_SIDDON, argc > 1);

	test_back_projections(argc > 1);

	if (argc == 1) {
		test_parts(XRAY_JOSEPH);
		test_parts(XRAY_SF);
		test_parts(XRAY_SIDDON);
		test_mass();
	}

	if (argc == 1 && strstr(device_name(0), "emulated")) {
		test_older(argv[0], "8.0");
		test_older(argv[0], "7.5");
	}

	return checks_failed ? 1 : 0;
}
