#include "volume/otsu_levels.h"

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/stat/histogram.h"
#include "volume/otsu.h"

/** For each bin: the number of elements in the bins before it, and the sum of the bin numbers of these
 * elements. */
struct prefix {
	double *n, *sum; // [bins + 1]
};

/** What a class of bins [a, b) adds: the square of its sum over its elements; less than any where it has
 * none. */
static double otsu_score(const struct prefix *p, long a, long b)
{
	const double n = p->n[b] - p->n[a], sum = p->sum[b] - p->sum[a];

	return n > 0. ? sum * sum / n : -INFINITY;
}

/** best[b]: the best score of bins [0, b) in one class more than `before` has; from[b]: where that begins. */
static void otsu_split(double *best, long *from, const double *before, const struct prefix *p, long bins)
{
	for (long b = 0; b <= bins; b++) {
		best[b] = -INFINITY;
		from[b] = 0;

		for (long a = 0; a < b; a++) {
			const double score = before[a] + otsu_score(p, a, b);

			if (score > best[b]) {
				best[b] = score;
				from[b] = a;
			}
		}
	}
}

/** The last class alone: the end is known. */
static double otsu_last(long *from, const double *before, const struct prefix *p, long bins)
{
	double best = -INFINITY;

	for (long a = 0; a < bins; a++) {
		const double score = before[a] + otsu_score(p, a, bins);

		if (score > best) {
			best = score;
			*from = a;
		}
	}

	return best;
}

bool otsu_cuts(long cut[], int classes, long bins, const long count[])
{
	const size_t n = (size_t)bins + 1;
	double *memory = mem_calloc(n * (size_t)(2 + classes), sizeof *memory);
	long *from = mem_calloc(n * (size_t)classes, sizeof *from);
	struct prefix p = {memory, memory + n};
	double *best = memory + 2 * n;

	for (long b = 0; b < bins; b++) {
		p.n[b + 1] = p.n[b] + (double)count[b];
		p.sum[b + 1] = p.sum[b] + (double)count[b] * (double)b;
	}

	for (long b = 0; b <= bins; b++)
		best[b] = otsu_score(&p, 0, b);

	for (int k = 1; k < classes - 1; k++)
		otsu_split(best + (size_t)k * n, from + (size_t)k * n, best + (size_t)(k - 1) * n, &p, bins);

	long at = 0;
	const bool found = otsu_last(&at, best + (size_t)(classes - 2) * n, &p, bins) > -INFINITY;

	for (int k = classes - 2; found && k >= 0; k--) {
		cut[k] = at;
		at = from[(size_t)k * n + (size_t)at];
	}

	free(memory);
	free(from);

	return found;
}

/** The end of bin b, or the middle of the empty ones behind it. */
static double otsu_level(const struct histogram *h, long b)
{
	long end = b;

	while (end < h->bins && 0 == h->count[end])
		end++;

	return h->lo + 0.5 * (double)(b + end) * (h->hi - h->lo) / (double)h->bins;
}

static long occupied(const struct histogram *h)
{
	long n = 0;

	for (long b = 0; b < h->bins; b++)
		n += h->count[b] > 0;

	return n;
}

void otsu_levels(double level[], int classes, struct cfl *f)
{
	struct histogram h;
	long cut[OTSU_CLASSES];

	if (2 == classes) {
		level[0] = otsu_threshold(f);
		return;
	}

	otsu_histogram(&h, f);

	if (!otsu_cuts(cut, classes, h.bins, h.count))
		error("%s: the values occupy %ld of %ld bins from %g to %g, expected at least one bin for "
		      "each of %d classes",
		        f->name, occupied(&h), h.bins, h.lo, h.hi, classes);

	for (int k = 0; k < classes - 1; k++)
		level[k] = otsu_level(&h, cut[k]);

	free(h.count);
}
