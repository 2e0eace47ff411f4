/* Plans of the transform and of the back projection for columns parallel to z, and their calls: views in
 * batches, each with tables and a transposed copy of its projections, plus a transposed copy of the volume.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "ct/projector/cuda/untilted_internal.h"
#include "ct/projector/cuda/selftest_xray.h"

extern "C" {
#include "ct/projector/gpu/untilted.h"
#include "ct/projector/gpu/slices.h"
#include "misc/mem.h"
}

/** Which kernels take a view: Joseph's method, that of level parallel beams; footprints; Siddon's; single
 * slices. */
enum kind { NONE, CONE, SLICE_PARALLEL, FOOTPRINT, SIDDON, SLICE, KINDS };

enum direction { ADJOINT, FORWARD };

/** Tiles of some views, on the device. */
struct tiles {
	long first, n, count;
	struct gpu_ray_tile *tile;
};

/** Tiles of rays that share a ring. */
struct forward_plan {
	struct gpu_ring_size ring;
	int across, lines, rows;
	int deeper; // voxels of a window beside those that Joseph's method needs
	std::vector<struct tiles> made;
};

struct adjoint_plan {
	struct gpu_ring_size ring;
	int slices;
	bool close;
};

/** Tables of all views on the device: the views, and where lines along z lie in them, in rows and slices that
 * count from the first of all. */
struct view_tables {
	struct gpu_view *view;
	struct hit_view *hit;
};

struct gpu_untilted {
	struct untilted *a;
	struct gpu_scan scan;
	struct view_tables tables;
	std::vector<enum kind> kind; // of each view
	struct forward_plan forward[KINDS];
	struct adjoint_plan adjoint[KINDS];
	bool ready[KINDS][2]; // for each direction
};

struct gpu_fdk {
	struct untilted *a;
	struct view_tables tables;
	bool fits;
	struct adjoint_plan add;
};

size_t gpu_block_room(void)
{
	return gpu_properties()->sharedMemPerBlockOptin;
}

static int round4(long n)
{
	return (int)((n + 3) / 4 * 4);
}

/** A copy in device memory. */
template <class T> static T *to_device(const T *from, size_t n)
{
	T *p = (T *)device_alloc(n * sizeof(T));

	device_copy(p, from, n * sizeof(T));

	return p;
}

/* ---- plans ---- */

/** One view as the kernels need it. */
static struct gpu_view view_of(const struct untilted_view *v)
{
	struct gpu_view out;

	for (int i = 0; i < 3; i++) {
		out.s[i] = v->s[i];
		out.d[i] = v->d[i];
		out.u[i] = v->u[i];
		out.n[i] = v->n[i];
	}

	for (int m = 0; m < 2; m++) {
		out.lo[m] = v->lo[m];
		out.hi[m] = v->hi[m];
	}

	out.up = v->up;
	out.pitch = v->pitch;
	out.down = v->down;
	out.amount = (float)v->amount;

	return out;
}

static void tables_make(struct view_tables *t, const struct untilted *a)
{
	std::vector<struct gpu_view> view;
	std::vector<struct hit_view> hit;

	for (long k = 0; k < a->views; k++) {
		view.push_back(view_of(&a->view[k]));
		hit.push_back(untilted_part(&a->view[k], 0, a->rows, 0));
	}

	*t = {to_device(view.data(), view.size()), to_device(hit.data(), hit.size())};
}

static void tables_free(struct view_tables *t)
{
	device_free(t->view);
	device_free(t->hit);
}

/** How the columns of the views of a slice lie. */
static enum gpu_slice_columns columns_lie(const struct gpu_untilted *p)
{
	return p->a->radius > 0. ? GPU_SLICE_BENT : p->a->parallel ? GPU_SLICE_EVEN : GPU_SLICE_FLAT;
}

/** Footprints: before flat detectors, and of so many columns. */
static bool footprints_fit(const struct untilted *a, const struct untilted_view *v)
{
	return a->radius == 0. && v->wide < 0.95 * (GPU_FOOTPRINT_COLUMNS - 1);
}

/** Which kernels a view is one for, by its geometry alone. */
static enum kind kind_of(const struct gpu_untilted *p, long k)
{
	static const double closest = 0.26, touching = 1. - 1e-9; // rows, and columns of level views [voxels]
	const struct untilted_view *v = &p->a->view[k];

	if (!v->fits)
		return NONE;

	if (p->a->size[2] == 1)
		return slices_view(p->a, k) && (!p->a->footprints || footprints_fit(p->a, v)) ? SLICE : NONE;

	if (p->a->siddon)
		return (v->least >= closest) ? SIDDON : NONE;

	if (p->a->footprints)
		return (v->least >= closest && v->wide < GPU_FOOTPRINT_COLUMNS - 1) ? FOOTPRINT : NONE;

	if (v->slice_parallel && v->apart >= touching)
		return SLICE_PARALLEL;

	return (v->least >= closest) ? CONE : NONE;
}

/** What windows need beside what Joseph's method does: lines, and voxels along z. */
static void march_margins(const struct untilted *a, enum kind kind, int *lines, int *deeper)
{
	double wide = 0., tall = 0.;

	for (long k = 0; k < a->views; k++) { // as march_forward.cu has them
		const struct untilted_view *v = &a->view[k];

		if (!v->fits || kind == SIDDON)
			continue;

		const double most = 0.5 * (2. + 1. / v->narrow),
		             bend = (v->wide / v->narrow - 1.) / fmin((double)a->size[0], (double)a->size[1]),
		             reach = most + 0.05 + 3. * most * most * bend;

		wide = fmax(wide, reach);
		tall = fmax(tall, 0.5 * v->most + 0.5 + 1.5 * v->steep * reach);
	}

	*lines = (int)ceil(2. * wide) + 1;
	*deeper = (int)ceil(2. * tall) + 5;
}

static bool forward_shape(const struct gpu_untilted *p, enum kind kind, const struct untilted_need *need,
        struct forward_plan *f)
{
	const long *n = p->a->size;
	const int planes = (int)max(n[0], n[1]);

	f->lines = need->lines;

	if (kind == FOOTPRINT || kind == SIDDON) {
		struct untilted_need all = *need;
		int lines;

		march_margins(p->a, kind, &lines, &f->deeper);

		for (int &depth : all.depth)
			depth += f->deeper;

		return gpu_march_forward_shape(planes, all.depth, need->lines + lines, &f->ring, &f->rows);
	}

	return (kind == SLICE_PARALLEL)
	               ? gpu_slice_parallel_forward_shape(planes, (int)n[2], need->lines, &f->ring)
	               : gpu_cone_forward_shape(planes, need->depth, need->lines, &f->ring, &f->rows);
}

/** Tiles as wide as need be that their windows fit; else narrow ones with as few views as need be. */
static bool plan_forward(
        const struct gpu_untilted *p, enum kind kind, const struct untilted *a, struct forward_plan *f)
{
	static const int lines[] = {120, 96, 72, 48, 24};

	for (f->across = 16; f->across <= ALIGNED_ITEMS; f->across *= 2) {
		const struct untilted_need need = untilted_need(a, f->across, ALIGNED_ITEMS / f->across);

		if (forward_shape(p, kind, &need, f))
			return true;
	}

	f->across = 16;

	struct untilted_need need = untilted_need(a, f->across, ALIGNED_ITEMS / f->across);
	const struct untilted_need least = untilted_need(a, f->across, 1);

	for (int most : lines) {
		need.lines = most;

		if (least.lines <= most && forward_shape(p, kind, &need, f))
			return true;
	}

	return false;
}

static bool plan_adjoint(
        const struct gpu_untilted *p, enum kind kind, const struct untilted *a, struct adjoint_plan *f)
{
	const long nz = p->a->size[2];
	int columns, rows;
	double least = INFINITY;

	for (long k = 0; k < a->views; k++)
		least = a->view[k].fits ? fmin(least, a->view[k].least) : least;

	f->close = (least < 1.);

	if (kind == SLICE_PARALLEL) {
		const int block[3] = {16, 8, 1};

		untilted_patch(a, block, &columns, &rows);
		return gpu_slice_parallel_adjoint_shape(columns, (int)nz, &f->ring);
	}

	for (f->slices = 128; f->slices >= 32; f->slices -= 96) {
		const int block[3] = {17, 17, f->slices}; // either axis

		untilted_patch(a, block, &columns, &rows);

		if (kind != FOOTPRINT && f->slices > 32 && least < 0.5)
			continue;

		if (kind == FOOTPRINT    ? gpu_footprint_adjoint_shape(columns, rows, f->slices, &f->ring)
		        : kind == SIDDON ? gpu_siddon_adjoint_shape(columns, rows, f->slices, &f->ring)
		                         : gpu_cone_adjoint_shape(columns, rows, f->slices, &f->ring))
			return true;
	}

	return false;
}

/** The shape of tiles that needs the fewest: views that are far apart share no window. */
static bool plan_slice_forward(const struct gpu_untilted *p, const struct untilted *a, struct forward_plan *f)
{
	static const int across[] = {128, 64, 32}, windows[] = {256, 384, 512};
	const int planes = (int)max(p->a->size[0], p->a->size[1]);
	long least = LONG_MAX;

	for (int most : windows)
		for (int columns : across) {
			struct gpu_ring_size ring;
			struct untilted_tile *tile;
			const long n = slices_tiles(a, 0, a->views, columns, most, &tile);

			free(tile);

			// a wider window has to be worth it
			if (n < 0 || n >= least - least / 16 || !gpu_slice_forward_shape(planes, most, &ring))
				continue;

			least = n;
			f->across = columns;
			f->lines = most;
			f->ring = ring;
		}

	return least < LONG_MAX;
}

static bool plan_slice_adjoint(const struct gpu_untilted *p, const struct untilted *a, struct adjoint_plan *f)
{
	if (a->footprints)
		return gpu_slice_adjoint_shape(slices_columns(a, SLICES_SIDE) + GPU_FOOTPRINT_COLUMNS, 0.,
		        GPU_SLICE_FOOTPRINTS, false, &f->ring);

	return gpu_slice_adjoint_shape(
	        slices_columns(a, SLICES_SIDE), slices_rate(a), columns_lie(p), a->siddon, &f->ring);
}

static void plan_kind(struct gpu_untilted *p, enum kind kind)
{
	bool *marked = (bool *)mem_alloc((size_t)p->a->views), any = false;

	for (long k = 0; k < p->a->views; k++)
		any |= marked[k] = (p->kind[(size_t)k] == kind);

	struct untilted *a = untilted_only(p->a, marked);

	free(marked);

	if (kind == SLICE) {
		p->ready[kind][FORWARD] =
		        any && !a->footprints && plan_slice_forward(p, a, &p->forward[kind]);
		p->ready[kind][ADJOINT] = any && plan_slice_adjoint(p, a, &p->adjoint[kind]);

		// rays in faces are taken for the same side both ways
		if (a->siddon && !(p->ready[kind][FORWARD] && p->ready[kind][ADJOINT]))
			p->ready[kind][FORWARD] = p->ready[kind][ADJOINT] = false;
	} else {
		p->ready[kind][FORWARD] = any && plan_forward(p, kind, a, &p->forward[kind]);
		p->ready[kind][ADJOINT] = any && plan_adjoint(p, kind, a, &p->adjoint[kind]);
	}

	untilted_free(a);
}

extern "C" struct gpu_untilted *gpu_untilted_create(const struct xray *x)
{
	struct gpu_untilted *p = new struct gpu_untilted();

	p->a = untilted_create(x);

	const struct untilted *a = p->a;

	p->scan = {a->cols, a->rows, a->radius, {a->spacing[0], a->spacing[1], a->spacing[2]}, a->parallel,
	        a->siddon};

	for (long k = 0; k < a->views; k++)
		p->kind.push_back(kind_of(p, k));

	tables_make(&p->tables, a);

	for (int kind = CONE; kind < KINDS; kind++)
		plan_kind(p, (enum kind)kind);

	return p;
}

extern "C" void gpu_untilted_free(struct gpu_untilted *p)
{
	if (!p)
		return;

	for (struct forward_plan &f : p->forward)
		for (struct tiles &t : f.made)
			device_free(t.tile);

	tables_free(&p->tables);
	untilted_free(p->a);
	delete p;
}

extern "C" bool gpu_untilted_fits(const struct gpu_untilted *p, long view, bool forward)
{
	return p->ready[p->kind[(size_t)view]][forward ? FORWARD : ADJOINT];
}

extern "C" enum gpu_untilted_kind gpu_untilted_kind(const struct gpu_untilted *p, long view)
{
	const enum kind kind = p->kind[(size_t)view];

	return kind == SLICE ? GPU_SINGLE_SLICE : kind == SLICE_PARALLEL ? GPU_SLICE_PARALLEL : GPU_UNTILTED;
}

/* ---- batches ---- */

/** Elements of the copy of a batch's projections. */
static long copy_size(long views, long cols, long pitch)
{
	return mul_checked(mul_checked(views, cols, "a batch of views"), pitch, "a batch of views");
}

/** Views up to the next multiple of GPU_BATCH_VIEWS or the end. */
static long batch_end(long view, long end)
{
	const long next = (view / GPU_BATCH_VIEWS + 1) * GPU_BATCH_VIEWS;

	return next < end ? next : end;
}

/** Buffers for the batches of a call. */
struct buffers {
	struct hit_view *hit;
	struct gpu_column *column;
	struct gpu_pace *pace;
	float *proj, *vol;
};

/** Of so many views; vol: elements of the copy of the volume. */
static void alloc_buffers(struct buffers *b, long views, long cols, long pitch, long vol, bool columns)
{
	const long most = min(views, (long)GPU_BATCH_VIEWS);
	const size_t all = (size_t)most * (size_t)cols;

	b->hit = (struct hit_view *)device_alloc((size_t)most * sizeof *b->hit);
	b->column = columns ? (struct gpu_column *)device_alloc(all * sizeof *b->column) : NULL;
	b->pace = columns ? (struct gpu_pace *)device_alloc(all * sizeof *b->pace) : NULL;
	b->proj = (float *)device_alloc((size_t)copy_size(most, cols, pitch) * sizeof(float));
	b->vol = vol ? (float *)device_alloc((size_t)vol * sizeof(float)) : NULL;
}

/** Elements of a copy of so many slices. */
static long volume_size(const long size[3], long slices)
{
	return mul_checked(mul_checked(size[0], size[1], "the volume"), round4(slices), "the volume");
}

static void free_buffers(struct buffers *b)
{
	device_free(b->hit);
	device_free(b->column);
	device_free(b->pace);
	device_free(b->proj);
	device_free(b->vol);
}

/** Memory of buffers [bytes]. */
static double buffers_memory(const struct gpu_tile *tile, long cols, const long size[3])
{
	const double tall = (double)round4(tile->rows > tile->slices ? tile->rows : tile->slices);

	return (double)min(tile->views, (long)GPU_BATCH_VIEWS) *
	               ((double)cols * (tall * sizeof(float) + sizeof(struct gpu_column) +
	                                       sizeof(struct gpu_pace)) +
	                       sizeof(struct hit_view)) +
	       (double)size[0] * (double)size[1] * (double)round4(tile->slices) * sizeof(float);
}

/** Views whose tables are there at a time: whole blocks of GPU_BATCH_VIEWS. */
static long slice_views(long views, long cols)
{
	const double most = 1 << 28; // [bytes]
	const long fit =
	        (long)(most / ((double)cols * (sizeof(struct gpu_column) + sizeof(struct gpu_pace)))) /
	        GPU_BATCH_VIEWS * GPU_BATCH_VIEWS;

	return min(views, max(fit, (long)GPU_BATCH_VIEWS));
}

/** Elements of the copies of a slice. */
static long slice_size(const long n[3])
{
	return n[0] * round4(n[1]) + n[1] * round4(n[0]);
}

/** Memory of calls on single slices [bytes]. */
static double slice_memory(const struct gpu_tile *tile, long cols, const long n[3])
{
	return (double)slice_views(tile->views, cols) * (double)cols *
	               (sizeof(struct gpu_column) + sizeof(struct gpu_pace)) +
	       fmax((double)slice_size(n), (double)GPU_BATCH_VIEWS * (double)cols) * sizeof(float);
}

extern "C" double gpu_untilted_memory(const struct gpu_untilted *p, const struct gpu_tile *tile)
{
	if (p->a->size[2] == 1)
		return slice_memory(tile, p->scan.cols, p->a->size);

	return buffers_memory(tile, p->scan.cols, p->a->size);
}

/** Whether rows and slices of a tile count as those of the tables. */
static bool is_whole(const struct untilted *a, const struct gpu_tile *tile)
{
	return a->footprints || (0 == tile->row && a->rows == tile->rows && 0 == tile->slice);
}

/** Views [first, first + n) of a tile. */
static struct gpu_batch batch_of(const struct untilted *a, const struct view_tables *t,
        const struct buffers *b, const struct gpu_tile *tile, const long size[3], long cols, long first,
        long n, bool level)
{
	struct gpu_batch out;

	if (is_whole(a, tile)) {
		out.hit = t->hit + first;
	} else {
		struct hit_view hit[GPU_BATCH_VIEWS];

		for (long k = 0; k < n; k++)
			hit[k] = untilted_part(&a->view[first + k], tile->row, tile->rows, tile->slice);

		device_copy(b->hit, hit, (size_t)n * sizeof *hit);
		out.hit = b->hit;
	}

	out.first = (int)first;
	out.views = (int)n;
	out.row = (int)tile->row;
	out.all_rows = (int)a->rows;
	out.slice = (int)tile->slice;
	out.cols = (int)cols;
	out.rows = (int)tile->rows;
	out.pitch = round4(level ? tile->slices : tile->rows);
	out.n[0] = (int)size[0];
	out.n[1] = (int)size[1];
	out.n[2] = (int)tile->slices;
	out.depth = round4(tile->slices);
	out.view = t->view + first;
	out.column = b->column;
	out.pace = b->pace;
	out.proj = b->proj;
	out.vol = b->vol;

	return out;
}

/** Tiles of these views, made once; views in them count from the first. */
static const struct tiles *tiles_of(struct gpu_untilted *p, enum kind kind, long first, long n)
{
	struct forward_plan *f = &p->forward[kind];

	for (const struct tiles &t : f->made)
		if (t.first == first && t.n == n)
			return &t;

	// views in other groups than those planned for may need a little more
	struct untilted_need most = {f->lines, {INT_MAX, INT_MAX, INT_MAX, INT_MAX}};

	if (f->rows > 0)
		most.depth[f->rows / 32 - 1] = f->ring.width - f->deeper;

	struct untilted_tile *made;
	const long count = (kind == SLICE) ? slices_tiles(p->a, first, n, f->across, f->lines, &made)
	                                   : untilted_tiles(p->a, first, n, f->across, &most, &made);
	std::vector<struct gpu_ray_tile> tile;

	for (long k = 0; k < count; k++)
		tile.push_back({made[k].view - (int)first, made[k].views, made[k].u, made[k].axis});

	free(made);
	f->made.push_back({first, n, count, to_device(tile.data(), tile.size())});

	return &f->made.back();
}

/** Calls fn(kind, first, n) for the batches of a tile: one kind of views each, within a multiple of
 * GPU_BATCH_VIEWS. */
template <class Fn> static void for_batches(const struct gpu_untilted *p, const struct gpu_tile *tile, Fn fn)
{
	const long end = tile->view + tile->views;

	for (long k = tile->view, e; k < end; k = e) {
		e = gpu_untilted_run(p, k, end);
		fn(p->kind[(size_t)k], k, e - k);
	}
}

/* ---- single slices: arrays as they are, but for the copies that windows are cut from ---- */

/** Tables for so many views, and floats beside them. */
static void slice_buffers(struct buffers *b, long views, long cols, long more)
{
	const size_t all = (size_t)copy_size(views, cols, 1);

	*b = {};
	b->column = (struct gpu_column *)device_alloc(all * sizeof *b->column);
	b->pace = (struct gpu_pace *)device_alloc(all * sizeof *b->pace);
	b->proj = (float *)device_alloc((size_t)more * sizeof(float));
}

static struct gpu_batch slice_batch(
        const struct gpu_untilted *p, const struct buffers *b, long first, long views)
{
	struct gpu_batch out = {};

	out.first = (int)first;
	out.views = (int)views;
	out.cols = (int)p->scan.cols;
	out.rows = out.all_rows = 1;
	out.pitch = 1;
	out.n[0] = (int)p->a->size[0];
	out.n[1] = (int)p->a->size[1];
	out.n[2] = out.depth = 1;
	out.view = p->tables.view + first;
	out.hit = p->tables.hit + first;
	out.column = b->column;
	out.pace = b->pace;
	out.proj = b->proj;

	return out;
}

/** Some of a batch's views, from its view k on. */
static struct gpu_batch some_of(const struct gpu_batch *b, long k, long views)
{
	struct gpu_batch out = *b;

	out.first += (int)k;
	out.views = (int)views;
	out.view += k;
	out.hit += k;
	out.column += k * b->cols;
	out.pace += k * b->cols;

	return out;
}

static struct gpu_slice slice_copies(float *to, const float *vol, const long n[3])
{
	const int transposed[3] = {(int)n[0], 1, (int)n[1]}, pitch[2] = {round4(n[1]), round4(n[0])};
	float *lines = to + n[0] * pitch[0];

	gpu_transpose_volume(to, vol, transposed, pitch[0], pitch[0]);

	if (pitch[1] > n[0])
		device_fill(lines, 0, (size_t)(n[1] * pitch[1]) * sizeof(float));

	device_copy2((size_t)n[0] * sizeof(float), n[1], lines, pitch[1] * (long)sizeof(float), vol,
	        n[0] * (long)sizeof(float));

	return {{to, lines}, {pitch[0], pitch[1]}};
}

static void forward_slice(struct gpu_untilted *p, float *proj, const float *vol, const struct gpu_tile *tile)
{
	const struct forward_plan *f = &p->forward[SLICE];
	const long cols = p->scan.cols, most = slice_views(tile->views, cols);
	struct buffers buffers;

	slice_buffers(&buffers, most, cols, slice_size(p->a->size));

	const struct gpu_slice slice = slice_copies(buffers.proj, vol, p->a->size);

	for (long k = 0; k < tile->views; k += most) {
		const long first = tile->view + k, n = min(most, tile->views - k);
		const struct gpu_batch b = slice_batch(p, &buffers, first, n);
		const struct tiles *t = tiles_of(p, SLICE, first, n);

		gpu_columns(&b, &p->scan);
		gpu_slice_forward(&b, t->tile, t->count, f->across, &f->ring, p->scan.siddon, &slice,
		        proj + k * cols, tile->add);
	}

	free_buffers(&buffers);
}

/** Has one of these views columns of that axis? */
static bool has_axis(const struct gpu_untilted *p, long first, long views, int axis)
{
	for (long k = first; k < first + views; k++)
		if (p->a->view[k].lo[axis] < p->a->view[k].hi[axis])
			return true;

	return false;
}

static void adjoint_slice(struct gpu_untilted *p, float *vol, const float *proj, const struct gpu_tile *tile)
{
	const struct adjoint_plan *f = &p->adjoint[SLICE];
	const long cols = p->scan.cols, end = tile->view + tile->views, most = slice_views(tile->views, cols);
	struct buffers buffers;
	bool add = tile->add;

	slice_buffers(&buffers, most, cols, GPU_BATCH_VIEWS * cols);

	for (long first = tile->view, n; first < end; first += n) {
		n = end - first;

		if (n > most) // cut where batches are
			n = (first + most) / GPU_BATCH_VIEWS * GPU_BATCH_VIEWS - first;

		const struct gpu_batch all = slice_batch(p, &buffers, first, n);

		if (!p->a->footprints)
			gpu_columns(&all, &p->scan);

		for (long k = first, e; k < first + n; k = e) {
			e = batch_end(k, first + n);

			const struct gpu_batch b = some_of(&all, k - first, e - k);

			if (p->a->footprints && tile->pass != 2) {
				gpu_slice_footprints(&b, &f->ring, p->scan.spacing, p->scan.parallel, vol,
				        proj + (k - tile->view) * cols, add);
				add = true;
			}

			if (p->a->footprints)
				continue;

			for (int axis = 0; axis < 2; axis++)
				if ((tile->pass == 0 || tile->pass == 1 + axis) &&
				        has_axis(p, k, e - k, axis)) {
					gpu_slice_adjoint(&b, &f->ring, columns_lie(p), p->scan.siddon, axis,
					        vol, proj + (k - tile->view) * cols, add);
					add = true;
				}
		}
	}

	free_buffers(&buffers);
}

/* ---- calls ---- */

static struct gpu_footprints footprints_of(const struct gpu_untilted *p, const struct gpu_tile *tile)
{
	const double *h = p->scan.spacing;

	return {(int)tile->slice, (int)tile->row, (int)p->scan.rows, p->scan.parallel, {h[0], h[1], h[2]}};
}

extern "C" long gpu_untilted_run(const struct gpu_untilted *p, long view, long end)
{
	const long most = batch_end(view, end);
	long e = view + 1;

	while (e < most && p->kind[(size_t)e] == p->kind[(size_t)view])
		e++;

	return e;
}

extern "C" bool gpu_untilted_passes(const struct gpu_untilted *p, long view, long views, int pass)
{
	const enum kind kind = p->kind[(size_t)view];

	return kind == CONE || kind == SIDDON || (kind == SLICE && !p->a->footprints)
	               ? has_axis(p, view, views, pass - 1)
	               : pass == 1;
}

extern "C" long gpu_untilted_transposed(const struct gpu_untilted *p, long slices)
{
	return volume_size(p->a->size, slices);
}

extern "C" void gpu_untilted_transpose(
        const struct gpu_untilted *p, float *copy, long slices, long z, long n, const float *vol)
{
	const int n3[3] = {(int)p->a->size[0], (int)p->a->size[1], (int)n}, depth = round4(slices);

	gpu_transpose_volume(copy + z, vol, n3, depth, (int)(z + n < slices ? n : depth - z));
}

extern "C" void gpu_untilted_untranspose(
        const struct gpu_untilted *p, float *vol, const float *copy, long slices, long z, long n)
{
	const int n3[3] = {(int)p->a->size[0], (int)p->a->size[1], (int)n};

	gpu_untranspose_volume(vol, copy + z, n3, round4(slices), false);
}

extern "C" void gpu_untilted_forward_transposed(
        struct gpu_untilted *p, float *proj, const float *copy, const struct gpu_tile *tile)
{
	const long *size = p->a->size, cols = p->scan.cols;
	struct buffers buffers;

	gpu_selftest(&gpu_selftest_untilted);
	alloc_buffers(&buffers, tile->views, cols, round4(max(tile->rows, tile->slices)), 0, true);

	for_batches(p, tile, [&](enum kind kind, long first, long views) {
		const struct forward_plan *f = &p->forward[kind];
		struct gpu_batch b = batch_of(
		        p->a, &p->tables, &buffers, tile, size, cols, first, views, kind == SLICE_PARALLEL);
		const struct tiles *t = tiles_of(p, kind, first, views);

		const bool marches = kind == FOOTPRINT || kind == SIDDON;
		float *y = proj + (first - tile->view) * tile->rows * cols;
		b.vol = (float *)copy;

		gpu_columns(&b, &p->scan);

		if (marches) {
			const struct gpu_footprints s = footprints_of(p, tile);

			gpu_march_forward(kind == SIDDON ? GPU_MARCH_SIDDON : GPU_MARCH_FOOTPRINTS, &b, &s,
			        t->tile, t->count, f->across, &f->ring, f->rows, p->scan.radius > 0.);
		} else if (kind == SLICE_PARALLEL)
			gpu_slice_parallel_forward(&b, t->tile, t->count, f->across, &f->ring);
		else
			gpu_cone_forward(&b, t->tile, t->count, f->across, &f->ring, f->rows);

		if (kind == FOOTPRINT)
			gpu_untranspose_plain(&b, y, tile->add);
		else
			gpu_untranspose_views(&b, y, kind == SLICE_PARALLEL, tile->add);
	});

	free_buffers(&buffers);
}

extern "C" void gpu_untilted_forward(
        struct gpu_untilted *p, float *proj, const float *vol, const struct gpu_tile *tile)
{
	if (p->a->size[2] == 1) {
		gpu_selftest(&gpu_selftest_untilted);
		forward_slice(p, proj, vol, tile);
		return;
	}

	float *copy = (float *)device_alloc((size_t)volume_size(p->a->size, tile->slices) * sizeof(float));

	gpu_untilted_transpose(p, copy, tile->slices, 0, tile->slices, vol);
	gpu_untilted_forward_transposed(p, proj, copy, tile);
	device_free(copy);
}

extern "C" void gpu_untilted_adjoint_transposed(
        struct gpu_untilted *p, float *copy, const float *proj, const struct gpu_tile *tile)
{
	const long *size = p->a->size, cols = p->scan.cols;
	struct buffers buffers;
	bool add = tile->add;

	gpu_selftest(&gpu_selftest_untilted);
	alloc_buffers(&buffers, tile->views, cols, round4(max(tile->rows, tile->slices)), 0, true);

	for_batches(p, tile, [&](enum kind kind, long first, long views) {
		const struct adjoint_plan *f = &p->adjoint[kind];
		const float *y = proj + (first - tile->view) * tile->rows * cols;
		struct gpu_batch b = batch_of(
		        p->a, &p->tables, &buffers, tile, size, cols, first, views, kind == SLICE_PARALLEL);

		b.vol = copy;

		if (!(kind == CONE || kind == SIDDON) && tile->pass == 2)
			return;

		if (kind == FOOTPRINT) {
			const struct gpu_footprints s = footprints_of(p, tile);

			gpu_transpose_filtered(&b, y);
			gpu_footprint_adjoint(&b, &s, &f->ring, f->slices, p->scan.radius > 0., add);
			add = true;
			return;
		}

		gpu_columns(&b, &p->scan);
		gpu_transpose_views(&b, y, kind == SLICE_PARALLEL);

		if (kind == SLICE_PARALLEL) {
			gpu_slice_parallel_adjoint(&b, &f->ring, add);
			add = true;
			return;
		}

		for (int axis = 0; axis < 2; axis++)
			if ((tile->pass == 0 || tile->pass == 1 + axis) && has_axis(p, first, views, axis)) {
				const bool curved = p->scan.radius > 0.;

				if (kind == SIDDON)
					gpu_siddon_adjoint(&b, &f->ring, f->slices, curved, axis, add);
				else
					gpu_cone_adjoint(
					        &b, &f->ring, f->slices, f->close, curved, axis, add);

				add = true;
			}
	});

	free_buffers(&buffers);
}

extern "C" void gpu_untilted_adjoint(
        struct gpu_untilted *p, float *vol, const float *proj, const struct gpu_tile *tile)
{
	if (p->a->size[2] == 1) {
		gpu_selftest(&gpu_selftest_untilted);
		adjoint_slice(p, vol, proj, tile);
		return;
	}

	float *copy = (float *)device_alloc((size_t)volume_size(p->a->size, tile->slices) * sizeof(float));

	if (tile->add)
		gpu_untilted_transpose(p, copy, tile->slices, 0, tile->slices, vol);

	gpu_untilted_adjoint_transposed(p, copy, proj, tile);
	gpu_untilted_untranspose(p, vol, copy, tile->slices, 0, tile->slices);
	device_free(copy);
}

/* ---- back projection of filtered views ---- */

extern "C" struct gpu_fdk *gpu_fdk_create(const struct fbp *f, const struct grid *grid)
{
	struct gpu_fdk *p = new struct gpu_fdk();
	int columns, rows;

	p->a = untilted_create_fbp(f, grid);

	tables_make(&p->tables, p->a);

	for (p->add.slices = 128; p->add.slices >= 32; p->add.slices -= 96) {
		const int block[3] = {16, 16, p->add.slices};

		untilted_patch(p->a, block, &columns, &rows);
		p->fits = columns > 0 &&
		          gpu_fdk_shape(columns, rows, p->add.slices, p->a->radius > 0., &p->add.ring);

		if (p->fits)
			break;
	}

	return p;
}

extern "C" void gpu_fdk_free(struct gpu_fdk *p)
{
	if (!p)
		return;

	tables_free(&p->tables);
	untilted_free(p->a);
	delete p;
}

extern "C" bool gpu_fdk_fits(const struct gpu_fdk *p, long view)
{
	return p->fits && p->a->view[view].fits;
}

extern "C" double gpu_fdk_memory(const struct gpu_fdk *p, const struct gpu_tile *tile)
{
	return buffers_memory(tile, p->a->cols, p->a->size);
}

extern "C" void gpu_fdk_backproject(
        struct gpu_fdk *p, float *vol, const float *q, const struct gpu_tile *tile)
{
	const long *size = p->a->size;
	const int n[3] = {(int)size[0], (int)size[1], (int)tile->slices}, depth = round4(tile->slices);
	const long end = tile->view + tile->views;
	struct buffers buffers;
	bool add = tile->add;

	gpu_selftest(&gpu_selftest_untilted);
	alloc_buffers(&buffers, tile->views, p->a->cols, round4(tile->rows), volume_size(size, tile->slices),
	        false);

	if (add)
		gpu_transpose_volume(buffers.vol, vol, n, depth, depth);

	for (long k = tile->view, e; k < end; k = e, add = true) {
		e = batch_end(k, end);

		const struct gpu_batch b =
		        batch_of(p->a, &p->tables, &buffers, tile, size, p->a->cols, k, e - k, false);

		gpu_transpose_filtered(&b, q + (k - tile->view) * tile->rows * p->a->cols);
		gpu_fdk_add(&b, &p->add.ring, p->add.slices, p->a->radius > 0., add);
	}

	gpu_untranspose_volume(vol, buffers.vol, n, depth, false);
	free_buffers(&buffers);
}
