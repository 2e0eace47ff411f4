/* Workers and their streams. */

#include <mutex>
#include <thread>
#include <vector>

#include "num/device/cuda/gpu.h"
#include "num/device/cuda/selftest.h"
#include "num/device/cuda/worker.h"

extern "C" {
#include "num/device/cuda/settings.h"
}

static thread_local int worker;

extern "C" int device_workers(void)
{
	static const int n = gpu_setting_workers();

	return n;
}

void gpu_worker_use(int w)
{
	if (w < 0 || w >= GPU_WORKERS_MOST)
		error("GPU worker %d, expected 0..%d", w, GPU_WORKERS_MOST - 1);

	worker = w;
}

int gpu_worker(void)
{
	return worker;
}

int gpu_worker_device(int used)
{
	return (used < 0) ? -1 : (used + worker) % device_count();
}

/** The stream, made when it is missing. */
static cudaStream_t get_stream(enum gpu_lane lane)
{
	static cudaStream_t streams[GPU_WORKERS_MOST][GPU_LANES];
	static std::mutex lock;
	std::lock_guard<std::mutex> hold(lock);
	cudaStream_t *s = &streams[worker][lane];

	if (NULL == *s)
		GPU_CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));

	return *s;
}

cudaStream_t gpu_lane(enum gpu_lane lane)
{
	gpu_enter();
	gpu_selftest(&gpu_selftest_device); // does nothing but once

	return get_stream(lane);
}

cudaStream_t gpu_stream(void)
{
	return gpu_lane(GPU_COMPUTE);
}

void gpu_after(cudaStream_t first, cudaStream_t then)
{
	cudaEvent_t e;

	GPU_CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
	GPU_CHECK(cudaEventRecord(e, first));
	GPU_CHECK(cudaStreamWaitEvent(then, e, 0));
	GPU_CHECK(cudaEventDestroy(e)); // the runtime keeps it as long as it is waited for
}

extern "C" void device_for_workers(void (*fn)(void *ctx, int worker), void *ctx)
{
	const int n = device_workers();
	std::vector<std::thread> threads;

	device_sync(); // what they read has been written

	if (selftest_runs()) {
		for (int w = 0; w < n; w++)
			fn(ctx, w);

		device_sync();
		return;
	}

	for (int w = 1; w < n; w++)
		threads.emplace_back([fn, ctx, w] {
			gpu_worker_use(w);
			fn(ctx, w);
			GPU_CHECK(cudaStreamSynchronize(gpu_stream()));
		});

	fn(ctx, 0);
	device_sync();

	for (std::thread &t : threads)
		t.join();
}
