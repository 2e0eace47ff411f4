/** Modulation of bar patterns. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/stat/region_stats.h"

int main_linepair(int argc, char *argv[]);

/* FREQUENCY@SHAPE */
static double parse_group(struct region *r, const char *word)
{
	char *end;
	double f = strtod(word, &end);

	if (end == word || *end != '@' || !(f > 0.) || !isfinite(f))
		usage_error("--group: found '%s', expected F@SHAPE with F > 0 in line pairs per mm", word);

	region_parse(r, end + 1, "--group");

	return f;
}

int main_linepair(int argc, char *argv[])
{
	const char *name = NULL, *bar = NULL, *gap = NULL, *noise = NULL;
	struct opt_list groups = {0};

	const struct opt opts[] = {
	        OPT_STRINGS(0, "group", &groups, "F@SHAPE",
	                "a group of bars of F line pairs per mm, inside this region: " REGION_FORMS),
	        OPT_STRING(0, "bar", &bar, "SHAPE", "region of the bars' material"),
	        OPT_STRING(0, "gap", &gap, "SHAPE", "region of the material between the bars"),
	        OPT_STRING(0, "noise", &noise, "SHAPE",
	                "region where the noise is measured (default: the gap's)"),
	        ARG_IN("IN", &name, "any real array"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "linepair",
	                .group = GROUP_MEASURE,
	                .about = "Measure the modulation of bar patterns (line pairs)",
	                .details =
	                        "The output is a line of comma-separated values for each group. Each line "
	                        "gives the number of line pairs per mm and the modulation transfer. The "
	                        "method is that of Droege and Morin (A practical method to measure the MTF "
	                        "of CT scanners, Medical Physics 9(5), 1982). The modulation transfer is "
	                        "MTF(f) = pi / sqrt(2) sqrt(s^2 - n^2) / |bar - gap|. In this formula, s "
	                        "is the standard deviation inside the group, and n is the standard "
	                        "deviation of the noise. In this formula, bar and gap are the mean values "
	                        "of the two materials.\n\n"
	                        "The formula is valid above a third of the frequency at which the MTF "
	                        "vanishes. At lower frequencies, harmonics of the bars contribute. A group "
	                        "should contain whole periods of the bars.",
	                .examples = "gantry linepair --bar cyl:30:0:4 --gap cyl:0:0:4 --group "
	                            "0.5@box:-6:6:38:44 volume",
	                .opts = opts,
	        },
	        argc, argv);

	if (0 == groups.n || bar == NULL || gap == NULL)
		usage_error("expected --bar, --gap and at least one --group");

	const int n = groups.n + 3;
	struct region *regions = mem_alloc((size_t)n * sizeof *regions);
	struct region_stats *stats = mem_alloc((size_t)n * sizeof *stats);
	double *frequency = mem_alloc((size_t)groups.n * sizeof *frequency);

	region_parse(&regions[0], bar, "--bar");
	region_parse(&regions[1], gap, "--gap");
	region_parse(&regions[2], noise != NULL ? noise : gap, "--noise");

	for (int k = 0; k < groups.n; k++)
		frequency[k] = parse_group(&regions[3 + k], groups.v[k]);

	struct cfl *f = cfl_open(name);

	cfl_expect_real(f);
	tool_plan_text();
	region_stats(stats, n, regions, f, NULL);

	for (int k = 0; k < n; k++)
		if (0 == stats[k].n || stats[k].bad > 0)
			error("%s: %s contains %ld finite elements and %ld others, expected only finite ones",
			        f->name, regions[k].text, stats[k].n, stats[k].bad);

	double contrast = fabs(stats[0].mean - stats[1].mean);

	if (!(contrast > 0.))
		error("%s: bar and gap are both %g, expected two materials", f->name, stats[0].mean);

	printf("frequency,mtf\n");

	for (int k = 0; k < groups.n; k++) {
		double signal = stats[3 + k].std * stats[3 + k].std - stats[2].std * stats[2].std;

		printf("%.9g,%.9g\n", frequency[k], M_PI / M_SQRT2 * sqrt(fmax(signal, 0.)) / contrast);
	}

	free(regions);
	free(stats);
	free(frequency);
	cfl_close(f);
	leave(EXIT_DONE);
}
