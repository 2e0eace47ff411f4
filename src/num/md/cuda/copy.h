#ifndef NUM_MD_CUDA_COPY_H
#define NUM_MD_CUDA_COPY_H

#include <cuda_runtime.h>

#include "num/md/cuda/copy_host.h"

/** Returns whether p is pinned memory: from cudaHostAlloc() or cudaHostRegister(). */
extern bool gpu_is_pinned(const void *p);

/** Copies from the host or the device to the device, on a stream. A source in ordinary host memory may be
 * changed on return. Pinned and device memory may be changed only after the stream has done the copy. */
extern void gpu_upload(const struct gpu_rows *b, cudaStream_t stream);

/** Copies from the device to the host or the device, on a stream. A copy to ordinary host memory is complete
 * on return. A copy to pinned or device memory is complete only after the stream has done it. */
extern void gpu_download(const struct gpu_rows *b, cudaStream_t stream);

#endif
