/* Copies between host and device. Ordinary memory and files pass through a ring of pinned buffers: while the
 * copy engine transfers one, threads fill or empty another (by touching a mapped file, or by reading others
 * directly) and the kernel reads ahead. */

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string.h>
#include <sys/mman.h>

#include "num/device/cuda/gpu.h"
#include "num/device/cuda/worker.h"
#include "num/md/cuda/copy.h"

extern "C" {
#include "num/device/cuda/settings.h"
#include "num/device/device_set.h"
}

enum { RING = 3, PAGE = 4096 };
static const size_t ROOM =
        16 << 20; // of a buffer: long enough for full speed, short for small private memory
static const size_t DIRECT = 64 << 10;       // below, the driver's own staging is as good
static const size_t PITCH_MOST = 0x7fffffff; // bytes between rows that the copy engines count

/* ---- the ring ---- */

struct ring {
	char *buffer[RING];
	cudaEvent_t moved[RING]; // the engine has done with it
	long next;
};

static std::mutex copying[GPU_WORKERS_MOST][2]; // the rings of a worker

/** One for each direction of a worker. */
static struct ring *get_ring(bool up)
{
	static struct ring rings[GPU_WORKERS_MOST][2];
	struct ring *r = &rings[gpu_worker()][up];

	if (NULL == r->buffer[0])
		for (int i = 0; i < RING; i++) {
			GPU_CHECK(cudaHostAlloc((void **)&r->buffer[i], ROOM, cudaHostAllocPortable));
			GPU_CHECK(cudaEventCreateWithFlags(&r->moved[i], cudaEventDisableTiming));
		}

	return r;
}

/** Has the pages of a file read in the background. */
static void read_ahead(const char *p, size_t bytes)
{
	const uintptr_t from = (uintptr_t)p / PAGE * PAGE;

	madvise((void *)from, (uintptr_t)p + bytes - from, MADV_WILLNEED); // a hint: failing does no harm
}

static cudaError_t move_rows(const struct gpu_rows *b, cudaMemcpyKind kind, cudaStream_t stream)
{
	if (1 == b->rows || ((size_t)b->dst_step == b->width && (size_t)b->src_step == b->width))
		return cudaMemcpyAsync(b->dst, b->src, b->width * (size_t)b->rows, kind, stream);

	if ((size_t)std::max(b->dst_step, b->src_step) <= PITCH_MOST)
		return cudaMemcpy2DAsync(b->dst, (size_t)b->dst_step, b->src, (size_t)b->src_step, b->width,
		        (size_t)b->rows, kind, stream);

	cudaError_t e = cudaSuccess; // further apart than the engine counts

	for (long i = 0; i < b->rows && cudaSuccess == e; i++)
		e = cudaMemcpyAsync(
		        b->dst + i * b->dst_step, b->src + i * b->src_step, b->width, kind, stream);

	return e;
}

/** The part from row `first` on that fits into a buffer. */
static struct gpu_rows part_of(const struct gpu_rows *b, long first)
{
	struct gpu_rows p = *b;

	p.rows = std::min((long)(ROOM / b->width), b->rows - first);
	p.dst += first * b->dst_step;
	p.src += first * b->src_step;
	p.at += first * (long)b->width;

	return p;
}

/** Rows that fit into a buffer, through the ring. */
static void ring_upload(const struct gpu_rows *b, cudaStream_t stream)
{
	struct ring *r = get_ring(true);

	for (long row = 0; row < b->rows;) {
		const int k = (int)(r->next++ % RING);
		const struct gpu_rows part = part_of(b, row);
		struct gpu_rows fill = part, move = part;

		row += part.rows;
		if (row < b->rows && NULL == b->file)
			read_ahead(b->src + row * b->src_step, (size_t)(part_of(b, row).rows * b->src_step));

		fill.dst = r->buffer[k];
		fill.dst_step = (long)b->width;
		move.src = r->buffer[k];
		move.src_step = (long)b->width;
		move.file = NULL;
		GPU_CHECK(cudaEventSynchronize(r->moved[k]));
		gpu_copy_host(&fill);
		GPU_CHECK(move_rows(&move, cudaMemcpyHostToDevice, stream));
		GPU_CHECK(cudaEventRecord(r->moved[k], stream));
	}
}

static void ring_download(const struct gpu_rows *b, cudaStream_t stream)
{
	struct ring *r = get_ring(false);
	struct gpu_rows empty[RING];
	long row = 0, asked = 0, done = 0;

	while (row < b->rows || done < asked) {
		if (row < b->rows && asked - done < RING) {
			const int k = (int)(asked++ % RING);
			struct gpu_rows move = part_of(b, row);

			row += move.rows;
			empty[k] = move;
			empty[k].src = r->buffer[k];
			empty[k].src_step = (long)b->width;
			move.dst = r->buffer[k];
			move.dst_step = (long)b->width;
			move.file = NULL;
			GPU_CHECK(move_rows(&move, cudaMemcpyDeviceToHost, stream));
			GPU_CHECK(cudaEventRecord(r->moved[k], stream));
		} else {
			const int k = (int)(done++ % RING);

			GPU_CHECK(cudaEventSynchronize(r->moved[k]));
			gpu_copy_host(&empty[k]);
		}
	}
}

/** fn() for the same bytes in rows that fit into a buffer. */
static void for_short_rows(const struct gpu_rows *b,
        void (*fn)(const struct gpu_rows *b, cudaStream_t stream), cudaStream_t stream)
{
	if (b->width <= ROOM) {
		fn(b, stream);
		return;
	}

	const long whole = (long)(b->width / ROOM);
	const size_t rest = b->width % ROOM;
	const long dst = (NULL != b->dst) ? (long)ROOM : 0, src = (NULL != b->src) ? (long)ROOM : 0;

	for (long i = 0; i < b->rows; i++) {
		struct gpu_rows part = {ROOM, whole, b->dst + i * b->dst_step, dst, b->src + i * b->src_step,
		        src, b->file, b->at + i * (long)b->width};

		fn(&part, stream);
		part.dst += whole * dst;
		part.src += whole * src;
		part.at += whole * (long)ROOM;
		part.width = rest;
		part.rows = 1;
		if (0 < rest)
			fn(&part, stream);
	}
}

bool gpu_is_pinned(const void *p)
{
	cudaPointerAttributes a;

	if (cudaSuccess != cudaPointerGetAttributes(&a, p)) {
		cudaGetLastError();
		return false;
	}

	return cudaMemoryTypeHost == a.type;
}

/** Rows without gaps are one. */
static struct gpu_rows joined(const struct gpu_rows *b)
{
	struct gpu_rows j = *b;

	if ((size_t)j.dst_step == j.width && (size_t)j.src_step == j.width) {
		j.width *= (size_t)j.rows;
		j.rows = 1;
	}

	return j;
}

void gpu_upload(const struct gpu_rows *b, cudaStream_t stream)
{
	const struct gpu_rows j = joined(b);

	if (NULL == j.file && device_holds(j.src)) {
		GPU_CHECK(move_rows(&j, cudaMemcpyDeviceToDevice, stream));
	} else if (NULL == j.file && (j.width * (size_t)j.rows <= DIRECT || gpu_is_pinned(j.src))) {
		GPU_CHECK(move_rows(&j, cudaMemcpyHostToDevice, stream));
	} else {
		std::lock_guard<std::mutex> hold(copying[gpu_worker()][true]);

		for_short_rows(&j, ring_upload, stream);
	}
}

void gpu_download(const struct gpu_rows *b, cudaStream_t stream)
{
	const struct gpu_rows j = joined(b);

	if (NULL == j.file && device_holds(j.dst)) {
		GPU_CHECK(move_rows(&j, cudaMemcpyDeviceToDevice, stream));
		return;
	}

	const bool pinned = NULL == j.file && gpu_is_pinned(j.dst);

	if (NULL != j.file || (!pinned && DIRECT < j.width * (size_t)j.rows)) {
		std::lock_guard<std::mutex> hold(copying[gpu_worker()][false]);

		for_short_rows(&j, ring_download, stream);
		return;
	}

	GPU_CHECK(move_rows(&j, cudaMemcpyDeviceToHost, stream));
	if (!pinned)
		GPU_CHECK(cudaStreamSynchronize(stream));
}

/* ---- what is where ---- */

static std::atomic<long> crossings, crossings_back;
static std::atomic<size_t> crossed;

struct device_crossings device_crossed(void)
{
	return {crossings, crossings_back, crossed};
}

static void copy_rows(const struct gpu_rows *b)
{
	const bool to = device_holds(b->dst), from = device_holds(b->src);

	if (!to && !from) {
		gpu_copy_host(b);
		return;
	}

	gpu_enter();

	if (to && from) {
		GPU_CHECK(move_rows(b, cudaMemcpyDeviceToDevice, gpu_stream()));
		return;
	}

	if (!gpu_is_beside()) {
		crossings++;
		crossings_back += from;
		crossed += b->width * (size_t)b->rows;
	}

	cudaStream_t stream = gpu_lane(to ? GPU_UPLOAD : GPU_DOWNLOAD);

	if (b->width * (size_t)b->rows <= DIRECT)
		stream = gpu_stream();
	else
		gpu_after(gpu_stream(), stream);

	if (to)
		gpu_upload(b, stream);
	else
		gpu_download(b, stream);

	if (gpu_is_pinned(to ? b->src : b->dst))
		GPU_CHECK(cudaStreamSynchronize(stream));

	if (to && stream != gpu_stream())
		gpu_after(stream, gpu_stream());
}

extern "C" void device_copy(void *dst, const void *src, size_t bytes)
{
	const struct gpu_rows b = {
	        bytes, 1, (char *)dst, (long)bytes, (const char *)src, (long)bytes, NULL, 0};

	if (0 < bytes)
		copy_rows(&b);
}

extern "C" void device_copy2(
        size_t width, long rows, void *dst, long dst_step, const void *src, long src_step)
{
	const struct gpu_rows b = {width, rows, (char *)dst, dst_step, (const char *)src, src_step, NULL, 0};

	if (0 == width || rows < 1)
		return;

	if (dst_step < (long)width || src_step < (long)width)
		error("rows of %zu bytes that are %ld and %ld bytes apart, expected no overlap", width,
		        dst_step, src_step);

	copy_rows(&b);
}

extern "C" void device_fill(void *dst, int value, size_t bytes)
{
	if (!device_holds(dst))
		memset(dst, value, bytes);
	else
		GPU_CHECK(cudaMemsetAsync(dst, value, bytes, gpu_stream()));
}

extern "C" void device_sync(void)
{
	if (device_asked())
		GPU_CHECK(cudaStreamSynchronize(gpu_stream()));
}
