/** Noise power spectrum. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "misc/error.h"
#include "misc/options/opt.h"
#include "misc/options/report.h"
#include "misc/options/parse.h"
#include "num/stat/noise_power.h"

int main_nps(int argc, char *argv[]);

static void print(const struct noise_power *s)
{
	double sum = 0., weighted = 0.;
	long peak = 0;

	tool_print("frequency,nps\n");

	for (long r = 0; r < s->radial; r++) {
		tool_print("%.9g,%.9g\n", s->frequency[r], s->value[r]);
		sum += s->value[r];
		weighted += s->frequency[r] * s->value[r];
		peak = s->value[r] > s->value[peak] ? r : peak;
	}

	info("%ld tiles, mean %.6g, noise %.6g (standard deviation)", s->tiles, s->mean, sqrt(s->variance));

	if (sum > 0.)
		info("peak at %.4g /mm, mean frequency %.4g /mm", s->frequency[peak], weighted / sum);
}

static struct cfl *create_plane(const struct hdr *in, long size, const char *out)
{
	struct hdr h;

	hdr_init(&h);
	h.dims[0] = h.dims[1] = size;
	h.type = DT_FLOAT64;

	for (int d = 0; d < 2; d++) {
		double df = 1. / ((double)size * fabs(in->spacing[d]));

		hdr_set_grid(&h, d, df, -(double)(size / 2) * df);
	}

	if (in->unit[0] != '\0' && strlen(in->unit) < 16)
		snprintf(h.unit, sizeof h.unit, "(%.15s)^2 mm^2", in->unit);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);

	return y;
}

int main_nps(int argc, char *argv[])
{
	const char *name = NULL, *out = NULL, *range = NULL, *where = NULL;
	long size = 64;
	int detrend = DETREND_PLANE;

	const struct opt opts[] = {
	        OPT_LONG(0, "size", &size, "N", 8, 1 << 14, "side of a tile [pixels]"),
	        OPT_STRING(
	                'r', "region", &where, "SHAPE", "only tiles inside this region [mm]: " REGION_FORMS),
	        OPT_CHOICE(
	                0, "detrend", &detrend, DETREND_CHOICES, "trend that is subtracted from each tile"),
	        OPT_STRING(0, "range", &range, "START:STOP[:STEP]", "slices (default: all)"),
	        ARG_IN("IN", &name, "any real array"),
	        ARG_OUT_OPTIONAL("OUT", &out, "the two-dimensional spectrum, N x N, float64"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "nps",
	                .group = GROUP_MEASURE,
	                .synonyms = "noise-power",
	                .about = "Measure the noise power spectrum",
	                .details =
	                        "The noise power spectrum is NPS(f) = dx dy / N^2 <|DFT(tile - trend)|^2> "
	                        "(ICRU Report 87). In NPS(f), the brackets <> denote the mean over all "
	                        "tiles. The tiles are squares of N x N pixels along dimensions 0 and 1 of "
	                        "all slices, and overlap by half. The output is comma-separated values of "
	                        "frequency [1/mm] and NPS, up to the Nyquist frequency. Each NPS value is "
	                        "the mean over a ring about frequency 0. OUT is the two-dimensional "
	                        "spectrum. The frequency 0 is in the middle of OUT, and the spacing of OUT "
	                        "is in 1/mm. The sum of all elements of OUT, times both frequency "
	                        "spacings, is the variance of the noise.\n\n"
	                        "Structures of the object count as noise. Use a uniform region, or divide "
	                        "the difference of two scans of the same object by sqrt(2).",
	                .examples = "gantry nps --region cyl:0:0:50 volume\n"
	                            "gantry expr '(a - b) / sqrt(2)' a=scan1 b=scan2 noise && gantry nps "
	                            "noise spectrum",
	                .memory = "one slice. The tiles of one slice in complex128 need another 64 bytes "
	                          "per pixel",
	                .opts = opts,
	        },
	        argc, argv);

	struct region region;
	struct noise_power s;
	long first = 0, step = 1;

	if (size % 2 != 0)
		usage_error("--size %ld, expected an even number", size);

	if (where != NULL)
		region_parse(&region, where, "--region");

	struct cfl *f = cfl_open(name);
	long n = f->hdr.dims[2];

	cfl_expect_real(f);

	if (range != NULL)
		parse_range(range, f->hdr.dims[2], &first, &step, &n, "--range");

	struct cfl *plane = out != NULL ? create_plane(&f->hdr, size, out) : NULL;

	if (plane == NULL)
		tool_plan_text();

	noise_power(&s, f, where != NULL ? &region : NULL, first, step, n, size, (enum detrend)detrend);

	if (plane != NULL) {
		memcpy(cfl_map_out(plane), s.plane, (size_t)(size * size) * sizeof(double));
		cfl_close(plane);
	}

	print(&s);
	noise_power_free(&s);
	cfl_close(f);
	leave(EXIT_DONE);
}
