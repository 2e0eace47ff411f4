#ifndef CT_PROJECTOR_CUDA_RING_H
#define CT_PROJECTOR_CUDA_RING_H

#include "ct/projector/cuda/untilted_internal.h"
#include "num/device/cuda/async.h"
#include "num/md/cuda/approx.h"

/**
 * The structure that the kernels of the projectors share. 16 warps compute, with all sums in registers.
 * Another 4 warps load windows of an array into a ring of stages in shared memory. From compute capability
 * 9.0 on, one thread of these 4 warps requests boxes (TMA), and barriers per stage synchronise the warps. On
 * older devices all threads of the 4 warps copy (asynchronously from 8.0 on), with a block barrier per step.
 */

enum {
	RING_LINES = 16,
	RING_WARPS = 16,
	RING_COPIERS = 128,
	RING_THREADS = 32 * RING_WARPS + RING_COPIERS,
	RING_BARRIERS = 256
};

/** Adding this constant to a float32 rounds the value to an integer, which is then in the low bits. */
#define RING_MAGIC     12582912.f
#define RING_MAGICBITS 0x4B400000

static __device__ __forceinline__ bool ring_by_tma(int asked)
{
#if defined GANTRY_EMULATE
	return 0 != asked;
#elif defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
	(void)asked;
	return true;
#else
	(void)asked;
	return false;
#endif
}

struct ring {
	uint64_t *full, *empty;
	int stages;
	bool tma;
};

/** Size of a stage [bytes], rounded up to a multiple of 128, because copies must begin at multiples of 128.
 */
static __host__ __device__ __forceinline__ int ring_stage(const struct gpu_ring_size &r)
{
	return (r.lines * r.width * 4 + 127) / 128 * 128;
}

/** Sets the number of stages to the largest number that fits into shared memory beside the tables, at most
 * `most`. Returns whether at least 2 stages fit. */
static inline bool ring_fits(struct gpu_ring_size *r, size_t tables, int most)
{
	const size_t room = gpu_block_room(),
	             stages = tables < room ? (room - tables) / (size_t)ring_stage(*r) : 0;

	r->stages = stages < (size_t)most ? (int)stages : most;

	return r->stages >= 2;
}

/** Called by all threads; __syncthreads() must follow. `at`: RING_BARRIERS bytes. */
static __device__ __forceinline__ struct ring ring_start(void *at, int stages, int tma)
{
	struct ring r;

	r.full = (uint64_t *)at;
	r.empty = r.full + RING_BARRIERS / 16;
	r.stages = stages;
	r.tma = ring_by_tma(tma);

	if (r.tma && threadIdx.x == 0) {
		for (int k = 0; k < stages; k++) {
			gpu_bar_init(r.full + k, 1);
			gpu_bar_init(r.empty + k, RING_WARPS);
		}

		gpu_bar_fence();
	}

	return r;
}

/** The work of the copying warps, with or without TMA. With TMA, one thread calls ask(k, stage, full), which
 * requests the boxes of step k. Without TMA, each of RING_COPIERS threads calls copy(k, stage, id), which
 * copies the share of thread id. */
template <class Ask, class Copy>
static __device__ __forceinline__ void ring_feed(const struct ring &r, int steps, Ask ask, Copy copy)
{
	const int id = (int)threadIdx.x - 32 * RING_WARPS;

	if (r.tma) {
		for (int k = 0; k < steps && id == 0; k++) {
			const int st = k % r.stages;

			if (k >= r.stages)
				gpu_bar_wait(r.empty + st, (uint32_t)(k / r.stages - 1) & 1u);

			ask(k, st, r.full + st);
		}

		return;
	}

	for (int k = 0; k <= steps; k++) {
		if (k > 0) {
			gpu_cp_async_wait<0>();
			__syncthreads(); // step k - 1 has come, and k - 2 is done with
		}

		if (k < steps) {
			copy(k, k % r.stages, id);
			gpu_cp_async_commit();
		}
	}
}

/** Like ring_feed(), but the copying warps compute the content of a stage: fill(k, stage, id) stores the
 * share of thread id. */
template <class Fill>
static __device__ __forceinline__ void ring_fill(const struct ring &r, int steps, Fill fill)
{
	enum { BARRIER = 1 };
	const int id = (int)threadIdx.x - 32 * RING_WARPS;

	if (r.tma) {
		for (int k = 0; k < steps; k++) {
			const int st = k % r.stages;

			if (k >= r.stages)
				gpu_bar_wait(r.empty + st, (uint32_t)(k / r.stages - 1) & 1u);

			fill(k, st, id);
			gpu_bar_named(BARRIER, RING_COPIERS);

			if (id == 0)
				gpu_bar_arrive(r.full + st);
		}

		return;
	}

	for (int k = 0; k <= steps; k++) {
		if (k > 0)
			__syncthreads(); // step k - 1 is there, and k - 2 is done with

		if (k < steps)
			fill(k, k % r.stages, id);
	}
}

/** Called by the computing warps before and after a step. */
static __device__ __forceinline__ void ring_wait(const struct ring &r, int st, int phase)
{
	if (r.tma)
		gpu_bar_wait(r.full + st, (uint32_t)phase);
	else
		__syncthreads();
}

static __device__ __forceinline__ void ring_done(const struct ring &r, int st)
{
	__syncwarp();

	if (r.tma && (threadIdx.x & 31) == 0)
		gpu_bar_arrive(r.empty + st);
}

static __device__ __forceinline__ float ring_at(const unsigned char *shared, uint32_t at)
{
	return *(const float *)(shared + at);
}

/** Writes to `list`, in ascending order, all i in [0, n) for which test(i) is true; returns their number.
 * Called by one warp. */
template <class Test> static __device__ __forceinline__ int ring_list(int *list, int n, Test test)
{
	const int lane = threadIdx.x & 31;
	int count = 0;

	for (int b = 0; b < n; b += 32) {
		const int i = b + lane;
		const bool yes = i < n && test(i);
		const unsigned all = __ballot_sync(~0u, yes);

		if (yes)
			list[count + __popc(all & ((1u << lane) - 1u))] = i;

		count += __popc(all);
	}

	return count;
}

/** Calls fn(sum, voxel) for each voxel of this thread inside the volume, and sets the sums of the other
 * voxels to 0. The block has RING_WARPS planes of an axis, RING_LINES lines and 32 G slices. Addresses are
 * recomputed in every call, so that no registers hold addresses between calls. */
template <int G, class Fn>
static __device__ __forceinline__ void ring_voxels(
        float (*acc)[G], const struct gpu_batch &b, int axis, Fn fn)
{
	int id = threadIdx.x, block = blockIdx.x;

	gpu_anew(id);
	gpu_anew(block);

	const int ip = blockIdx.z * RING_WARPS + (id >> 5), j0 = blockIdx.y * RING_LINES,
	          k = block * 32 * G + (id & 31);
	const long step = (long)b.depth * (axis ? b.n[1] : 1);
	float *at = b.vol + (long)b.depth * ((long)ip * (axis ? 1 : b.n[1])) + j0 * step + k;
	const int lines = ip < gpu_extent(b, axis) ? gpu_extent(b, 1 - axis) - j0 : 0, slices = b.n[2] - k;

#pragma unroll
	for (int j = 0; j < RING_LINES; j++)
#pragma unroll
		for (int h = 0; h < G; h++)
			if (j < lines && 32 * h < slices)
				fn(acc[j][h], at + j * step + 32 * h);
			else
				acc[j][h] = 0.f;
}

/** Copies 4 elements of a line from z on, or zeros if the line or z is outside; z and the width are multiples
 * of 4. */
static __device__ __forceinline__ void ring_copy4(float *to, const float *line, bool inside, int z, int width)
{
	gpu_cp_async16_zero(
	        to, line + (inside && z >= 0 && z < width ? z : 0), inside && z >= 0 && z < width);
}

/* ---- windows of the planes of an axis: what forward projectors share ---- */

/** Returns the packed integer of a window: its first line << 8 | its number of lines. A window is either this
 * integer alone, or {first element of a line, packed integer}. */
static __device__ __forceinline__ int ring_lines(int2 window)
{
	return window.y;
}

static __device__ __forceinline__ int ring_lines(int window)
{
	return window;
}

/** Sets win[i] = at(i): the first line << 8 | the number of lines, limited to a maximum. range: the first and
 * last plane with lines. Called by all threads; contains __syncthreads() before and after. */
template <class Window, class At>
static __device__ __forceinline__ void ring_windows(Window *win, int *range, int planes, int most, At at)
{
	if (threadIdx.x == 0) {
		range[0] = planes;
		range[1] = -1;
	}

	__syncthreads();

	for (int i = threadIdx.x; i < planes; i += RING_THREADS) {
		win[i] = at(i);

		const int n = ring_lines(win[i]) & 255;

		if (n > most)
			__trap(); // the plan was wrong: better no numbers than these

		if (n != 0) {
			atomicMin(range, i);
			atomicMax(range + 1, i);
		}
	}

	__syncthreads();
}

/** Loads the windows of planes first .. first + steps - 1 of an axis from the volume's copy b.vol. window(i)
 * is {element, first line << 8 | lines}. In a stage, a line has `pitch` elements and a box has BOX lines. */
template <int BOX, class Batch, class Window>
static __device__ __forceinline__ void ring_feed_planes(const struct ring &r, const CUtensorMap *along_y,
        const CUtensorMap *along_x, const Batch &b, int axis, int lines, unsigned char *shared, int stage,
        int pitch, int first, int steps, Window window)
{
	ring_feed(
	        r, steps,
	        [&](int k, int st, uint64_t *full) {
		        const int i = first + k, box = BOX * pitch * 4;
		        const int2 q = window(i);
		        const int n = ((q.y & 255) + BOX - 1) / BOX, row = q.y >> 8;
		        unsigned char *to = shared + st * stage;

		        gpu_bar_expect(full, (uint32_t)(n * box));

		        for (int c = 0; c < n; c++, to += box)
			        if (axis == 0)
				        gpu_tma_load3(to, along_y, full, q.x, row + BOX * c, i);
			        else
				        gpu_tma_load3(to, along_x, full, q.x, i, row + BOX * c);
	        },
	        [&](int k, int st, int id) {
		        const int i = first + k, quads = pitch / 4;
		        const int2 q = window(i);
		        const int n = q.y & 255, row = q.y >> 8;
		        float *to = (float *)(shared + st * stage);

		        for (int c = id; c < n * quads; c += RING_COPIERS) {
			        const int j = row + c / quads, z = q.x + c % quads * 4;
			        const bool inside = j >= 0 && j < lines;
			        const long line = axis == 0 ? (long)i * b.n[1] + j : (long)j * b.n[1] + i;

			        ring_copy4(to + 4 * c, b.vol + (inside ? line : 0) * b.depth, inside, z,
			                b.depth);
		        }
	        });
}

/** Tensor maps of the copy b.vol for ring_feed_planes(). along_y is for planes of axis 0, along_x for planes
 * of axis 1. */
template <int BOX, class Batch>
static inline void ring_maps(CUtensorMap *along_y, CUtensorMap *along_x, const Batch *b, int pitch)
{
	const long dims[3] = {b->depth, b->n[1], b->n[0]},
	           steps[2] = {b->depth * 4L, b->depth * 4L * b->n[1]};
	const int box_y[3] = {pitch, BOX, 1}, box_x[3] = {pitch, 1, BOX};

	gpu_tensor3(along_y, b->vol, dims, steps, box_y);
	gpu_tensor3(along_x, b->vol, dims, steps, box_x);
}

/* ---- windows of views: what adjoints share ---- */

/** Loads parts of the columns of b.proj. Step k loads from view at(k).z, from column at(k).x on, and from
 * element at(k).y of each column on. Each column becomes a line of `pitch` elements in the stage. */
template <class Batch, class At>
static __device__ __forceinline__ void ring_feed_views(const struct ring &r, const CUtensorMap *patches,
        const Batch &b, unsigned char *shared, int stage, int lines, int pitch, int steps, At at)
{
	ring_feed(
	        r, steps,
	        [&](int k, int st, uint64_t *full) {
		        const int3 q = at(k);

		        gpu_bar_expect(full, (uint32_t)(lines * pitch * 4));
		        gpu_tma_load3(shared + st * stage, patches, full, q.y, q.x, q.z);
	        },
	        [&](int k, int st, int id) {
		        const int3 q = at(k);
		        const int quads = pitch / 4;
		        float *to = (float *)(shared + st * stage);

		        for (int c = id; c < lines * quads; c += RING_COPIERS) {
			        const int u = q.x + c / quads, v = q.y + c % quads * 4;
			        const bool inside = u >= 0 && u < b.cols;

			        ring_copy4(to + 4 * c,
			                b.proj + ((long)q.z * b.cols + (inside ? u : 0)) * b.pitch, inside, v,
			                b.pitch);
		        }
	        });
}

/** Tensor map for ring_feed_views(). */
template <class Batch>
static inline void ring_view_map(CUtensorMap *map, const Batch *b, int lines, int pitch)
{
	const long dims[3] = {b->pitch, b->cols, b->views},
	           steps[2] = {b->pitch * 4L, b->pitch * 4L * b->cols};
	const int box[3] = {pitch, lines, 1};

	gpu_tensor3(map, b->proj, dims, steps, box);
}

#endif
