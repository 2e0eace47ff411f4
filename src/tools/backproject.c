/** The exact transpose of the X-ray transform, views added as they arrive. */

#include <stdlib.h>

#include "linops/xray/xray.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/convert.h"
#include "num/flpmath.h"

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

static void backproject(const struct xray *x, const struct geom *g, struct cfl *proj, struct cfl *out)
{
	const enum dtype type = out->hdr.type;
	const long view = g->cols * g->rows, volumes = proj->count / (view * g->views),
	           batch = xray_batch(x, type);
	const long n = out->count / volumes;
	const bool copy = (type != proj->hdr.type);
	void *buffer = copy ? mem_alloc(mul_checked(batch * view, dtype_size(type), proj->name)) : NULL;
	char *v = cfl_map_out(out);

	progress_start("backproject", volumes * g->views);

	for (long i = 0; i < volumes; i++)
		for (long k = 0; k < g->views; k += batch) {
			long views = (g->views - k < batch) ? g->views - k : batch;
			const void *p = cfl_next(proj, views * view);

			if (copy) {
				convert(type, buffer, proj->hdr.type, p, views * view, NARROW_SATURATE);
				p = buffer;
			}

			long bad = vec_count_nonfinite(type, views * view, p);

			if (bad > 0)
				error("%s: %ld of the values in views %ld to %ld are NaN or infinite, "
				      "expected finite numbers",
				        proj->name, bad, k, k + views - 1);

			xray_adjoint(x, type, v + i * n * dtype_size(type), p, k, views);
			progress_add(views);
		}

	xray_expect_finite(type, out->count, v, proj->name, "sums over the views");
	progress_end();
	free(buffer);
}

int main_backproject(int argc, char *argv[])
{
	const char *geom_name = NULL, *proj_name = NULL, *out_name = NULL;
	struct grid_opts grid_opts = {0};
	struct opt_longs detector = {0};
	int type = -1, model = XRAY_JOSEPH;

	const struct opt opts[] = {OPT_MODEL(&model),
	        OPT_DETECTOR(&detector, "pixels, where the geometry does not say (default: PROJ's)"),
	        OPT_GRID(&grid_opts), OPT_TYPE(&type), ARG_IN("GEOM", &geom_name, "geometry, 4 x 4 x views"),
	        ARG_IN("PROJ", &proj_name, "projections (u, v, view, channel, time)"),
	        ARG_OUT("VOL", &out_name, "volume (x, y, z, channel, time)"), OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "backproject",
	                .about = "The exact transpose of the X-ray transform",
	                .details = "The transpose of gantry project for plain sums, without any factor: "
	                           "<project x, y> = <x, backproject y>. It is no reconstruction; gantry fbp "
	                           "is. "
	                           "Views are added as they arrive.",
	                .examples = "gantry backproject geom proj vol\n"
	                            "gantry backproject --size 256:256:128 --spacing 0.5 geom proj vol\n"
	                            "gantry filter geom proj - | gantry backproject --like vol geom - sum",
	                .memory = "One brick per thread; for a stream one batch of views.",
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *gf = cfl_open(geom_name), *proj = cfl_open(proj_name);
	struct geom *g = geom_load(gf, &detector, proj);
	struct grid grid;
	struct hdr h;

	cfl_expect(proj, ~(1u << Q_GEOMETRY | 1u << Q_ATTENUATION | 1u << Q_HOUNSFIELD),
	        "backproject takes projections");
	geom_check_proj(g, gf, proj);
	grid_choose(&grid, &grid_opts, g);
	header(&h, &grid, proj, xray_choose_type(type, proj));

	struct xray *x = xray_create(g, &grid, (enum xray_model)model);

	tool_needs(xray_memory(x, h.type), 0.);

	struct cfl *out = cfl_create(out_name, &h);

	backproject(x, g, proj, out);
	cfl_close(gf);
	cfl_close(proj);
	cfl_close(out);
	xray_free(x);
	geom_free(g);
	leave(EXIT_DONE);
}
