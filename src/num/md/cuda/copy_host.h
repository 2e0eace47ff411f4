#ifndef NUM_MD_CUDA_COPY_HOST_H
#define NUM_MD_CUDA_COPY_HOST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device_part;

/** Rows of `width` bytes, whose first bytes are dst_step and src_step apart [bytes]. file: the data of the
 * host are not in memory (NULL, step 0), but are transferred by move() from byte `at` of the file on. */
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

/** Copies rows from host memory to host memory, or between host memory and b->file, by all threads. Rows of a
 * file have no gaps in memory. */
extern void gpu_copy_host(const struct gpu_rows *b);

#ifdef __cplusplus
}
#endif

#endif
