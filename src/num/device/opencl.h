#ifndef NUM_DEVICE_OPENCL_H
#define NUM_DEVICE_OPENCL_H

#include <stdbool.h>
#include <stddef.h>

/** This interface runs kernels on an OpenCL device. The function opencl_use() opens the OpenCL library.
 * Each buffer reserves a range of host addresses that cannot be read or written. If p is the address of a
 * buffer, p + n is n bytes further in the buffer. */

/** Returns whether this build supports OpenCL. */
extern bool opencl_built(void);
/** Returns whether this command uses OpenCL. */
extern bool opencl_used(void);

/** Opens the device PLATFORM[:DEVICE], selected by numbers or parts of names. `which` may also be only part
 * of a device name; NULL matches all devices. If several devices match, the first GPU is opened, else the
 * first device. If no device matches, error() prints a message that begins with `what`. Later calls do not
 * change the device. */
extern void opencl_use(const char *which, const char *what);

/** Stops the use of OpenCL until the next opencl_use(). The device stays open. */
extern void opencl_rest(void);

/** Returns the name of the device. */
extern const char *opencl_name(void);

/** Returns whether the device is a CPU. A CPU shares memory with the host. */
extern bool opencl_is_processor(void);

/** Returns whether OpenCL is in use and the device supports float64. Without float64, only expressions of
 * float32 and bool are computed on the device. */
extern bool opencl_has_float64(void);

/** Returns whether OpenCL has been given any work. */
extern bool opencl_asked(void);

/** Between opencl_begin() and opencl_end(), only the calling thread uses the device; other threads wait in
 * opencl_begin(). Every operation that runs kernels calls both functions. The calls can be nested. */
extern void opencl_begin(void);
extern void opencl_end(void);

/* ---- memory ---- */

/** Allocates device memory. Insufficient memory is an error(). */
extern void *opencl_alloc(size_t bytes);
/** Frees memory of opencl_alloc() or opencl_share(). NULL is ignored. */
extern void opencl_free(void *p);
/** Returns whether p is an address in device memory. */
extern bool opencl_holds(const void *p);

/** Makes host memory available to kernels until opencl_free(). Until then, the host must not use the
 * memory. `write` must be true if kernels write to the memory. Returns NULL if the device has separate
 * memory or rejects the buffer. */
extern void *opencl_share(void *host, size_t bytes, bool write);

/** Between opencl_beside(true) and opencl_beside(false), GANTRY_GPU_MEM does not limit allocations. */
extern void opencl_beside(bool begin);

/** Returns the local memory of a work-group [bytes]. */
extern size_t opencl_local_memory(void);

/** Returns the free device memory within the limit GANTRY_GPU_MEM [bytes]. */
extern size_t opencl_left(void);
/** Returns the largest size of one buffer [bytes]. */
extern size_t opencl_largest(void);

/** These functions copy between host and device. The copy is complete on return. */
extern void opencl_upload(void *dst, const void *src, size_t bytes);
extern void opencl_download(void *dst, const void *src, size_t bytes);

/** These functions copy `rows` rows of `width` bytes. The strides dst_step and src_step are distances
 * between row starts [bytes], at least `width`. */
extern void opencl_upload2(
        size_t width, long rows, void *dst, size_t dst_step, const void *src, size_t src_step);
extern void opencl_download2(
        size_t width, long rows, void *dst, size_t dst_step, const void *src, size_t src_step);

/** Sets all bytes of dst to 0. */
extern void opencl_clear(void *dst, size_t bytes);

/** Waits until all submitted work is complete. */
extern void opencl_sync(void);

/* ---- programs ---- */

/** The source text of kernels, with a name for messages. */
struct opencl_source {
	const char *name, *text;
};
struct opencl_kernel_built;
/** Returns kernel `kernel` of the source, built with these compiler options. Equal arguments return the same
 * object. Binaries are stored in the user's cache folder (cache.h). */
extern struct opencl_kernel_built *opencl_kernel(
        const struct opencl_source *source, const char *options, const char *kernel);

/** One argument of a kernel. Arguments have the order of the parameters. A buffer takes two parameters, a
 * pointer and an offset [bytes] of type long. A NULL address means no buffer. */
struct opencl_argument {
	const void *value;
	size_t size; // bytes of the value; 0 if value is an address on the device
};
#define OPENCL_BUFFER(p)                                                                                     \
	{                                                                                                    \
		.value = (p)                                                                                 \
	}
#define OPENCL_VALUE(v)                                                                                      \
	{                                                                                                    \
		.value = &(v), .size = sizeof(v)                                                             \
	}

/** Submits groups[0] x groups[1] x groups[2] work-groups of local[0] x local[1] work-items. */
extern void opencl_launch(struct opencl_kernel_built *k, const size_t groups[3], const size_t local[2], int n,
        const struct opencl_argument *argument);

#endif
