/* Scans to measure projectors on, and a naive projector. */

#include "ct/bench/bench_projector.h"

#include <math.h>
#include <stdlib.h>

#include "ct/geometry/orbit.h"
#include "ct/geometry/view_offsets.h"
#include "ct/projector/model/joseph.h"
#include "misc/mem.h"

const char *const bench_kind_name[BENCH_KINDS] = {"parallel", "cone", "cone, pitch 1.5", "helix",
        "curved, pitch 1.5", "vectors", "vectors, pitch 1.5", "laminography", "tomosynthesis", "2-D parallel",
        "2-D fan", "fan stack"};

static bool is_flat(enum bench_kind kind)
{
	return kind == BENCH_FLAT_PARALLEL || kind == BENCH_FLAT_FAN;
}

/** Up to 1.5 degrees of roll and tilt and 1.5 pixels of shift, smooth over the views, as a C-arm has them. */
static void bench_view_offsets(struct geom *g, double pitch)
{
	for (long k = 0; k < g->views; k++) {
		const double at = 2. * M_PI * (double)k / (double)g->views, most = 1.5 * pitch;

		view_offsets_apply(g, k, 5,
		        (const double[]){most * sin(7. * at), 0.7 * most * sin(7. * at), 0.,
		                1.5 * sin(5. * at), 1.5 * cos(3. * at)});
	}
}

struct geom *bench_geom(enum bench_kind kind, long n, long views)
{
	const bool near =
	        (kind == BENCH_CONE_NEAR || kind == BENCH_CURVED || kind == BENCH_VECTORS_NEAR ||
	                kind == BENCH_LAMINOGRAPHY || kind == BENCH_TOMOSYNTHESIS || kind == BENCH_FAN_STACK);
	const double pitch = near ? 1.5 : 2.4, sdd = 3. * (double)n;
	struct orbit o = {.parallel = (kind == BENCH_PARALLEL || kind == BENCH_FLAT_PARALLEL),
	        .sod = 2. * (double)n,
	        .sdd = sdd,
	        .helix = (kind == BENCH_HELIX) ? (double)n / 2. : 0.,
	        .radius = (kind == BENCH_CURVED) ? sdd : 0.,
	        .tilt = (kind == BENCH_LAMINOGRAPHY) ? 30. : 0.,
	        .fixed = (kind == BENCH_TOMOSYNTHESIS)};
	const double arc = o.fixed ? 50. : o.parallel ? 180. : 360., first = o.fixed ? -arc / 2. : 0.;
	double *angle = mem_alloc(mul_checked(views, sizeof *angle, "the views of a measurement"));

	o.pitch[0] = o.pitch[1] = o.parallel ? 1. : pitch;

	for (long k = 0; k < views; k++)
		angle[k] = first + ((double)k + 0.37) * arc / (double)views;

	struct geom *g = orbit_geom(&o, views, angle, n, is_flat(kind) ? 1 : n);

	if (kind == BENCH_VECTORS || kind == BENCH_VECTORS_NEAR)
		bench_view_offsets(g, pitch);

	if (kind == BENCH_FAN_STACK) {
		g->rows = 1;
		geom_stack_rows(g, n, 1., 0.);
	}

	free(angle);
	return g;
}

struct grid bench_grid(enum bench_kind kind, long n)
{
	struct grid g = {.size = {n, n, is_flat(kind) ? 1 : n}, .spacing = {1., 1., 1.}};

	for (int i = 0; i < 3; i++)
		g.origin[i] = -(double)(g.size[i] - 1) / 2.;

	return g;
}

/** A ray in voxel indices. */
struct line {
	int m, p, q;
	float pos[2], slope[2], length;
	long step[3];
};

static void find_line(
        struct line *l, const struct geom *g, const struct grid *grid, long view, long column, long row)
{
	double s[3], d[3], unit[3];

	geom_ray(g, view, (double)column, (double)row, s, d);

	for (int i = 0; i < 3; i++) {
		s[i] = (s[i] - grid->origin[i]) / grid->spacing[i];
		unit[i] = d[i] / grid->spacing[i];
	}

	l->m = joseph_axis(unit[0], unit[1], unit[2]);
	l->p = (l->m == 0);
	l->q = (l->m == 2) ? 1 : 2;
	l->slope[0] = (float)(unit[l->p] / unit[l->m]);
	l->slope[1] = (float)(unit[l->q] / unit[l->m]);
	l->pos[0] = (float)(s[l->p] - s[l->m] * unit[l->p] / unit[l->m]);
	l->pos[1] = (float)(s[l->q] - s[l->m] * unit[l->q] / unit[l->m]);
	l->length = (float)(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / fabs(unit[l->m]));
	l->step[0] = 1;
	l->step[1] = grid->size[0];
	l->step[2] = grid->size[0] * grid->size[1];
}

/** The cell and weights of plane i; false outside. */
static inline bool find_cell(
        const struct line *l, const struct grid *grid, long i, long cell[2], float weight[2])
{
	for (int k = 0; k < 2; k++) {
		const float x = l->pos[k] + l->slope[k] * (float)i;
		const long n = grid->size[k ? l->q : l->p];

		cell[k] = (long)floorf(x);
		weight[k] = x - (float)cell[k];

		if (cell[k] < -1 || cell[k] >= n)
			return false;
	}

	return true;
}

/** One of the four voxels around a sample: its weight, 0 outside, and its element. */
static inline float corner(const struct line *l, const struct grid *grid, long i, const long cell[2],
        const float weight[2], int c, long *at)
{
	const long p = cell[0] + c / 2, q = cell[1] + c % 2;

	if (p < 0 || p >= grid->size[l->p] || q < 0 || q >= grid->size[l->q]) {
		*at = 0;
		return 0.f;
	}

	*at = i * l->step[l->m] + p * l->step[l->p] + q * l->step[l->q];
	return ((c / 2) ? weight[0] : 1.f - weight[0]) * ((c % 2) ? weight[1] : 1.f - weight[1]);
}

void bench_naive_forward(
        const struct geom *g, const struct grid *grid, float *proj, const float *vol, long views)
{
#pragma omp parallel for schedule(static)
	for (long n = 0; n < g->cols * g->rows * views; n++) {
		struct line l;
		float sum = 0.f;

		find_line(&l, g, grid, n / g->cols / g->rows, n % g->cols, n / g->cols % g->rows);

		for (long i = 0; i < grid->size[l.m]; i++) {
			long cell[2];
			float weight[2];

			if (!find_cell(&l, grid, i, cell, weight))
				continue;

			for (int c = 0; c < 4; c++) {
				long at;
				const float w = corner(&l, grid, i, cell, weight, c, &at);

				sum += w * vol[at];
			}
		}

		proj[n] = sum * l.length;
	}
}

void bench_naive_adjoint(
        const struct geom *g, const struct grid *grid, float *vol, const float *proj, long views)
{
#pragma omp parallel for schedule(static)
	for (long n = 0; n < g->cols * g->rows * views; n++) {
		struct line l;

		find_line(&l, g, grid, n / g->cols / g->rows, n % g->cols, n / g->cols % g->rows);

		for (long i = 0; i < grid->size[l.m]; i++) {
			long cell[2];
			float weight[2];

			if (!find_cell(&l, grid, i, cell, weight))
				continue;

			for (int c = 0; c < 4; c++) {
				long at;
				const float w = corner(&l, grid, i, cell, weight, c, &at);

#pragma omp atomic
				vol[at] += w * l.length * proj[n];
			}
		}
	}
}
