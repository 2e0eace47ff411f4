/** Back projection of filtered views to a volume on the host, computed by an OpenCL device in place if the
 * device shares memory with the host, else in slabs that fit into its memory. */

#include <stdlib.h>

#include "ct/fbp/fbp_internal.h"
#include "ct/fbp/opencl/work.h"
#include "misc/error.h"
#include "misc/minmax.h"
#include "num/device/opencl.h"
#include "num/device/opencl/selftest.h"

enum { LANES = 32, LINES = 8 };

static const struct opencl_source source = {.name = "back projection", .text =
#include "opencl_fbp.inc"
};

static void launch(const struct spread_work *w, bool wide, void *views, void *vol, void *q)
{
	const size_t local[2] = {LANES, LINES},
	             groups[3] = {(size_t)((w->nx + LANES - 1) / LANES),
	                     (size_t)((w->ny + LINES - 1) / LINES), (size_t)w->slices};

	opencl_launch(opencl_kernel(&source, wide ? "-Dreal=double" : "-Dreal=float", "add_views"), groups,
	        local, 4,
	        (const struct opencl_argument[]){
	                OPENCL_VALUE(*w), OPENCL_BUFFER(views), OPENCL_BUFFER(vol), OPENCL_BUFFER(q)});
}

/** Number of slices of a slab, if so many bytes are used otherwise. */
static long choose_slices(size_t slice, size_t beside, long slices)
{
	const size_t left = opencl_left() / 20 * 19, room = (left > beside) ? left - beside : 0;
	const long n = (long)(((room < opencl_largest()) ? room : opencl_largest()) / slice);

	if (n < 1)
		error("OpenCL: %s has only %.0f MB of memory left, too little for one batch of views and one "
		      "slice (raise GANTRY_GPU_MEM)",
		        opencl_name(), (double)left * 1e-6);

	return min_long(n, slices);
}

/** Bytes of the slices of w. Of complex data, the last element is the end of the array. */
static size_t bytes_of(const struct spread_work *w, size_t slice, enum dtype type)
{
	return slice * (size_t)w->slices - (size_t)(w->step - 1) * dtype_size(type);
}

/** Adds the views to the slices w->slices of the volume on the host, in slabs. */
static void spread_slabs(
        struct spread_work w, enum dtype type, char *vol, size_t slice, size_t beside, void *views, void *q)
{
	const long all = w.slices, first = w.slice, per = choose_slices(slice, beside, all);
	void *slab = opencl_alloc(slice * (size_t)per);

	for (long z = 0; z < all; z += per) {
		char *here = vol + (size_t)z * slice;

		w.slice = first + z;
		w.slices = min_long(per, all - z);

		const size_t bytes = bytes_of(&w, slice, type);

		opencl_upload(slab, here, bytes);
		launch(&w, DT_FLOAT64 == type, views, slab, q);
		opencl_download(here, slab, bytes);
	}

	opencl_free(slab);
}

void fbp_opencl_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2])
{
	opencl_begin();
	opencl_selftest(type == DT_FLOAT64 ? &opencl_selftest_back_projection_float64
	                                   : &opencl_selftest_back_projection_float32);

	const size_t size = dtype_size(type), views = (size_t)f->g->views * sizeof *f->view,
	             batch = (size_t)(f->cols * f->g->rows * n) * size,
	             slice = (size_t)(grid->size[0] * grid->size[1] * step) * size;
	struct spread_work w = {.cols = f->cols,
	        .rows = f->g->rows,
	        .first = first,
	        .views = n,
	        .nx = grid->size[0],
	        .ny = grid->size[1],
	        .step = step,
	        .slice = slices[0],
	        .slices = slices[1] - slices[0]};

	for (int i = 0; i < 3; i++) {
		w.origin[i] = grid->origin[i];
		w.spacing[i] = grid->spacing[i];
	}

	void *shared = opencl_share(vol, bytes_of(&w, slice, type), true), *dviews = opencl_alloc(views),
	     *dq = opencl_alloc(batch);

	opencl_upload(dviews, f->view, views);
	opencl_upload(dq, q, batch);

	if (NULL != shared)
		launch(&w, DT_FLOAT64 == type, dviews, shared, dq);
	else
		spread_slabs(w, type, vol, slice, views + batch, dviews, dq);

	opencl_free(shared);
	opencl_free(dviews);
	opencl_free(dq);
	opencl_end();
}
