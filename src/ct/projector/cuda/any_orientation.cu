/* Plans of the transform for arbitrarily oriented flat detectors, and its calls: views in batches, each with
 * a transposed copy of its projections, plus a copy of the volume in the current frame. */

#include <stdlib.h>
#include <string.h>

#include <vector>

#include "ct/projector/cuda/selftest_xray.h"
#include "ct/projector/cuda/any_orientation_internal.h"

extern "C" {
#include "ct/projector/gpu/any_orientation_plan.h"
#include "misc/mem.h"
}

/** Tiles of some views of a frame, on the device. */
struct any_orientation_tiles {
	long first, n, count;
	int fast;
	struct gpu_ray_tile *tile;
};

struct gpu_any_orientation {
	struct any_orientation *t;
	struct any_orientation_shape forward;
	struct gpu_ring_size adjoint;
	bool close;
	std::vector<struct any_orientation_tiles> made;
	struct any_orientation_view *view[3]; // all on the device, with all rows; by frame, made on first use
};

static int round4(long n)
{
	return (int)((n + 3) / 4 * 4);
}

/* ---- plans ---- */

/** Is there a kernel for windows of that size? */
static bool shape_of(const struct gpu_any_orientation *p, struct any_orientation_need need, int across,
        int rows, struct any_orientation_shape *s)
{
	const long *n = p->t->size;
	const long planes = max(max(n[0], n[1]), n[2]);

	s->across = across;
	s->rows = rows;

	return any_orientation_forward_shape((int)planes, need.width, need.lines, rows, &s->ring);
}

/** Views without a window of that size in them do not fit; is there any that does? */
static bool leave_out(struct gpu_any_orientation *p, int across, int rows)
{
	struct any_orientation *t = p->t;
	struct any_orientation_need *need =
	        (struct any_orientation_need *)mem_alloc((size_t)t->views * sizeof *need);
	struct any_orientation_shape s;
	bool any = false;

	any_orientation_view_needs(t, across, rows, need);

	for (long k = 0; k < t->views; k++) {
		struct any_orientation_look *l = &t->look[k];

		l->forward = l->forward && shape_of(p, need[k], across, rows, &s) &&
		             (p->forward.across == 0 || (need[k].lines <= p->forward.ring.lines &&
		                                                need[k].width <= p->forward.ring.width));
		l->adjoint = l->adjoint && l->forward;
		any |= l->forward;
	}

	free(need);

	return any;
}

/** Tiles whose windows bring least for each of their rays, in a sample of the views; those that need more are
 * cut. Where a window of so many views is too large, wide tiles of as few as need be. */
static void plan_forward(struct gpu_any_orientation *p)
{
	enum { SAMPLE = 12 };
	const struct any_orientation *t = p->t;
	double best = INFINITY;

	if (!leave_out(p, ANY_ORIENTATION_PER_WARP, 32))
		return;

	for (int rows = 64; rows >= 32 && best == INFINITY; rows -= 32)
		for (int across = ANY_ORIENTATION_PER_WARP; across <= ANY_ORIENTATION_ITEMS; across *= 2) {
			const int together = ANY_ORIENTATION_ITEMS / across;
			const long groups = (t->views + together - 1) / together;
			const struct any_orientation_need need =
			        any_orientation_need(t, across, together, rows, (int)(groups / SAMPLE) + 1);
			const double bytes = (double)need.lines * need.width;
			struct any_orientation_shape s;

			if (bytes < best && shape_of(p, need, across, rows, &s)) {
				best = bytes;
				p->forward = s;
			}
		}

	for (int across = ANY_ORIENTATION_ITEMS; across >= ANY_ORIENTATION_PER_WARP && best == INFINITY;
	        across /= 2)
		if (shape_of(p, any_orientation_need(t, across, 1, 32, 1), across, 32, &p->forward))
			best = 0.;

	if (best == INFINITY) // each has a size of its own
		p->forward.ring.lines = 0;

	leave_out(p, p->forward.across, p->forward.rows);
}

/** The largest patch of the views that fit: is there a kernel for it? Leaves out one that is too large. */
static bool patch_fits(struct gpu_any_orientation *p, const struct any_orientation_patch patch[])
{
	struct any_orientation *t = p->t;
	struct any_orientation_patch most = {0, 0};
	long largest = -1;

	for (long k = 0; k < t->views; k++) {
		if (!t->look[k].adjoint)
			continue;

		most.columns = max(most.columns, patch[k].columns);
		most.rows = max(most.rows, patch[k].rows);

		if (largest < 0 || (double)patch[k].columns * patch[k].rows >
		                           (double)patch[largest].columns * patch[largest].rows)
			largest = k;
	}

	if (largest < 0 || any_orientation_adjoint_shape(most.columns, most.rows, &p->adjoint))
		return true;

	t->look[largest].adjoint = false;
	return false;
}

static void plan_adjoint(struct gpu_any_orientation *p)
{
	const int block[3] = {16, ANY_ORIENTATION_LINES, 32};
	struct any_orientation *t = p->t;
	std::vector<struct any_orientation_patch> patch((size_t)t->views);

	for (long k = 0; k < t->views; k++)
		p->close |= t->look[k].adjoint && any_orientation_close(&t->look[k]);

	any_orientation_patches(t, block, p->close, patch.data());

	for (long k = 0; k < t->views; k++)
		t->look[k].adjoint = t->look[k].adjoint && any_orientation_adjoint_shape(patch[k].columns,
		                                                   patch[k].rows, &p->adjoint);

	while (!patch_fits(p, patch.data()))
		;
}

extern "C" struct gpu_any_orientation *gpu_any_orientation_create(const struct xray *x, const bool *open)
{
	struct gpu_any_orientation *p = new struct gpu_any_orientation();

	p->t = any_orientation_create(x, open);
	plan_forward(p);
	plan_adjoint(p);

	return p;
}

extern "C" void gpu_any_orientation_free(struct gpu_any_orientation *p)
{
	if (!p)
		return;

	for (struct any_orientation_tiles &t : p->made)
		device_free(t.tile);

	for (struct any_orientation_view *v : p->view)
		device_free(v);

	any_orientation_free(p->t);
	delete p;
}

extern "C" bool gpu_any_orientation_fits(const struct gpu_any_orientation *p, long view, bool forward)
{
	return forward ? p->t->look[view].forward : p->t->look[view].adjoint;
}

/* ---- copies in other layouts ---- */

enum { TILE = 32, STRIPS = 8 };

/** copy[x][middle][z] (depth elements in a line, zeros behind n) from or to vol, where x is fastest, the
 * other two have these steps. */
template <bool BACK>
static __global__ void any_orientation_transpose(
        float *copy, float *vol, long nx, long middle, long n, long depth, long step_middle, long step)
{
	__shared__ float tile[TILE][TILE + 1];
	const unsigned across = (unsigned)gpu_divide_up(nx, TILE);
	const long x0 = (long)(blockIdx.x % across) * TILE, m = blockIdx.x / across,
	           z0 = (long)blockIdx.y * TILE;

	for (int r = threadIdx.y; r < TILE; r += STRIPS) {
		const long x = x0 + (BACK ? r : threadIdx.x), z = z0 + (BACK ? threadIdx.x : r);
		const bool inside = x < nx && z < n;

		tile[r][threadIdx.x] = !inside ? 0.f
		                       : BACK  ? copy[(x * middle + m) * depth + z]
		                               : vol[x + m * step_middle + z * step];
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += STRIPS) {
		const long x = x0 + (BACK ? threadIdx.x : r), z = z0 + (BACK ? r : threadIdx.x);

		if (BACK && x < nx && z < n)
			vol[x + m * step_middle + z * step] = tile[threadIdx.x][r];

		if (!BACK && x < nx && z < depth)
			copy[(x * middle + m) * depth + z] = tile[threadIdx.x][r];
	}
}

/** The same where x stays fastest: copy[y][z][x]. */
template <bool BACK>
static __global__ void repack(float *copy, float *vol, long nx, long ny, long nz, long depth)
{
	const long x = (long)blockIdx.x * TILE + threadIdx.x, y = (long)blockIdx.y * STRIPS + threadIdx.y;

	for (long z = blockIdx.z; z < nz && x < depth && y < ny; z += gridDim.z) {
		float *to = copy + (y * nz + z) * depth + x;

		if (BACK && x < nx)
			vol[(z * ny + y) * nx + x] = *to;

		if (!BACK)
			*to = (x < nx) ? vol[(z * ny + y) * nx + x] : 0.f;
	}
}

/** n: voxels of the tile along x, y, z; depth: elements of a line of the copy. */
template <bool BACK> static void move_volume(float *copy, float *vol, const long n[3], int fast, long depth)
{
	const long most = 32768;

	if (fast == 0) {
		GPU_LAUNCH((repack<BACK>),
		        dim3((unsigned)gpu_divide_up(depth, TILE), (unsigned)gpu_divide_up(n[1], STRIPS),
		                (unsigned)min(n[2], most)),
		        dim3(TILE, STRIPS), 0, gpu_stream(), copy, vol, n[0], n[1], n[2], depth);
		return;
	}

	const long middle = n[3 - fast], along = n[fast], slice = n[0] * n[1];

	GPU_LAUNCH((any_orientation_transpose<BACK>),
	        dim3((unsigned)(gpu_divide_up(n[0], TILE) * middle), (unsigned)gpu_divide_up(depth, TILE)),
	        dim3(TILE, STRIPS), 0, gpu_stream(), copy, vol, n[0], middle, along, depth,
	        fast == 2 ? n[0] : slice, fast == 2 ? slice : n[0]);
}

/** Direction of the ray of column u and row v upwards; its axis, 2 where another frame has it. */
static __device__ int direction(double e[3], const struct any_orientation_batch &b, long view, long u, long v)
{
	const struct any_orientation_view *w = b.view + view;

	any_orientation_direction(
	        e, &b.scan, w, (double)u - b.scan.middle[0], (double)(v + w->first) - b.scan.middle[1]);

	const int axis = any_orientation_axis(&b.scan, e);

	return axis < 2 && u >= w->lo[axis] && u < w->hi[axis] ? axis : 2;
}

/** b.proj: lengths times proj where rays are of that axis, 0 elsewhere. */
static __global__ void any_orientation_transpose_views(
        struct any_orientation_batch b, const float *proj, int axis)
{
	__shared__ float tile[TILE][TILE + 1];
	const unsigned across = (unsigned)gpu_divide_up(b.cols, TILE);
	const long u0 = (long)(blockIdx.x % across) * TILE, view = blockIdx.x / across,
	           v0 = (long)blockIdx.y * TILE;
	const int down = b.view[view].down;

	for (int r = threadIdx.y; r < TILE; r += STRIPS) {
		const long u = u0 + threadIdx.x, v = v0 + r;
		float x = 0.f;
		double e[3];

		if (u < b.cols && v < b.rows && direction(e, b, view, u, v) == axis)
			x = proj[(view * b.rows + (down ? b.rows - 1 - v : v)) * b.cols + u] *
			    (float)any_orientation_length(&b.scan, e, axis);

		tile[r][threadIdx.x] = x;
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += STRIPS) {
		const long u = u0 + r, v = v0 + threadIdx.x;

		if (u < b.cols && v < b.pitch)
			b.proj[(view * b.cols + u) * b.pitch + v] = tile[threadIdx.x][r];
	}
}

/** proj = lengths times b.proj, or added to it, where rays are followed in this frame. */
static __global__ void any_orientation_untranspose_views(
        struct any_orientation_batch b, float *proj, bool add)
{
	__shared__ float tile[TILE][TILE + 1];
	const unsigned across = (unsigned)gpu_divide_up(b.cols, TILE);
	const long u0 = (long)(blockIdx.x % across) * TILE, view = blockIdx.x / across,
	           v0 = (long)blockIdx.y * TILE;
	const int down = b.view[view].down;

	for (int r = threadIdx.y; r < TILE; r += STRIPS) {
		const long u = u0 + r, v = v0 + threadIdx.x;

		tile[r][threadIdx.x] =
		        (u < b.cols && v < b.rows) ? b.proj[(view * b.cols + u) * b.pitch + v] : 0.f;
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += STRIPS) {
		const long u = u0 + threadIdx.x, v = v0 + r;
		double e[3];

		if (u >= b.cols || v >= b.rows)
			continue;

		const int axis = direction(e, b, view, u, v);

		if (axis == 2)
			continue;

		float *o = proj + (view * b.rows + (down ? b.rows - 1 - v : v)) * b.cols + u;
		const float x = tile[threadIdx.x][r] * (float)any_orientation_length(&b.scan, e, axis);

		*o = add ? *o + x : x;
	}
}

static dim3 tiles_of_views(const struct any_orientation_batch *b, long rows)
{
	return dim3((unsigned)(gpu_divide_up(b->cols, TILE) * b->views), (unsigned)gpu_divide_up(rows, TILE));
}

/* ---- calls ---- */

/** What a call works with. The copy of the volume is in the frame `fast`, or nowhere yet. */
struct call {
	struct gpu_any_orientation *p;
	const struct gpu_tile *tile;
	long n[3]; // of the tile, along x, y, z
	int fast;
	float *vol, *copy, *proj;
	struct any_orientation_view *view;
};

static void sizes(const struct call *c, int fast, int n[3])
{
	int order[3];

	any_orientation_order(order, fast);

	for (int i = 0; i < 3; i++)
		n[i] = (int)c->n[order[i]];
}

/** Elements of the copies of the volume and of a batch of projections. */
static double volume_copy(const long n[3])
{
	double most = 0.;

	for (int f = 0; f < 3; f++)
		most = fmax(most, (double)n[(f + 1) % 3] * (double)n[(f + 2) % 3] * (double)round4(n[f]));

	return most;
}

static double views_copy(const struct gpu_any_orientation *p, const struct gpu_tile *tile)
{
	const long most = min(tile->views, (long)GPU_BATCH_VIEWS);

	return (double)most * (double)p->t->cols * (double)round4(tile->rows);
}

static struct call any_orientation_begin(
        struct gpu_any_orientation *p, const struct gpu_tile *tile, float *vol)
{
	const long *size = p->t->size;
	struct call c;

	c.p = p;
	c.tile = tile;
	c.n[0] = size[0];
	c.n[1] = size[1];
	c.n[2] = tile->slices;
	c.fast = -1;
	c.vol = vol;
	c.copy = (float *)device_alloc((size_t)volume_copy(c.n) * sizeof(float));
	c.proj = (float *)device_alloc((size_t)views_copy(p, tile) * sizeof(float));
	c.view = (struct any_orientation_view *)device_alloc(GPU_BATCH_VIEWS * sizeof *c.view);
	return c;
}

static void end(struct call *c)
{
	device_free(c->copy);
	device_free(c->proj);
	device_free(c->view);
}

extern "C" double gpu_any_orientation_memory(const struct gpu_any_orientation *p, const struct gpu_tile *tile)
{
	const long n[3] = {p->t->size[0], p->t->size[1], tile->slices};

	return (volume_copy(n) + views_copy(p, tile)) * sizeof(float) +
	       (double)GPU_BATCH_VIEWS * sizeof(struct any_orientation_view);
}

static long depth_of(const struct call *c, int fast)
{
	return round4(c->n[fast]);
}

/** Brings the copy into a frame; keep: what it holds goes back to the volume first. */
static void enter(struct call *c, int fast, bool keep, bool fill)
{
	if (c->fast == fast)
		return;

	if (c->fast >= 0 && keep)
		move_volume<true>(c->copy, c->vol, c->n, c->fast, depth_of(c, c->fast));

	if (fast >= 0 && fill)
		move_volume<false>(c->copy, c->vol, c->n, fast, depth_of(c, fast));

	c->fast = fast;
}

/** Has one of these views rays in that frame, along that axis? */
static bool has_rays(const struct gpu_any_orientation *p, int fast, long first, long views, int axis)
{
	for (long k = first; k < first + views; k++)
		if (p->t->view[fast][k].lo[axis] < p->t->view[fast][k].hi[axis])
			return true;

	return false;
}

/** All rows of all views in a frame, on the device. */
static const struct any_orientation_view *views_of(struct gpu_any_orientation *p, int fast)
{
	if (NULL == p->view[fast]) {
		std::vector<struct any_orientation_view> view;

		for (long k = 0; k < p->t->views; k++)
			view.push_back(any_orientation_view_of(p->t, k, fast, 0, p->t->rows));

		p->view[fast] = (struct any_orientation_view *)device_alloc(view.size() * sizeof view[0]);
		device_copy(p->view[fast], view.data(), view.size() * sizeof view[0]);
	}

	return p->view[fast];
}

/** Views [first, first + n) of a tile, in a frame. */
static struct any_orientation_batch batch_of(const struct call *c, int fast, long first, long n)
{
	const struct gpu_tile *tile = c->tile;
	struct any_orientation_batch b;

	if (0 == tile->row && c->p->t->rows == tile->rows) {
		b.view = views_of(c->p, fast) + first;
	} else {
		struct any_orientation_view view[GPU_BATCH_VIEWS];

		for (long k = 0; k < n; k++)
			view[k] = any_orientation_view_of(c->p->t, first + k, fast, tile->row, tile->rows);

		device_copy(c->view, view, (size_t)n * sizeof *view);
		b.view = c->view;
	}

	b.views = (int)n;
	b.cols = (int)c->p->t->cols;
	b.rows = (int)tile->rows;
	b.pitch = round4(tile->rows);
	sizes(c, fast, b.n);
	b.origin[0] = b.origin[1] = b.origin[2] = 0;
	b.origin[fast == 2 ? 2 : 1] = (int)tile->slice;
	b.depth = (int)depth_of(c, fast);
	b.scan = any_orientation_scan_of(c->p->t, fast);
	b.proj = c->proj;
	b.vol = c->copy;

	return b;
}

/** Calls fn(fast, first, n) for the batches of a tile, within a multiple of GPU_BATCH_VIEWS, and the frames
 * that they need. */
template <class Fn> static void for_batches(const struct call *c, Fn fn)
{
	const long end = c->tile->view + c->tile->views;

	for (long k = c->tile->view, e; k < end; k = e) {
		e = (k / GPU_BATCH_VIEWS + 1) * GPU_BATCH_VIEWS;
		e = e < end ? e : end;

		for (int fast = 2; fast >= 0; fast--)
			if (has_rays(c->p, fast, k, e - k, 0) || has_rays(c->p, fast, k, e - k, 1))
				fn(fast, k, e - k);
	}
}

/** Tiles of these views, made once; views in them count from the first. */
static const struct any_orientation_tiles *tiles_of(
        struct gpu_any_orientation *p, int fast, long first, long n)
{
	for (const struct any_orientation_tiles &t : p->made)
		if (t.first == first && t.n == n && t.fast == fast)
			return &t;

	const struct any_orientation_shape *s = &p->forward;
	const struct any_orientation_need most = {s->ring.lines, s->ring.width};
	struct any_orientation_tile *made;
	const long count = any_orientation_tiles(
	        p->t, fast, first, n, s->across, ANY_ORIENTATION_ITEMS / s->across, s->rows, &most, &made);
	std::vector<struct gpu_ray_tile> tile;

	for (long k = 0; k < count; k++)
		tile.push_back({made[k].view - (int)first, made[k].views, made[k].u, made[k].axis});

	struct gpu_ray_tile *there = (struct gpu_ray_tile *)device_alloc((size_t)(count + 1) * sizeof *there);

	device_copy(there, tile.data(), (size_t)count * sizeof *there);
	free(made);
	p->made.push_back({first, n, count, fast, there});

	return &p->made.back();
}

extern "C" void gpu_any_orientation_forward(
        struct gpu_any_orientation *p, float *proj, const float *vol, const struct gpu_tile *tile)
{
	const long view = tile->rows * p->t->cols;

	gpu_selftest(&gpu_selftest_any_orientation);

	struct call c = any_orientation_begin(p, tile, (float *)vol);

	for_batches(&c, [&](int fast, long first, long n) {
		enter(&c, fast, false, true);

		const struct any_orientation_batch b = batch_of(&c, fast, first, n);
		const struct any_orientation_tiles *t = tiles_of(p, fast, first, n);

		any_orientation_forward(&b, t->tile, t->count, &p->forward);
		GPU_LAUNCH(any_orientation_untranspose_views, tiles_of_views(&b, b.rows), dim3(TILE, STRIPS),
		        0, gpu_stream(), b, proj + (first - tile->view) * view, tile->add);
	});

	end(&c);
}

extern "C" void gpu_any_orientation_adjoint(
        struct gpu_any_orientation *p, float *vol, const float *proj, const struct gpu_tile *tile)
{
	const long view = tile->rows * p->t->cols;

	gpu_selftest(&gpu_selftest_any_orientation);

	struct call c = any_orientation_begin(p, tile, vol);
	bool add = tile->add;

	for_batches(&c, [&](int fast, long first, long n) {
		enter(&c, fast, true, add);

		const struct any_orientation_batch b = batch_of(&c, fast, first, n);

		for (int axis = 0; axis < 2; axis++) {
			if (!has_rays(p, fast, first, n, axis))
				continue;

			GPU_LAUNCH(any_orientation_transpose_views, tiles_of_views(&b, b.pitch),
			        dim3(TILE, STRIPS), 0, gpu_stream(), b, proj + (first - tile->view) * view,
			        axis);
			any_orientation_adjoint(&b, &p->adjoint, p->close, axis, add);
			add = true;
		}
	});

	enter(&c, -1, true, false);
	end(&c);
}
