/** The X-ray transform of a volume, views in batches. */

#include <string.h>

#include "ct/geometry/plausible.h"
#include "ct/geometry/views.h"
#include "ct/projector/mask.h"
#include "ct/stream/view_stream.h"
#include "misc/error.h"

int main_project(int argc, char *argv[]);

enum { SPACE = 3 };

static void header(struct hdr *h, const struct geom *g, const struct cfl *vol, enum dtype type)
{
	const enum quantity q = vol->hdr.quantity;

	hdr_init(h);
	h->type = type;

	for (int d = SPACE; d < DIMS; d++) {
		h->dims[d] = vol->hdr.dims[d];
		h->spacing[d] = vol->hdr.spacing[d];
		h->origin[d] = vol->hdr.origin[d];
	}

	geom_proj_header(g, h);

	if (q != Q_ATTENUATION &&
	        q != Q_UNKNOWN) // path lengths through a mask are no line integrals of attenuation
		h->quantity = Q_UNKNOWN;
}

int main_project(int argc, char *argv[])
{
	const char *geom_name = NULL, *vol_name = NULL, *out_name = NULL, *mask_text = NULL, *views = NULL;
	struct opt_longs detector = {0};
	int type = -1, model = XRAY_JOSEPH;
	bool slices = false;

	const struct opt opts[] = {OPT_MODEL(&model),
	        OPT_DETECTOR(
	                &detector, "detector size, if GEOM has none, or another one about the same centre"),
	        OPT_FLAG(0, "slices", &slices, "GEOM describes one slice and is used for each slice of VOL"),
	        OPT_VIEWS(&views), OPT_MASK(&mask_text), OPT_TYPE(&type),
	        ARG_IN("GEOM", &geom_name, "geometry, 4 x 4 x views"),
	        ARG_IN("VOL", &vol_name, "volume (x, y, z, channel, time) [1/mm]"),
	        ARG_OUT("PROJ", &out_name, "projections (u, v, view, channel, time), line integrals"),
	        OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "project",
	                .group = GROUP_PROJECT,
	                .synonyms = "radon sinogram forward fp forwardproject",
	                .about = "Project a volume (X-ray transform)",
	                .details =
	                        "Every ray runs from the source through the centre of a pixel. In a "
	                        "parallel beam, every ray has the direction of the beam. By default, "
	                        "Joseph's method interpolates the volume linearly in every voxel plane "
	                        "across the dominant axis of the ray. In Joseph's method, the sum over all "
	                        "voxel planes is multiplied by the path length between two planes [mm]. "
	                        "Outside its grid, the volume is zero. All channels and times are "
	                        "projected. The real and imaginary parts of complex data are projected "
	                        "separately. If PROJ is a stream, views are written as soon as they are "
	                        "complete.",
	                .examples = "gantry project geom vol proj\n"
	                            "gantry project --slices fan vol proj\n"
	                            "gantry project --views 0:90:3 --mask circle geom vol proj\n"
	                            "gantry project geom vol - | gantry noise --photons 1e5 - noisy",
	                .memory = "a row of small blocks of the volume. If the volume has integers or "
	                          "float16, memory holds as much of the volume as GANTRY_MEM allows. Files "
	                          "larger than memory are processed in slabs. A stream is processed in "
	                          "batches of views",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *gf = cfl_open(geom_name), *vol = cfl_open(vol_name);
	struct geom *all = geom_load(gf, &detector, NULL);
	struct grid grid;
	struct hdr h;

	cfl_expect(vol, 1u << Q_ATTENUATION | 1u << Q_MASK | 1u << Q_WEIGHTS,
	        "project takes a volume of attenuation values");
	grid_from_header(&grid, &vol->hdr);

	if (slices)
		geom_stack_over(all, &grid, geom_name);

	struct geom *g = views_geometry(views, all, geom_name, NULL);

	grid_warn_slice(&grid, g, vol_name);
	plausible_warn(all, &grid, geom_name, PLAUSIBLE_PROJECTS);
	header(&h, g, vol, xray_choose_type(type, vol));

	struct mask *mask = mask_create(mask_text, &grid);
	struct xray *x = xray_create(g, &grid, (enum xray_model)model);
	struct view_stream t = {.x = x, .type = h.type, .forward = true, .vol = vol};

	t.pipe = (0 == strcmp(out_name, "-"));
	xray_set_mask(x, mask);
	view_stream_choose(&t, vol);
	view_stream_plan(&t);
	t.proj = cfl_create(out_name, &h);
	view_stream_run(&t);
	cfl_close(gf);
	cfl_close(vol);
	cfl_close(t.proj);
	mask_free(mask);
	xray_free(x);
	geom_free(g);
	geom_free(all);
	leave(EXIT_DONE);
}
