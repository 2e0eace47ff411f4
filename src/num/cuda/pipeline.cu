/* Slabs of data larger than the device: brought, computed and taken back at the same time. The calling thread
 * brings them and asks for the work, a second one takes them back. */

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "num/cuda/copy.h"
#include "num/cuda/gpu.h"
#include "num/cuda/worker.h"

enum { BUFFERS = 3, BUFFERS_MOST = 8 };

struct slot {
	void *in[DEVICE_PARTS], *out[DEVICE_PARTS];
	cudaEvent_t brought, computed, taken;
};

struct pipe {
	const struct device_pipeline *p;
	int buffers, worker;
	struct slot slot[BUFFERS_MOST];
	std::mutex lock;
	std::condition_variable changed;
	long computed,
	        taken; // slabs: work asked for; given back to the host, or asked for where that is pinned
};

static size_t part_bytes(const struct device_part *a)
{
	return a->width * (size_t)a->rows;
}

static int buffers_of(const struct device_pipeline *p)
{
	const int n = (0 == p->buffers) ? BUFFERS : p->buffers;

	return (int)std::min((long)std::min(n, (int)BUFFERS_MOST), p->slabs);
}

/** The largest that each operand gets. */
static struct device_slab largest(const struct device_pipeline *p, size_t in[], size_t out[])
{
	struct device_slab s = {};

	std::fill(in, in + DEVICE_PARTS, 0);
	std::fill(out, out + DEVICE_PARTS, 0);

	for (long k = 0; k < p->slabs; k++) {
		p->describe(p->ctx, k, &s);

		for (int i = 0; i < s.inputs; i++)
			in[i] = std::max(in[i], part_bytes(&s.in[i]));
		for (int i = 0; i < s.outputs; i++)
			out[i] = std::max(out[i], part_bytes(&s.out[i]));
	}

	return s;
}

extern "C" size_t device_pipeline_bytes(const struct device_pipeline *p)
{
	size_t in[DEVICE_PARTS], out[DEVICE_PARTS], all = 0;

	largest(p, in, out);
	for (int i = 0; i < DEVICE_PARTS; i++)
		all += in[i] + out[i];

	return all * (size_t)buffers_of(p);
}

static void open_slots(struct pipe *q)
{
	size_t in[DEVICE_PARTS], out[DEVICE_PARTS];
	const struct device_slab s = largest(q->p, in, out);

	for (int b = 0; b < q->buffers; b++) {
		struct slot *t = &q->slot[b];

		for (int i = 0; i < s.inputs; i++)
			t->in[i] = device_alloc(in[i]);
		for (int i = 0; i < s.outputs; i++)
			t->out[i] = device_alloc(out[i]);

		for (cudaEvent_t *e : {&t->brought, &t->computed, &t->taken})
			GPU_CHECK(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
	}
}

static void close_slots(struct pipe *q)
{
	for (int b = 0; b < q->buffers; b++) {
		struct slot *t = &q->slot[b];

		for (int i = 0; i < DEVICE_PARTS; i++) {
			device_free(t->in[i]);
			device_free(t->out[i]);
		}

		for (cudaEvent_t e : {t->brought, t->computed, t->taken})
			GPU_CHECK(cudaEventDestroy(e));
	}
}

/** Once the work on slab k has been asked for: back to the host with its outputs. */
static void take_back(struct pipe *q, long k)
{
	cudaStream_t stream = gpu_lane(GPU_DOWNLOAD);
	struct slot *t = &q->slot[k % q->buffers];
	struct device_slab s;

	q->p->describe(q->p->ctx, k, &s);
	GPU_CHECK(cudaStreamWaitEvent(stream, t->computed, 0));

	for (int i = 0; i < s.outputs; i++) {
		const struct device_part *a = &s.out[i];
		const struct gpu_rows rows = {
		        a->width, a->rows, (char *)a->host, a->step, (const char *)t->out[i], (long)a->width};

		if (NULL != a->host && 0 < part_bytes(a))
			gpu_download(&rows, stream);
	}

	GPU_CHECK(cudaEventRecord(t->taken, stream));
}

static void taker(struct pipe *q)
{
	gpu_worker_use(q->worker);

	for (long k = 0; k < q->p->slabs; k++) {
		std::unique_lock<std::mutex> hold(q->lock);

		q->changed.wait(hold, [q, k] { return q->computed > k; });
		hold.unlock();
		take_back(q, k);
		hold.lock();
		q->taken++;
		q->changed.notify_all();
	}

	GPU_CHECK(cudaStreamSynchronize(gpu_lane(GPU_DOWNLOAD)));
}

static void bring(struct pipe *q, long k)
{
	cudaStream_t stream = gpu_lane(GPU_UPLOAD);
	struct slot *t = &q->slot[k % q->buffers];
	struct device_slab s;

	q->p->describe(q->p->ctx, k, &s);
	if (k >= q->buffers) // its buffers have been read
		GPU_CHECK(cudaStreamWaitEvent(stream, t->computed, 0));

	for (int i = 0; i < s.inputs; i++) {
		const struct device_part *a = &s.in[i];
		const struct gpu_rows rows = {
		        a->width, a->rows, (char *)t->in[i], (long)a->width, (const char *)a->host, a->step};

		if (NULL != a->host && 0 < part_bytes(a))
			gpu_upload(&rows, stream);
	}

	GPU_CHECK(cudaEventRecord(t->brought, stream));
}

static void work(struct pipe *q, long k)
{
	struct slot *t = &q->slot[k % q->buffers];

	if (k >= q->buffers) { // its outputs have been taken
		std::unique_lock<std::mutex> hold(q->lock);

		q->changed.wait(hold, [q, k] { return q->taken > k - q->buffers; });
		GPU_CHECK(cudaStreamWaitEvent(gpu_stream(), t->taken, 0));
	}

	GPU_CHECK(cudaStreamWaitEvent(gpu_stream(), t->brought, 0));
	q->p->compute(q->p->ctx, k, t->in, t->out);
	GPU_CHECK(cudaEventRecord(t->computed, gpu_stream()));

	std::lock_guard<std::mutex> hold(q->lock);

	q->computed++;
	q->changed.notify_all();
}

extern "C" void device_run_pipeline(const struct device_pipeline *p)
{
	struct pipe q = {};

	if (p->slabs < 1)
		return;

	q.p = p;
	q.buffers = buffers_of(p);
	q.worker = gpu_worker();
	open_slots(&q);
	gpu_after(gpu_stream(),
	        gpu_lane(GPU_UPLOAD)); // memory is there, and operands already on their way are written

	std::thread back(taker, &q);

	for (long k = 0; k < p->slabs; k++) {
		bring(&q, k);
		work(&q, k);
	}

	back.join();
	close_slots(&q);
}
