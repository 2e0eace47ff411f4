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

/** Where the views are that --views chose: of each channel and time, all of which `views` are. */
struct chosen {
	const long *at; // NULL: all of them
	long views;
	bool in_order; // as they come out of a stream
	long position; // in it
};

/** Views [k, k + n) of those chosen of channel and time c. */
static void take_views(struct chosen *o, struct cfl *x, enum dtype real, long size, long c, long k, long n,
        void *const out[2])
{
	if (!o->at) {
		views_next(x, real, size, c * o->views + k, n * size, out[0], out[1]);
		return;
	}

	for (long i = 0; i < n; i++) {
		const long place = c * o->views + o->at[k + i];
		const size_t to = (size_t)(i * size) * dtype_size(real);
		char *re = (char *)out[0] + to, *im = out[1] ? (char *)out[1] + to : NULL;

		if (!o->in_order) {
			views_at(x, real, size, place, size, re, im);
			continue;
		}

		for (; o->position < place; o->position++)
			cfl_next(x, size);

		views_next(x, real, size, place, size, re, im);
		o->position++;
	}
}

/** All views of channel and time c, batch by batch as they arrive, into vol. */
static void reconstruct(struct fbp *f, const struct geom *g, const struct grid *grid, struct cfl *x,
        struct chosen *o, long c, enum dtype type, void *vol)
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
		take_views(o, x, real, size, c, k, n, in);

		for (int p = 0; p < parts; p++) {
			fbp_filter(f, real, q, in[p], k, n);
			fbp_backproject(
			        f, grid, real, (char *)vol + p * (long)dtype_size(real), parts, q, k, n);
		}

		progress_update(c * g->views + k + n);
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
	const char *geom = NULL, *in = NULL, *out = NULL, *views = NULL;

	const struct opt opts[] = {OPT_CHOICE('f', "filter", &window, ramp_names, "window of the ramp"),
	        OPT_VIEWS(&views), OPT_GRID(&go),
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
	struct geom *all = geom_load(fg, &detector, x);
	long *at;

	views_expect_line_integrals(x);
	geom_check_proj(all, fg, x);

	struct geom *g = views_geometry(views, all, geom, &at);
	struct chosen chosen = {.at = at, .views = all->views};

	chosen.in_order = !cfl_is_mapped(x) && at && views_ascend(at, g->views);

	struct fbp *f = fbp_create(g, (enum ramp_window)window, geom);
	struct grid grid;
	struct hdr h;

	verbose("%s", fbp_describe(f));
	grid_choose(&grid, &go, all);
	hdr_copy(&h, &x->hdr);
	grid_to_header(&grid, &h);
	h.type = views_type(type, h.type);
	h.quantity = Q_ATTENUATION;
	strcpy(h.unit, "1/mm");
	tool_needs(fbp_memory(f, dtype_real(h.type)), 0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	char *vol = cfl_map_out(y);
	long size = g->cols * g->rows * all->views;
	long voxels = grid.size[0] * grid.size[1] * grid.size[2];

	progress_start("fbp", x->count / size * g->views);

	for (long c = 0; c < x->count / size; c++)
		reconstruct(f, g, &grid, x, &chosen, c, y->hdr.type,
		        vol + c * voxels * (long)dtype_size(y->hdr.type));

	xray_expect_finite(y->hdr.type, y->count, vol, x->name, "attenuations");
	progress_end();
	cfl_close(x);
	cfl_close(fg);
	cfl_close(y);
	fbp_free(f);
	geom_free(g);
	geom_free(all);
	free(at);
	leave(EXIT_DONE);
}
