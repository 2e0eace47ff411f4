#ifndef NUM_MD_CUDA_COPY_H
#define NUM_MD_CUDA_COPY_H

#include <cuda_runtime.h>

#include "num/md/cuda/copy_host.h"

/** Memory that the copy engines access directly: from cudaHostAlloc() or cudaHostRegister(). */
extern bool gpu_is_pinned(const void *p);

/** Copies from the host (or the device) to the device on a stream. On return, the source may be changed,
 * unless it is pinned memory. Pinned memory may be changed only after the stream has done the copy. */
extern void gpu_upload(const struct gpu_rows *b, cudaStream_t stream);

/** Copies from the device to the host (or the device) on a stream. On return, the copy is complete, unless
 * the target is pinned memory. A copy to pinned memory is complete only after the stream has done it. */
extern void gpu_download(const struct gpu_rows *b, cudaStream_t stream);

#endif
