#ifndef NUM_DEVICE_CUDA_SETTINGS_H
#define NUM_DEVICE_CUDA_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

/** Declares GPU settings, mostly environment variables. */

enum { GPU_WORKERS_MOST = 64 };

/** Returns the size in environment variable `name`, or `otherwise` if the variable is not set. */
extern size_t gpu_setting_bytes(const char *name, size_t otherwise);

/** Returns GANTRY_GPU_MEM, the bytes of a GPU that may be used. The value 0 means all. */
extern size_t gpu_setting_memory(void);

/** Returns GANTRY_GPU_WORKERS, from 1 to GPU_WORKERS_MOST. The default is 1. */
extern int gpu_setting_workers(void);

/** Returns the number of the calling thread's GPU, like gpu_enter(). */
extern int gpu_current(void);

/**
 * Self-tests use these functions, because other work may use all GPU memory at the same time:
 * - gpu_beside(): From gpu_beside(true) to gpu_beside(false), GANTRY_GPU_MEM does not limit the calling
 *   thread. Copies by the thread do not count in device_crossed().
 * - gpu_is_beside(): Returns whether gpu_beside(true) is in effect.
 */
extern void gpu_beside(bool begin);
extern bool gpu_is_beside(void);

/** Returns the driver's CUDA version as `1000 major + 10 minor`. */
extern int gpu_driver_version(void);

/** Writes human_bytes(bytes) to `text`, for example "1.5 GB". */
extern void gpu_human_bytes(char text[32], size_t bytes);

#endif
