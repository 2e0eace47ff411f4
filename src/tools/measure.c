/** Porosity, thickness and particle sizes. */

#include <stdio.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/file/warn_grid.h"
#include "misc/options/opt.h"
#include "misc/options/report.h"
#include "volume/measure.h"

int main_measure(int argc, char *argv[]);

static const int neighbours[] = {6, 18, 26};

enum what { POROSITY, THICKNESS, SIZES };

struct words {
	const char *what, *in, *out, *region;
	int kind;
	bool invert, whole, kind_given;
};

static enum what what_parse(const char *word)
{
	static const char *const names[] = {"porosity", "thickness", "sizes"};

	for (int k = 0; k < 3; k++)
		if (0 == strcmp(word, names[k]))
			return (enum what)k;

	usage_error("WHAT: unknown word '%s' (valid: porosity, thickness, sizes)", word);
}

static void check_words(enum what what, const struct words *w)
{
	if (w->out && THICKNESS != what)
		usage_error("OUT: only thickness writes an array");

	if (w->invert && THICKNESS != what)
		usage_error("--invert has no effect without thickness");

	if (w->region && POROSITY != what)
		usage_error("--region has no effect without porosity");

	if (w->whole && SIZES != what)
		usage_error("--whole has no effect without sizes");

	if (w->kind_given && THICKNESS == what)
		usage_error("--connectivity has no effect with thickness");
}

static void porosity(struct cfl *in, struct cfl *region, int near)
{
	struct porosity s;

	tool_plan_text();
	measure_porosity(&s, in, region, near);

	if (0 == s.voxels)
		error("%s: no voxel is in the region", region->name);

	const double n = (double)s.voxels;

	tool_print("name,value\nvoxels,%ld\nsolid,%ld\npores,%ld\n", s.voxels, s.voxels - s.pores, s.pores);
	tool_print("porosity,%.9g\nopen-porosity,%.9g\nclosed-porosity,%.9g\nclosed-pores,%ld\n",
	        (double)s.pores / n, (double)s.open / n, (double)s.closed / n, s.closed_pores);
}

static struct cfl *create(const char *name, const struct cfl *in)
{
	struct hdr h;

	hdr_copy(&h, &in->hdr);
	h.type = DT_FLOAT32;
	h.quantity = Q_UNKNOWN;
	snprintf(h.unit, sizeof h.unit, "mm");

	struct cfl *out = cfl_create(name, &h);

	hdr_free(&h);

	return out;
}

static void thickness(struct cfl *in, const char *out, bool invert)
{
	struct thickness s;

	tool_needs(measure_thickness_memory(in, out != NULL), 0.);

	if (!out)
		tool_plan_text();

	struct cfl *y = out ? create(out, in) : NULL;

	measure_thickness(&s, y, in, invert);
	tool_print("name,value\nvoxels,%ld\nmean,%.7g\nstd,%.7g\nmin,%.7g\nmax,%.7g\n", s.voxels, s.mean,
	        s.std, s.min, s.max);

	if (y)
		cfl_close(y);
}

static void sizes(struct cfl *in, int near, bool whole)
{
	static const int share[] = {10, 50, 90};
	struct sizes s;

	tool_plan_text();
	measure_sizes(&s, in, near, whole);
	tool_print("name,value\nparticles,%ld\nat-border,%ld\nmean,%.9g\nmin,%.9g\nmax,%.9g\n", s.count,
	        s.cut, s.mean, s.min, s.max);

	for (int k = 0; k < 3; k++)
		tool_print("number-%d%%,%.9g\n", share[k], s.by_number[k]);

	for (int k = 0; k < 3; k++)
		tool_print("volume-%d%%,%.9g\n", share[k], s.by_volume[k]);
}

int main_measure(int argc, char *argv[])
{
	struct words w = {0};

	const struct opt opts[] = {
	        {'c', "connectivity", OPT_KIND_CHOICE, &w.kind, "6|18|26", "neighbours in a pore or particle",
	                0, 0, 0, &w.kind_given},
	        OPT_ARRAY('r', "region", &w.region, "MASK", "porosity: count only where MASK is not 0"),
	        OPT_FLAG('i', "invert", &w.invert, "thickness: of the background (pore sizes)"),
	        OPT_FLAG('w', "whole", &w.whole, "sizes: omit particles at the border"),
	        ARG_STRING("WHAT", &w.what, "porosity, thickness or sizes"),
	        ARG_IN("IN", &w.in, "mask: the solid or the particles are not 0"),
	        ARG_OUT_OPTIONAL("OUT", &w.out, "thickness at each voxel [mm]"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "measure",
	                  .group = GROUP_MEASURE,
	                  .synonyms = "porosity thickness granulometry",
	                  .about = "Measure porosity, thickness or particle sizes of a mask",
	                  .details = "For each result, the command prints a line with a name, a comma and "
	                             "a value. Lengths are in mm.\n\n"
	                             "porosity: the fraction of voxels that are 0. Pores connected to the "
	                             "border of the volume are open, and other pores are closed. With "
	                             "--region, only voxels in the region are counted. The option "
	                             "--region does not change which pores count as open.\n\n"
	                             "thickness: at each object voxel, the diameter of the largest ball "
	                             "that is inside the object and contains the voxel. The method is "
	                             "that of Hildebrand and Rueegsegger (Journal of Microscopy 185, "
	                             "67-75, 1997). Balls are centred on voxels. The radius of a ball is "
	                             "the distance from its centre to the nearest background voxel. A "
	                             "plate of n voxels has a thickness of n voxels, or n + 1 voxels if n "
	                             "is odd. Voxels outside the volume do not count as background. Mean "
	                             "and standard deviation are computed over the object voxels.\n\n"
	                             "sizes: for each connected component, the diameter of a ball of the "
	                             "same volume. In images, the diameter is that of a circle of the "
	                             "same area. Percentiles are given twice: of the number of parts, and of "
	                             "their volume. P percent "
	                             "of the particles are not larger than the percentile P by number. "
	                             "The particles up to the percentile P by volume contain P percent of "
	                             "the total volume. For a table of all particles, use 'gantry label "
	                             "--csv'.",
	                  .examples = "gantry measure porosity solid\n"
	                              "gantry measure thickness solid walls\n"
	                              "gantry measure thickness --invert solid pores\n"
	                              "gantry measure sizes --whole particles",
	                  .memory = "for thickness, 8 bytes per voxel and 16 bytes per ball",
	                  .opts = opts},
	        argc, argv);

	const enum what what = what_parse(w.what);

	check_words(what, &w);

	struct cfl *in = cfl_open(w.in), *region = w.region ? cfl_open(w.region) : NULL;
	const long *n = in->hdr.dims;

	cfl_expect_real(in);

	if (in->count > n[0] * n[1] * n[2])
		error("%s has more than three dimensions (measure each volume alone)", in->name);

	if (region) {
		cfl_same_dims(in, region, DIMS);
		cfl_warn_grid(region, &in->hdr, in->name);
	}

	if (POROSITY == what)
		porosity(in, region, neighbours[w.kind]);
	else if (THICKNESS == what)
		thickness(in, w.out, w.invert);
	else
		sizes(in, neighbours[w.kind], w.whole);

	cfl_close(in);

	if (region)
		cfl_close(region);

	leave(EXIT_DONE);
}
