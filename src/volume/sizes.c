#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "volume/mask_rows.h"
#include "volume/measure.h"
#include "volume/parts_mask.h"
#include "volume/parts_sizes.h"

double measure_diameter(const struct hdr *h, long voxels)
{
	const unsigned axes = voxels_axes(h);
	const int rank = __builtin_popcount(axes);
	double size = (double)voxels;

	for (int d = 0; d < 3; d++)
		size *= (axes & 1u << d) ? fabs(h->spacing[d]) : 1.;

	return (3 == rank) ? cbrt(6. * size / M_PI) : (2 == rank) ? sqrt(4. * size / M_PI) : size;
}

static int ascending(const void *a, const void *b)
{
	const long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/** The smallest size that at least `share` of the components, or of their voxels, do not exceed. */
static long percentile(const long *size, long n, double share, bool by_volume)
{
	double all = 0., sum = 0.;

	for (long i = 0; i < n; i++)
		all += by_volume ? (double)size[i] : 1.;

	for (long i = 0; i < n; i++) {
		sum += by_volume ? (double)size[i] : 1.;

		if (sum >= share * all)
			return size[i];
	}

	return size[n - 1];
}

/** size: [n], ascending. */
static void summarise(struct sizes *s, const struct hdr *h, const long *size, long n)
{
	double sum = 0.;

	for (long i = 0; i < n; i++)
		sum += measure_diameter(h, size[i]);

	s->count = n;
	s->mean = sum / (double)n;
	s->min = measure_diameter(h, size[0]);
	s->max = measure_diameter(h, size[n - 1]);

	for (int k = 0; k < 3; k++) {
		static const double share[] = {0.1, 0.5, 0.9};

		s->by_number[k] = measure_diameter(h, percentile(size, n, share[k], false));
		s->by_volume[k] = measure_diameter(h, percentile(size, n, share[k], true));
	}
}

void measure_sizes(struct sizes *s, struct cfl *in, int neighbours, bool whole)
{
	struct voxels x;
	struct mask_rows object = {.in = &x};

	voxels_open(&x, in);

	const struct parts_volume v = {.nx = x.nx,
	        .ny = x.ny,
	        .nz = x.nz,
	        .neighbours = neighbours,
	        .rows = mask_rows,
	        .ctx = &object,
	        .what = "finding particles"};
	struct parts *p = parts_find(&v);
	const long count = parts_count(p);
	long *size = mem_calloc((size_t)count + 1, sizeof *size), n = 0;
	bool *cut = mem_calloc((size_t)count + 1, sizeof *cut);

	*s = (struct sizes){0};
	parts_sizes(p, size);
	parts_on_border(p, &v, cut, voxels_axes(&in->hdr));

	for (long k = 1; k <= count; k++) {
		s->cut += cut[k];

		if (!(whole && cut[k]))
			size[n++] = size[k];
	}

	if (0 == n)
		error("%s: contains no particle%s", in->name,
		        count > 0 ? " that does not touch the border" : "");

	qsort(size, (size_t)n, sizeof *size, ascending);
	summarise(s, &in->hdr, size, n);
	free(size);
	free(cut);
	parts_free(p);
}
