/** Statistics, signal-to-noise and contrast-to-noise ratio of regions. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/file/warn_grid.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/stat/region_stats.h"

int main_roi(int argc, char *argv[]);

static void check_found(const struct region_stats *s, const char *region, const struct cfl *f)
{
	if (s->bad > 0)
		warn("%s: %ld of %ld elements in %s are NaN or infinite and are left out", f->name, s->bad,
		        s->bad + s->n, region);

	if (0 == s->n)
		error("%s: %s contains no finite element (the array reaches from %g:%g:%g to %g:%g:%g mm)",
		        f->name, region, region_position(&f->hdr, 0, 0), region_position(&f->hdr, 1, 0),
		        region_position(&f->hdr, 2, 0), region_position(&f->hdr, 0, f->hdr.dims[0] - 1),
		        region_position(&f->hdr, 1, f->hdr.dims[1] - 1),
		        region_position(&f->hdr, 2, f->hdr.dims[2] - 1));
}

static void print_heading(bool csv, bool background)
{
	if (csv)
		printf("region,n,mean,std,min,max,snr%s\n", background ? ",cnr" : "");
	else
		printf("%-32s %10s %14s %14s %14s %14s %10s%s\n", "region", "n", "mean", "std", "min", "max",
		        "snr", background ? "        cnr" : "");
}

static void print_row(
        bool csv, const char *region, const struct region_stats *s, const struct region_stats *b)
{
	const char *form =
	        csv ? "%s,%ld,%.9g,%.9g,%.9g,%.9g,%.6g" : "%-32s %10ld %14.7g %14.7g %14.7g %14.7g %10.5g";

	printf(form, region, s->n, s->mean, s->std, s->min, s->max, fabs(s->mean) / s->std);

	if (b != NULL)
		printf(csv ? ",%.6g" : " %10.5g", fabs(s->mean - b->mean) / b->std);

	printf("\n");
}

int main_roi(int argc, char *argv[])
{
	const char *name = NULL, *mask_name = NULL, *background = NULL;
	struct opt_list words = {0};
	bool csv = false;

	const struct opt opts[] = {
	        OPT_STRINGS('r', "region", &words, "SHAPE", "a region [mm] (repeatable): " REGION_FORMS),
	        OPT_STRING('b', "background", &background, "SHAPE", "region to compare the others with"),
	        OPT_ARRAY(0, "mask", &mask_name, "M",
	                "only where M is not 0 (M repeats along dimensions of length 1)"),
	        OPT_FLAG(0, "csv", &csv, "comma-separated values with a heading"),
	        ARG_IN("IN", &name, "any real array"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "roi",
	                .group = GROUP_MEASURE,
	                .synonyms = "region",
	                .about = "Measure regions of interest: mean, noise, SNR, CNR",
	                .details = "The output has one line for each region. Without --region, the whole "
	                           "array is one region. The columns describe the finite elements of the "
	                           "region:\n\n"
	                           "n: number of finite elements.\n"
	                           "mean, std: mean and standard deviation. The divisor of std is n, not "
	                           "n - 1.\n"
	                           "min, max: smallest and largest value.\n"
	                           "snr: |mean| / std.\n"
	                           "cnr: |mean - mean_b| / std_b, with the mean and standard deviation of "
	                           "the region --background.\n\n"
	                           "An element belongs to a region if the centre of the element is inside "
	                           "the region or on its border. In the SHAPE of a region, X is along "
	                           "dimension 0, Y along dimension 1, and Z along dimension 2. Positions "
	                           "in mm follow from the origin and spacing of the header (see 'gantry "
	                           "show'). All sums are in float64, in one pass for all regions.",
	                .examples = "gantry roi --region cyl:0:0:5 --region cyl:20:0:5 --background "
	                            "cyl:0:-20:5 volume\n"
	                            "gantry roi --csv --region sphere:10:0:0:4 volume",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	int n = words.n > 0 ? words.n : 1;
	struct region *regions = mem_alloc((size_t)(n + 1) * sizeof *regions);
	struct region_stats *stats = mem_alloc((size_t)(n + 1) * sizeof *stats);

	for (int k = 0; k < words.n; k++)
		region_parse(&regions[k], words.v[k], "--region");

	if (0 == words.n && background != NULL)
		usage_error("--background needs --region SHAPE: the region to compare with the background");

	if (background != NULL)
		region_parse(&regions[n], background, "--background");

	struct cfl *f = cfl_open(name);
	struct cfl *mask = mask_name != NULL ? cfl_open(mask_name) : NULL;

	cfl_expect_real(f);

	if (mask != NULL)
		cfl_warn_grid(mask, &f->hdr, f->name);

	tool_plan_text();
	region_stats(stats, n + (background != NULL), words.n > 0 ? regions : NULL, f, mask);

	for (int k = 0; k < n + (background != NULL); k++)
		check_found(&stats[k], words.n > 0 ? regions[k].text : "the array", f);

	print_heading(csv, background != NULL);

	for (int k = 0; k < n; k++)
		print_row(csv, words.n > 0 ? regions[k].text : "all", &stats[k],
		        background != NULL ? &stats[n] : NULL);

	if (background != NULL)
		print_row(csv, background, &stats[n], &stats[n]);

	free(regions);
	free(stats);
	cfl_close(f);

	if (mask != NULL)
		cfl_close(mask);

	leave(EXIT_DONE);
}
