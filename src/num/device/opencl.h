#ifndef NUM_DEVICE_OPENCL_H
#define NUM_DEVICE_OPENCL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * A device of OpenCL: choice, memory, programs. Nothing of OpenCL is touched before opencl_use(). Buffers
 * have addresses, as memory of the host: reserved ones that nobody can read or write, so that an address says
 * where data lie, and p + n is the place n bytes further.
 */

/** Whether this build has it, and OpenCL computes in this command. */
extern bool opencl_built(void);
extern bool opencl_used(void);

/** Opens the library and the device PLATFORM[:DEVICE], each a number or a part of a name (NULL: the first
 * GPU, or else the first device); error() that begins with `what` where there is none. */
extern void opencl_use(const char *which, const char *what);

/** The next command of this process computes elsewhere; the device stays open. */
extern void opencl_rest(void);

/** Its name, and that of its platform. */
extern const char *opencl_name(void);

/** Whether it was asked for any work. */
extern bool opencl_asked(void);

/* ---- memory ---- */

/** error() where there is not enough. Freed by opencl_free(); NULL is allowed there. */
extern void *opencl_alloc(size_t bytes);
extern void opencl_free(void *p);
extern bool opencl_holds(const void *p);

/** Bytes that opencl_alloc() can still give, under GANTRY_GPU_MEM, and the most for one buffer. */
extern size_t opencl_left(void);
extern size_t opencl_largest(void);

/** Between host and device, either way; done on return. */
extern void opencl_upload(void *dst, const void *src, size_t bytes);
extern void opencl_download(void *dst, const void *src, size_t bytes);

/** rows of `width` bytes, so far apart on the device and on the host [bytes, >= width]. */
extern void opencl_upload2(
        size_t width, long rows, void *dst, size_t dst_step, const void *src, size_t src_step);
extern void opencl_download2(
        size_t width, long rows, void *dst, size_t dst_step, const void *src, size_t src_step);

/** All bytes to 0. */
extern void opencl_clear(void *dst, size_t bytes);

/** Returns when all that was asked for has been done. */
extern void opencl_sync(void);

/* ---- programs ---- */

/** A kernel of a source text, built on first use with these options; binaries are kept in the user's cache
 * folder (cache.h). name of the program: in messages. The same object for the same arguments. */
struct opencl_source {
	const char *name, *text;
};
struct opencl_kernel_built;
extern struct opencl_kernel_built *opencl_kernel(
        const struct opencl_source *source, const char *options, const char *kernel);

/** Arguments in their order: a buffer (with the place in it, two parameters of the kernel: a pointer, and its
 * offset in bytes as a long), or a value. NULL: no buffer. */
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

/** Asks for groups[0] x groups[1] x groups[2] groups of local[0] x local[1] x 1 work-items. */
extern void opencl_launch(struct opencl_kernel_built *k, const size_t groups[3], const size_t local[2], int n,
        const struct opencl_argument *argument);

#endif
