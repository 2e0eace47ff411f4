#ifndef NUM_MD_CUDA_COPY_HOST_H
#define NUM_MD_CUDA_COPY_HOST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device_part;

/** A copy of rows of `width` bytes. Rows begin dst_step bytes apart at dst, and src_step bytes apart at src.
 * If `file` is not NULL, the host data are in this file, from byte `at` on. The host pointer is then NULL
 * and the host step is 0. */
struct gpu_rows {
	size_t width;
	long rows;
	char *dst;
	long dst_step;
	const char *src;
	long src_step;
	const struct device_part *file;
	long at;
};

/** Copies rows within host memory, by all threads. If b->file is not NULL, copies between host memory and
 * this file. The rows in memory are then contiguous. */
extern void gpu_copy_host(const struct gpu_rows *b);

#ifdef __cplusplus
}
#endif

#endif
