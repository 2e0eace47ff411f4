#include "volume/otsu.h"

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
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
