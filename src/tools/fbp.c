/* Filtered back projection. */

#include <stdlib.h>
#include <string.h>

#include "linops/xray/fbp.h"
#include "linops/xray/views.h"
#include "misc/cfl.h"
#include "linops/xray/xray.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/opt.h"
#include "misc/progress.h"

int main_fbp(int argc, char *argv[]);

/** All views of one channel and time, batch by batch as they arrive, into vol. */
static void reconstruct(struct fbp *f, const struct geom *g, const struct grid *grid, struct cfl *x,
        long view, enum dtype type, void *vol)
{
	enum dtype real = dtype_real(type);
	int parts = dtype_is_complex(type) ? 2 : 1;
	long size = g->cols * g->rows, per = fbp_batch(f, real);
	void *in[2] = {NULL, NULL};
	void *q = mem_alloc((size_t)(per * g->rows * fbp_cols(f)) * dtype_size(real));

	for (int p = 0; p < parts; p++)
		in[p] = mem_alloc((size_t)(per * size) * dtype_size(real));

	for (long k = 0, n; k < g->views; k += n) {
		n = (g->views - k < per) ? g->views - k : per;
		views_next(x, real, size, view + k, n * size, in[0], in[1]);

		for (int p = 0; p < parts; p++) {
			fbp_filter(f, real, q, in[p], k, n);
			fbp_backproject(
			        f, grid, real, (char *)vol + p * (long)dtype_size(real), parts, q, k, n);
		}

		progress_update(view + k + n);
	}

	for (int p = 0; p < parts; p++)
		free(in[p]);

	free(q);
}

int main_fbp(int argc, char *argv[])
{
	struct grid_opts go = {0};
	struct opt_longs detector = {0};
	int window = RAMP_RAMP, type = -1;
	const char *geom = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {OPT_CHOICE('f', "filter", &window, ramp_names, "window of the ramp"),
	        OPT_GRID(&go),
	        OPT_DETECTOR(&detector, "detector size, where GEOM does not say (default: that of PROJ)"),
	        OPT_TYPE(&type), ARG_IN("GEOM", &geom, "geometry of the scan"),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT("VOL", &out, "attenuation (x, y, z) [1/mm]"), OPT_END};

	tool_init(
	        &(struct tool){.name = "fbp",
	                .about = "Reconstruct by filtered back projection (cone beam: Feldkamp)",
	                .details = "The geometry decides: parallel and fan beam by filtered back projection, "
	                           "cone beam by Feldkamp's method. Each view weighs half the gap to "
	                           "its angular neighbours, modulo 180 degrees for a parallel beam, so "
	                           "repeated end points and golden angles are right. A fan or cone "
	                           "beam over less than 360 degrees, but at least 180 plus the fan angle, "
	                           "gets Parker's weights; a detector that reaches further to one "
	                           "side of the axis over 360 degrees gets those of a displaced detector. "
	                           "Views are added as they arrive; memory holds a batch of "
	                           "views beside the volume.",
	                .examples =
	                        "gantry fbp geom proj rec\n"
	                        "gantry fbp --filter hann --size 512:512:64 --spacing 0.25 geom proj rec\n"
	                        "gantry project geom vol - | gantry fbp --like vol geom - rec",
	                .opts = opts},
	        argc, argv);

	struct cfl *fg = cfl_open(geom);
	struct cfl *x = cfl_open(in);
	struct geom *g = geom_load(fg, &detector, x);

	views_expect_line_integrals(x);
	geom_check_proj(g, fg, x);

	struct fbp *f = fbp_create(g, (enum ramp_window)window, geom);
	struct grid grid;
	struct hdr h;

	verbose("%s", fbp_describe(f));
	grid_choose(&grid, &go, g);
	hdr_copy(&h, &x->hdr);
	grid_to_header(&grid, &h);
	h.type = views_type(type, h.type);
	h.quantity = Q_ATTENUATION;
	strcpy(h.unit, "1/mm");
	tool_needs(fbp_memory(f, dtype_real(h.type)), 0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	char *vol = cfl_map_out(y);
	long size = g->cols * g->rows * g->views;
	long voxels = grid.size[0] * grid.size[1] * grid.size[2];

	progress_start("fbp", x->count / size * g->views);

	for (long c = 0; c < x->count / size; c++)
		reconstruct(f, g, &grid, x, c * g->views, y->hdr.type,
		        vol + c * voxels * (long)dtype_size(y->hdr.type));

	xray_expect_finite(y->hdr.type, y->count, vol, x->name, "attenuations");
	progress_end();
	cfl_close(x);
	cfl_close(fg);
	cfl_close(y);
	fbp_free(f);
	geom_free(g);
	leave(EXIT_DONE);
}
