/* Copies between host and device. Ordinary memory and mapped files go through a ring of pinned buffers: while
 * the engine moves one, threads fill or empty another (reading the file as they touch it) and the kernel
 * reads ahead. */

#include <algorithm>
#include <mutex>
#include <string.h>
#include <sys/mman.h>

#include "num/cuda/gpu.h"
#include "num/cuda/worker.h"

extern "C" {
#include "num/cuda/settings.h"
}

enum { RING = 3, PAGE = 4096 };
static const size_t ROOM =
        16 << 20; // of a buffer: long enough for full speed, short for small private memory
static const size_t DIRECT = 64 << 10; // below, the driver's own staging is as good
static const size_t SLICE = 1 << 20;   // of a thread

/** rows times `width` bytes. */
struct block {
	size_t width;
	long rows;
	char *dst;
	long dst_step;
	const char *src;
	long src_step;
};

/* ---- the ring ---- */

struct ring {
	std::mutex lock;
	char *buffer[RING];
	cudaEvent_t moved[RING]; // the engine has done with it
	int next;
};

static struct ring *get_ring(void)
{
	static struct ring rings[GPU_WORKERS_MOST];
	struct ring *r = &rings[gpu_worker()];

	r->lock.lock();
	if (NULL == r->buffer[0])
		for (int i = 0; i < RING; i++) {
			GPU_CHECK(cudaHostAlloc((void **)&r->buffer[i], ROOM, cudaHostAllocPortable));
			GPU_CHECK(cudaEventCreateWithFlags(&r->moved[i], cudaEventDisableTiming));
		}

	return r;
}

static void host_copy(const struct block *b)
{
	const bool flat =
	        (1 == b->rows) || ((size_t)b->dst_step == b->width && (size_t)b->src_step == b->width);
	const size_t bytes = b->width * (size_t)b->rows;

	if (flat) {
		const long n = (long)((bytes + SLICE - 1) / SLICE);

#pragma omp parallel for if (1 < n)
		for (long i = 0; i < n; i++) {
			const size_t at = (size_t)i * SLICE;

			memcpy(b->dst + at, b->src + at, std::min(SLICE, bytes - at));
		}
	} else {
#pragma omp parallel for if (SLICE < bytes)
		for (long i = 0; i < b->rows; i++)
			memcpy(b->dst + i * b->dst_step, b->src + i * b->src_step, b->width);
	}
}

/** Has the pages of a file read in the background. */
static void read_ahead(const char *p, size_t bytes)
{
	const uintptr_t from = (uintptr_t)p / PAGE * PAGE;

	madvise((void *)from, (uintptr_t)p + bytes - from, MADV_WILLNEED); // a hint: failing does no harm
}

static cudaError_t move_rows(const struct block *b, cudaMemcpyKind kind, cudaStream_t stream)
{
	if (1 == b->rows || ((size_t)b->dst_step == b->width && (size_t)b->src_step == b->width))
		return cudaMemcpyAsync(b->dst, b->src, b->width * (size_t)b->rows, kind, stream);

	return cudaMemcpy2DAsync(b->dst, (size_t)b->dst_step, b->src, (size_t)b->src_step, b->width,
	        (size_t)b->rows, kind, stream);
}

/** The part from row `first` on that fits into a buffer. */
static struct block part_of(const struct block *b, long first)
{
	struct block p = *b;

	p.rows = std::min((long)(ROOM / b->width), b->rows - first);
	p.dst += first * b->dst_step;
	p.src += first * b->src_step;

	return p;
}

static void upload(const struct block *b)
{
	cudaStream_t stream = gpu_lane(GPU_UPLOAD);
	struct ring *r = get_ring();

	gpu_after(gpu_stream(), stream);

	for (long row = 0; row < b->rows;) {
		const int k = r->next++ % RING;
		const struct block part = part_of(b, row);
		struct block fill = part, move = part;

		row += part.rows;
		if (row < b->rows)
			read_ahead(b->src + row * b->src_step, (size_t)(part.rows * b->src_step));

		fill.dst = r->buffer[k];
		fill.dst_step = (long)b->width;
		move.src = r->buffer[k];
		move.src_step = (long)b->width;
		GPU_CHECK(cudaEventSynchronize(r->moved[k]));
		host_copy(&fill);
		GPU_CHECK(move_rows(&move, cudaMemcpyHostToDevice, stream));
		GPU_CHECK(cudaEventRecord(r->moved[k], stream));
	}

	gpu_after(stream, gpu_stream());
	r->lock.unlock();
}

static void download(const struct block *b)
{
	cudaStream_t stream = gpu_lane(GPU_DOWNLOAD);
	struct ring *r = get_ring();
	struct block empty[RING];
	long asked = 0, done = 0;

	gpu_after(gpu_stream(), stream);

	for (long row = 0; row < b->rows || done < asked;) {
		if (row < b->rows && asked - done < RING) {
			const int k = (int)(asked++ % RING);
			struct block move = part_of(b, row);

			row += move.rows;
			empty[k] = move;
			empty[k].src = r->buffer[k];
			empty[k].src_step = (long)b->width;
			move.dst = r->buffer[k];
			move.dst_step = (long)b->width;
			GPU_CHECK(cudaEventSynchronize(r->moved[k])); // of an upload
			GPU_CHECK(move_rows(&move, cudaMemcpyDeviceToHost, stream));
			GPU_CHECK(cudaEventRecord(r->moved[k], stream));
			continue;
		}

		const int k = (int)(done++ % RING);

		GPU_CHECK(cudaEventSynchronize(r->moved[k]));
		host_copy(&empty[k]);
	}

	r->next = 0;
	r->lock.unlock();
}

/* ---- what is where ---- */

/** Memory that the engine can reach by itself. */
static bool is_pinned(const void *p)
{
	cudaPointerAttributes a;

	if (cudaSuccess != cudaPointerGetAttributes(&a, p)) {
		cudaGetLastError();
		return false;
	}

	return cudaMemoryTypeHost == a.type;
}

/** Between the host and the device. */
static void between(const struct block *b, bool up)
{
	const size_t bytes = b->width * (size_t)b->rows;

	if (bytes <= DIRECT || is_pinned(up ? b->src : b->dst)) {
		GPU_CHECK(move_rows(b, up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, gpu_stream()));
		if (!up || DIRECT < bytes)
			GPU_CHECK(cudaStreamSynchronize(gpu_stream()));
	} else if (up) {
		upload(b);
	} else {
		download(b);
	}
}

static void copy_rows(const struct block *b)
{
	const bool to = device_holds(b->dst), from = device_holds(b->src);

	if (!to && !from) {
		host_copy(b);
		return;
	}

	gpu_enter();

	if (to && from) {
		GPU_CHECK(move_rows(b, cudaMemcpyDeviceToDevice, gpu_stream()));
		return;
	}

	if (b->width <= ROOM) {
		between(b, to);
		return;
	}

	for (long i = 0; i < b->rows; i++) // rows of whole buffers and a rest
		device_copy(b->dst + i * b->dst_step, b->src + i * b->src_step, b->width);
}

extern "C" void device_copy(void *dst, const void *src, size_t bytes)
{
	const size_t whole = bytes / ROOM * ROOM, rest = bytes - whole;

	if (0 < whole) {
		const struct block b = {
		        ROOM, (long)(bytes / ROOM), (char *)dst, (long)ROOM, (const char *)src, (long)ROOM};

		copy_rows(&b);
	}

	if (0 < rest) {
		const struct block b = {
		        rest, 1, (char *)dst + whole, (long)rest, (const char *)src + whole, (long)rest};

		copy_rows(&b);
	}
}

extern "C" void device_copy2(
        size_t width, long rows, void *dst, long dst_step, const void *src, long src_step)
{
	const struct block b = {width, rows, (char *)dst, dst_step, (const char *)src, src_step};

	if (0 == width || rows < 1)
		return;

	if (dst_step < (long)width || src_step < (long)width)
		error("rows of %zu bytes that are %ld and %ld bytes apart, expected no overlap", width,
		        dst_step, src_step);

	if (dst_step == (long)width && src_step == (long)width)
		device_copy(dst, src, width * (size_t)rows);
	else
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
	if (device_used() < 0)
		return;

	GPU_CHECK(cudaStreamSynchronize(gpu_stream()));
}
