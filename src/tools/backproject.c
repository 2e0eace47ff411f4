/** The exact transpose of the X-ray transform, adding views as they arrive. */

#include <stdlib.h>

#include "ct/geometry/plausible.h"
#include "ct/geometry/views.h"
#include "ct/projector/mask.h"
#include "ct/stream/view_stream.h"
#include "misc/error.h"

int main_backproject(int argc, char *argv[]);

enum { SPACE = 3 };

static void header(struct hdr *h, const struct grid *grid, const struct cfl *proj, enum dtype type)
{
	hdr_init(h);
	h->type = type;

	for (int d = SPACE; d < DIMS; d++) {
		h->dims[d] = proj->hdr.dims[d];
		h->spacing[d] = proj->hdr.spacing[d];
		h->origin[d] = proj->hdr.origin[d];
	}

	grid_to_header(grid, h);
}

int main_backproject(int argc, char *argv[])
{
	const char *geom_name = NULL, *proj_name = NULL, *out_name = NULL, *mask_text = NULL, *views = NULL;
	struct grid_opts grid_opts = {0};
	struct opt_longs detector = {0};
	int type = -1, model = XRAY_JOSEPH;

	const struct opt opts[] = {OPT_MODEL(&model),
	        OPT_DETECTOR(&detector, "detector size, if GEOM has none (default: that of PROJ)"),
	        OPT_VIEWS(&views), OPT_MASK(&mask_text), OPT_GRID(&grid_opts), OPT_TYPE(&type),
	        ARG_IN("GEOM", &geom_name, "geometry, 4 x 4 x views"),
	        ARG_IN("PROJ", &proj_name, "projections (u, v, view, channel, time)"),
	        ARG_OUT("VOL", &out_name, "volume (x, y, z, channel, time)"), OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "backproject",
	                .group = GROUP_PROJECT,
	                .synonyms = "bp back adjoint",
	                .about = "Backproject: the exact transpose of project",
	                .details = "The command backproject is the exact transpose of 'gantry project', "
	                           "without any further factor. For all x and y, <project x, y> = <x, "
	                           "backproject y>, where both scalar products are plain sums. The result is "
	                           "not a reconstruction; use 'gantry fbp' to reconstruct. The views of a "
	                           "stream are added to the volume as they arrive.",
	                .examples = "gantry backproject geom proj vol\n"
	                            "gantry backproject --size 256:256:128 --spacing 0.5 geom proj vol\n"
	                            "gantry backproject --views 1::2 --mask circle geom proj vol\n"
	                            "gantry filter geom proj - | gantry backproject --like vol geom - sum",
	                .memory = "one block of voxels per thread. A stream also needs one batch of "
	                          "views. Files larger than memory (GANTRY_MEM) are processed in slabs",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *gf = cfl_open(geom_name), *proj = cfl_open(proj_name);
	struct geom *all = geom_load(gf, &detector, proj);
	struct grid grid;
	struct hdr h;
	long *at;

	cfl_expect(proj, ~(1u << Q_GEOMETRY | 1u << Q_ATTENUATION | 1u << Q_HOUNSFIELD),
	        "backproject takes projections");
	geom_check_proj(all, gf, proj);
	grid_choose(&grid, &grid_opts, all);
	plausible_warn(all, &grid, geom_name, PLAUSIBLE_PROJECTS);
	header(&h, &grid, proj, xray_choose_type(type, proj));

	struct geom *g = views_geometry(views, all, geom_name, &at);
	struct mask *mask = mask_create(mask_text, &grid);
	struct xray *x = xray_create(g, &grid, (enum xray_model)model);
	struct view_stream t = {.x = x, .type = h.type, .proj = proj, .at = at};

	if (at && !views_ascend(at, g->views))
		cfl_map(proj); // of a stream they all have to be there first

	t.pipe = !cfl_is_mapped(proj);
	xray_set_mask(x, mask);
	view_stream_choose(&t, proj);
	view_stream_plan(&t);
	t.vol = cfl_create(out_name, &h);
	view_stream_run(&t);
	cfl_close(gf);
	cfl_close(proj);
	cfl_close(t.vol);
	mask_free(mask);
	xray_free(x);
	geom_free(g);
	geom_free(all);
	free(at);
	leave(EXIT_DONE);
}
