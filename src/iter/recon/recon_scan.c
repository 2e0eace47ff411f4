#include <stdlib.h>

#include "iter/recon/recon_scan.h"

#include "linops/block.h"
#include "misc/mem.h"

enum { CHANNEL = 3, TIME = 4 };

long recon_scan_frames(const struct recon_scan *s)
{
	return s->channels * s->times;
}

long recon_scan_views(const struct recon_scan *s, long n, long k)
{
	return (s->g[0]->views - k + n - 1) / n;
}

/** Of one geometry. */
static struct linop *alike(
        const struct recon_scan *s, const struct geom *g, long n, long k, long channels, long times)
{
	struct geom *part = geom_create(recon_scan_views(s, n, k), g->cols, g->rows, g->parallel);

	part->radius = g->radius;
	part->stack = g->stack;

	for (long i = 0; i < part->views; i++)
		part->view[i] = g->view[k + i * n];

	struct linop *A =
	        linop_xray_masked_create(part, s->grid, s->model, s->type, channels, times, s->mask);

	geom_free(part);

	return A;
}

/** Those of channels or times on the diagonal; consumed. */
static struct linop *diagonal(long n, struct linop **part, int dim)
{
	struct linop *A = linop_block_diag_create((int)n, (const struct linop *const *)part, dim, dim);

	for (long i = 0; i < n; i++)
		linop_free(part[i]);

	free(part);

	return A;
}

/** Of all channels, for the times from that one on that have the same views. */
static struct linop *of_time(const struct recon_scan *s, long n, long k, long time)
{
	const long times = (1 == s->own[1]) ? s->times : 1;
	struct geom *const *g = s->g + time * s->own[0];

	if (1 == s->own[0])
		return alike(s, g[0], n, k, s->channels, times);

	struct linop **part = mem_calloc((size_t)s->channels, sizeof *part);

	for (long c = 0; c < s->channels; c++)
		part[c] = alike(s, g[c], n, k, 1, times);

	return diagonal(s->channels, part, CHANNEL);
}

struct linop *recon_scan_operator(const struct recon_scan *s, long n, long k)
{
	if (1 == s->own[1])
		return of_time(s, n, k, 0);

	struct linop **part = mem_calloc((size_t)s->times, sizeof *part);

	for (long t = 0; t < s->times; t++)
		part[t] = of_time(s, n, k, t);

	return diagonal(s->times, part, TIME);
}
