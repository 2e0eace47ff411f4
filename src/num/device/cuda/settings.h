#ifndef NUM_DEVICE_CUDA_SETTINGS_H
#define NUM_DEVICE_CUDA_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

/** Environment variables for GPUs. The variables are read in C, so that C++ files need no headers with
 * complex numbers. */

enum { GPU_WORKERS_MOST = 64 };

/** A size in the environment (parse_bytes()), or `otherwise` if not set. */
extern size_t gpu_setting_bytes(const char *name, size_t otherwise);

/** GANTRY_GPU_MEM, bytes of a GPU that may be used; 0: all. */
extern size_t gpu_setting_memory(void);

/** GANTRY_GPU_WORKERS, or 1. */
extern int gpu_setting_workers(void);

/** The GPU that the calling thread works with (gpu_enter()). */
extern int gpu_current(void);

/** Between gpu_beside(true) and gpu_beside(false), memory of this thread is not counted against
 * GANTRY_GPU_MEM, and copies by this thread are not counted in device_crossed(). For self-tests, which may
 * run while other work uses all of the memory. */
extern void gpu_beside(bool begin);
extern bool gpu_is_beside(void);

/** CUDA version of the driver, 1000 major + 10 minor. */
extern int gpu_driver_version(void);

/** "1.5 GB": human_bytes() into text. */
extern void gpu_human_bytes(char text[32], size_t bytes);

#endif
