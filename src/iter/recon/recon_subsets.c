#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_subsets.h"

#include "iter/recon/recon_data.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/md/flpmath.h"

struct recon_subsets {
	int n;
	enum dtype type;
	long frames, views, view; // views of a frame; elements of one
	struct iter_subset *sub;
	struct weights **weights;
	struct recon_data **data;
	char *y, *w; // of all subsets, one after the other; w NULL without weights
};

/** The number of views of subset k. */
static long views_of(const struct recon_subsets *s, int k)
{
	return (s->views - k + s->n - 1) / s->n;
}

/** So many that the passes over the volume of all subsets take about as long as a projection and a back
 * projection of all views, within what the algorithm likes: those over a voxel take as long as a ray through
 * 16 planes, through 2 of a single slice (measured). */
static long usual(const struct algorithm *a, const struct geom *g, const struct grid *grid)
{
	const long *n = grid->size, planes = max_long(n[0], max_long(n[1], n[2]));
	const double crossed = (double)g->views * (double)g->cols * (double)g->rows * (double)planes;
	const double voxels = (double)n[0] * (double)n[1] * (double)n[2];
	const long most = (0 < a->subsets) ? a->subsets : OS_SUBSETS;
	const double even = crossed / voxels / ((1 == n[2]) ? 1. : 8.);

	if (a->by_view)
		return g->views;

	if (0 == a->least_subsets || even >= (double)most)
		return most;

	return max_long(a->least_subsets, (long)even);
}

struct recon_subsets *recon_subsets_create(const struct algorithm *a, long n, const struct recon_scan *scan)
{
	const struct geom *g = scan->g[0];

	if (!(a->takes & TAKES_SUBSETS)) {
		if (0 < n)
			usage_error("--subsets %ld: %s does not use subsets", n, a->name);

		return NULL;
	}

	if (n > g->views)
		usage_error("--subsets %ld: expected at most as many as there are views, %ld", n, g->views);

	if (0 == n)
		n = min_long(g->views, usual(a, g, scan->grid));

	if (n > (1 << 20))
		usage_error("--subsets %ld: expected at most %d", n, 1 << 20);

	struct recon_subsets *s = NEW(struct recon_subsets);

	s->n = (int)n;
	s->type = scan->type;
	s->frames = recon_scan_frames(scan);
	s->views = g->views;
	s->view = g->cols * g->rows;
	s->sub = mem_calloc((size_t)n, sizeof *s->sub);
	s->weights = mem_calloc((size_t)n, sizeof(struct weights *));
	s->data = mem_calloc((size_t)n, sizeof(struct recon_data *));

	for (int k = 0; k < s->n; k++)
		s->sub[k].A = recon_scan_operator(scan, s->n, k);

	return s;
}

int recon_subsets_count(const struct recon_subsets *s)
{
	return s->n;
}

/** Views in the order of the subsets; in a subset frame after frame. */
static char *sorted(const struct recon_subsets *s, const char *from)
{
	const size_t bytes = (size_t)s->view * dtype_size(s->type);
	const long all_views = s->views * s->frames;
	char *all = md_alloc(2, (const long[]){s->view, all_views}, dtype_size(s->type)), *to = all;

	for (int k = 0; k < s->n; k++)
		for (long f = 0; f < s->frames; f++)
			for (long i = 0; i < views_of(s, k); i++, to += bytes)
				memcpy(to, from + (size_t)(f * s->views + k + i * s->n) * bytes, bytes);

	return all;
}

static void drop_data(struct recon_subsets *s)
{
	for (int k = 0; k < s->n; k++) {
		recon_data_free(s->data[k]);
		weights_free(s->weights[k]);
		s->data[k] = NULL;
		s->weights[k] = NULL;
	}

	md_free(s->y);
	md_free(s->w);
	s->y = s->w = NULL;
}

/** Weights as numbers, in the order of the subsets. */
static char *sorted_weights(const struct recon_subsets *s, const struct weights *W)
{
	const long m = s->frames * s->views * s->view;
	const double one = 1.;
	const float onef = 1.f;
	const size_t size = dtype_size(s->type);
	char *all = md_alloc(1, &m, size);

	md_fill(1, &m, all, (DT_FLOAT32 == s->type) ? (const void *)&onef : &one, size);
	weights_apply(W, s->type, m, all, all);

	char *w = sorted(s, all);

	md_free(all);

	return w;
}

void recon_subsets_fill(struct recon_subsets *s, struct iter_problem *p, const struct algorithm *a,
        const char *data, const struct weights *W)
{
	if (NULL == s)
		return;

	drop_data(s);
	s->y = sorted(s, p->y);

	if (NULL != W)
		s->w = sorted_weights(s, W);

	size_t at = 0;

	for (int k = 0; k < s->n; k++) {
		long dims[DIMS];

		md_singleton_dims(DIMS, dims);
		dims[0] = s->frames * views_of(s, k) * s->view;
		s->sub[k].y = s->y + at;

		if (NULL != s->w)
			s->weights[k] = weights_create_array(dims, dims, s->type, s->w + at);

		if (NULL != p->data)
			s->data[k] =
			        recon_data_create(data, a, s->sub[k].A, s->sub[k].y, s->weights[k], NULL);

		s->sub[k].W = (NULL != p->W) ? s->weights[k] : NULL;
		s->sub[k].data = recon_data_functional(s->data[k]);
		at += (size_t)dims[0] * dtype_size(s->type);
	}

	p->subsets = s->n;
	p->subset = s->sub;
}

void recon_subsets_free(struct recon_subsets *s)
{
	if (NULL == s)
		return;

	drop_data(s);

	for (int k = 0; k < s->n; k++)
		linop_free(s->sub[k].A);

	free(s->sub);
	free(s->weights);
	free(s->data);
	free(s);
}
