/* The lists of paths of the X-ray transform: their order, which path takes which scan, and every path against
 * the float64 reference on every scan that it takes. --table: the tables of doc/projectors.md. */

#include "ct/bench/bench_projector.h"
#include "ct/projector/bricks.h"
#include "ct/projector/projector.h"
#include "num/device/opencl.h"
#include "xray_scans.h"

/** Rows of a list, in order. */
static const char *const order_cpu[] = {"joseph fan_stack", "joseph slice_parallel", "joseph untilted",
        "joseph single_slice", "joseph ray_packet", "siddon fan_stack", "siddon slice_parallel",
        "siddon untilted", "siddon single_slice", "siddon ray_packet", "sf fan_stack", "sf slice_parallel",
        "sf untilted", "sf any_orientation", "joseph general", "siddon general", "sf general", NULL};
static const char *const order_gpu[] = {"joseph single_slice", "joseph slice_parallel", "joseph untilted",
        "joseph any_orientation", "siddon single_slice", "siddon untilted", "sf single_slice", "sf untilted",
        "joseph general", "siddon general", "sf general", NULL};

static const char *const order_opencl[] = {"joseph general", "siddon general", "sf general", NULL};

/** A scan, and the path that takes it in every model: those of gantry bench projector, and others. */
struct row_case {
	int bench, kind; // of gantry bench projector, else of xray_scans.h; -1: not
	enum dtype type;
	const char *path[XRAY_MODELS];
};

static const struct row_case cases[] = {
        {BENCH_PARALLEL, -1, DT_FLOAT32, {"slice_parallel", "slice_parallel", "slice_parallel"}},
        {BENCH_CONE, -1, DT_FLOAT32, {"untilted", "untilted", "untilted"}},
        {BENCH_CONE_NEAR, -1, DT_FLOAT32, {"untilted", "untilted", "untilted"}},
        {BENCH_HELIX, -1, DT_FLOAT32, {"untilted", "untilted", "untilted"}},
        {BENCH_CURVED, -1, DT_FLOAT32, {"untilted", "untilted", "untilted"}},
        {BENCH_VECTORS, -1, DT_FLOAT32, {"ray_packet", "ray_packet", "any_orientation"}},
        {BENCH_VECTORS_NEAR, -1, DT_FLOAT32, {"ray_packet", "ray_packet", "any_orientation"}},
        {BENCH_LAMINOGRAPHY, -1, DT_FLOAT32, {"ray_packet", "ray_packet", "any_orientation"}},
        {BENCH_TOMOSYNTHESIS, -1, DT_FLOAT32, {"untilted", "untilted", "untilted"}},
        {BENCH_FLAT_PARALLEL, -1, DT_FLOAT32, {"single_slice", "single_slice", "any_orientation"}},
        {BENCH_FLAT_FAN, -1, DT_FLOAT32, {"single_slice", "single_slice", "any_orientation"}},
        {BENCH_FAN_STACK, -1, DT_FLOAT32, {"fan_stack", "fan_stack", "fan_stack"}},
        {-1, PARALLEL, DT_FLOAT32, {"slice_parallel", "untilted", "untilted"}}, // rows between slices
        {-1, ANY_ORIENTATION_CURVED, DT_FLOAT32, {"ray_packet", "ray_packet", "general"}},
        {-1, CURVED_PARALLEL, DT_COMPLEX64, {"untilted", "untilted", "untilted"}},
        {-1, CONE, DT_FLOAT64, {"general", "general", "general"}},
        {-1, RANDOM, DT_COMPLEX128, {"general", "general", "general"}},
};

enum { CASES = sizeof cases / sizeof *cases };

static struct geom *case_geom(const struct row_case *c, struct grid *grid)
{
	enum { N = 14, VIEWS = 3 };

	if (c->bench >= 0) {
		*grid = bench_grid(c->bench, N);
		return bench_geom(c->bench, N, VIEWS);
	}

	*grid = centred(N, N - 1, N + 2, 1., 1.1, 0.9);
	return scan(c->kind, N, VIEWS, N + 3, N + 1);
}

static const char *case_name(const struct row_case *c)
{
	return (c->bench >= 0) ? bench_kind_name[c->bench] : kind_name[c->kind];
}

/* ---- the lists ---- */

static void test_order(const struct projector_list *l, const char *const want[])
{
	char have[64];
	int r = 0;

	for (; r < l->rows && want[r]; r++) {
		snprintf(have, sizeof have, "%s %s", xray_model_name[l->row[r].model], l->row[r].name);
		check(0 == strcmp(have, want[r]), "%s, row %d: %s, expected %s", l->device, r, have, want[r]);
	}

	check(r == l->rows && !want[r], "%s: %d rows", l->device, l->rows);
}

/** The last row of a model takes everything. */
static void test_general(const struct projector_list *l)
{
	for (int m = 0; m < XRAY_MODELS; m++) {
		const struct projector *last = NULL;
		int rows = 0;

		for (int r = 0; r < l->rows; r++)
			if (l->row[r].model == (enum xray_model)m) {
				last = l->row + r;
				rows++;
			}

		check(last && !last->takes && (last->types >> DT_FLOAT32 & last->types >> DT_FLOAT64 & 1),
		        "%s: %s ends with a row for any view and type", l->device, xray_model_name[m]);
		check(rows > 1 || l == &projectors_opencl, "%s: %s has fast rows", l->device,
		        xray_model_name[m]);
	}
}

/* ---- scans ---- */

static void test_path(const struct row_case *c, enum xray_model m)
{
	struct grid grid;
	struct geom *g = case_geom(c, &grid);
	struct xray *x = xray_create(g, &grid, m);

	for (int forward = 0; forward < 2; forward++) {
		char *names = projectors_names(x->cpu, c->type, forward);

		check(names && c->path[m] && 0 == strcmp(names, c->path[m]),
		        "%s, %s, %s %s: path %s, expected %s", xray_model_name[m], case_name(c),
		        dtype_name(c->type), forward ? "forward" : "adjoint", names ? names : "none",
		        c->path[m] ? c->path[m] : "one here");
		free(names);
	}

	xray_free(x);
	geom_free(g);
}

static double number(enum dtype type, const void *p, long i)
{
	return dtype_real(type) == DT_FLOAT64 ? ((const double *)p)[i * (dtype_is_complex(type) ? 2 : 1)]
	                                      : ((const float *)p)[i * (dtype_is_complex(type) ? 2 : 1)];
}

/** The same numbers as data of a type; their imaginary part 0. */
static void *as(enum dtype type, const double *from, long n)
{
	const int step = dtype_is_complex(type) ? 2 : 1;
	void *p = mem_calloc(n, dtype_size(type));

	for (long i = 0; i < n; i++)
		if (dtype_real(type) == DT_FLOAT64)
			((double *)p)[i * step] = from[i];
		else
			((float *)p)[i * step] = (float)from[i];

	return p;
}

/** Largest difference from the reference, of the largest value, in some pixels and voxels. */
static double off_reference(const struct xray *x, enum dtype type)
{
	const struct geom *g = x->g;
	const long *size = x->grid.size, n = volume_size(&x->grid), pixels = proj_size(g);
	double *vol = deviates(n, 1), *y = deviates(pixels, 2), worst[2] = {0., 0.}, most[2] = {0., 0.};
	void *in = as(type, vol, n), *proj = mem_calloc(pixels, dtype_size(type)), *out = as(type, y, pixels),
	     *back = mem_calloc(n, dtype_size(type));

	xray_forward(x, type, proj, in, 0, g->views);
	xray_adjoint(x, type, back, out, 0, g->views);

	for (long i = 3; i < pixels; i += pixels / 61 + 1) {
		const double want = xray_reference_pixel(
		        x, vol, i % g->cols, i / g->cols % g->rows, i / g->cols / g->rows);

		worst[0] = fmax(worst[0], fabs(number(type, proj, i) - want));
		most[0] = fmax(most[0], fabs(want));
	}

	for (long i = 5; i < n; i += n / 31 + 1) {
		const double want =
		        xray_reference_voxel(x, y, i % size[0], i / size[0] % size[1], i / size[0] / size[1]);

		worst[1] = fmax(worst[1], fabs(number(type, back, i) - want));
		most[1] = fmax(most[1], fabs(want));
	}

	free(vol);
	free(y);
	free(in);
	free(proj);
	free(out);
	free(back);
	return fmax(worst[0] / most[0], worst[1] / most[1]);
}

/** Every row by itself, where it takes all views. Returns whether it did. */
static bool test_row(const struct row_case *c, const struct projector *row)
{
	struct grid grid;
	struct geom *g = case_geom(c, &grid);
	bool takes = true;

	setenv("GANTRY_PROJECTOR", row->name, 1);

	struct xray *x = xray_create(g, &grid, row->model);

	for (long k = 0; k < g->views; k++)
		for (int forward = 0; forward < 2; forward++)
			takes = takes && projectors_take(x->cpu, c->type, forward, k) == row;

	if (takes) {
		const double off = off_reference(x, c->type);
		const double most = (dtype_real(c->type) == DT_FLOAT64) ? 1e-11 : 2e-5;

		check(off < most, "%s %s, %s, %s: %.1e off the reference", xray_model_name[row->model],
		        row->name, case_name(c), dtype_name(c->type), off);
	}

	unsetenv("GANTRY_PROJECTOR");
	xray_free(x);
	geom_free(g);
	return takes;
}

static void test_rows(void)
{
	for (int r = 0; r < projectors_cpu.rows; r++) {
		const struct projector *row = projectors_cpu.row + r;
		int taken = 0;

		for (int i = 0; i < CASES; i++)
			taken += test_row(&cases[i], row);

		check(taken > 0, "%s %s: takes %d of %d scans", xray_model_name[row->model], row->name, taken,
		        CASES);
	}
}

/** A cone beam whose second view has a tilted detector: every view goes its own way. */
static void test_mixed(enum xray_model m, const char *usual, const char *other)
{
	const struct grid grid = centred(14, 13, 16, 1., 1.1, 0.9);
	struct geom *g = scan(CONE, 14., 4, 17, 15);

	g->view[1].v[0] += 0.1;

	struct xray *x = xray_create(g, &grid, m);

	for (long k = 0; k < g->views; k++) {
		const char *name = projectors_row(x->cpu, DT_FLOAT32, true, k)->name;

		check(0 == strcmp(name, (k == 1) ? other : usual), "%s, mixed views, view %ld: path %s",
		        xray_model_name[m], k, name);
	}

	const double off = off_reference(x, DT_FLOAT32);

	check(off < 2e-5, "%s, mixed views: %.1e off the reference", xray_model_name[m], off);
	xray_free(x);
	geom_free(g);
}

/* ---- GANTRY_PROJECTOR ---- */

static void run_forced(const char *name, enum xray_model m, int kind)
{
	const struct grid grid = centred(8, 8, 8, 1., 1., 1.);
	struct geom *g = scan(kind, 8., 2, 9, 9);
	float vol[8 * 8 * 8] = {0}, proj[9 * 9 * 2];

	setenv("GANTRY_PROJECTOR", name, 1);
	xray_forward(xray_create(g, &grid, m), DT_FLOAT32, proj, vol, 0, 2);
	exit(0);
}

static void unknown(void)
{
	run_forced("fastest", XRAY_JOSEPH, CONE);
}

static void not_taken(void)
{
	run_forced("untilted", XRAY_JOSEPH, LAMINOGRAPHY);
}

static void other_model(void)
{
	run_forced("ray_packet", XRAY_SF, CONE);
}

static void test_refusals(void)
{
	check_ends(2, "unknown path 'fastest'", unknown, "GANTRY_PROJECTOR of no path");
	check_ends(1, "path 'untilted' does not support view 0", not_taken,
	        "GANTRY_PROJECTOR that does not take a view");
	check_ends(1, "path 'ray_packet' does not support view 0", other_model,
	        "GANTRY_PROJECTOR of another model");
}

/* ---- tables of doc/projectors.md ---- */

static void add_lists(struct str *s)
{
	const struct projector_list *lists[] = {&projectors_cpu, &projectors_gpu, &projectors_opencl};

	str_add(s, "| on | model | path | data | views |\n| --- | --- | --- | --- | --- |\n");

	for (int l = 0; l < 3; l++)
		for (int m = 0; m < XRAY_MODELS; m++)
			for (int r = 0; r < lists[l]->rows; r++) {
				const struct projector *row = lists[l]->row + r;

				if (row->model != (enum xray_model)m)
					continue;

				str_printf(s, "| %s | `%s` | `%s` | %s | %s |\n", lists[l]->device,
				        xray_model_name[m], row->name,
				        (row->types >> DT_FLOAT64 & 1)     ? "any"
				        : (row->types >> DT_COMPLEX64 & 1) ? "float32, complex64"
				                                           : "float32",
				        row->views);
			}
}

static void add_scans(struct str *s)
{
	str_add(s, "| scan |");

	for (int m = 0; m < XRAY_MODELS; m++)
		str_printf(s, " %s |", xray_model_name[m]);

	str_add(s, "\n| --- |");

	for (int m = 0; m < XRAY_MODELS; m++)
		str_add(s, " --- |");

	str_add(s, "\n");

	for (int i = 0; i < CASES && cases[i].bench >= 0; i++) {
		str_printf(s, "| %s |", case_name(&cases[i]));

		for (int m = 0; m < XRAY_MODELS; m++)
			str_printf(s, " `%s` |", cases[i].path[m]);

		str_add(s, "\n");
	}
}

/** doc/projectors.md, found from where this file is; NULL: not there. */
static char *read_document(void)
{
	char name[4096] = __FILE__, *slash = strrchr(name, '/');

	snprintf(slash ? slash + 1 : name, 64, "../../doc/projectors.md");

	FILE *f = fopen(name, "r");
	struct str text = {0};
	char part[4096];
	size_t n;

	while (f && (n = fread(part, 1, sizeof part, f)) > 0)
		str_addn(&text, part, n);

	if (f)
		fclose(f);

	return text.data;
}

static void test_document(void)
{
	char *document = read_document();
	struct str lists = {0}, scans = {0};

	add_lists(&lists);
	add_scans(&scans);
	check(!document || !opencl_built() || strstr(document, lists.data),
	        "doc/projectors.md has the table of the lists (--table)");
	check(!document || strstr(document, scans.data),
	        "doc/projectors.md has the table of scans (--table)");
	free(document);
	free(lists.data);
	free(scans.data);
}

int main(int argc, char *argv[])
{
	if (argc > 1 && 0 == strcmp(argv[1], "--table")) {
		struct str s = {0};

		add_lists(&s);
		str_add(&s, "\n");
		add_scans(&s);
		fputs(s.data, stdout);
		free(s.data);
		return 0;
	}

	unsetenv("GANTRY_PROJECTOR");
	test_order(&projectors_cpu, order_cpu);
	test_order(&projectors_gpu, order_gpu);
	test_general(&projectors_cpu);
	test_general(&projectors_gpu);

	if (opencl_built()) {
		test_order(&projectors_opencl, order_opencl);
		test_general(&projectors_opencl);
	}

	test_refusals(); // before threads

	for (int i = 0; i < CASES; i++)
		for (int m = 0; m < XRAY_MODELS; m++)
			test_path(&cases[i], m);

	test_rows();
	test_mixed(XRAY_JOSEPH, "untilted", "ray_packet");
	test_mixed(XRAY_SIDDON, "untilted", "ray_packet");
	test_mixed(XRAY_SF, "untilted", "any_orientation");
	test_document();
	return checks_failed ? 1 : 0;
}
