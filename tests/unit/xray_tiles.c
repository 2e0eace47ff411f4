/* The X-ray transform in tiles: whatever the slabs of the volume and the batches of views, the adjoint has
 * the same bytes and the forward direction the same values. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "xray_scans.h"

enum { VIEWS = 4, CUTS = 3 };

/* One case, and the whole transform of it. */
struct whole {
	struct geom *g;
	struct grid grid;
	struct xray *x;
	enum xray_model model;
	char what[64];
	float *vol, *y, *proj, *back; // proj = A vol, back = A' y
};

static float *noise(long n, unsigned long seed)
{
	float *x = mem_alloc(n * sizeof(float));

	for (long i = 0; i < n; i++)
		x[i] = (float)(rand_uniform(seed, i) - 0.5);
	return x;
}

/* Largest difference, relative to the largest value. */
static double distance(const float *a, const float *b, long n)
{
	double diff = 0., most = 0.;

	for (long i = 0; i < n; i++) {
		diff = fmax(diff, fabs((double)a[i] - b[i]));
		most = fmax(most, fabs(b[i]));
	}
	return (most > 0.) ? diff / most : INFINITY;
}

/* Root mean square of the difference, relative. */
static double nrmse(const float *a, const float *b, long n)
{
	double diff = 0., size = 0.;

	for (long i = 0; i < n; i++) {
		diff += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
		size += (double)b[i] * b[i];
	}
	return (size > 0.) ? sqrt(diff / size) : INFINITY;
}

/* Where n elements are cut into at most CUTS + 1 parts: at[0] = 0 .. at[parts] = n. */
static int cut(long at[CUTS + 2], long n, unsigned long seed)
{
	int parts = 0;

	at[0] = 0;
	for (int i = 0; i < CUTS; i++) {
		const long next = at[parts] + 1 + (long)(rand_uniform(seed, i) * n / 2.);

		if (next < n)
			at[++parts] = next;
	}
	at[++parts] = n;
	return parts;
}

/* Slabs of brick rows and batches of views of one operator. The slabs come in any order; a batch goes through
 * all slabs, or a slab takes all batches. */
static void test_slabs(const struct whole *w, unsigned long seed, bool batches_first)
{
	const long n = volume_size(&w->grid), m = proj_size(w->g), view = w->g->cols * w->g->rows;
	float *proj = mem_calloc(m, sizeof(float)), *back = mem_calloc(n, sizeof(float));
	long row[CUTS + 2], first[CUTS + 2];
	const int slabs = cut(row, xray_rows(w->x), seed), batches = cut(first, VIEWS, seed + 1);

	for (int i = 0; i < slabs * batches; i++) {
		const int k = batches_first ? i / slabs : i % batches,
		          s = batches_first ? i % slabs : i / batches, slab = (s + (int)seed) % slabs;
		const struct xray_tile tile = {.first = first[k],
		        .views = first[k + 1] - first[k],
		        .row = row[slab],
		        .rows = row[slab + 1] - row[slab]};

		omp_set_num_threads(1 + i % 3);
		xray_forward_tile(w->x, DT_FLOAT32, proj + first[k] * view, w->vol, &tile);
		xray_adjoint_tile(w->x, DT_FLOAT32, back, w->y + first[k] * view, &tile);
	}
	omp_set_num_threads(2);

	const double e = distance(proj, w->proj, m);

	check(e <= 1e-6, "%s: forward in %d slabs, %d batches: %.1e", w->what, slabs, batches, e);
	check(!memcmp(back, w->back, n * sizeof(float)),
	        "%s: adjoint in %d slabs, %d batches: the same bytes", w->what, slabs, batches);
	free(proj);
	free(back);
}

/* Slabs that are volumes of their own, cut anywhere along the last axis. Bricks and the rounding of positions
 * in float32 are others: both values are exact to 1e-6 or so. */
static void test_volumes(const struct whole *w, unsigned long seed)
{
	const int axis = (w->grid.size[2] > 1) ? 2 : 1;
	const long n = volume_size(&w->grid), m = proj_size(w->g), slice = n / w->grid.size[axis];
	float *proj = mem_calloc(m, sizeof(float)), *part = mem_alloc(m * sizeof(float)),
	      *back = mem_calloc(n, sizeof(float));
	long at[CUTS + 2];
	const int slabs = cut(at, w->grid.size[axis], seed);

	for (int s = 0; s < slabs; s++) {
		struct grid grid = w->grid;

		grid.size[axis] = at[s + 1] - at[s];
		grid.origin[axis] += (double)at[s] * grid.spacing[axis];

		struct xray *x = xray_create(w->g, &grid, w->model);

		xray_forward(x, DT_FLOAT32, part, w->vol + at[s] * slice, 0, VIEWS);
		xray_adjoint(x, DT_FLOAT32, back + at[s] * slice, w->y, 0, VIEWS);
		for (long i = 0; i < m; i++)
			proj[i] += part[i];
		xray_free(x);
	}

	const double e = nrmse(proj, w->proj, m), f = nrmse(back, w->back, n);

	check(e <= 2e-6, "%s: forward of %d volumes: %.1e", w->what, slabs, e);
	check(f <= 2e-6, "%s: adjoint of %d volumes: %.1e", w->what, slabs, f);
	free(proj);
	free(part);
	free(back);
}

static void test_scan(enum kind kind, enum xray_model model)
{
	struct whole w = {.model = model,
	        .g = scan(kind, 70., VIEWS, 44, 41),
	        .grid = centred(37, 70, (kind == FAN) ? 1 : 68, 1., 1., 1.)};
	const long n = volume_size(&w.grid), m = proj_size(w.g);

	snprintf(w.what, sizeof w.what, "%s, %s", xray_model_name[model], kind_name[kind]);
	w.x = xray_create(w.g, &w.grid, model);
	w.vol = noise(n, 1);
	w.y = noise(m, 2);
	w.proj = mem_alloc(m * sizeof(float));
	w.back = mem_calloc(n, sizeof(float));
	xray_forward(w.x, DT_FLOAT32, w.proj, w.vol, 0, VIEWS);
	xray_adjoint(w.x, DT_FLOAT32, w.back, w.y, 0, VIEWS);
	check(xray_rows(w.x) > 1, "%s: %ld rows of bricks", w.what, xray_rows(w.x));
	test_slabs(&w, 10 + kind, false);
	test_slabs(&w, 30 + kind, true);
	test_volumes(&w, 50 + kind);
	free(w.vol);
	free(w.y);
	free(w.proj);
	free(w.back);
	xray_free(w.x);
	geom_free(w.g);
}

int main(void)
{
	omp_set_num_threads(2);
	for (int model = 0; model < XRAY_MODELS; model++)
		for (int kind = short_tests() ? model : 0; kind < KINDS; kind += short_tests() ? 3 : 1)
			test_scan(kind, model);
	return checks_failed ? 1 : 0;
}
