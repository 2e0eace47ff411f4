/** The X-ray transform on the GPU: its tables, the choice of kernels for each view, and the slabs and batches
 * in which arrays on the host are transferred. This partition is independent of that of files
 * (ct/stream/view_stream.h): it depends on the memory of the device and divides each tile that is in host
 * memory. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "ct/projector/bricks.h"
#include "ct/projector/cpu/footprints.h"
#include "ct/projector/cuda/general.h"
#include "ct/projector/cuda/untilted.h"
#include "ct/projector/gpu/projectors.h"
#include "ct/projector/mask.h"
#include "ct/projector/xray_backend.h"
#include "ct/stream/slab.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "num/device/device.h"
#include "num/device/opencl.h"
#include "num/device/profile.h"

/** The cut that was chosen last. */
struct kept {
	struct cut *cut;
	enum dtype type;
	int workers;
	double room;
};

struct xray_gpu {
	int worker;                    // whose GPU holds it
	struct xray_gpu *next;         // of another worker
	struct projectors *rows;       // of the list for the GPU
	struct gpu_untilted *untilted; // plan of its untilted paths; NULL: not allowed
	unsigned char *mask; // of slices [first, first + slices), a byte for each voxel; NULL: not there
	long first, slices;
	struct kept kept[4]; // back and forward, each for output that counts and that does not
};

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
			p->rows = projectors_create(&projectors_gpu, x);
			p->untilted = projectors_plan_by(p->rows, gpu_plan_untilted);
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

		projectors_free(p->rows);
		device_free(p->mask);

		for (size_t i = 0; i < sizeof p->kept / sizeof *p->kept; i++)
			free(p->kept[i].cut);

		free(p);
		p = next;
	}
}

/* ---- arrays on the device ---- */

/** Counts a run of views: under --profile alone by the time that the device needs. */
static void count_run(const struct xray_call *p, const struct projector *row, bool forward, double start)
{
	const struct gpu_tile *tile = p->gpu;
	const double voxels = (double)(p->x->grid.size[0] * p->x->grid.size[1] * tile->slices),
	             pixels = (double)(p->x->g->cols * tile->rows * tile->views);

	if (profile_on())
		device_sync();

	projectors_count_call(plan_of(p->x)->rows, row, forward,
	        profile_on() ? (long)((now() - start) * 1e9) : 0,
	        (long)((voxels + pixels) * (double)dtype_size(p->type)), voxels * (double)tile->views);
}

/** A run of views whose rows have the same functions. */
static void run_views(const struct xray_call *p, const struct projector *row, bool forward)
{
	const double start = now();

	if (profile_on())
		device_sync();

	(forward ? row->forward : row->adjoint)(projectors_plan(plan_of(p->x)->rows, row), p);

	if (projectors_count())
		count_run(p, row, forward, start);
}

/** Calls a path for each run of views that the same functions take. */
static void by_runs(
        const struct xray *x, enum dtype type, char *vol, char *proj, struct gpu_tile tile, bool forward)
{
	const struct projectors *rows = plan_of(x)->rows;
	const long end = tile.view + tile.views;
	const size_t view = (size_t)(x->g->cols * tile.rows) * dtype_size(type);

	for (long k = tile.view, to; k < end; k = to) {
		const struct projector *row = projectors_row(rows, type, forward, k);

		for (to = k + 1;
		        to < end && projectors_row(rows, type, forward, to)->forward == row->forward;)
			to++;

		const struct gpu_tile run = {
		        k, to - k, tile.row, tile.rows, tile.slice, tile.slices, true, tile.pass};

		run_views(&(struct xray_call){.x = x,
		                  .type = type,
		                  .size = dtype_size(dtype_real(type)),
		                  .step = dtype_is_complex(type) ? 2 : 1,
		                  .vol = vol,
		                  .proj = proj + (size_t)(k - tile.view) * view,
		                  .gpu = &run},
		        row, forward);
	}
}

/** Bytes beside the operands: of general paths in any case. */
static double memory_of(const struct xray *x, enum dtype type, bool forward, const struct gpu_tile *tile)
{
	const struct projectors *rows = plan_of(x)->rows;
	const struct xray_call p = {.x = x, .type = type, .size = dtype_size(dtype_real(type)), .gpu = tile};
	double most = 0.;

	for (int r = 0; r < projectors_gpu.rows; r++) {
		const struct projector *row = projectors_gpu.row + r;
		const void *plan = projectors_plan(rows, row);

		if (plan && (!row->takes || projectors_use(rows, type, forward, row)))
			most = fmax(most, row->memory(plan, &p, forward));
	}

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

/** proj += A vol or vol += A' proj of arrays of that tile. */
static void compute(const struct xray *x, enum dtype type, void *vol, void *proj, const struct gpu_tile *tile,
        bool forward)
{
	const size_t bytes = (size_t)(x->grid.size[0] * x->grid.size[1] * tile->slices) * dtype_size(type);

	if (x->mask && forward) {
		void *seen = device_alloc(bytes);

		device_copy(seen, vol, bytes);
		hide(x, type, seen, tile->slice, tile->slices);
		by_runs(x, type, seen, proj, *tile, true);
		device_free(seen);
		return;
	}

	by_runs(x, type, vol, proj, *tile, forward);

	if (x->mask)
		hide(x, type, vol, tile->slice, tile->slices);
}

/* ---- arrays on the host ---- */

/** What passes through. */
struct host_stream {
	const struct xray *x;
	enum dtype type;
	size_t size, line; // of an element, and of a row of the detector [bytes]
	char *vol, *proj;  // whole volume, first view of the tile
	const struct xray_tile *tile;
	bool forward, add, blank;
	long slices, batch;
	struct gpu_untilted *transposed; // slabs lie as its kernels read them; NULL: as in memory
	char *slab;                      // at work, on the device
	char *chunk;                     // some slices as in memory, for slabs that have a part of each
	struct gpu_tile *tiles;          // batches of views of the slab [count]
	long count;
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

	slab_footprint(x, s, first, n, low, high);
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

	*lo = max_long(*lo - 1, 0); // a footprint's pixel has a width, a kernel's weight a rounding
	*hi = min_long(*hi + 1, rows);
}

/** Bytes of a row range of its views, and of a view on the host. */
static size_t tile_width(const struct host_stream *p, const struct gpu_tile *tile)
{
	return p->line * (size_t)tile->rows;
}

static size_t view_bytes(const struct host_stream *p)
{
	return p->line * (size_t)p->x->g->rows;
}

static char *host_rows(const struct host_stream *p, const struct gpu_tile *tile, long k)
{
	const long i = tile->view - p->tile->first + k, at = p->tile->at ? p->tile->at[i] : i;

	return p->proj + (size_t)at * view_bytes(p) + (size_t)tile->row * p->line;
}

/** Rows of views that do not lie one after the other, between host and device. */
static void move_scattered(const struct host_stream *p, const struct gpu_tile *tile, char *device, bool up)
{
	const size_t width = tile_width(p, tile);

	for (long k = 0; k < tile->views; k++) {
		char *host = host_rows(p, tile, k), *there = device + (size_t)k * width;

		device_copy(up ? there : host, up ? host : there, width);
	}
}

/* The batches of a slab as slabs of device_pipeline: what comes is the views, and forward they go back. */

static void describe_batch(void *ctx, long k, struct device_slab *s)
{
	const struct host_stream *p = ctx;
	const struct gpu_tile *tile = &p->tiles[k];
	const struct device_part views = {.host = p->tile->at ? NULL : host_rows(p, tile, 0),
	        .width = tile_width(p, tile),
	        .rows = tile->views,
	        .step = (long)view_bytes(p)};

	*s = (struct device_slab){
	        .inputs = !(p->forward && p->blank), .outputs = p->forward, .in = {views}, .out = {views}};
}

/** A batch of views of a slab that lies as the kernels read it. */
static void compute_transposed(const struct host_stream *p, float *proj, const struct gpu_tile *tile)
{
	const double start = now();

	if (p->forward)
		gpu_untilted_forward_transposed(p->transposed, proj, (float *)p->slab, tile);
	else
		gpu_untilted_adjoint_transposed(p->transposed, (float *)p->slab, proj, tile);

	if (projectors_count())
		count_run(&(struct xray_call){.x = p->x, .type = p->type, .gpu = tile},
		        projectors_row(plan_of(p->x)->rows, p->type, p->forward, tile->view), p->forward,
		        start);
}

static void compute_batch(void *ctx, long k, void *const in[], void *const out[])
{
	const struct host_stream *p = ctx;
	const struct gpu_tile *tile = &p->tiles[k];
	const size_t bytes = tile_width(p, tile) * (size_t)tile->views;

	if (p->tile->at && !(p->forward && p->blank))
		move_scattered(p, tile, in[0], true);

	if (p->forward && p->blank)
		device_fill(out[0], 0, bytes);
	else if (p->forward)
		device_copy(out[0], in[0], bytes);

	if (p->transposed)
		compute_transposed(p, p->forward ? out[0] : in[0], tile);
	else
		compute(p->x, p->type, p->slab, p->forward ? out[0] : in[0], tile, p->forward);

	if (p->tile->at && p->forward)
		move_scattered(p, tile, out[0], false);
}

/** The rows of a batch's views that see the slab: where the output is to be overwritten, all. Batches that
 * nothing of it sees are left out. */
static void add_batch(struct host_stream *p, const struct slab *s, long first, long end, int pass)
{
	struct gpu_tile *tile = &p->tiles[p->count];
	long hi = p->x->g->rows;

	*tile = (struct gpu_tile){.view = first,
	        .views = end - first,
	        .slice = s->z[0],
	        .slices = s->z[1] - s->z[0],
	        .add = true,
	        .pass = pass};

	if (!p->forward || p->add)
		rows_of(p->x, s, first, tile->views, &tile->row, &hi);

	tile->rows = hi - tile->row;
	p->count += (tile->rows > 0);
}

/** Are these the paths of gpu_plan_untilted()? */
static bool is_by_columns(const struct projector *row)
{
	return row->plan == gpu_plan_untilted;
}

/** The end of the run of views whose sums belong together (gpu_untilted_run()). */
static long run_end(const struct xray *x, enum dtype type, long view, long end)
{
	const struct xray_gpu *p = plan_of(x);
	const struct projector *row = projectors_row(p->rows, type, false, view);
	const long block = min_long(end, (view / GPU_BATCH_VIEWS + 1) * GPU_BATCH_VIEWS);
	long k = view + 1;

	if (is_by_columns(row))
		return gpu_untilted_run(p->untilted, view, end);

	while (k < block && projectors_row(p->rows, type, false, k)->adjoint == row->adjoint)
		k++;

	return k;
}

/** Has the adjoint of these views of a run something to do in that pass? */
static bool has_pass(const struct xray *x, enum dtype type, long view, long views, int pass)
{
	const struct xray_gpu *p = plan_of(x);

	return is_by_columns(projectors_row(p->rows, type, false, view))
	               ? gpu_untilted_passes(p->untilted, view, views, pass)
	               : pass == 1;
}

/** Calls fn(ctx, first, end, pass) for batches of views in the order in which they are summed. */
static void for_batches(const struct xray *x, enum dtype type, bool forward, long first, long end, long batch,
        void (*fn)(void *ctx, long first, long end, int pass), void *ctx)
{
	for (long k = first, to; k < end; k = to) {
		if (forward || batch >= GPU_BATCH_VIEWS) {
			to = min_long(end, (k / batch + 1) * batch);
			fn(ctx, k, to, 0);
			continue;
		}

		to = run_end(x, type, k, end);

		for (int pass = 1; pass <= 2; pass++)
			for (long i = k; i < to; i += batch)
				if (has_pass(x, type, i, min_long(batch, to - i), pass))
					fn(ctx, i, min_long(i + batch, to), pass);
	}
}

struct listing {
	struct host_stream *p;
	const struct slab *s;
};

static void list_batch(void *ctx, long first, long end, int pass)
{
	const struct listing *l = ctx;

	add_batch(l->p, l->s, first, end, pass);
}

static void list_batches(struct host_stream *p, const struct slab *s)
{
	struct listing l = {p, s};

	p->count = 0;
	for_batches(p->x, p->type, p->forward, p->tile->first, p->tile->first + p->tile->views, p->batch,
	        list_batch, &l);
}

/** Slices of a slab in another layout that are transferred at a time: 16 MiB, at least 8 so that lines have
 * 32 bytes, but a small part of a small slab. */
static long chunk_slices(const struct xray *x, enum dtype type, long slices)
{
	const long slice = (long)slice_bytes(x, type), most = max_long(8, ((16L << 20) + slice - 1) / slice);

	return max_long(1, min_long(most, slices / 16));
}

/** A slab that goes back, and one that comes in its place; NULL: none. Both are as thick. */
struct exchange {
	const struct host_stream *p;
	const struct slab *back, *comes;
	long slices, chunk;
};

/** Lines of the slab in slices from z on, on the host. */
static struct device_part slab_part(const struct host_stream *p, const struct slab *s, long z, long n)
{
	const size_t line = (size_t)p->x->grid.size[0] * p->size, slice = slice_bytes(p->x, p->type);

	return (struct device_part){.host = p->vol + (size_t)(s->z[0] + z) * slice + (size_t)s->y[0] * line,
	        .width = (size_t)(s->y[1] - s->y[0]) * line,
	        .rows = n,
	        .step = (long)slice};
}

static void describe_chunk(void *ctx, long k, struct device_slab *d)
{
	const struct exchange *e = ctx;
	const long z = k * e->chunk, n = min_long(e->chunk, e->slices - z);

	*d = (struct device_slab){.inputs = NULL != e->comes, .outputs = NULL != e->back};

	if (e->comes)
		d->in[0] = slab_part(e->p, e->comes, z, n);

	if (e->back)
		d->out[0] = slab_part(e->p, e->back, z, n);
}

/** Lines of a slab, without gaps, between slices that are 0 elsewhere. */
static void spread(
        const struct host_stream *p, const struct slab *s, long n, char *packed, char *slices, bool in)
{
	const size_t line = (size_t)p->x->grid.size[0] * p->size, slice = slice_bytes(p->x, p->type);
	const long width = (s->y[1] - s->y[0]) * (long)line;
	char *at = slices + (size_t)s->y[0] * line;

	if (in)
		device_fill(slices, 0, slice * (size_t)n);

	device_copy2((size_t)width, n, in ? at : packed, in ? (long)slice : width, in ? packed : at,
	        in ? width : (long)slice);
}

static bool is_part(const struct host_stream *p, const struct slab *s)
{
	return s->y[1] - s->y[0] < p->x->grid.size[1];
}

static void compute_chunk(void *ctx, long k, void *const in[], void *const out[])
{
	const struct exchange *e = ctx;
	const struct host_stream *p = e->p;
	const struct xray *x = p->x;
	const long z = k * e->chunk, n = min_long(e->chunk, e->slices - z);

	if (e->back) {
		char *there = is_part(p, e->back) ? p->chunk : out[0];

		gpu_untilted_untranspose(p->transposed, (float *)there, (float *)p->slab, e->slices, z, n);

		if (x->mask)
			hide(x, p->type, there, e->back->z[0] + z, n);

		if (there == p->chunk)
			spread(p, e->back, n, out[0], there, false);
	}

	if (e->comes) {
		char *there = is_part(p, e->comes) ? p->chunk : in[0];

		if (there == p->chunk)
			spread(p, e->comes, n, in[0], there, true);

		if (x->mask && p->forward)
			hide(x, p->type, there, e->comes->z[0] + z, n);

		gpu_untilted_transpose(p->transposed, (float *)p->slab, e->slices, z, n, (float *)there);
	}
}

static void copy_slab(const struct host_stream *p, const struct slab *s, bool up)
{
	const size_t slice = slice_bytes(p->x, p->type);
	const long n = s->z[1] - s->z[0];
	const struct device_part a = slab_part(p, s, 0, n);
	char *there = p->slab + (size_t)s->y[0] * (size_t)p->x->grid.size[0] * p->size;

	if (up && is_part(p, s))
		device_fill(p->slab, 0, slice * (size_t)n);

	device_copy2(a.width, n, up ? there : a.host, (long)slice, up ? a.host : there, (long)slice);
}

/** A slab goes back to where it came from, and another comes onto the device, where what is not of it is 0;
 * NULL: none. Where they lie as kernels read them, chunks of both cross at the same time. */
static void exchange(const struct host_stream *p, const struct slab *back, const struct slab *comes)
{
	const struct slab *one = back ? back : comes;
	const long slices = one->z[1] - one->z[0];

	if (p->transposed && !(back && comes && comes->z[1] - comes->z[0] != slices)) {
		struct exchange e = {p, back, comes, slices, chunk_slices(p->x, p->type, p->slices)};

		device_run_pipeline(&(struct device_pipeline){.slabs = (slices + e.chunk - 1) / e.chunk,
		        .describe = describe_chunk,
		        .compute = compute_chunk,
		        .ctx = &e});
	} else if (p->transposed) {
		exchange(p, back, NULL);
		exchange(p, NULL, comes);
	} else {
		if (back)
			copy_slab(p, back, false);

		if (comes)
			copy_slab(p, comes, true);
	}
}

/** The batches of a slab: the views see it, or what is of the views is added to it. */
static void stream_slab(struct host_stream *p, const struct slab *s)
{
	list_batches(p, s);

	if (p->count > 0)
		device_run_pipeline(&(struct device_pipeline){
		        .slabs = p->count, .describe = describe_batch, .compute = compute_batch, .ctx = p});
}

/* ---- the cut ---- */

/** Its kernels take every view: slabs lie as these read them. */
static struct gpu_untilted *transposed_for(const struct xray *x, enum dtype type, bool forward)
{
	const struct xray_gpu *p = plan_of(x);

	return (gpu_all_untilted(p->rows, type, forward) && x->grid.size[2] > 1) ? p->untilted : NULL;
}

/** A cut under examination: what it needs on the device, and what crosses [bytes]. */
struct cut {
	const struct xray *x;
	enum dtype type;
	bool forward, blank;
	long slices, batch;
	struct slab s;
	double memory, moved;
};

static void count_batch(void *ctx, long first, long end, int pass)
{
	struct cut *c = ctx;
	const struct xray *x = c->x;
	const bool fresh = c->forward && c->blank && c->s.z[0] == 0; // all rows, which only come back
	const double slice = (double)slice_bytes(x, c->type), voxel = (double)dtype_size(c->type);
	const long n = c->s.z[1] - c->s.z[0];
	struct gpu_tile tile = {
	        .view = first, .views = end - first, .slice = c->s.z[0], .slices = n, .pass = pass};
	long hi = x->g->rows;
	double most;

	if (!fresh)
		rows_of(x, &c->s, first, tile.views, &tile.row, &hi);

	tile.rows = hi - tile.row;

	const bool both = c->forward && !fresh;
	const double bytes = (double)x->g->cols * voxel * (double)tile.rows * (double)tile.views;
	double buffers = (both ? 6. : 3.) * bytes; // of the pipeline

	if (transposed_for(x, c->type, c->forward)) {
		const double chunk = slice * (double)chunk_slices(x, c->type, c->slices);

		// chunks of the slab have a pipeline before and after
		buffers = fmax(buffers, (c->forward ? 3. : 6.) * chunk);
		most = gpu_untilted_memory(plan_of(x)->untilted, &tile) +
		       chunk * (1. + (x->mask ? 1. / voxel : 0.));
	} else {
		const double copies = (x->mask && c->forward) ? 2. : 1.;

		most = slice * (double)n * (copies + (x->mask ? 1. / voxel : 0.)) +
		       memory_of(x, c->type, c->forward, &tile);
	}

	c->memory = fmax(c->memory, most + buffers);
	c->moved += both ? 2. * bytes : bytes;
}

/** Fills in what a cut needs, until that is more than there is. */
static void examine(struct cut *c, double room)
{
	const long *n = c->x->grid.size;

	c->memory = 0.;
	c->moved = (c->forward ? 1. : 2.) * (double)slice_bytes(c->x, c->type) * (double)n[2];

	for (long z = 0; z < n[2] && c->memory <= room; z += c->slices) {
		c->s = (struct slab){.y = {0, n[1]}, .z = {z, min_long(z + c->slices, n[2])}};
		for_batches(c->x, c->type, c->forward, 0, c->x->g->views, c->batch, count_batch, c);
	}
}

/** How long it takes, with rates of a current machine [s]: what crosses does so while kernels work, but for
 * the first batch; a batch costs as much as some views, for the slab is read and written once more. */
static double seconds(const struct cut *c)
{
	const struct xray *x = c->x;
	const double copy = c->moved / 5e10, views = (double)x->g->views,
	             batch = fmin((double)c->batch, views);
	const double once = transposed_for(x, c->type, c->forward) ? 4. : 12.;
	const double work = (double)x->grid.size[0] * (double)x->grid.size[1] * (double)x->grid.size[2] *
	                    (views + once * ceil(views / batch)) / 1e12;

	return copy * batch / views + fmax(copy, work);
}

/** The best batch of views, at least so many, for slabs of so many slices, if any fits. */
static bool best_batch(struct cut *best, struct cut c, double room, long fewest)
{
	double least = INFINITY;

	for (c.batch = 4 * GPU_BATCH_VIEWS; c.batch >= fewest; c.batch /= 2) {
		if (c.batch / 2 >= max_long(c.x->g->views, fewest))
			continue;

		examine(&c, room);

		if (c.memory > room)
			continue;

		if (seconds(&c) >= least) // smaller ones cost more still
			break;

		least = seconds(&c);

		if (best->batch == 0 || least < seconds(best))
			*best = c;
	}

	return least < INFINITY;
}

/** Looks through cuts into whole groups of slices, which do not show in the bytes of the adjoint, and batches
 * of so many views or more; then through those of fewer slices. */
static struct cut look_through(struct cut c, int workers, double room, long fewest)
{
	const long nz = c.x->grid.size[2];
	struct cut best = {.batch = 0};
	long last = 0, found = 0;

	for (long slabs = c.forward ? 1 : workers; found == 0 || slabs <= 2 * found; slabs += 1 + slabs / 4) {
		const long groups = ((nz + slabs - 1) / slabs + GPU_SLAB_SLICES - 1) / GPU_SLAB_SLICES;

		c.slices = groups * GPU_SLAB_SLICES;

		if (c.slices != last && best_batch(&best, c, room, fewest) && found == 0)
			found = slabs;

		last = c.slices;

		if (groups == 1)
			break;
	}

	for (c.slices = GPU_SLAB_SLICES / 2; c.slices > 0 && best.batch == 0; c.slices /= 2)
		best_batch(&best, c, room, fewest);

	return best;
}

/** The best cut for so much memory. Views that sum in whole blocks (any_orientation.h) come in these while
 * they fit.
 */
static struct cut look_for(
        const struct xray *x, enum dtype type, bool forward, bool blank, int workers, double room)
{
	const struct cut c = {.x = x, .type = type, .forward = forward, .blank = blank};
	const bool blocks = gpu_uses_any_orientation(plan_of(x)->rows, type, forward);
	struct cut best = look_through(c, workers, room, blocks ? GPU_BATCH_VIEWS : 1);

	if (best.batch == 0 && blocks)
		best = look_through(c, workers, room, 1);

	if (best.batch == 0)
		error("only %.0f MB of GPU memory are left, too little for one slice and one view of the "
		      "X-ray transform (raise GANTRY_GPU_MEM)",
		        room * 1e-6);

	return best;
}

/** The cut that takes least time, kept while about as much memory is left. */
static struct cut choose(const struct xray *x, enum dtype type, bool forward, bool blank)
{
	const int workers = device_workers(), gpus = device_count(); // those on one GPU share its memory
	const double room = 0.9 * (double)device_left() * (workers > gpus ? gpus : workers) / workers;
	struct xray_gpu *p = plan_of(x);
	struct kept *k = &p->kept[2 * forward + blank];

	if (!k->cut || k->type != type || k->workers != workers || k->cut->memory > room ||
	        fabs(k->room - room) > 0.02 * room) {
		if (!k->cut)
			k->cut = NEW(struct cut);

		*k->cut = look_for(x, type, forward, blank, workers, room);
		k->type = type;
		k->workers = workers;
		k->room = room;
	}

	return *k->cut;
}

double xray_gpu_cut(const struct xray *x, enum dtype type, bool forward, long *slices, long *views)
{
	const struct cut c = choose(x, type, forward, forward);

	*slices = min_long(c.slices, x->grid.size[2]);
	*views = min_long(c.batch, x->g->views);

	return c.moved;
}

/** What workers do: forward some of the views each, in the adjoint some of the slabs. */
struct stream_job {
	struct host_stream all;
	int workers;
};

static void stream_slabs(void *ctx, int w)
{
	const struct stream_job *job = ctx;
	const int workers = job->workers;
	struct host_stream p = job->all;
	struct xray_tile tile = *p.tile;
	const long end = tile.row + tile.rows;
	struct slab here = {.y = {0, 0}}; // on the device
	long slab = 0, passed = 0;

	worker_here = w;

	if (p.forward) {
		const long from = tile.views * w / workers, to = tile.views * (w + 1) / workers;

		tile.first += from;
		tile.views = to - from;

		if (tile.at)
			tile.at += from;
		else
			p.proj += (size_t)from * view_bytes(&p);
	}

	p.tile = &tile;
	p.transposed = transposed_for(p.x, p.type, p.forward);
	p.slab = device_alloc(p.transposed ? (size_t)gpu_untilted_transposed(p.transposed, p.slices) * p.size
	                                   : slice_bytes(p.x, p.type) * (size_t)p.slices);
	p.chunk =
	        (p.transposed && tile.rows < xray_rows(p.x))
	                ? device_alloc(slice_bytes(p.x, p.type) * (size_t)chunk_slices(p.x, p.type, p.slices))
	                : NULL;
	p.tiles = mem_alloc(mul_checked(2 * tile.views + 2, sizeof *p.tiles, "batches of views"));

	for (long row = tile.row; row < end;) {
		const struct slab whole = slab_at(p.x, row, end - row);

		for (long z = whole.z[0]; z < whole.z[1]; z += p.slices, slab++) {
			struct slab s = whole;

			s.z[0] = z;
			s.z[1] = min_long(z + p.slices, whole.z[1]);

			if (!p.forward && slab % workers != w)
				continue;

			exchange(&p, (!p.forward && passed > 0) ? &here : NULL, &s);
			here = s;
			passed++;
			stream_slab(&p, &s);
			p.add = true;
			p.blank = false;
		}

		row += whole.rows;
	}

	if (!p.forward && passed > 0)
		exchange(&p, &here, NULL);

	device_free(p.slab);
	device_free(p.chunk);
	free(p.tiles);
	worker_here = 0;
}

void xray_gpu_through(const struct xray *x, enum dtype type, void *vol, void *proj,
        const struct xray_tile *tile, bool forward, bool add, long slices, long batch)
{
	struct stream_job job = {.workers = device_workers(),
	        .all = {.x = x,
	                .type = type,
	                .size = dtype_size(type),
	                .line = (size_t)x->g->cols * dtype_size(type),
	                .vol = vol,
	                .proj = proj,
	                .tile = tile,
	                .forward = forward,
	                .add = add,
	                .blank = tile->blank || !add,
	                .slices = min_long(slices, x->grid.size[2]),
	                .batch = batch}};

	if (job.workers == 1)
		stream_slabs(&job, 0);
	else
		device_for_workers(stream_slabs, &job);
}

/* ---- tables of functions ---- */

static struct gpu_tile whole_tile(const struct xray *x, const struct xray_tile *tile)
{
	if (tile->row > 0 || tile->rows < xray_rows(x) || tile->at)
		error("the X-ray transform on a GPU needs consecutive views and all rows of bricks, found "
		      "%ld of %ld rows",
		        tile->rows, xray_rows(x));

	return (struct gpu_tile){.view = tile->first,
	        .views = tile->views,
	        .rows = x->g->rows,
	        .slices = x->grid.size[2],
	        .add = true};
}

static void gpu_forward(const struct xray *x, enum dtype type, void *proj, const void *vol,
        const struct xray_tile *tile, bool add)
{
	const struct gpu_tile there = whole_tile(x, tile);

	if (!add)
		device_fill(proj, 0, (size_t)(x->g->cols * x->g->rows * tile->views) * dtype_size(type));

	compute(x, type, (void *)vol, proj, &there, true);
}

static void gpu_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_tile *tile)
{
	const struct gpu_tile there = whole_tile(x, tile);

	compute(x, type, vol, (void *)proj, &there, false);
}

static void through_forward(const struct xray *x, enum dtype type, void *proj, const void *vol,
        const struct xray_tile *tile, bool add)
{
	const struct cut c = choose(x, type, true, !add || tile->blank);

	xray_gpu_through(x, type, (void *)vol, proj, tile, true, add, c.slices, c.batch);
}

static void through_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_tile *tile)
{
	const struct cut c = choose(x, type, false, false);

	xray_gpu_through(x, type, vol, (void *)proj, tile, false, true, c.slices, c.batch);
}

const struct xray_backend xray_backend_gpu = {.name = "gpu", .forward = gpu_forward, .adjoint = gpu_adjoint};
const struct xray_backend xray_backend_through = {
        .name = "gpu, in tiles", .large_tiles = true, .forward = through_forward, .adjoint = through_adjoint};

const struct xray_backend *xray_backend_of(const void *vol, const void *proj)
{
	const int there = device_holds(vol) + device_holds(proj);

	if (opencl_has_float64())
		return &xray_backend_opencl;

	return (there == 2)                         ? &xray_backend_gpu
	       : (there == 1 || device_used() >= 0) ? &xray_backend_through
	                                            : &xray_backend_cpu;
}
