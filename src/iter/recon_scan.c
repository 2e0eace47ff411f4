#include "iter/recon_scan.h"

long recon_scan_frames(const struct recon_scan *s)
{
	return s->channels * s->times;
}

long recon_scan_views(const struct recon_scan *s, long n, long k)
{
	return (s->g->views - k + n - 1) / n;
}

struct linop *recon_scan_operator(const struct recon_scan *s, long n, long k)
{
	struct geom *part = geom_create(recon_scan_views(s, n, k), s->g->cols, s->g->rows, s->g->parallel);

	part->radius = s->g->radius;

	for (long i = 0; i < part->views; i++)
		part->view[i] = s->g->view[k + i * n];

	struct linop *A =
	        linop_xray_masked_create(part, s->grid, s->model, s->type, s->channels, s->times, s->mask);

	geom_free(part);

	return A;
}
