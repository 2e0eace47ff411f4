/* The filtering half of filtered back projection. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp_files.h"
#include "ct/fbp/fbp_options.h"
#include "ct/geometry/plausible.h"
#include "ct/geometry/views.h"
#include "misc/error.h"
#include "misc/options/opt.h"

int main_filter(int argc, char *argv[]);

int main_filter(int argc, char *argv[])
{
	struct opt_longs detector = {0};
	struct fbp_options fo = FBP_OPTIONS;
	int type = -1;
	const char *geom = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {OPT_FBP(&fo),
	        OPT_DETECTOR(&detector, "detector size, if GEOM has none (default: that of PROJ)"),
	        OPT_TYPE(&type), ARG_IN("GEOM", &geom, "geometry of the scan"),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT("OUT", &out, "filtered projections [1/mm]"), OPT_END};

	tool_init(&(struct tool){.name = "filter",
	                  .group = GROUP_PROJECT,
	                  .synonyms = "ramp",
	                  .about = "Filter projections for backprojection",
	                  .details = "Every ray is weighted by its cosine, its redundancy and the angular "
	                             "weight of its view. The rows are then filtered along u with the "
	                             "band-limited ramp. The command 'gantry fbp' sums the filtered "
	                             "values at the projections of a voxel in all views. In this sum, "
	                             "each filtered value is multiplied by (distance of the axis / "
	                             "distance of the voxel)^2. Both distances are measured from the "
	                             "source. The sum over all views is the attenuation of the voxel. For "
	                             "a parallel beam, the factor with the two distances is 1. For a "
	                             "parallel beam, 'gantry backproject' therefore gives attenuation "
	                             "times voxel volume / pixel area.",
	                  .examples = "gantry filter --filter hann geom proj filtered",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	const struct fbp_settings set = fbp_options_read(&fo);
	struct cfl *fg = cfl_open(geom);
	struct cfl *x = cfl_open(in);
	struct geom *g = geom_load(fg, &detector, x);

	geom_expect_source(g, fg->name);
	views_expect_line_integrals(x);
	geom_check_proj(g, fg, x);
	plausible_warn(g, NULL, geom, PLAUSIBLE_RECONSTRUCTS);

	struct fbp *f = fbp_create(g, &set, geom);

	fbp_options_check(&fo, f, geom);

	struct hdr h;

	verbose("%s", fbp_describe(f));
	hdr_copy(&h, &x->hdr);
	h.type = views_type(type, h.type);
	h.quantity = Q_UNKNOWN;
	strcpy(h.unit, "1/mm");
	tool_needs(fbp_files_filter_memory(f, g, x, h.type), 0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);

	fbp_files_filter(f, g, x, y);
	cfl_close(x);
	cfl_close(fg);
	cfl_close(y);
	fbp_free(f);
	free((double *)set.filter.own);
	geom_free(g);
	leave(EXIT_DONE);
}
