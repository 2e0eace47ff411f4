#include "volume/mesh/smooth.h"

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/threads.h"

/** In a closed mesh each edge starts at a given vertex in exactly one triangle; the next vertex of that
 * triangle is the neighbour. */
struct neighbours {
	uint32_t *first; // [nv + 1]
	uint32_t *list;
};

static void neighbours_create(struct neighbours *n, const struct mesh *m)
{
	n->first = mem_calloc((size_t)m->nv + 2, sizeof *n->first);
	n->list = mem_alloc((size_t)(3 * m->nt + 1) * sizeof *n->list);

	for (long c = 0; c < 3 * m->nt; c++)
		n->first[m->t[c] + 2]++;

	for (long v = 2; v < m->nv + 2; v++)
		n->first[v] += n->first[v - 1];

	for (long c = 0; c < 3 * m->nt; c++)
		n->list[n->first[m->t[c] + 1]++] = m->t[corner_next((uint32_t)c)];
}

/* to = from + step (mean of the neighbours - from) */
static void smooth_step(
        float *to, const float *from, const struct mesh *m, const struct neighbours *n, double step)
{
#pragma omp parallel for num_threads(threads_for(30. * (double)m->nv))
	for (long v = 0; v < m->nv; v++) {
		double sum[3] = {0};

		for (uint32_t i = n->first[v]; i < n->first[v + 1]; i++)
			for (int d = 0; d < 3; d++)
				sum[d] += from[3L * n->list[i] + d];

		const double count = (double)(n->first[v + 1] - n->first[v]);

		for (int d = 0; d < 3; d++) {
			const double x = from[3 * v + d];

			to[3 * v + d] = (float)(count > 0. ? x + step * (sum[d] / count - x) : x);
		}
	}
}

void mesh_smooth(struct mesh *m, long n, const char *name)
{
	const double band = 0.05, shrink = 0.5, grow = 1. / (band - 1. / shrink);

	if (m->nt > UINT32_MAX / 3)
		error("%s has %ld triangles, at most %u can be smoothed", name, m->nt, UINT32_MAX / 3);

	if (0 == n)
		return;

	struct neighbours near;
	float *other = mem_alloc((size_t)m->nv * 3 * sizeof *other + 1);

	neighbours_create(&near, m);
	progress_start("smoothing", n);

	for (long i = 0; i < n; i++) {
		smooth_step(other, m->v, m, &near, shrink);
		smooth_step(m->v, other, m, &near, grow);
		progress_add(1);
	}

	progress_end();
	free(near.first);
	free(near.list);
	free(other);
}
