#ifndef NUM_DEVICE_CUDA_WORKER_H
#define NUM_DEVICE_CUDA_WORKER_H

#include <cuda_runtime.h>

/**
 * A worker is a GPU, or a part of a GPU, with its own streams. By default there is one worker, number 0, on
 * the device in use. GANTRY_GPU_WORKERS=N creates N workers; worker w uses GPU (u + w) modulo the number of
 * GPUs, where u is the GPU in use. So the division of work between GPUs can be tested on one GPU. Each host
 * thread works for one worker (device_for_workers()).
 */

/** Assigns the calling thread to worker w. */
extern void gpu_worker_use(int w);

/** gpu_worker() returns the number of the calling thread's worker. gpu_worker_device() returns the GPU of
 * this worker, where `used` is the GPU of worker 0 (-1: none). */
extern int gpu_worker(void);
extern int gpu_worker_device(int used);

/** Streams of the calling thread's worker. gpu_stream() (num/device/cuda/gpu.h) is the stream GPU_COMPUTE. */
enum gpu_lane { GPU_COMPUTE, GPU_UPLOAD, GPU_DOWNLOAD, GPU_LANES };
extern cudaStream_t gpu_lane(enum gpu_lane lane);

/** Work that is enqueued on `then` after this call waits for all work already enqueued on `first`. */
extern void gpu_after(cudaStream_t first, cudaStream_t then);

#endif
