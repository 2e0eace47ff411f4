#ifndef NUM_MD_CUDA_COPY_HOST_H
#define NUM_MD_CUDA_COPY_HOST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device_part;

/** Rows of `width` bytes. The first bytes of rows are dst_step bytes apart at dst, and src_step bytes apart
 * at src. With `file`, the host data are in a file: their pointer is NULL, their step is 0, and move()
 * transfers them from byte `at` of the file on. */
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

/** Copies rows from host memory to host memory, or between host memory and b->file, by all threads. With
 * b->file, the rows are contiguous in memory. */
extern void gpu_copy_host(const struct gpu_rows *b);

#ifdef __cplusplus
}
#endif

#endif
