/** Surfaces of a lattice of balls: extraction, smoothing, distances to the surface. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/mem.h"
#include "num/bench/bench.h"
#include "volume/mesh/distance.h"
#include "volume/mesh/isosurface.h"
#include "volume/mesh/smooth.h"

enum { PERIOD = 64, RADIUS = 24, TRIAD_MOST = 1 << 24 };

struct work {
	struct hdr h;
	uint16_t *data;
	struct mesh m;
	struct mesh_tree *tree;
	double *distance;
};

static void run_surface(void *ctx)
{
	struct work *w = ctx;
	struct isosurface s;

	mesh_free(&w->m);
	isosurface_init(&s, &w->h, w->data, "bench");
	s.level = 20000.5;
	isosurface(&w->m, &s, "bench");
}

static double check_surface(void *ctx)
{
	const struct work *w = ctx;
	double volume, area;

	mesh_measure(&w->m, &volume, &area);
	return volume;
}

static void run_smooth(void *ctx)
{
	mesh_smooth(&((struct work *)ctx)->m, 1, "bench");
}

static void run_distances(void *ctx)
{
	struct work *w = ctx;

	mesh_tree_distances(w->tree, w->m.nv, (const float(*)[3])w->m.v, w->distance);
}

/* From the middle of the nearest ball; steps of 1000 a voxel, 20000 on its surface. */
static void fill(struct work *w, long n)
{
#pragma omp parallel for
	for (long z = 0; z < n; z++)
		for (long i = 0; i < n * n; i++) {
			const long at[3] = {i % n, i / n, z};
			double square = 0.;

			for (int d = 0; d < 3; d++) {
				const double x = (double)(at[d] % PERIOD) - (PERIOD - 1) / 2.;

				square += x * x;
			}

			w->data[z * n * n + i] =
			        (uint16_t)fmin(fmax(20000. + 1000. * (RADIUS - sqrt(square)), 0.), 40000.);
		}
}

static void one(struct bench *b, struct work *w, const char *name, const char *shape, double bytes,
        struct bench_contender who)
{
	struct bench_case c = {.name = name,
	        .hand = -1,
	        .bytes = bytes,
	        .check = check_surface,
	        .check_ctx = w,
	        .tolerance = 1.};

	snprintf(c.shape, sizeof c.shape, "%s", shape);
	who.name = "gantry";
	who.ctx = w;
	bench_case(b, &c, 1, &who);
}

static void bench_mesh_run(struct bench *b, long size)
{
	const long n = size * size * size, triad = n < TRIAD_MOST ? n : TRIAD_MOST;
	struct work w = {0};
	char shape[64];

	snprintf(shape, sizeof shape, "%ld^3 uint16", size);

	if (!bench_fits(12. * (double)n + 12. * (double)triad, shape))
		return;

	float *x[3] = {bench_random(triad, 0), bench_random(triad, 1), bench_random(triad, 2)};

	hdr_init(&w.h);
	hdr_set_dims(&w.h, 3, (long[]){size, size, size});
	w.h.type = DT_UINT16;
	w.data = mem_alloc((size_t)n * sizeof *w.data);
	fill(&w, size);
	bench_triad(b, triad, x[0], x[1], x[2]);
	one(b, &w, "isosurface", shape, 2. * (double)n, (struct bench_contender){.run = run_surface});

	snprintf(shape, sizeof shape, "%ld triangles", w.m.nt);
	w.tree = w.m.nt > 0 ? mesh_tree_create(&w.m) : NULL;
	w.distance = mem_alloc((size_t)(w.m.nv + 1) * sizeof *w.distance);

	if (w.tree != NULL) {
		one(b, &w, "distances of its vertices", shape, 12. * (double)w.m.nv,
		        (struct bench_contender){.run = run_distances});
		mesh_tree_free(w.tree);
		one(b, &w, "smoothing step", shape, 48. * (double)w.m.nv,
		        (struct bench_contender){.run = run_smooth});
	}

	mesh_free(&w.m);
	hdr_free(&w.h);
	free(w.data);
	free(w.distance);

	for (int i = 0; i < 3; i++)
		free(x[i]);
}

const struct bench_suite bench_suite_mesh = {
        .name = "mesh",
        .about = "extraction, distances and smoothing of the surfaces of a lattice of balls",
        .sizes = {128, 256},
        .run = bench_mesh_run,
};
