#include "num/stat/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/ranks/ranks.h"
#include "num/shape/slabs.h"

struct pass {
	struct histogram *h;
	const struct region *region;
	const struct hdr *hdr;
	bool masked;
};

enum { BELOW, ABOVE, BAD, OTHERS };

static long bin_of(const struct histogram *h, double v)
{
	long b = (long)((v - h->lo) / (h->hi - h->lo) * (double)h->bins);

	return b < h->bins ? b : h->bins - 1;
}

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct pass *p = ctx;
	struct histogram *h = p->h;
	const double *x = in[0];
	long *count = mem_calloc((size_t)h->bins, sizeof *count), others[OTHERS] = {0};
	unsigned char held[SLAB_BLOCK];

	(void)out;
	memset(held, 1, (size_t)n);

	if (p->region != NULL)
		region_fill(p->region, p->hdr, first, n, held);

	for (long i = 0; i < n; i++) {
		if (!held[i] || (p->masked && !((const unsigned char *)in[1])[i]))
			continue;

		if (x[i] >= h->lo && x[i] <= h->hi)
			count[bin_of(h, x[i])]++;
		else
			others[isnan(x[i]) ? BAD : (x[i] < h->lo ? BELOW : ABOVE)]++;
	}

#pragma omp critical
	{
		for (long b = 0; b < h->bins; b++)
			h->count[b] += count[b];

		h->below += others[BELOW];
		h->above += others[ABOVE];
		h->bad += others[BAD];
	}

	free(count);
}

void histogram(struct histogram *h, struct cfl *f, const struct region *region, struct cfl *mask)
{
	struct pass p = {h, region, &f->hdr, mask != NULL};

	memset(h->count, 0, (size_t)h->bins * sizeof *h->count);
	h->below = h->above = h->bad = 0;
	slabs_gather(mask != NULL ? 2 : 1, (struct cfl *[]){f, mask}, (enum dtype[]){DT_FLOAT64, DT_BOOL},
	        block, &p, NULL, 0, "counting");
	ranks_sum(h->count, (int)h->bins);
	ranks_sum(&h->below, 1);
	ranks_sum(&h->above, 1);
	ranks_sum(&h->bad, 1);
}
