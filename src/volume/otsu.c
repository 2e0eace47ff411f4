#include "volume/otsu.h"

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/kern/convert.h"
#include "num/stat/histogram.h"
#include "num/stat/region_stats.h"

enum { OTSU_BINS = 4096 };

double otsu_bin(long bins, const long count[])
{
	double all = 0., sum = 0.;

	for (long b = 0; b < bins; b++) {
		all += (double)count[b];
		sum += (double)b * (double)count[b];
	}

	double best = 0., below = 0., sum_below = 0.;
	long first = -1, last = -1;

	for (long b = 0; b + 1 < bins; b++) {
		below += (double)count[b];
		sum_below += (double)b * (double)count[b];

		if (0. == below || below == all)
			continue;

		const double gap = sum_below / below - (sum - sum_below) / (all - below);
		const double between = below / all * (1. - below / all) * gap * gap;

		if (between > best) {
			best = between;
			first = last = b;
		} else if (first >= 0 && last == b - 1 && 0 == count[b]) {
			last = b; // the same classes
		}
	}

	return first < 0 ? NAN : 0.5 * (double)(first + last);
}

double otsu_sample(enum dtype type, const void *data, const long n[3], double lo, double hi)
{
	const long most = 1L << 20, lines = n[1] * n[2], taken = min_long(lines, most / n[0] + 1);
	long count[OTSU_BINS] = {0};
	double *line = mem_alloc((size_t)n[0] * sizeof *line);

	for (long i = 0; i < taken; i++) {
		const long at = i * (lines / taken) + i * (lines % taken) / taken;

		convert(DT_FLOAT64, line, type, (const char *)data + at * n[0] * (long)dtype_size(type), n[0],
		        NARROW_SATURATE);

		for (long k = 0; k < n[0]; k++) {
			const double b = (line[k] - lo) / (hi - lo) * OTSU_BINS;

			if (b >= 0. && b <= OTSU_BINS)
				count[min_long((long)b, OTSU_BINS - 1)]++;
		}
	}

	free(line);
	return lo + (otsu_bin(OTSU_BINS, count) + 1.) * (hi - lo) / OTSU_BINS;
}

void otsu_histogram(struct histogram *h, struct cfl *f)
{
	struct region_stats s;

	cfl_expect_real(f);
	cfl_map(f);
	region_stats(&s, 1, NULL, f, NULL);

	if (0 == s.n || !(s.max > s.min))
		error("%s: Otsu's threshold needs two different values, found %s", f->name,
		        0 == s.n ? "none that is finite" : "one");

	*h = (struct histogram){.lo = s.min, .hi = s.max, .bins = OTSU_BINS};

	if (dtype_is_integer(f->hdr.type)) {
		const double width = ceil((s.max - s.min + 1.) / OTSU_BINS);

		h->bins = (long)ceil((s.max - s.min + 1.) / width);
		h->lo = s.min - 0.5;
		h->hi = h->lo + (double)h->bins * width;
	}

	h->count = mem_alloc((size_t)h->bins * sizeof *h->count);
	histogram(h, f, NULL, NULL);
}

double otsu_threshold(struct cfl *f)
{
	struct histogram h;

	otsu_histogram(&h, f);

	const double bin = otsu_bin(h.bins, h.count);

	free(h.count);
	return h.lo + (bin + 1.) * (h.hi - h.lo) / (double)h.bins;
}
