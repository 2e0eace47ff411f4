/** The X-ray transform of arrays on the host, computed by an OpenCL device. Slabs of the volume and batches
 * of views are processed one after the other. */

#include <math.h>
#include <stdlib.h>

#include "ct/projector/bricks.h"
#include "ct/projector/mask.h"
#include "ct/projector/opencl/general.h"
#include "ct/projector/projector.h"
#include "ct/projector/xray_backend.h"
#include "ct/stream/slab.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "num/device/opencl.h"
#include "num/device/opencl/selftest.h"
#include "num/device/profile.h"

struct xray_opencl {
	struct projectors *rows;
};

static struct projectors *rows_of(const struct xray *x)
{
	if (!x->opencl) { // stored in the operator, which is constant otherwise
		struct xray_opencl *p = NEW(struct xray_opencl);

		p->rows = projectors_create(&projectors_opencl, x);
		((struct xray *)x)->opencl = p;
	}

	return x->opencl->rows;
}

void xray_opencl_free(struct xray_opencl *p)
{
	if (!p)
		return;

	opencl_begin();
	projectors_free(p->rows);
	opencl_end();
	free(p);
}

/** A call, and the slab that is being processed. */
struct passage {
	const struct xray *x;
	enum dtype type;
	size_t size, slice, view; // of an element, a slice, a view [bytes]
	char *vol, *proj;         // on the host: whole volume, first view of the piece
	const struct xray_tile *piece;
	bool forward;
	long slices, batch;    // at a time, at most
	char *slab, *views;    // on the device
	unsigned char *inside; // of the slab, on the device; NULL: no mask
};

/* ---- sizes of slabs and batches ---- */

static struct gpu_tile whole_part(const struct passage *p, long views)
{
	return (struct gpu_tile){
	        .view = p->piece->first, .views = views, .rows = p->x->g->rows, .slices = p->slices};
}

/** Memory for batches of so many views, without the slab [bytes]. */
static double bytes_of(const struct passage *p, long views)
{
	const struct gpu_tile part = whole_part(p, views);
	const struct xray_call call = {.x = p->x, .size = dtype_size(dtype_real(p->type)), .gpu = &part};
	struct projectors *rows = rows_of(p->x);
	double most = 0.;

	for (int r = 0; r < projectors_opencl.rows; r++) {
		const void *plan = projectors_plan(rows, projectors_opencl.row + r);

		if (plan)
			most = fmax(most, projectors_opencl.row[r].memory(plan, &call, p->forward));
	}

	return most + (double)p->view * (double)views;
}

/** As many slices as fit into half of the memory, then as many views as fit into the rest. Slices get more if
 * all views need less than half. */
static void choose_cut(struct passage *p)
{
	const double left = 0.95 * (double)opencl_left(), buffer = (double)opencl_largest(),
	             slice = (double)p->slice * (p->x->mask ? 1. + 1. / (double)p->size : 1.),
	             need = bytes_of(p, 1);
	const double room = fmin(buffer, fmax(0.5 * left, left - bytes_of(p, p->piece->views)));

	p->slices = min_long(p->x->grid.size[2], (long)(room / slice));

	if (p->slices < 1 || need > left - slice * (double)p->slices)
		error("OpenCL: %s has only %.0f MB of memory left, too little for one slice and one view of "
		      "the X-ray transform (raise GANTRY_GPU_MEM)",
		        opencl_name(), left * 1e-6);

	for (p->batch = p->piece->views;
	        p->batch > 1 && (bytes_of(p, p->batch) > left - slice * (double)p->slices ||
	                                (double)p->view * (double)p->batch > buffer);)
		p->batch = (p->batch + 1) / 2;
}

/* ---- transfers ---- */

/** Copies the slab between host and device. */
static void move_slab(const struct passage *p, const struct slab *s, bool up)
{
	const size_t line = (size_t)p->x->grid.size[0] * p->size, at = (size_t)s->y[0] * line,
	             width = (size_t)(s->y[1] - s->y[0]) * line;
	const long n = s->z[1] - s->z[0];
	char *host = p->vol + (size_t)s->z[0] * p->slice + at, *there = p->slab + at;

	if (up && width < p->slice)
		opencl_clear(p->slab, p->slice * (size_t)n);

	if (up)
		opencl_upload2(width, n, there, p->slice, host, p->slice);
	else
		opencl_download2(width, n, host, p->slice, there, p->slice);
}

/** Copies views [k, k + n) of the piece between host and device; views that are not contiguous on the host
 * one by one. */
static void move_views(const struct passage *p, long k, long n, bool up)
{
	const long *at = p->piece->at;

	for (long i = 0; i < (at ? n : 1); i++) {
		char *host = p->proj + (size_t)(at ? at[k + i] : k) * p->view,
		     *there = p->views + (size_t)i * p->view;
		const size_t bytes = p->view * (size_t)(at ? 1 : n);

		if (up)
			opencl_upload(there, host, bytes);
		else
			opencl_download(host, there, bytes);
	}
}

/** Sets voxels of the slab outside the mask to 0. */
static void hide(const struct passage *p, const struct slab *s)
{
	const long *n = p->x->grid.size, lines = n[1] * (s->z[1] - s->z[0]);
	bool *inside = mem_alloc(mul_checked(lines, n[0], "the mask"));

	for (long i = 0; i < lines; i++)
		mask_line(p->x->mask, 0, n[0], i % n[1], s->z[0] + i / n[1], inside + i * n[0]);

	opencl_upload(p->inside, inside, (size_t)(lines * n[0]));
	opencl_general_hide(p->slab, (long)p->size, p->inside, lines * n[0]);
	free(inside);
}

/* ---- work ---- */

/** Computes the views of `part`, all of them by the path `row`. */
static void run_views(
        const struct passage *p, const struct projector *row, const struct gpu_tile *part, char *proj)
{
	struct projectors *rows = rows_of(p->x);
	const double start = now(), voxels = (double)(p->x->grid.size[0] * p->x->grid.size[1] * part->slices),
	             pixels = (double)(p->x->g->cols * part->rows * part->views);
	const struct xray_call call = {.x = p->x,
	        .type = p->type,
	        .size = dtype_size(dtype_real(p->type)),
	        .step = dtype_is_complex(p->type) ? 2 : 1,
	        .vol = p->slab,
	        .proj = proj,
	        .gpu = part};

	(p->forward ? row->forward : row->adjoint)(projectors_plan(rows, row), &call);

	if (!projectors_count() || selftest_runs())
		return;

	opencl_sync();
	projectors_count_call(rows, row, p->forward, (long)((now() - start) * 1e9),
	        (long)((voxels + pixels) * (double)p->size), voxels * (double)part->views);
}

/** Computes a batch of views with the slab; successive views with the same path together. */
static void run_batch(const struct passage *p, const struct slab *s, long first, long n)
{
	const struct projectors *rows = rows_of(p->x);

	for (long k = first, to; k < first + n; k = to) {
		const struct projector *row = projectors_row(rows, p->type, p->forward, k);

		for (to = k + 1; to < first + n &&
		                 projectors_row(rows, p->type, p->forward, to)->forward == row->forward;)
			to++;

		run_views(p, row,
		        &(const struct gpu_tile){.view = k,
		                .views = to - k,
		                .rows = p->x->g->rows,
		                .slice = s->z[0],
		                .slices = s->z[1] - s->z[0],
		                .add = true},
		        p->views + (size_t)(k - first) * p->view);
	}
}

/** blank: the views have no content yet. */
static void run_slab(const struct passage *p, const struct slab *s, bool blank)
{
	move_slab(p, s, true);

	if (p->x->mask && p->forward)
		hide(p, s);

	for (long k = 0, n; k < p->piece->views; k += n) {
		n = min_long(p->batch, p->piece->views - k);

		if (p->forward && blank)
			opencl_clear(p->views, p->view * (size_t)n);
		else
			move_views(p, k, n, true);

		run_batch(p, s, p->piece->first + k, n);

		if (p->forward)
			move_views(p, k, n, false);
	}

	if (p->x->mask && !p->forward)
		hide(p, s);

	if (!p->forward)
		move_slab(p, s, false);
}

static void run_piece(const struct xray *x, enum dtype type, void *vol, void *proj,
        const struct xray_tile *piece, bool forward, bool blank)
{
	const size_t size = dtype_size(type);
	const long end = piece->row + piece->rows;
	struct passage p = {.x = x,
	        .type = type,
	        .size = size,
	        .slice = (size_t)(x->grid.size[0] * x->grid.size[1]) * size,
	        .view = (size_t)(x->g->cols * x->g->rows) * size,
	        .vol = vol,
	        .proj = proj,
	        .piece = piece,
	        .forward = forward};

	opencl_begin();
	opencl_selftest(opencl_general_selftest(x->model, dtype_real(type) == DT_FLOAT64, forward));

	if (x->mask)
		opencl_selftest(&opencl_selftest_masks);

	rows_of(x);
	choose_cut(&p);
	p.slab = opencl_alloc(p.slice * (size_t)p.slices);
	p.views = opencl_alloc(p.view * (size_t)p.batch);
	p.inside = x->mask ? opencl_alloc(p.slice / size * (size_t)p.slices) : NULL;

	for (long row = piece->row; row < end;) {
		const struct slab whole = slab_at(x, row, end - row);

		for (long z = whole.z[0]; z < whole.z[1]; z += p.slices) {
			struct slab s = whole;

			s.z[0] = z;
			s.z[1] = min_long(z + p.slices, whole.z[1]);
			run_slab(&p, &s, blank);
			blank = false;
		}

		row += whole.rows;
	}

	opencl_free(p.slab);
	opencl_free(p.views);
	opencl_free(p.inside);
	opencl_end();
}

static void opencl_forward(const struct xray *x, enum dtype type, void *proj, const void *vol,
        const struct xray_tile *piece, bool add)
{
	run_piece(x, type, (void *)vol, proj, piece, true, piece->blank || !add);
}

static void opencl_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_tile *piece)
{
	run_piece(x, type, vol, (void *)proj, piece, false, false);
}

const struct xray_backend xray_backend_opencl = {.name = "OpenCL, in parts",
        .large_tiles = true,
        .forward = opencl_forward,
        .adjoint = opencl_adjoint};
