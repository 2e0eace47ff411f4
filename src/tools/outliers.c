/* Replaces zingers, dead and hot pixels. */

#include <math.h>
#include <stdlib.h>

#include "correct/outliers.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/device/device.h"

int main_outliers(int argc, char *argv[]);

/** What marks bad pixels, read or found; NULL when neither was asked for. */
static unsigned char *bad_pixels(const char *map, const char *find, double sigmas, const struct cfl *x)
{
	const long cols = x->hdr.dims[0], rows = x->hdr.dims[1];

	if (NULL == map && NULL == find)
		return NULL;

	unsigned char *bad = mem_alloc((size_t)(cols * rows));
	struct cfl *f = cfl_open(map ? map : find);

	cfl_expect_real(f);

	const long n = map ? outliers_read_map(f, cols, rows, bad)
	                   : outliers_find_pixels(f, sigmas, cols, rows, bad);

	cfl_close(f);

	if (n == cols * rows)
		error("%s: all %ld pixels are bad, expected usable pixels", map ? map : find, n);

	info("%ld of %ld pixels are bad", n, cols * rows);

	return bad;
}

static void check(const struct outliers *o, bool dims_given, const struct cfl *x)
{
	static const char *const names[] = {"u", "v", "view"};
	double window = 1.;

	if (o->dims & ~7ul || 0 == o->dims)
		usage_error("--dims: expected some of u, v, view");

	for (int d = 0; d < 3; d++)
		if (o->dims & (1ul << d))
			window *= 2. * (double)o->radius + 1.;

	for (int d = 0; d < 3 && dims_given; d++)
		if ((o->dims & (1ul << d)) && 1 == x->hdr.dims[d])
			usage_error("--dims: %s is %s, with 1 element along %s (leave this dimension out)",
			        x->name, hdr_shape(&x->hdr), names[d]);

	if (!(window <= OUTLIERS_WINDOW))
		usage_error("the window has %.0f elements (--radius %ld), expected at most %d", window,
		        o->radius, OUTLIERS_WINDOW);

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_COUNTS | 1u << Q_TRANSMISSION | 1u << Q_LINE_INTEGRAL,
	        "gantry outliers takes projections; of a volume: gantry denoise --method median");
}

int main_outliers(int argc, char *argv[])
{
	struct outliers o = {.radius = 1, .dims = 3ul, .threshold = NAN, .sigmas = NAN};
	double pixel_sigmas = NAN;
	int which = 0;
	bool dims_given = false;
	const char *map = NULL, *find = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLE('t', "threshold", &o.threshold, "T", 0, 1e300,
	                "distance from the median that makes an outlier [unit of IN] (default: by --sigma)"),
	        OPT_DOUBLE('s', "sigma", &o.sigmas, "K", 0.1, 1e6,
	                "--threshold in standard deviations of the noise (default: 8)"),
	        OPT_LONG('r', "radius", &o.radius, "N", 1, 2000, "radius of the window [pixels]"),
	        {'d', "dims", OPT_KIND_DIMS, &o.dims, "DIMS",
	                "the window extends along these of u,v,view (default: u,v)", 0, 0, 0, &dims_given},
	        OPT_CHOICE('w', "which", &which, "bright|dark|both", "outliers to replace"),
	        OPT_ARRAY('m', "map", &map, "MAP", "bad pixels (u, v): not 0"),
	        OPT_ARRAY('f', "find", &find, "FRAMES",
	                "find bad pixels in frames without object (u, v, frame), such as flats"),
	        OPT_DOUBLE(0, "find-sigma", &pixel_sigmas, "K", 0.1, 1e6,
	                "find: deviation from the neighbours in standard deviations (default: 10)"),
	        ARG_IN("IN", &in, "counts, transmission or line integrals (u, v, view)"),
	        ARG_OUT("OUT", &out, "IN without outliers, same type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "outliers",
	                  .group = GROUP_CORRECT,
	                  .synonyms = "zingers despike",
	                  .about = "Replace zingers, dead and hot pixels",
	                  .details = "An outlier is a value that differs from the median of its window by "
	                             "more than a limit. The limit for outliers is --threshold, or --sigma "
	                             "times the noise. Each outlier is replaced by the median of its "
	                             "window, and other values do not change. For each view, the noise is "
	                             "estimated from the differences between values and medians. The "
	                             "estimate of the noise is 1.4826 times the median of the absolute "
	                             "differences. The noise of counts is assumed to grow with the square "
	                             "root of the count.\n\n"
	                             "Bad pixels of --map or --find are never used. In every view, the bad "
	                             "pixels get the median of the good pixels around them. Values that "
	                             "are not finite are replaced in the same way as bad pixels.\n\n"
	                             "With --find, the frames are averaged. A pixel is bad if its average "
	                             "is far from the median of the 7 x 7 averages around this pixel. A "
	                             "pixel with the same value in all frames is also bad, unless most "
	                             "pixels are constant.\n\n"
	                             "For a single detector row, --dims u,view is the better window. The "
	                             "number of replaced values is reported. The method is the conditional "
	                             "median filter, as in R. C. Gonzalez and R. E. Woods, Digital Image "
	                             "Processing.",
	                  .examples = "gantry outliers counts clean\n"
	                              "gantry outliers --threshold 2000 --radius 2 counts clean\n"
	                              "gantry outliers --find flat --which both counts clean",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	if (NULL != map && NULL != find)
		usage_error("--map and --find exclude each other");

	if (!isnan(o.threshold) && !isnan(o.sigmas))
		usage_error("--threshold and --sigma exclude each other");

	if (!isnan(pixel_sigmas) && NULL == find)
		usage_error("--find-sigma requires --find");

	o.sigmas = isnan(o.sigmas) ? 8. : o.sigmas;
	pixel_sigmas = isnan(pixel_sigmas) ? 10. : pixel_sigmas;

	struct cfl *x = cfl_open(in);
	struct hdr h;

	check(&o, dims_given, x);
	hdr_copy(&h, &x->hdr);
	o.cols = h.dims[0];
	o.rows = h.dims[1];
	o.views = h.dims[2];
	o.bright = 1 != which;
	o.dark = 0 != which;
	o.counts = Q_COUNTS == h.quantity;
	o.bad = bad_pixels(map, find, pixel_sigmas, x);
	tool_needs(view_batches_memory(x, o.cols * o.rows, outliers_reach(&o)), 0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	view_batches_run(&(struct view_batches){.out = y,
	        .in = x,
	        .reach = outliers_reach(&o),
	        .any_value = true,
	        .each = outliers_view,
	        .there = outliers_views,
	        .room = OUTLIERS_ROOM,
	        .operations = OUTLIERS_OPERATIONS,
	        .ctx = &o,
	        .what = "outliers"});

	ranks_sum(&o.empty, 1);
	ranks_sum(&o.found, 1);
	ranks_sum(&o.lost, 1);

	if (o.empty)
		error("%s: %ld values are not finite and have no usable neighbour in their view", x->name,
		        o.empty);

	info("%s: %ld of %ld values were replaced as outliers, and %ld as bad pixels or not finite", x->name,
	        o.found, x->count, o.lost);
	free(o.bad);
	device_free(o.bad_there);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
