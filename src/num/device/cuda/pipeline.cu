/* Slabs of data that pass through the device: one thread uploads them, the calling one enqueues the work and
 * a third downloads them. Work on the device waits for earlier work by events; a thread waits for another
 * only until that has enqueued its work, or until buffers of the host are filled. */

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <omp.h>
#include <thread>

#include "num/device/cuda/gpu.h"
#include "num/device/cuda/worker.h"
#include "num/md/cuda/copy.h"

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
	// slabs: on their way to the device; work asked for; given back, or asked for where that is pinned
	long brought, computed, taken;
};

/** One more slab has come so far. */
static void count_up(struct pipe *q, long *slabs)
{
	std::lock_guard<std::mutex> hold(q->lock);

	++*slabs;
	q->changed.notify_all();
}

/** Waits until slab k has. */
static void wait_until(struct pipe *q, const long *slabs, long k)
{
	std::unique_lock<std::mutex> hold(q->lock);

	q->changed.wait(hold, [slabs, k] { return *slabs > k; });
}

static bool is_moved(const struct device_part *a)
{
	return 0 < a->width * (size_t)a->rows && (NULL != a->host || NULL != a->move);
}

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

static void bring(struct pipe *q, long k)
{
	cudaStream_t stream = gpu_lane(GPU_UPLOAD);
	struct slot *t = &q->slot[k % q->buffers];
	struct device_slab s;

	q->p->describe(q->p->ctx, k, &s);

	if (k >= q->buffers) { // what its buffers held has been computed
		wait_until(q, &q->computed, k - q->buffers);
		GPU_CHECK(cudaStreamWaitEvent(stream, t->computed, 0));
	}

	for (int i = 0; i < s.inputs; i++) {
		const struct device_part *a = &s.in[i];
		const struct gpu_rows rows = {a->width, a->rows, (char *)t->in[i], (long)a->width,
		        (const char *)a->host, a->step, (NULL != a->move) ? a : NULL, a->at};

		if (is_moved(a))
			gpu_upload(&rows, stream);
	}

	GPU_CHECK(cudaEventRecord(t->brought, stream));
	count_up(q, &q->brought);
}

static void pipeline_work(struct pipe *q, long k)
{
	struct slot *t = &q->slot[k % q->buffers];

	if (k >= q->buffers) { // its outputs have been taken
		wait_until(q, &q->taken, k - q->buffers);
		GPU_CHECK(cudaStreamWaitEvent(gpu_stream(), t->taken, 0));
	}

	wait_until(q, &q->brought, k);
	GPU_CHECK(cudaStreamWaitEvent(gpu_stream(), t->brought, 0));
	q->p->compute(q->p->ctx, k, t->in, t->out);
	GPU_CHECK(cudaEventRecord(t->computed, gpu_stream()));
	count_up(q, &q->computed);
}

static void take_back(struct pipe *q, long k)
{
	cudaStream_t stream = gpu_lane(GPU_DOWNLOAD);
	struct slot *t = &q->slot[k % q->buffers];
	struct device_slab s;

	q->p->describe(q->p->ctx, k, &s);
	wait_until(q, &q->computed, k);
	GPU_CHECK(cudaStreamWaitEvent(stream, t->computed, 0));

	for (int i = 0; i < s.outputs; i++) {
		const struct device_part *a = &s.out[i];
		const struct gpu_rows rows = {a->width, a->rows, (char *)a->host, a->step,
		        (const char *)t->out[i], (long)a->width, (NULL != a->move) ? a : NULL, a->at};

		if (is_moved(a))
			gpu_download(&rows, stream);
	}

	GPU_CHECK(cudaEventRecord(t->taken, stream));
	count_up(q, &q->taken);
}

/** step() for all slabs in a thread of its own, with threads as the calling one has them. */
static std::thread pipeline_begin(struct pipe *q, void (*step)(struct pipe *q, long k))
{
	const int threads = omp_get_max_threads();

	return std::thread([q, step, threads] {
		gpu_worker_use(q->worker);
		omp_set_num_threads(threads);

		for (long k = 0; k < q->p->slabs; k++)
			step(q, k);
	});
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

	if (1 == p->slabs) {
		bring(&q, 0);
		pipeline_work(&q, 0);
		take_back(&q, 0);
	} else {
		std::thread bringer = pipeline_begin(&q, bring), taker = pipeline_begin(&q, take_back);

		for (long k = 0; k < p->slabs; k++)
			pipeline_work(&q, k);

		bringer.join();
		taker.join();
	}

	GPU_CHECK(cudaStreamSynchronize(gpu_lane(GPU_DOWNLOAD)));
	close_slots(&q);
}
