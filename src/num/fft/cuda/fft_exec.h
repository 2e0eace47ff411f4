#ifndef NUM_FFT_CUDA_FFT_EXEC_H
#define NUM_FFT_CUDA_FFT_EXEC_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fft_kind { FFT_C2C_FORWARD, FFT_C2C_INVERSE, FFT_R2C, FFT_C2R };

/** `batch` transforms of rank 1 to 3; dim 0 (of n[0] elements) is the fastest. Neighbours along dim 0 are
 * `stride` elements apart, and transforms begin `dist` elements apart. For real transforms (rank 1, stride
 * 1), in_dist is the distance in the input and dist in the output. */
struct fft_plan {
	enum fft_kind kind;
	bool wide; // double precision
	int rank;
	long n[3], stride, in_dist, dist, batch;
};

/** Whether cuFFT is available; it is opened on first use. GANTRY_CUFFT=none in the environment disables it.
 */
extern bool gpu_fft_there(void);

/** Transforms by cuFFT, with cached plans. Returns false and does nothing if cuFFT is not available. */
extern bool gpu_fft_exec(const struct fft_plan *p, void *out, void *in);

#ifdef __cplusplus
}
#endif

#endif
