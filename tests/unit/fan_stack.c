/* Stacks of fans, by the fast path and slice by slice: numbers of slices around those of vectors and layers,
 * rows on slices and between them, curved detectors, sources in the volume, masks, complex data. */

#include "ct/projector/bricks.h"
#include "ct/projector/mask.h"
#include "ct/projector/projector.h"
#include "xray_scans.h"

enum { VIEWS = 5 };

struct stack_case {
	const char *name;
	long nx, ny, nz, cols, rows;
	double step;   // of rows [mm], slices are 1 apart
	double height; // of the middle row
	double radius, helix, sod;
	bool fast; // for Joseph's and Siddon's method
};

static const struct stack_case cases[] = {
        {.name = "on slices", .nx = 9, .ny = 8, .nz = 8, .cols = 13, .rows = 8, .step = 1., .fast = true},
        {.name = "downwards", .nx = 8, .ny = 9, .nz = 17, .cols = 16, .rows = 17, .step = -1., .fast = true},
        {.name = "fewer rows", .nx = 5, .ny = 9, .nz = 70, .cols = 17, .rows = 3, .step = 1., .fast = true},
        {.name = "between slices",
                .nx = 9,
                .ny = 9,
                .nz = 16,
                .cols = 15,
                .rows = 31,
                .step = 0.4,
                .height = 0.3,
                .fast = true},
        {.name = "high rows", .nx = 9, .ny = 7, .nz = 15, .cols = 14, .rows = 5, .step = 2.7, .fast = true},
        {.name = "beside",
                .nx = 6,
                .ny = 6,
                .nz = 4,
                .cols = 9,
                .rows = 4,
                .step = 1.,
                .height = 3.,
                .fast = true},
        {.name = "curved",
                .nx = 9,
                .ny = 8,
                .nz = 5,
                .cols = 15,
                .rows = 5,
                .step = 1.,
                .radius = 30.,
                .fast = true},
        {.name = "helix",
                .nx = 9,
                .ny = 8,
                .nz = 12,
                .cols = 14,
                .rows = 4,
                .step = 1.5,
                .helix = 6.,
                .fast = true},
        {.name = "source in the volume",
                .nx = 11,
                .ny = 12,
                .nz = 6,
                .cols = 16,
                .rows = 6,
                .step = 1.,
                .sod = 4.,
                .fast = true},
        {.name = "two layers", .nx = 3, .ny = 3, .nz = 300, .cols = 5, .rows = 300, .step = 1., .fast = true},
        {.name = "several bricks",
                .nx = 40,
                .ny = 35,
                .nz = 4,
                .cols = 50,
                .rows = 4,
                .step = 1.,
                .fast = true},
        {.name = "three slices", .nx = 9, .ny = 8, .nz = 3, .cols = 14, .rows = 3, .step = 1.},
        {.name = "one slice", .nx = 9, .ny = 8, .nz = 1, .cols = 14, .rows = 2, .step = 0.5},
};

enum { CASES = sizeof cases / sizeof *cases };

static struct geom *case_geom(const struct stack_case *c)
{
	const double n = (double)(c->nx > c->ny ? c->nx : c->ny), sod = (c->sod > 0.) ? c->sod : 2. * n;
	const struct orbit o = {.sod = sod,
	        .sdd = sod + n,
	        .pitch = {1.5 * n * (sod + n) / sod / (double)c->cols, c->step},
	        .radius = c->radius,
	        .helix = c->helix};
	double angle[VIEWS];

	for (int k = 0; k < VIEWS; k++)
		angle[k] = 2. + 77. * k;

	struct geom *g = orbit_geom(&o, VIEWS, angle, c->cols, c->rows);

	g->stack = true;

	for (long k = 0; k < VIEWS; k++)
		g->view[k].s[2] = g->view[k].d[2] += c->height;

	geom_check(g, c->name);
	return g;
}

/** Largest difference of both directions from the reference, of the largest value. */
static double off(const struct xray *x, enum dtype type, const double *vol, const double *y)
{
	const long *size = x->grid.size, n = volume_size(&x->grid), pixels = proj_size(x->g);
	double worst[2] = {0., 0.}, most[2] = {0., 0.};
	float *f = mem_alloc(n * sizeof *f), *q = mem_alloc(pixels * sizeof *q),
	      *p = mem_calloc(pixels, sizeof *p), *h = mem_calloc(n, sizeof *h);
	double *p64 = mem_calloc(pixels, sizeof *p64), *h64 = mem_calloc(n, sizeof *h64);
	const bool wide = (type == DT_FLOAT64);

	for (long i = 0; i < n; i++)
		f[i] = (float)vol[i];

	for (long i = 0; i < pixels; i++)
		q[i] = (float)y[i];

	xray_forward(x, type, wide ? (void *)p64 : p, wide ? (const void *)vol : f, 0, VIEWS);
	xray_adjoint(x, type, wide ? (void *)h64 : h, wide ? (const void *)y : q, 0, VIEWS);

	for (long i = 1; i < pixels; i += pixels / 97 + 1) {
		const double want = xray_reference_pixel(
		        x, vol, i % x->g->cols, i / x->g->cols % x->g->rows, i / x->g->cols / x->g->rows);

		worst[0] = fmax(worst[0], fabs((wide ? p64[i] : p[i]) - want));
		most[0] = fmax(most[0], fabs(want));
	}

	for (long i = 2; i < n; i += n / 41 + 1) {
		const double want =
		        xray_reference_voxel(x, y, i % size[0], i / size[0] % size[1], i / size[0] / size[1]);

		worst[1] = fmax(worst[1], fabs((wide ? h64[i] : h[i]) - want));
		most[1] = fmax(most[1], fabs(want));
	}

	free(f);
	free(q);
	free(p);
	free(h);
	free(p64);
	free(h64);
	return fmax(worst[0] / fmax(most[0], 1e-3), worst[1] / fmax(most[1], 1e-3));
}

static void test_case(const struct stack_case *c, enum xray_model m)
{
	struct geom *g = case_geom(c);
	const struct grid grid = centred(c->nx, c->ny, c->nz, 1., 1.1, 1.);
	double *vol = deviates(volume_size(&grid), 1), *y = deviates(proj_size(g), 2);
	struct xray *x = xray_create(g, &grid, m);
	char *path = xray_paths(x, DT_FLOAT32, true);
	const bool near = (c->sod > 0. && m == XRAY_SF); // footprints of any width

	check(0 == strcmp(path, c->fast && !near ? "fan_stack" : "general"), "%s, %s: path %s",
	        xray_model_name[m], c->name, path);

	const double narrow = off(x, DT_FLOAT32, vol, y), wide = off(x, DT_FLOAT64, vol, y);

	check(narrow < 2e-6, "%s, %s: float32 is %.1e off", xray_model_name[m], c->name, narrow);
	check(wide < 1e-12, "%s, %s: float64 is %.1e off", xray_model_name[m], c->name, wide);
	proof_of(m, verify_dot, g, &grid, "dot test", c->name);
	proof_of(m, verify_elements, g, &grid, "elements", c->name);

	if (!short_tests())
		proof_of(m, verify_split, g, &grid, "splits", c->name);

	free(path);
	free(vol);
	free(y);
	xray_free(x);
	geom_free(g);
}

/** The parts of complex data go their own ways, and a mask takes voxels out; for the path of that name. */
static void test_parts(enum xray_model m, const char *path)
{
	struct geom *g = case_geom(&cases[3]);
	const struct grid grid = centred(9, 9, 16, 1., 1.1, 1.);
	const long n = volume_size(&grid), pixels = proj_size(g);
	double *d = deviates(2 * (n + pixels), 3);
	float *f = mem_alloc(2 * n * sizeof *f), *p = mem_alloc(2 * pixels * sizeof *p),
	      *part = mem_alloc(n * sizeof *part), *one = mem_alloc(pixels * sizeof *one),
	      *h = mem_calloc(2 * n, sizeof *h), *back = mem_calloc(n, sizeof *back);
	long other = 0, inside = 0;

	setenv("GANTRY_PROJECTOR", path, 1);

	struct xray *x = xray_create(g, &grid, m);
	struct mask *mask = mask_create("circle:3", &grid);

	for (long i = 0; i < 2 * n; i++)
		f[i] = (float)d[i];

	xray_set_mask(x, mask);
	xray_forward(x, DT_COMPLEX64, p, f, 0, VIEWS);
	xray_adjoint(x, DT_COMPLEX64, h, p, 0, VIEWS);

	for (int k = 0; k < 2; k++) {
		for (long i = 0; i < n; i++)
			part[i] = f[2 * i + k];

		mask_volume(mask, DT_FLOAT32, part);
		xray_set_mask(x, NULL);
		xray_forward(x, DT_FLOAT32, one, part, 0, VIEWS);

		for (long i = 0; i < pixels; i++)
			other += (one[i] != p[2 * i + k]);

		memset(back, 0, n * sizeof *back);
		xray_adjoint(x, DT_FLOAT32, back, one, 0, VIEWS);
		mask_volume(mask, DT_FLOAT32, back);
		xray_set_mask(x, mask);

		for (long i = 0; i < n; i++) {
			other += (back[i] != h[2 * i + k]);
			inside += (back[i] != 0.f);
		}
	}

	check(other == 0 && inside > 0 && inside < 2 * n,
	        "%s, %s: both parts of complex data behind a mask, %ld of %ld differ", xray_model_name[m],
	        path, other, 2 * (n + pixels));
	unsetenv("GANTRY_PROJECTOR");
	mask_free(mask);
	xray_free(x);
	geom_free(g);
	free(d);
	free(f);
	free(p);
	free(part);
	free(one);
	free(h);
	free(back);
}

/* ---- geometries of one slice ---- */

static void test_rows(void)
{
	struct geom *fan = scan(FAN, 10., 3, 12, 1), *cone = scan(CONE, 10., 3, 12, 11),
	            *lean = scan(FAN, 10., 3, 12, 1), *beam = scan(PARALLEL, 10., 3, 12, 1);
	const double z = 1.5, step = 0.5;
	double s[3], d[3], a, b;

	check(geom_stack_rows(fan, 7, step, z) && fan->stack && fan->rows == 7, "a fan is stacked");
	check(geom_stack_rows(beam, 7, step, z) && !beam->stack && beam->rows == 7,
	        "a parallel beam has its rows");
	check(!geom_stack_rows(cone, 7, step, z) && cone->rows == 11, "a cone is no fan");
	lean->view[1].v[0] = 0.1;
	check(!geom_stack_rows(lean, 7, step, z) && !lean->stack, "a leaning detector is no fan");

	geom_ray(fan, 1, 4., 5., s, d);
	check(fabs(s[2] - (z + 2. * step)) < 1e-12 && d[2] == 0., "row 5 has a source at its height");

	for (int i = 0; i < 3; i++)
		s[i] += 0.6 * d[i];

	check(geom_project(fan, 1, s, &a, &b) && fabs(a - 4.) < 1e-9 && fabs(b - 5.) < 1e-9,
	        "and a point of its ray is seen there");
	geom_free(fan);
	geom_free(cone);
	geom_free(lean);
	geom_free(beam);
}

int main(void)
{
	for (int m = 0; m < XRAY_MODELS; m++) {
		for (int i = 0; i < CASES; i++)
			test_case(&cases[i], m);

		test_parts(m, "fan_stack");
		test_parts(m, "general");
	}

	test_rows();
	return checks_failed ? 1 : 0;
}
