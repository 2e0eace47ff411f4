#ifndef NUM_DEVICE_DEVICE_H
#define NUM_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * These functions manage the GPUs of this machine, their memory, and copies. Without CUDA, a GPU or a driver,
 * device_count() is 0. Then device_holds() is always false, the CPU copies, and device_alloc() calls error().
 *
 * The address tells where data reside (device_holds()). Work on a device is done in the order of the calls.
 */

/* ---- facts ---- */

/**
 * These functions describe the GPU support of this build:
 * - device_platform(): Returns "CUDA", or "HIP" for AMD.
 * - device_toolkit(): Returns the version of CUDA or HIP, for example "13.0". Returns "emulated" if kernels
 *   run on the CPU, and "no" in builds without GPU support.
 */
extern const char *device_platform(void);
extern const char *device_toolkit(void);

/** Returns the number of usable GPUs. */
extern int device_count(void);

/** Returns the name of GPU `id`, from 0 to device_count() - 1. The text is static. */
extern const char *device_name(int id);

/** Returns the memory of a GPU [bytes]. */
extern long device_memory(int id);

/**
 * These functions return properties of a GPU:
 * - device_capability(): Compute capability as `10 major + minor`.
 * - device_processors(): Number of multiprocessors.
 * - device_cache(): Size of the second-level cache [bytes].
 */
extern int device_capability(int id);
extern int device_processors(int id);
extern long device_cache(int id);

/** Returns why there is no GPU, or "" if there is a GPU. The text is static. */
extern const char *device_none_reason(void);

/* ---- choice ---- */

/** Selects a GPU for all following computations, or the CPU if `id` is -1. The CPU is the default. If the GPU
 * does not exist, error() is called. Select a GPU before data are copied to it. Data on the GPU stay valid
 * after device_use(-1). */
extern void device_use(int id);

/** Returns the number of the GPU in use, or -1. */
extern int device_used(void);

/** Returns whether work on host arrays should run on the GPU. The work reads and writes `bytes` bytes, with
 * `operations` arithmetic operations. The result is true with --device gpu, and false with --device cpu. With
 * --device auto, the result is true if the GPU is estimated to be faster, including copies. If the result is
 * true, device_used() returns the GPU. */
extern bool device_worth(double bytes, double operations);

/* ---- memory ---- */

/** Allocates device memory, aligned to 256 bytes. If memory is insufficient, error() states the bytes
 * requested and free. */
extern void *device_alloc(size_t bytes);
extern void device_free(void *p);

/** Returns whether p is an address inside an array of device_alloc(). */
extern bool device_holds(const void *p);

/**
 * These functions describe the memory of the GPU in use [bytes]:
 * - device_left(): Memory that can still be allocated, within GANTRY_GPU_MEM.
 * - device_taken(): Allocated memory.
 */
extern size_t device_left(void);
extern size_t device_taken(void);

/* ---- copies: either side on the host or on the device ---- */

/** Copies `bytes` bytes. After the call, the caller may overwrite `src`. The host and later device work may
 * read `dst`. Host memory may be ordinary memory or mapped files. */
extern void device_copy(void *dst, const void *src, size_t bytes);

/** Copies `rows` rows of `width` bytes. Rows begin `dst_step` and `src_step` bytes apart. Steps below `width`
 * are an error(). */
extern void device_copy2(size_t width, long rows, void *dst, long dst_step, const void *src, long src_step);

/** Counts the copies between host and device that this section's functions make. */
struct device_crossings {
	long copies, back; // `back`: copies to the host
	size_t bytes;
};
extern struct device_crossings device_crossed(void);

/** Sets `bytes` bytes at `dst` to `value`. */
extern void device_fill(void *dst, int value, size_t bytes);

/** Waits for the work on the compute stream of the calling thread's worker. */
extern void device_sync(void);

/* ---- data larger than the device ---- */

enum { DEVICE_PARTS = 16 };

/** For an input, copies bytes [at, at + n) of `file` to `buffer`. For an output, copies `buffer` to bytes
 * [at, at + n) of `file`. Except at the end of the data, n is a multiple of 16. */
typedef void device_move_fn(void *file, long at, long n, void *buffer);

/**
 * Describes an input or output of a slab: `rows` rows of `width` bytes. The function compute() receives the
 * rows without gaps, in device memory. The data are in one of three places:
 * - If `host` is not NULL, rows begin at `host`, `step` bytes apart. `host` may be device memory.
 * - If `move` is not NULL, move() transfers bytes [at, at + width) of `file`. With `move`, `rows` must be 1.
 * - If `host` and `move` are NULL, the operand is device memory without transfers.
 *
 * Several threads may call move() at once, in any order. If `in_order` is true, calls come one at a time, in
 * the order of the data.
 */
struct device_part {
	void *host;
	size_t width;
	long rows, step;
	device_move_fn *move;
	void *file;
	long at;
	bool in_order;
};

struct device_slab {
	int inputs, outputs;
	struct device_part in[DEVICE_PARTS], out[DEVICE_PARTS];
};

/** Uploads the inputs of each slab, computes, and downloads the outputs. Upload, computation and download of
 * different slabs run at the same time. Up to `buffers` slabs, at most 8, are on the device at once. If
 * `buffers` is 0, the maximum is 3. */
struct device_pipeline {
	long slabs;
	int buffers;
	/** Describes the operands of a slab. Several threads may call the function, several times for each
	 * slab. */
	void (*describe)(void *ctx, long slab, struct device_slab *s);
	/** Enqueues the computation of a slab on the compute stream, in the thread of device_run_pipeline().
	 * The function may wait for results. */
	void (*compute)(void *ctx, long slab, void *const in[], void *const out[]);
	void *ctx;
};

/** Runs the pipeline. Returns when all outputs are complete. */
extern void device_run_pipeline(const struct device_pipeline *p);

/** Returns the device memory that the pipeline needs [bytes]. */
extern size_t device_pipeline_bytes(const struct device_pipeline *p);

/* ---- several workers ---- */

/** Returns the number of workers, 1 or GANTRY_GPU_WORKERS. Worker w uses GPU (device_used() + w) modulo the
 * number of GPUs. */
extern int device_workers(void);

/** Runs fn(ctx, w) for every worker w. Returns when all calls are complete. Worker 0 runs in the calling
 * thread, other workers in new threads. In self-tests, the calling thread runs all workers. */
extern void device_for_workers(void (*fn)(void *ctx, int worker), void *ctx);

#endif
