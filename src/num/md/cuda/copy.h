#ifndef NUM_MD_CUDA_COPY_H
#define NUM_MD_CUDA_COPY_H

#include <cuda_runtime.h>
#include <stddef.h>

struct device_part;

/** rows times `width` bytes, their first bytes dst_step and src_step apart [bytes]. file: the host's side is
 * not memory (NULL, step 0) but accessed by its move(), from byte `at` on. */
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

/** Memory that the copy engines access directly: from cudaHostAlloc() or cudaHostRegister(). */
extern bool gpu_is_pinned(const void *p);

/** From the host (or the device) to the device on a stream. Returns when the source may be changed; for
 * pinned memory that is only when the stream has reached this point. */
extern void gpu_upload(const struct gpu_rows *b, cudaStream_t stream);

/** From the device to the host (or the device) on a stream. Returns when the data are there; for pinned
 * memory only when the stream has reached this point. */
extern void gpu_download(const struct gpu_rows *b, cudaStream_t stream);

#endif
