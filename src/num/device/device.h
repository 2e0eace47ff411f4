#ifndef NUM_DEVICE_DEVICE_H
#define NUM_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The GPUs of this machine: properties, choice, memory and copies. In builds without CUDA, and on machines
 * without a GPU or driver, device_count() is 0. Then device_holds() is false for every address, copies are
 * made by the CPU, and device_alloc() ends the command.
 *
 * The address determines where data reside (device_holds()); no flag is passed. Work on a device is done in
 * the order of the calls. A function that copies data to the host returns when the copy is complete.
 */

/* ---- facts ---- */

/** device_platform() returns "CUDA", or "HIP" (AMD). device_toolkit() returns the version of the platform in
 * this build, e.g. "13.0". It returns "emulated" if kernels run on the CPU, and "no" in builds without a
 * platform. */
extern const char *device_platform(void);
extern const char *device_toolkit(void);

/** Number of usable GPUs; 0 when there is none. */
extern int device_count(void);

/** Name of GPU id, 0 <= id < device_count(), e.g. "NVIDIA H200"; a static buffer. */
extern const char *device_name(int id);

/** Memory of GPU id [bytes]. */
extern long device_memory(int id);

/** Compute capability (10 major + minor: 90), multiprocessors, and second-level cache [bytes] of GPU id. */
extern int device_capability(int id);
extern int device_processors(int id);
extern long device_cache(int id);

/** Why there is no GPU: "built without CUDA", or the driver's message; "" if there is one. A static string.
 */
extern const char *device_none_reason(void);

/* ---- choice ---- */

/** Selects GPU id for all following computations; -1: the CPU (default). error() if the GPU does not exist.
 * Select a GPU before data are copied to it; device_use(-1) may follow at any time, and these data stay
 * valid. */
extern void device_use(int id);

/** The number of the GPU in use, or -1. */
extern int device_used(void);

/**
 * Whether work that reads and writes `bytes` bytes of host arrays, with `operations` arithmetic operations,
 * should run on the GPU: always with -g or --device gpu, never with --device cpu. With --device auto, the
 * result is true if the GPU is estimated to be faster, copies included; device_used() then returns the GPU.
 */
extern bool device_worth(double bytes, double operations);

/* ---- memory ---- */

/** Allocates device memory, aligned to 256 bytes; error() with the bytes requested and available if there is
 * not enough memory. Freed memory is kept for the next call. */
extern void *device_alloc(size_t bytes);
extern void device_free(void *p);

/** Whether p points into device memory: any address inside an array of device_alloc(). */
extern bool device_holds(const void *p);

/** device_left() returns the bytes that device_alloc() can still allocate under GANTRY_GPU_MEM.
 * device_taken() returns the bytes that are allocated. */
extern size_t device_left(void);
extern size_t device_taken(void);

/* ---- copies: either side on the host or on the device ---- */

/** Copies bytes. On return, the source may be changed, and the target may be read by the host or by later
 * work. Host addresses may be in ordinary memory or mapped files. */
extern void device_copy(void *dst, const void *src, size_t bytes);

/** Copies `rows` rows of `width` bytes; dst_step, src_step: distance between the first bytes of rows [bytes],
 * at least width. */
extern void device_copy2(size_t width, long rows, void *dst, long dst_step, const void *src, long src_step);

/** Bytes copied between host and device so far by the functions of this section. */
struct device_crossings {
	long copies, back; // back: of them to the host
	size_t bytes;
};
extern struct device_crossings device_crossed(void);

/** Sets all bytes to `value`. */
extern void device_fill(void *dst, int value, size_t bytes);

/** Returns when all enqueued work is done. */
extern void device_sync(void);

/* ---- data larger than the device ---- */

enum { DEVICE_PARTS = 16 };

/** Reads bytes [at, at + n) of `file` into the buffer (inputs), or writes them from the buffer (outputs). n
 * is a multiple of 16, except at the end of the data. */
typedef void device_move_fn(void *file, long at, long n, void *buffer);

/** An operand of a slab: rows of `width` bytes on the host (or elsewhere on the device), `step` bytes apart.
 * In the device memory used for computing, the rows are contiguous. If `host` is NULL, move() transfers bytes
 * [at, at + width) of `file` between the file and pinned buffers, and `rows` is 1. If `move` is also NULL,
 * the operand is device memory without transfers. Several threads call move(), in any order; with `in_order`,
 * there is one call at a time, in the order of the data. */
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

/**
 * For each slab: uploads the inputs, computes, and downloads the outputs. Upload, computation and download
 * each have their own thread and stream. While a slab is computed, next slabs are uploaded, previous slabs
 * are downloaded, and files are read and written. `buffers` slabs are on the device at a time (0 means 3).
 */
struct device_pipeline {
	long slabs;
	int buffers;
	/** Describes the operands of a slab. May be called several times, and by several threads at once. */
	void (*describe)(void *ctx, long slab, struct device_slab *s);
	/** Enqueues the work (kernels on the compute stream, md_ functions, device_copy() on the device), in
	 * the calling thread. If compute() waits for a result, copies of other slabs continue. */
	void (*compute)(void *ctx, long slab, void *const in[], void *const out[]);
	void *ctx;
};

/** Runs the pipeline; returns when all outputs are complete. */
extern void device_run_pipeline(const struct device_pipeline *p);

/** Device memory that the pipeline needs [bytes]. */
extern size_t device_pipeline_bytes(const struct device_pipeline *p);

/* ---- several workers ---- */

/** Number of workers that share the work: 1, or GANTRY_GPU_WORKERS. Worker w has its own streams and uses GPU
 * (device_used() + w) modulo the number of GPUs. */
extern int device_workers(void);

/** Runs fn(ctx, w) for every worker w, each in its own thread; returns when all are done.
 */
extern void device_for_workers(void (*fn)(void *ctx, int worker), void *ctx);

#endif
