#ifndef CT_PROJECTOR_CUDA_RING_H
#define CT_PROJECTOR_CUDA_RING_H

#include "ct/projector/cuda/untilted_internal.h"
#include "num/device/cuda/async.h"
#include "num/md/cuda/approx.h"

/**
 * Code that the GPU kernels of the projectors share. In a block, 16 warps compute, with all sums in
 * registers. Another 4 warps load parts of an array into shared memory. The shared memory is a ring of
 * stages. The contents of one stage are computed while the next stages are loaded.
 *
 * From compute capability 9.0 on, the Tensor Memory Accelerator (TMA) copies, and barriers per stage
 * synchronise the warps. On older devices, the threads of the 4 warps copy, and block barriers synchronise
 * the warps. From compute capability 8.0 on, the copies are asynchronous.
 */

enum {
	RING_LINES = 16,
	RING_WARPS = 16,
	RING_COPIERS = 128,
	RING_THREADS = 32 * RING_WARPS + RING_COPIERS,
	RING_BARRIERS = 256
};

/** Adding this constant to a float32 rounds the value to an integer. The low bits of the sum contain the
 * integer. */
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

/** Returns the size of a stage [bytes]. The size is a multiple of 128, because copies must begin at
 * multiples of 128. */
static __host__ __device__ __forceinline__ int ring_stage(const struct gpu_ring_size &r)
{
	return (r.lines * r.width * 4 + 127) / 128 * 128;
}

/** Sets r->stages to the largest number of stages that fits into shared memory. The number of stages is at
 * most `most`. The tables of the kernel take `tables` bytes. Returns whether at least 2 stages fit. */
static inline bool ring_fits(struct gpu_ring_size *r, size_t tables, int most)
{
	const size_t room = gpu_block_room(),
	             stages = tables < room ? (room - tables) / (size_t)ring_stage(*r) : 0;

	r->stages = stages < (size_t)most ? (int)stages : most;

	return r->stages >= 2;
}

/** Initialises a ring. All threads of the block must call ring_start(), and then __syncthreads(). `at`
 * points to RING_BARRIERS bytes of shared memory. */
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

/** Runs `steps` steps of the copying warps. With TMA, one thread calls ask(k, stage, full) to request the
 * boxes of step k. Without TMA, RING_COPIERS threads call copy(k, stage, id). Thread `id` copies its
 * share of step k. */
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
			__syncthreads(); // step k - 1 is loaded, and step k - 2 is complete
		}

		if (k < steps) {
			copy(k, k % r.stages, id);
			gpu_cp_async_commit();
		}
	}
}

/** In `steps` steps, the copying warps compute the contents of stages instead of copying. Thread `id` calls
 * fill(k, stage, id) to store its share of step k. */
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
			__syncthreads(); // step k - 1 is stored, and step k - 2 is complete

		if (k < steps)
			fill(k, k % r.stages, id);
	}
}

/** Waits until stage st is loaded. The computing warps call ring_wait() before a step. */
static __device__ __forceinline__ void ring_wait(const struct ring &r, int st, int phase)
{
	if (r.tma)
		gpu_bar_wait(r.full + st, (uint32_t)phase);
	else
		__syncthreads();
}

/** Marks stage st as free. The computing warps call ring_done() after a step. */
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

/** Writes all i in [0, n) for which test(i) is true to `list`, in ascending order. Returns the number of
 * elements of `list`. All threads of one warp must call ring_list(). */
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

/** Calls fn(sum, voxel) for the thread's voxels inside the volume. Sums of voxels outside the volume are set
 * to 0. A CUDA block computes RING_WARPS planes of an axis, RING_LINES lines and `32 G` slices. Addresses are
 * computed again in every call to save registers. */
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

/** Copies elements z .. z + 3 of a line, or zeros outside the array. `inside` tells whether the line is
 * inside the array. The arguments z and width must be multiples of 4. */
static __device__ __forceinline__ void ring_copy4(float *to, const float *line, bool inside, int z, int width)
{
	gpu_cp_async16_zero(
	        to, line + (inside && z >= 0 && z < width ? z : 0), inside && z >= 0 && z < width);
}

/* ---- windows of planes, for forward projectors ---- */

/** Returns the packed integer of a window. A window is a range of lines of voxels in one plane. The packed
 * integer is (first line << 8) | (number of lines). In a window of type int2, x is the first element of a
 * line, and y the packed integer. */
static __device__ __forceinline__ int ring_lines(int2 window)
{
	return window.y;
}

static __device__ __forceinline__ int ring_lines(int window)
{
	return window;
}

/** Sets win[i] = at(i), the window of plane i. Sets range[0] and range[1] to the first and the last plane
 * with lines. A window with more than `most` lines aborts the kernel. All threads of the block must call
 * ring_windows(). */
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
			__trap(); // the plan is wrong: abort rather than return wrong results

		if (n != 0) {
			atomicMin(range, i);
			atomicMax(range + 1, i);
		}
	}

	__syncthreads();
}

/** Loads windows of planes [first, first + steps) of an axis. The windows are read from the copied volume
 * b.vol. The result of window(i) is {first element, packed integer} for plane i. In a stage, a line has
 * `pitch` elements. One TMA copy has BOX lines. */
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

/** Makes the tensor maps of b.vol for ring_feed_planes(). The map along_y is for planes of axis 0. The map
 * along_x is for planes of axis 1. */
template <int BOX, class Batch>
static inline void ring_maps(CUtensorMap *along_y, CUtensorMap *along_x, const Batch *b, int pitch)
{
	const long dims[3] = {b->depth, b->n[1], b->n[0]},
	           steps[2] = {b->depth * 4L, b->depth * 4L * b->n[1]};
	const int box_y[3] = {pitch, BOX, 1}, box_x[3] = {pitch, 1, BOX};

	gpu_tensor3(along_y, b->vol, dims, steps, box_y);
	gpu_tensor3(along_x, b->vol, dims, steps, box_x);
}

/* ---- windows of views, for adjoint kernels ---- */

/** Loads parts of the detector columns in b.proj. Step k loads `lines` columns of view at(k).z, beginning
 * with column at(k).x. Loading of a column begins at element at(k).y. In the stage, a column is a line of
 * `pitch` elements. */
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

/** Makes the tensor map for ring_feed_views(). */
template <class Batch>
static inline void ring_view_map(CUtensorMap *map, const Batch *b, int lines, int pitch)
{
	const long dims[3] = {b->pitch, b->cols, b->views},
	           steps[2] = {b->pitch * 4L, b->pitch * 4L * b->cols};
	const int box[3] = {pitch, lines, 1};

	gpu_tensor3(map, b->proj, dims, steps, box);
}

#endif
