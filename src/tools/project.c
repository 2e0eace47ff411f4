/** The X-ray transform of a volume, views in batches. */

#include <math.h>
#include <stdlib.h>

#include "iter/values.h"
#include "linops/xray/xray.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/convert.h"

int main_project(int argc, char *argv[]);

enum { SPACE = 3 };

static void check_volume(struct cfl *vol)
{
	cfl_expect(vol, 1u << Q_ATTENUATION | 1u << Q_MASK | 1u << Q_WEIGHTS,
	        "project takes a volume of attenuation values");
	values_expect_finite(vol);
}

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

/** Volume number i in the type of the computation: the mapping itself, or a copy in buffer. */
static const void *volume(struct cfl *vol, long i, long n, enum dtype type, void *buffer)
{
	const char *v = (const char *)cfl_map(vol) + i * n * dtype_size(vol->hdr.type);

	if (!buffer)
		return v;

	convert(type, buffer, vol->hdr.type, v, n, NARROW_SATURATE);
	return buffer;
}

static void project(
        const struct xray *x, const struct geom *g, struct cfl *vol, struct cfl *out, void *buffer)
{
	const enum dtype type = out->hdr.type;
	const long view = g->cols * g->rows, volumes = out->count / (view * g->views),
	           batch = xray_batch(x, type);

	progress_start("project", volumes * g->views);

	for (long i = 0; i < volumes; i++) {
		const void *v = volume(vol, i, vol->count / volumes, type, buffer);

		for (long k = 0; k < g->views; k += batch) {
			long n = (g->views - k < batch) ? g->views - k : batch;
			void *p = cfl_slab(out, n * view);

			xray_forward(x, type, p, v, k, n);
			xray_expect_finite(type, n * view, p, vol->name, "projections");
			progress_add(n);
		}
	}

	progress_end();
}

int main_project(int argc, char *argv[])
{
	const char *geom_name = NULL, *vol_name = NULL, *out_name = NULL;
	struct opt_longs detector = {0};
	int type = -1, model = XRAY_JOSEPH;

	const struct opt opts[] = {OPT_MODEL(&model),
	        OPT_DETECTOR(&detector,
	                "pixels, where the geometry does not say, or others about the same centre"),
	        OPT_TYPE(&type), ARG_IN("GEOM", &geom_name, "geometry, 4 x 4 x views"),
	        ARG_IN("VOL", &vol_name, "volume (x, y, z, channel, time) [1/mm]"),
	        ARG_OUT("PROJ", &out_name, "projections (u, v, view, channel, time), line integrals"),
	        OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "project",
	                .about = "The X-ray transform of a volume",
	                .details =
	                        "Every ray runs from the source (or along the beam) through a pixel's "
	                        "centre; Joseph's method interpolates the volume linearly in every voxel "
	                        "plane "
	                        "across the ray's dominant axis and multiplies by the path length in mm. The "
	                        "volume is zero outside. Channels and times are projected alike, complex "
	                        "data in both parts. Views are written as they are ready.",
	                .examples = "gantry project geom vol proj\n"
	                            "gantry project geom vol - | gantry noise --photons 1e5 - noisy",
	                .memory = "A layer of 32 slices of the volume; the volume itself where its type is "
	                          "an integer or float16.",
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *gf = cfl_open(geom_name), *vol = cfl_open(vol_name);
	struct geom *g = geom_load(gf, &detector, NULL);
	struct grid grid;
	struct hdr h;

	check_volume(vol);
	grid_from_header(&grid, &vol->hdr);
	grid_warn_slice(&grid, g, vol_name);
	header(&h, g, vol, xray_choose_type(type, vol));

	struct xray *x = xray_create(g, &grid, (enum xray_model)model);
	const long n = grid.size[0] * grid.size[1] * grid.size[2];
	const bool copy = (h.type != vol->hdr.type);
	const long copied = copy ? mul_checked(n, dtype_size(h.type), vol_name) : 0;

	tool_needs(xray_memory(x, h.type) + copied, 0.);

	struct cfl *out = cfl_create(out_name, &h);
	void *buffer = copy ? mem_alloc(copied) : NULL;

	project(x, g, vol, out, buffer);
	cfl_close(gf);
	cfl_close(vol);
	cfl_close(out);
	free(buffer);
	xray_free(x);
	geom_free(g);
	leave(EXIT_DONE);
}
