#ifndef NUM_DEVICE_CUDA_WORKER_H
#define NUM_DEVICE_CUDA_WORKER_H

#include <cuda_runtime.h>

/** A worker is a GPU, or a share of a GPU, with separate streams. By default, worker 0 on the GPU in use is
 * the only worker. GANTRY_GPU_WORKERS=N creates N workers. With n GPUs and GPU u in use, worker w uses GPU
 * `(u + w) mod n`. A host thread works for one worker (device_for_workers()). */

/** Assigns the calling thread to worker w. */
extern void gpu_worker_use(int w);

/**
 * These functions describe the worker of the calling thread:
 * - gpu_worker(): Returns the number of the worker.
 * - gpu_worker_device(): Returns the GPU of the worker, or -1. `used` is the GPU of worker 0, or -1.
 */
extern int gpu_worker(void);
extern int gpu_worker_device(int used);

/** Lists the streams of a worker. The function gpu_stream() (num/device/cuda/gpu.h) returns the stream
 * GPU_COMPUTE. */
enum gpu_lane { GPU_COMPUTE, GPU_UPLOAD, GPU_DOWNLOAD, GPU_LANES };
extern cudaStream_t gpu_lane(enum gpu_lane lane);

/** Later work on stream `then` waits for work enqueued earlier on stream `first`. */
extern void gpu_after(cudaStream_t first, cudaStream_t then);

#endif
