#ifndef NUM_DEVICE_DEVICE_H
#define NUM_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The GPUs of this machine: properties, choice, memory and copies. Builds without CUDA, and machines without
 * a GPU or driver, have none. Then device_holds() is false for every address, copies are those of the CPU,
 * and device_alloc() ends the command.
 *
 * The address tells where data reside (device_holds()); no flag is passed. Work on a device is done in the
 * order of the calls; a function that copies data to the host returns when they are there.
 */

/* ---- facts ---- */

/** CUDA of this build: "no", "13.0" (the toolkit's version), or "emulated" (kernels run by the processor).
 */
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

/** Computes on GPU id from now on; -1: on the CPU (as at the start). error() if there is no such GPU. Call it
 * once, before anything is on a device. */
extern void device_use(int id);

/** Its number, or -1. */
extern int device_used(void);

/**
 * Whether work that reads and writes so many bytes of host arrays, with so many arithmetic operations, should
 * run on the GPU: always after -g or --device gpu, never after --device cpu, and under --device auto if that
 * is faster including the copies. device_used() then returns the GPU.
 */
extern bool device_worth(double bytes, double operations);

/* ---- memory ---- */

/** Device memory, aligned to 256 bytes; error() with the bytes requested and available if there is not
 * enough. Freed memory is kept for the next call. */
extern void *device_alloc(size_t bytes);
extern void device_free(void *p);

/** Whether p points into device memory: any address inside an array of device_alloc(). */
extern bool device_holds(const void *p);

/** Bytes that device_alloc() can still give, under GANTRY_GPU_MEM; bytes currently allocated by it. */
extern size_t device_left(void);
extern size_t device_taken(void);

/* ---- copies: either side on the host or on the device ---- */

/** On return the source may be changed and the target be read (by the host, or by later work). Mapped files
 * and ordinary memory alike. */
extern void device_copy(void *dst, const void *src, size_t bytes);

/** rows times `width` bytes; the first bytes of rows are dst_step, src_step apart [bytes], at least width. */
extern void device_copy2(size_t width, long rows, void *dst, long dst_step, const void *src, long src_step);

/** Bytes copied between host and device so far by the functions of this section. */
struct device_crossings {
	long copies, back; // back: of them to the host
	size_t bytes;
};
extern struct device_crossings device_crossed(void);

/** All bytes to `value`. */
extern void device_fill(void *dst, int value, size_t bytes);

/** Returns when all enqueued work is done. */
extern void device_sync(void);

/* ---- data larger than the device ---- */

enum { DEVICE_PARTS = 16 };

/** Bytes [at, at + n) of `file` to the buffer (inputs) or from it (outputs), n a multiple of 16 but at the
 * end. */
typedef void device_move_fn(void *file, long at, long n, void *buffer);

/** An operand of a slab: rows of `width` bytes on the host (or elsewhere on the device), `step` bytes apart;
 * contiguous in the device memory used for computing. host NULL: only memory on the device, or data that
 * `move` transfers, bytes [at, at + width) of `file` (rows: 1), directly between it and the pinned buffers:
 * by several threads in any order, or, `in_order`, one call after the other. */
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
 * For each slab: uploads the inputs, computes, downloads the outputs, each in its own thread and stream.
 * While a slab is computed the next ones are uploaded, previous ones downloaded, and files read and written.
 * `buffers` slabs are on the device at a time (0: 3).
 */
struct device_pipeline {
	long slabs;
	int buffers;
	/** May be called several times, and by several threads at once. */
	void (*describe)(void *ctx, long slab, struct device_slab *s);
	/** Enqueues the work (kernels on the compute stream, md_ functions, device_copy() on the device), in
	 * the calling thread. If it waits for a result, copies of other slabs continue. */
	void (*compute)(void *ctx, long slab, void *const in[], void *const out[]);
	void *ctx;
};

/** Returns when all outputs are complete. */
extern void device_run_pipeline(const struct device_pipeline *p);

/** Device memory needed [bytes]. */
extern size_t device_pipeline_bytes(const struct device_pipeline *p);

/* ---- several workers ---- */

/** Number of workers that share the work: 1, or GANTRY_GPU_WORKERS. Worker w is on GPU (used + w) modulo
 * their number and has its own streams. */
extern int device_workers(void);

/** Runs fn(ctx, w) for every worker w, each in its own thread; returns when all are done.
 */
extern void device_for_workers(void (*fn)(void *ctx, int worker), void *ctx);

/* ---- self-tests of kernel families: 0 <= i < device_selftests() ---- */

extern int device_selftests(void);
extern const char *device_selftest_name(int i);

/** Runs it on the device in use, even if it has passed before; why[0..room): the found and expected values,
 * if false. */
extern bool device_selftest(int i, char *why, size_t room);

#endif
