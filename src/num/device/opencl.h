#ifndef NUM_DEVICE_OPENCL_H
#define NUM_DEVICE_OPENCL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * An OpenCL device: choice, memory, programs. The OpenCL library is not opened before opencl_use(). For each
 * buffer, a range of addresses of the process is reserved, which cannot be read or written. So the address
 * shows whether data reside on the device, and p + n is the address n bytes further in the buffer.
 */

/** Whether this build supports OpenCL; whether this command uses it. */
extern bool opencl_built(void);
extern bool opencl_used(void);

/** Opens the library and the device PLATFORM[:DEVICE], each a number or a part of a name (NULL: the first
 * GPU, or else the first device); error() that begins with `what` if there is none. */
extern void opencl_use(const char *which, const char *what);

/** Ends the use of OpenCL for the next command of this process; the device stays open. */
extern void opencl_rest(void);

/** Names of the device and its platform. */
extern const char *opencl_name(void);

/** Whether the device is a CPU, which shares memory with the host. */
extern bool opencl_is_processor(void);

/** Whether OpenCL is used and the device computes in float64. Without float64, only expressions of float32
 * and bool are computed on the device. */
extern bool opencl_has_float64(void);

/** Whether any work has been submitted to the device. */
extern bool opencl_asked(void);

/* ---- memory ---- */

/** Allocates device memory; error() if there is not enough. opencl_free() releases it and ignores NULL. */
extern void *opencl_alloc(size_t bytes);
extern void opencl_free(void *p);
extern bool opencl_holds(const void *p);

/** Lets kernels use memory of the host, which the host must not use before opencl_free(). `write`: kernels
 * write to it. Returns NULL if the device has memory of its own. */
extern void *opencl_share(void *host, size_t bytes, bool write);

/** Between opencl_beside(true) and opencl_beside(false), GANTRY_GPU_MEM does not apply. */
extern void opencl_beside(bool begin);

/** Memory that a work-group shares [bytes]. */
extern size_t opencl_local_memory(void);

/** Free memory for opencl_alloc() under GANTRY_GPU_MEM, and the largest size of one buffer [bytes]. */
extern size_t opencl_left(void);
extern size_t opencl_largest(void);

/** Copies between host and device, complete on return. */
extern void opencl_upload(void *dst, const void *src, size_t bytes);
extern void opencl_download(void *dst, const void *src, size_t bytes);

/** Copies `rows` rows of `width` bytes. dst_step, src_step: distance between the first bytes of rows [bytes],
 * at least width. */
extern void opencl_upload2(
        size_t width, long rows, void *dst, size_t dst_step, const void *src, size_t src_step);
extern void opencl_download2(
        size_t width, long rows, void *dst, size_t dst_step, const void *src, size_t src_step);

/** Sets all bytes to 0. */
extern void opencl_clear(void *dst, size_t bytes);

/** Waits until all submitted work is complete. */
extern void opencl_sync(void);

/* ---- programs ---- */

/** A kernel in a source text, built on first use with these options. Binaries are stored in the user's cache
 * folder (cache.h). name: name of the program for messages. Equal arguments give the same object. */
struct opencl_source {
	const char *name, *text;
};
struct opencl_kernel_built;
extern struct opencl_kernel_built *opencl_kernel(
        const struct opencl_source *source, const char *options, const char *kernel);

/** An argument of a kernel, which is a buffer or a value. Arguments have the order of the parameters. A
 * buffer takes two parameters: a pointer, and an offset in bytes as a long. NULL: no buffer. */
struct opencl_argument {
	const void *value;
	size_t size; // 0: value is an address on the device
};
#define OPENCL_BUFFER(p)                                                                                     \
	{                                                                                                    \
		.value = (p)                                                                                 \
	}
#define OPENCL_VALUE(v)                                                                                      \
	{                                                                                                    \
		.value = &(v), .size = sizeof(v)                                                             \
	}

/** Submits groups[0] x groups[1] x groups[2] groups of local[0] x local[1] x 1 work-items. */
extern void opencl_launch(struct opencl_kernel_built *k, const size_t groups[3], const size_t local[2], int n,
        const struct opencl_argument *argument);

#endif
