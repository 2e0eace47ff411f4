/** Histogram. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/file/warn_grid.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/stat/histogram.h"
#include "num/stat/region_stats.h"

int main_hist(int argc, char *argv[]);

/* From the smallest to the largest finite value: two passes, so that a stream is spooled. */
static void find_range(struct histogram *h, struct cfl *f, const struct region *region, struct cfl *mask)
{
	struct region_stats s;

	cfl_map(f);

	if (mask != NULL)
		cfl_map(mask);

	region_stats(&s, 1, region, f, mask);

	if (0 == s.n)
		error("%s: no finite element to count", f->name);

	h->lo = s.min;
	h->hi = s.max > s.min ? s.max : s.min + fmax(1., fabs(s.min));
}

static struct cfl *create(const char *name, const struct histogram *h)
{
	const double step = (h->hi - h->lo) / (double)h->bins;
	struct hdr header;

	hdr_init(&header);
	header.dims[0] = h->bins;
	header.type = DT_INT64;
	hdr_set_grid(&header, 0, step, h->lo + 0.5 * step);

	struct cfl *y = cfl_create(name, &header);

	hdr_free(&header);
	return y;
}

static void print(const struct histogram *h)
{
	const double step = (h->hi - h->lo) / (double)h->bins;

	printf("low,high,count\n");

	for (long b = 0; b < h->bins; b++)
		printf("%.9g,%.9g,%ld\n", h->lo + (double)b * step,
		        b + 1 < h->bins ? h->lo + (double)(b + 1) * step : h->hi, h->count[b]);
}

int main_hist(int argc, char *argv[])
{
	const char *name = NULL, *out = NULL, *mask_name = NULL, *where = NULL;
	struct opt_doubles range = {0};
	struct histogram h = {.bins = 100};

	const struct opt opts[] = {
	        OPT_LONG('b', "bins", &h.bins, "N", 1, 1 << 20, "bins of equal width"),
	        OPT_DOUBLES(
	                0, "range", &range, "LO:HI", 0, 0, "range of values (default: smallest to largest)"),
	        OPT_STRING(
	                'r', "region", &where, "SHAPE", "count only inside this region [mm]: " REGION_FORMS),
	        OPT_ARRAY(0, "mask", &mask_name, "M",
	                "count only where M is not 0 (M repeats along dimensions of length 1)"),
	        ARG_IN("IN", &name, "any real array"),
	        ARG_OUT_OPTIONAL("OUT", &out, "the counts (int64); the grid of dimension 0 gives the values"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "hist",
	                .group = GROUP_LOOK,
	                .synonyms = "histogram",
	                .about = "Compute a histogram",
	                .details = "The command prints a line of comma-separated values for each bin. The "
	                           "values are the lower limit, the upper limit and the count. With OUT, "
	                           "the counts are written to OUT instead. A bin includes its lower "
	                           "limit. The last bin also includes its upper limit. A message gives "
	                           "the number of NaN, and the numbers of values below LO and above HI.",
	                .examples = "gantry hist --bins 256 volume\n"
	                            "gantry hist --range 0:0.05 --region cyl:0:0:40 volume counts",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	struct region region;

	if (range.n > 0 && (range.n != 2 || !(range.v[0] < range.v[1])))
		usage_error("--range: expected LO:HI with LO < HI");

	if (where != NULL)
		region_parse(&region, where, "--region");

	struct cfl *f = cfl_open(name);
	struct cfl *mask = mask_name != NULL ? cfl_open(mask_name) : NULL;
	const struct region *inside = where != NULL ? &region : NULL;

	cfl_expect_real(f);

	if (mask != NULL)
		cfl_warn_grid(mask, &f->hdr, f->name);

	if (out == NULL)
		tool_plan_text();

	struct cfl *y = (out != NULL && tool_plan()) ? create(out, &h) : NULL; // starts the trial

	if (range.n > 0) {
		h.lo = range.v[0];
		h.hi = range.v[1];
	} else {
		find_range(&h, f, inside, mask);
	}

	if (out != NULL && y == NULL)
		y = create(out, &h);

	h.count = y != NULL ? cfl_map_out(y) : mem_alloc((size_t)h.bins * sizeof *h.count);
	histogram(&h, f, inside, mask);

	if (h.below + h.above + h.bad > 0)
		info("not in the histogram: %ld below, %ld above, %ld NaN", h.below, h.above, h.bad);

	if (y != NULL) {
		cfl_close(y);
	} else {
		print(&h);
		free(h.count);
	}

	cfl_close(f);

	if (mask != NULL)
		cfl_close(mask);

	leave(EXIT_DONE);
}
