#include "volume/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"

enum { MESH_BLOCK = 1 << 14 };

void mesh_free(struct mesh *m)
{
	free(m->v);
	free(m->t);
	*m = (struct mesh){0};
}

/* Six times the volume of the tetrahedron to `origin`, and twice the area. */
static void measure_triangle(const struct mesh *m, const uint32_t t[3], const double origin[3], double sum[2])
{
	const float *p = m->v + 3L * t[0], *q = m->v + 3L * t[1], *r = m->v + 3L * t[2];
	const double a[3] = {p[0], p[1], p[2]};
	const double b[3] = {q[0] - a[0], q[1] - a[1], q[2] - a[2]};
	const double c[3] = {r[0] - a[0], r[1] - a[1], r[2] - a[2]};
	const double x[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]};

	sum[0] += (a[0] - origin[0]) * x[0] + (a[1] - origin[1]) * x[1] + (a[2] - origin[2]) * x[2];
	sum[1] += sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

void mesh_measure_part(const struct mesh *m, const long t[2], const double origin[3], double sum[2])
{
	double own[2] = {0};

	for (long i = t[0]; i < t[1]; i++)
		measure_triangle(m, m->t + 3 * i, origin, own);

	sum[0] += own[0];
	sum[1] += own[1];
}

void mesh_measure(const struct mesh *m, double *volume, double *area)
{
	const long blocks = (m->nt + MESH_BLOCK - 1) / MESH_BLOCK;
	double(*part)[2] = mem_calloc((size_t)blocks + 1, sizeof *part);
	double origin[3] = {0};

	for (int i = 0; i < 3 && m->nv > 0; i++)
		origin[i] = m->v[i];

#pragma omp parallel for num_threads(threads_for(10. * (double)m->nt))
	for (long b = 0; b < blocks; b++) {
		const long t[2] = {b * MESH_BLOCK, min_long((b + 1) * MESH_BLOCK, m->nt)};

		mesh_measure_part(m, t, origin, part[b]);
	}

	double sum[2] = {0};

	for (long b = 0; b < blocks; b++) {
		sum[0] += part[b][0];
		sum[1] += part[b][1];
	}

	free(part);
	*volume = sum[0] / 6.;
	*area = sum[1] / 2.;
}

/* The corners whose facing edge begins at vertex v: list[first[v]..first[v + 1]). */
static uint32_t *edges_by_start(const struct mesh *m, uint32_t *first)
{
	uint32_t *list = mem_alloc((size_t)(3 * m->nt + 1) * sizeof *list);

	memset(first, 0, (size_t)(m->nv + 2) * sizeof *first);

	for (long c = 0; c < 3 * m->nt; c++)
		first[m->t[c] + 2]++;

	for (long v = 2; v < m->nv + 2; v++)
		first[v] += first[v - 1];

	for (long c = 0; c < 3 * m->nt; c++)
		list[first[m->t[corner_next((uint32_t)c)] + 1]++] = (uint32_t)c;

	return list;
}

uint32_t *mesh_opposites(const struct mesh *m)
{
	uint32_t *first = mem_alloc((size_t)(m->nv + 2) * sizeof *first);
	uint32_t *list = edges_by_start(m, first);
	uint32_t *opposite = mem_alloc((size_t)(3 * m->nt + 1) * sizeof *opposite);

#pragma omp parallel for num_threads(threads_for(60. * (double)m->nt))
	for (long c = 0; c < 3 * m->nt; c++) {
		const uint32_t a = m->t[corner_next((uint32_t)c)], b = m->t[corner_prev((uint32_t)c)];
		int same = 0, back = 0;

		for (uint32_t i = first[a]; i < first[a + 1]; i++)
			same += m->t[corner_prev(list[i])] == b;

		for (uint32_t i = first[b]; i < first[b + 1]; i++)
			if (m->t[corner_prev(list[i])] == a) {
				opposite[c] = list[i];
				back++;
			}

		if (1 != same || 1 != back)
			opposite[c] = UINT32_MAX;
	}

	free(list);
	free(first);
	return opposite;
}

long mesh_open_edges(const struct mesh *m)
{
	uint32_t *opposite = mesh_opposites(m);
	long open = 0;

	for (long c = 0; c < 3 * m->nt; c++)
		open += UINT32_MAX == opposite[c];

	free(opposite);
	return open;
}
