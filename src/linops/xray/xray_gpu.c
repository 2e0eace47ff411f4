/** The X-ray transform on the GPU: its tables, which kernels take which views, and the parts in which arrays
 * on the host pass through its memory. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/bricks.h"
#include "linops/xray/cuda/general.h"
#include "linops/xray/cuda/tilted.h"
#include "linops/xray/footprints.h"
#include "linops/xray/mask.h"
#include "linops/xray/slab.h"
#include "linops/xray/vec3.h"
#include "linops/xray/xray_backend.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/device.h"

/** Kernels for any geometry, for columns parallel to z, and for flat detectors of any direction. */
enum way { GENERAL, ALIGNED, TILTED, WAYS };

struct xray_gpu {
	int worker;            // whose GPU holds it
	struct xray_gpu *next; // of another worker
	struct general *general;
	struct gpu_aligned *aligned;
	struct gpu_tilted *tilted;
	enum way *way[2];    // of a view back, and forward [views]
	bool some[2][WAYS];  // any view goes that way
	unsigned char *mask; // of slices [first, first + slices), a byte for each voxel; NULL: not there
	long first, slices;
};

static long min_long(long a, long b)
{
	return (a < b) ? a : b;
}

static long max_long(long a, long b)
{
	return (a > b) ? a : b;
}

/* ---- tables ---- */

static void fill_view(struct gather_view *v, const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;

	memset(v, 0, sizeof *v);

	for (int i = 0; i < 3; i++) {
		v->s[i] = w->s[i];
		v->d[i] = w->d[i];
		v->u[i] = w->u[i];
		v->v[i] = w->v[i];
		v->n[i] = w->n[i];

		for (int k = 0; k < 3; k++) {
			v->to[k][i] = w->dual[k][i];
			v->from[k] += w->dual[k][i] * (w->s[i] - (x->g->parallel ? 0. : w->d[i]));
		}
	}

	v->axis = joseph_axis(w->s[0], w->s[1], w->s[2]);
	v->odd = !(x->g->parallel ? v->from[2] != 0. : v->from[2] > 0.);
}

/** Columns of a view: of a flat detector they are those of the tangent plane. */
static void fill_columns(struct gather_column *c, struct gather_view *v, const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;
	const double *from = v->from;

	for (long a = 0; a < x->g->cols; a++) {
		const double scale = x->g->parallel ? 1. : from[2] / (from[2] - w->z[a]);

		c[a] = (struct gather_column){.x = w->x[a], .z = w->z[a], .land = w->x[a], .rise = 1.};

		if (x->g->radius == 0.)
			continue;

		if (x->g->parallel) {
			c[a].land = w->x[a] - w->z[a] * from[0] / from[2];
			c[a].up = -w->z[a] * from[1] / from[2];
		} else {
			c[a].land = from[0] + scale * (w->x[a] - from[0]);
			c[a].rise = scale;
			c[a].up = from[1] * (1. - scale);
		}

		if (!(scale > 0.) || (a > 0 && !(c[a].land > c[a - 1].land)))
			v->odd = 1;
	}
}

static struct sf_view *fill_footprints(const struct xray *x)
{
	const struct brick whole = {.size = {1, 1, 1}}; // of which only the first voxel matters
	struct sf_view *sf = mem_alloc(mul_checked(x->g->views, sizeof *sf, "the geometry"));

	for (long k = 0; k < x->g->views; k++)
		footprints_view(&sf[k], x, &whole, k);

	return sf;
}

static struct general *create_general(const struct xray *x)
{
	const struct geom *g = x->g;
	const long tables = (g->radius > 0.) ? g->views : 1,
	           columns = mul_checked(tables, g->cols, "the detector's columns");
	struct gather_view *view = mem_alloc(mul_checked(g->views, sizeof *view, "the geometry"));
	struct gather_column *column =
	        mem_alloc(mul_checked(columns, sizeof *column, "the detector's columns"));
	struct general_setup s = {.view = view,
	        .views = g->views,
	        .column = column,
	        .columns = columns,
	        .all = {.cols = g->cols,
	                .rows = g->rows,
	                .middle = {(g->cols - 1) / 2., (g->rows - 1) / 2.},
	                .parallel = g->parallel,
	                .curved = g->radius > 0.,
	                .siddon = x->model == XRAY_SIDDON}};
	struct sf_view *sf = (x->model == XRAY_SF) ? fill_footprints(x) : NULL;

	for (int i = 0; i < 3; i++) {
		if (x->grid.size[i] > 0x7ffffff0)
			error("volume of %ld voxels along dim %d, expected at most %d on a GPU",
			        x->grid.size[i], i, 0x7ffffff0);

		s.all.n[i] = x->grid.size[i];
		s.all.size[i] = (int)x->grid.size[i];
		s.all.spacing[i] = x->grid.spacing[i];
	}

	for (long k = 0; k < g->views; k++) {
		fill_view(&view[k], x, k);
		view[k].columns = (tables > 1) ? k * g->cols : 0;

		if (tables > 1 || k == 0)
			fill_columns(column + view[k].columns, &view[k], x, k);
	}

	s.sf = sf;

	struct general *out = general_create(&s);

	free(view);
	free(column);
	free(sf);
	return out;
}

/** The fastest kernels that take a view. */
static void choose_ways(struct xray_gpu *p, const struct xray *x)
{
	const long views = x->g->views;
	bool *open = mem_calloc(views, sizeof *open);

	for (long k = 0; k < views; k++)
		open[k] = !gpu_aligned_fits(p->aligned, k, false) || !gpu_aligned_fits(p->aligned, k, true);

	p->tilted = gpu_tilted_create(x, open);
	free(open);

	for (int f = 0; f < 2; f++) {
		p->way[f] = mem_alloc(mul_checked(views, sizeof *p->way[f], "the geometry"));

		for (long k = 0; k < views; k++) {
			p->way[f][k] = gpu_aligned_fits(p->aligned, k, f) ? ALIGNED
			               : gpu_tilted_fits(p->tilted, k, f) ? TILTED
			                                                  : GENERAL;
			p->some[f][p->way[f][k]] = true;
		}
	}
}

/** The worker that the calling thread is; each has tables of its own. */
static _Thread_local int worker_here = 0;

static struct xray_gpu *plan_of(const struct xray *x)
{
	struct xray_gpu *p;

#pragma omp critical(xray_gpu_plans)
	{
		for (p = x->gpu; p && p->worker != worker_here;)
			p = p->next;

		if (!p) { // kept with the operator, which is immutable otherwise
			p = NEW(struct xray_gpu);
			p->worker = worker_here;
			p->general = create_general(x);
			p->aligned = gpu_aligned_create(x);
			choose_ways(p, x);
			p->next = x->gpu;
			((struct xray *)x)->gpu = p;
		}
	}

	return p;
}

void xray_gpu_free(struct xray_gpu *p)
{
	while (p) {
		struct xray_gpu *next = p->next;

		general_free(p->general);
		gpu_aligned_free(p->aligned);
		gpu_tilted_free(p->tilted);
		device_free(p->mask);
		free(p->way[0]);
		free(p->way[1]);
		free(p);
		p = next;
	}
}

/* ---- arrays on the device ---- */

/** Calls a kernel for each run of views that the same kernels take, cut at fixed places, so that the order of
 * sums does not depend on how views are cut into calls. */
static void by_runs(
        const struct xray *x, enum dtype type, char *vol, char *proj, struct gpu_part part, bool forward)
{
	const struct xray_gpu *p = plan_of(x);
	const enum way *ways = p->way[forward];
	const long end = part.view + part.views;
	const int steps = dtype_is_complex(type) ? 2 : 1;
	const bool wide = (dtype_real(type) == DT_FLOAT64);
	const size_t size = dtype_size(dtype_real(type)),
	             view = (size_t)(x->g->cols * part.rows) * dtype_size(type);

	for (long k = part.view, to; k < end; k = to) {
		const enum way way = (type == DT_FLOAT32) ? ways[k] : GENERAL;

		// all but the general ones know the places, and turn the volume once
		for (to = k + 1;
		        to < end && (way != GENERAL || to % GPU_PART_VIEWS != 0) && ways[to] == ways[k];)
			to++;

		const struct gpu_part run = {k, to - k, part.row, part.rows, part.slice, part.slices, true};
		char *y = proj + (size_t)(k - part.view) * view;

		if (way == ALIGNED && forward)
			gpu_aligned_forward(p->aligned, (float *)y, (float *)vol, &run);
		else if (way == ALIGNED)
			gpu_aligned_adjoint(p->aligned, (float *)vol, (float *)y, &run);
		else if (way == TILTED && forward)
			gpu_tilted_forward(p->tilted, (float *)y, (float *)vol, &run);
		else if (way == TILTED)
			gpu_tilted_adjoint(p->tilted, (float *)vol, (float *)y, &run);

		for (int i = 0; i < steps && way == GENERAL; i++)
			if (forward)
				general_forward(p->general, wide, steps, y + i * size, vol + i * size, &run);
			else
				general_adjoint(p->general, wide, steps, vol + i * size, y + i * size, &run);
	}
}

/** Bytes beside the operands. */
static double memory_of(const struct xray *x, enum dtype type, bool forward, const struct gpu_part *part)
{
	const bool wide = (dtype_real(type) == DT_FLOAT64);
	struct gpu_part run = *part;

	run.views = min_long(run.views, GPU_PART_VIEWS);

	const struct xray_gpu *p = plan_of(x);
	double most = general_memory(p->general, wide, forward, &run);

	if (p->some[forward][ALIGNED] && type == DT_FLOAT32)
		most = fmax(most, gpu_aligned_memory(p->aligned, &run));

	if (p->some[forward][TILTED] && type == DT_FLOAT32)
		most = fmax(most, gpu_tilted_memory(p->tilted, &run));

	return most;
}

static void upload_mask(const struct xray *x, long z, long n)
{
	struct xray_gpu *p = plan_of(x);
	const long *size = x->grid.size, slice = size[0] * size[1];

	if (p->mask && p->first == z && p->slices == n)
		return;

	bool *inside = mem_alloc(mul_checked(slice, n, "the mask"));

#pragma omp parallel for schedule(static)
	for (long line = 0; line < size[1] * n; line++)
		mask_line(x->mask, 0, size[0], line % size[1], z + line / size[1], inside + line * size[0]);

	device_free(p->mask);
	p->mask = device_alloc((size_t)(slice * n));
	p->first = z;
	p->slices = n;
	device_copy(p->mask, inside, (size_t)(slice * n));
	free(inside);
}

/** Voxels of slices [z, z + n) outside the mask become 0. */
static void hide(const struct xray *x, enum dtype type, void *vol, long z, long n)
{
	upload_mask(x, z, n);
	general_hide(vol, (long)dtype_size(type), plan_of(x)->mask, x->grid.size[0] * x->grid.size[1] * n);
}

/** proj += A vol or vol += A' proj of arrays of that part. */
static void compute(const struct xray *x, enum dtype type, void *vol, void *proj, const struct gpu_part *part,
        bool forward)
{
	const size_t bytes = (size_t)(x->grid.size[0] * x->grid.size[1] * part->slices) * dtype_size(type);

	if (x->mask && forward) {
		void *seen = device_alloc(bytes);

		device_copy(seen, vol, bytes);
		hide(x, type, seen, part->slice, part->slices);
		by_runs(x, type, seen, proj, *part, true);
		device_free(seen);
		return;
	}

	by_runs(x, type, vol, proj, *part, forward);

	if (x->mask)
		hide(x, type, vol, part->slice, part->slices);
}

/* ---- arrays on the host ---- */

/** What passes through. */
struct passage {
	const struct xray *x;
	enum dtype type;
	size_t size, line; // of an element, and of a row of the detector [bytes]
	char *vol, *proj;  // whole volume, first view of the piece
	const struct xray_piece *piece;
	bool forward, add, blank;
	long slices, batch;
	char *slab;            // at work, on the device
	struct gpu_part *part; // of it, batches of views [parts]
	long parts;
};

static size_t slice_bytes(const struct xray *x, enum dtype type)
{
	return (size_t)(x->grid.size[0] * x->grid.size[1]) * dtype_size(type);
}

/** Detector rows that any of these views needs for a slab. */
static void rows_of(const struct xray *x, const struct slab *s, long first, long n, long *lo, long *hi)
{
	long *low = mem_alloc(mul_checked(2 * sizeof(long), n, "the geometry")), *high = low + n;
	const long rows = x->g->rows;

	slab_shadow(x, s, first, n, low, high);
	*lo = rows;
	*hi = 0;

	for (long k = 0; k < n; k++) {
		if (low[k] >= high[k])
			continue;

		*lo = min_long(*lo, low[k]);
		*hi = max_long(*hi, high[k]);
	}

	free(low);

	if (*lo >= *hi) {
		*lo = *hi = 0;
		return;
	}

	if (x->model == XRAY_SF) { // a pixel has a width too
		*lo = max_long(*lo - 1, 0);
		*hi = min_long(*hi + 1, rows);
	}
}

/** Bytes of a row range of its views, and of a view on the host. */
static size_t part_width(const struct passage *p, const struct gpu_part *part)
{
	return p->line * (size_t)part->rows;
}

static size_t view_bytes(const struct passage *p)
{
	return p->line * (size_t)p->x->g->rows;
}

static char *host_rows(const struct passage *p, const struct gpu_part *part, long k)
{
	const long i = part->view - p->piece->first + k, at = p->piece->at ? p->piece->at[i] : i;

	return p->proj + (size_t)at * view_bytes(p) + (size_t)part->row * p->line;
}

/** Rows of views that do not lie one after the other, between host and device. */
static void move_scattered(const struct passage *p, const struct gpu_part *part, char *device, bool up)
{
	const size_t width = part_width(p, part);

	for (long k = 0; k < part->views; k++) {
		char *host = host_rows(p, part, k), *there = device + (size_t)k * width;

		device_copy(up ? there : host, up ? host : there, width);
	}
}

/* The batches of a slab as slabs of device_pipeline: what comes is the views, and forward they go back. */

static void describe_batch(void *ctx, long k, struct device_slab *s)
{
	const struct passage *p = ctx;
	const struct gpu_part *part = &p->part[k];
	const struct device_part views = {.host = p->piece->at ? NULL : host_rows(p, part, 0),
	        .width = part_width(p, part),
	        .rows = part->views,
	        .step = (long)view_bytes(p)};

	*s = (struct device_slab){
	        .inputs = !(p->forward && p->blank), .outputs = p->forward, .in = {views}, .out = {views}};
}

static void compute_batch(void *ctx, long k, void *const in[], void *const out[])
{
	const struct passage *p = ctx;
	const struct gpu_part *part = &p->part[k];
	const size_t bytes = part_width(p, part) * (size_t)part->views;

	if (p->piece->at && !(p->forward && p->blank))
		move_scattered(p, part, in[0], true);

	if (p->forward && p->blank)
		device_fill(out[0], 0, bytes);
	else if (p->forward)
		device_copy(out[0], in[0], bytes);

	compute(p->x, p->type, p->slab, p->forward ? out[0] : in[0], part, p->forward);

	if (p->piece->at && p->forward)
		move_scattered(p, part, out[0], false);
}

/** Cuts the views of the piece into batches, and finds their rows that see the slab: where the output is to
 * be overwritten, all. Batches that nothing of it sees are left out. */
static void list_batches(struct passage *p, const struct slab *s)
{
	const long end = p->piece->first + p->piece->views;

	p->parts = 0;

	for (long k = p->piece->first, to; k < end; k = to) {
		struct gpu_part *part = &p->part[p->parts];
		long hi = p->x->g->rows;

		to = min_long(end, (k / p->batch + 1) * p->batch);
		*part = (struct gpu_part){.view = k,
		        .views = to - k,
		        .slice = s->z[0],
		        .slices = s->z[1] - s->z[0],
		        .add = true};

		if (!p->forward || p->add)
			rows_of(p->x, s, k, part->views, &part->row, &hi);

		part->rows = hi - part->row;
		p->parts += (part->rows > 0);
	}
}

/** A slab: all of y goes to the device, where what is not of the slab is 0, and does not come back. */
static void pass_slab(struct passage *p, const struct slab *s)
{
	const size_t line = (size_t)p->x->grid.size[0] * p->size, slice = slice_bytes(p->x, p->type);
	const size_t before = (size_t)s->y[0] * line, width = (size_t)(s->y[1] - s->y[0]) * line;
	const long n = s->z[1] - s->z[0];
	char *host = p->vol + (size_t)s->z[0] * slice + before, *device = p->slab + before;

	if (width < slice)
		device_fill(p->slab, 0, slice * (size_t)n);

	device_copy2(width, n, device, (long)slice, host, (long)slice);
	list_batches(p, s);

	if (p->parts > 0)
		device_run_pipeline(&(struct device_pipeline){
		        .slabs = p->parts, .describe = describe_batch, .compute = compute_batch, .ctx = p});

	if (!p->forward)
		device_copy2(width, n, host, (long)slice, device, (long)slice);
}

/** Does a slab of so many slices with views in batches fit? The most rows that a batch sees. */
static bool fits(
        const struct xray *x, enum dtype type, bool forward, bool blank, long slices, long batch, double room)
{
	const int buffers = (forward && !(blank && slices >= x->grid.size[2])) ? 6 : 3; // of the pipeline
	const size_t line = (size_t)x->g->cols * dtype_size(type);
	const double slice = (double)slice_bytes(x, type);
	const double copies = (x->mask ? (forward ? 2. : 1.) : 1.); // masked, and the mask

	for (long z = 0; z < x->grid.size[2]; z += slices) {
		const struct slab s = {
		        .y = {0, x->grid.size[1]}, .z = {z, min_long(z + slices, x->grid.size[2])}};
		const long n = s.z[1] - s.z[0];

		for (long k = 0; k < x->g->views; k += batch) {
			struct gpu_part part = {.view = k,
			        .views = min_long(batch, x->g->views - k),
			        .slice = z,
			        .slices = n};
			long hi;

			rows_of(x, &s, k, part.views, &part.row, &hi);

			if (blank) {
				part.row = 0;
				hi = x->g->rows;
			}

			part.rows = hi - part.row;

			if (slice * n * copies + (x->mask ? (double)slice * n / dtype_size(type) : 0.) +
			                buffers * (double)line * part.rows * part.views +
			                memory_of(x, type, forward, &part) >
			        room)
				return false;
		}
	}

	return true;
}

/** Half as many, of whole blocks of so many while there are several. */
static long half(long n, long block)
{
	return (n > block) ? (n / block + 1) / 2 * block : (n + 1) / 2;
}

/** As many slices as leave room for a batch of views. Whole blocks of both, where memory allows: these cuts
 * do not show in the bytes of the adjoint. */
static void cut(const struct xray *x, enum dtype type, bool forward, bool blank, long *slices, long *batch)
{
	const int workers = device_workers(), gpus = device_count(); // those on one GPU share its memory
	const double room = 0.9 * (double)device_left() * (workers > gpus ? gpus : workers) / workers;

	*batch = (x->g->views + GPU_PART_VIEWS - 1) / GPU_PART_VIEWS * GPU_PART_VIEWS;
	*slices = (x->grid.size[2] + GPU_PART_SLICES - 1) / GPU_PART_SLICES * GPU_PART_SLICES;

	while (!fits(x, type, forward, blank, *slices, *batch, room)) {
		if (*batch > GPU_PART_VIEWS)
			*batch = half(*batch, GPU_PART_VIEWS);
		else if (*slices > 1)
			*slices = half(*slices, GPU_PART_SLICES);
		else if (*batch > 1)
			*batch = half(*batch, GPU_PART_VIEWS);
		else
			error("%.0f MB of GPU memory are left, not enough for one slice and one view of the "
			      "X-ray transform: expected more (GANTRY_GPU_MEM)",
			        room * 1e-6);
	}
}

void xray_gpu_cut(const struct xray *x, enum dtype type, bool forward, long *slices, long *views)
{
	cut(x, type, forward, false, slices, views);
}

/** Worker w's share: forward some of the views, in the adjoint some of the slabs. */
struct share {
	struct passage all;
	int workers;
};

static void pass_slabs(void *ctx, int w)
{
	const struct share *share = ctx;
	const int workers = share->workers;
	struct passage p = share->all;
	struct xray_piece piece = *p.piece;
	const long end = piece.row + piece.rows;
	long slab = 0;

	worker_here = w;

	if (p.forward) {
		const long from = piece.views * w / workers, to = piece.views * (w + 1) / workers;

		piece.first += from;
		piece.views = to - from;

		if (piece.at)
			piece.at += from;
		else
			p.proj += (size_t)from * view_bytes(&p);
	}

	p.piece = &piece;
	p.slab = device_alloc(slice_bytes(p.x, p.type) * (size_t)p.slices);
	p.part = mem_alloc(mul_checked(piece.views / p.batch + 2, sizeof *p.part, "batches of views"));

	for (long row = piece.row; row < end;) {
		const struct slab whole = slab_at(p.x, row, end - row);

		for (long z = whole.z[0]; z < whole.z[1]; z += p.slices, slab++) {
			struct slab s = whole;

			s.z[0] = z;
			s.z[1] = min_long(z + p.slices, whole.z[1]);

			if (!p.forward && slab % workers != w)
				continue;

			pass_slab(&p, &s);
			p.add = true;
			p.blank = false;
		}

		row += whole.rows;
	}

	device_free(p.slab);
	free(p.part);
	worker_here = 0;
}

void xray_gpu_through(const struct xray *x, enum dtype type, void *vol, void *proj,
        const struct xray_piece *piece, bool forward, bool add, long slices, long batch)
{
	struct share share = {.workers = device_workers(),
	        .all = {.x = x,
	                .type = type,
	                .size = dtype_size(type),
	                .line = (size_t)x->g->cols * dtype_size(type),
	                .vol = vol,
	                .proj = proj,
	                .piece = piece,
	                .forward = forward,
	                .add = add,
	                .blank = piece->blank || !add,
	                .slices = min_long(slices, x->grid.size[2]),
	                .batch = batch}};

	if (share.workers == 1)
		pass_slabs(&share, 0);
	else
		device_for_workers(pass_slabs, &share);
}

/* ---- tables of functions ---- */

static struct gpu_part whole_part(const struct xray *x, const struct xray_piece *piece)
{
	if (piece->row > 0 || piece->rows < xray_rows(x) || piece->at)
		error("X-ray transform on a GPU of %ld of %ld rows of bricks, expected all of them, and "
		      "views "
		      "one after the other",
		        piece->rows, xray_rows(x));

	return (struct gpu_part){.view = piece->first,
	        .views = piece->views,
	        .rows = x->g->rows,
	        .slices = x->grid.size[2],
	        .add = true};
}

static void gpu_forward(const struct xray *x, enum dtype type, void *proj, const void *vol,
        const struct xray_piece *piece, bool add)
{
	const struct gpu_part part = whole_part(x, piece);

	if (!add)
		device_fill(proj, 0, (size_t)(x->g->cols * x->g->rows * piece->views) * dtype_size(type));

	compute(x, type, (void *)vol, proj, &part, true);
}

static void gpu_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_piece *piece)
{
	const struct gpu_part part = whole_part(x, piece);

	compute(x, type, vol, (void *)proj, &part, false);
}

static void through_forward(const struct xray *x, enum dtype type, void *proj, const void *vol,
        const struct xray_piece *piece, bool add)
{
	long slices, batch;

	cut(x, type, true, !add || piece->blank, &slices, &batch);
	xray_gpu_through(x, type, (void *)vol, proj, piece, true, add, slices, batch);
}

static void through_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_piece *piece)
{
	long slices, batch;

	cut(x, type, false, false, &slices, &batch);
	xray_gpu_through(x, type, vol, (void *)proj, piece, false, true, slices, batch);
}

const struct xray_backend xray_backend_gpu = {.name = "gpu", .forward = gpu_forward, .adjoint = gpu_adjoint};
const struct xray_backend xray_backend_through = {.name = "gpu, in parts",
        .large_pieces = true,
        .forward = through_forward,
        .adjoint = through_adjoint};

const struct xray_backend *xray_backend_of(const void *vol, const void *proj)
{
	const int there = device_holds(vol) + device_holds(proj);

	return (there == 2)                         ? &xray_backend_gpu
	       : (there == 1 || device_used() >= 0) ? &xray_backend_through
	                                            : &xray_backend_cpu;
}
