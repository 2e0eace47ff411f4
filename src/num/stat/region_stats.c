#include "num/stat/region_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/shape/slabs.h"

/* Statistics of one block and region; dev2 = sum (x - mean)^2. */
struct part {
	long n, bad;
	double min, max, mean, dev2;
};

struct pass {
	int n;
	const struct region *regions;
	const struct hdr *hdr;
	bool masked;
	struct part *parts; // [block][region]
};

/* Sum and deviations in two passes over the cached block. */
static struct part measure(long n, const double *x, const unsigned char *held)
{
	struct part p = {.min = INFINITY, .max = -INFINITY};
	double sum = 0.;

	for (long i = 0; i < n; i++) {
		if (!held[i])
			continue;

		if (!isfinite(x[i])) {
			p.bad++;
			continue;
		}

		p.n++;
		sum += x[i];
		p.min = fmin(p.min, x[i]);
		p.max = fmax(p.max, x[i]);
	}

	p.mean = p.n > 0 ? sum / (double)p.n : 0.;

	for (long i = 0; i < n; i++)
		if (held[i] && isfinite(x[i]))
			p.dev2 += (x[i] - p.mean) * (x[i] - p.mean);

	return p;
}

/* Chan, Golub and LeVeque (1979). */
static void merge(struct part *a, const struct part *b)
{
	a->bad += b->bad;

	if (0 == b->n)
		return;

	double d = b->mean - a->mean, share = (double)b->n / (double)(a->n + b->n);

	a->dev2 += b->dev2 + d * d * share * (double)a->n;
	a->mean += d * share;
	a->n += b->n;
	a->min = fmin(a->min, b->min);
	a->max = fmax(a->max, b->max);
}

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct pass *p = ctx;
	const unsigned char *mask = p->masked ? in[1] : NULL;
	unsigned char held[SLAB_BLOCK];

	(void)out;

	for (int r = 0; r < p->n; r++) {
		if (p->regions != NULL)
			region_fill(&p->regions[r], p->hdr, first, n, held);
		else
			memset(held, 1, (size_t)n);

		for (long i = 0; mask != NULL && i < n; i++)
			held[i] = held[i] && mask[i];

		p->parts[first / SLAB_BLOCK * p->n + r] = measure(n, in[0], held);
	}
}

void region_stats(
        struct region_stats *out, int n, const struct region *regions, struct cfl *f, struct cfl *mask)
{
	long blocks = (f->count + SLAB_BLOCK - 1) / SLAB_BLOCK;
	struct pass pass = {n, regions, &f->hdr, mask != NULL, NULL};

	pass.parts = mem_alloc((size_t)(blocks * n) * sizeof *pass.parts);
	slabs_gather(mask != NULL ? 2 : 1, (struct cfl *[]){f, mask}, (enum dtype[]){DT_FLOAT64, DT_BOOL},
	        block, &pass, pass.parts, (size_t)n * sizeof *pass.parts, "measuring");

	for (int r = 0; r < n; r++) {
		struct part all = {.min = INFINITY, .max = -INFINITY};

		for (long b = 0; b < blocks; b++)
			merge(&all, &pass.parts[b * n + r]);

		out[r] = (struct region_stats){.n = all.n,
		        .bad = all.bad,
		        .min = all.n > 0 ? all.min : NAN,
		        .max = all.n > 0 ? all.max : NAN,
		        .mean = all.n > 0 ? all.mean : NAN,
		        .std = all.n > 0 ? sqrt(all.dev2 / (double)all.n) : NAN};
	}

	free(pass.parts);
}
