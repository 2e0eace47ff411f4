#ifndef NUM_FFT_CUDA_FFT_EXEC_H
#define NUM_FFT_CUDA_FFT_EXEC_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fft_kind { FFT_C2C_FORWARD, FFT_C2C_INVERSE, FFT_R2C, FFT_C2R };

/** Plan for `batch` transforms of rank 1 to 3. Neighbours along dim 0 are `stride` elements apart.
 * Transforms begin `dist` elements apart. Real transforms have rank 1 and stride 1. The inputs of real
 * transforms begin `in_dist` elements apart, and the outputs `dist` elements. */
struct fft_plan {
	enum fft_kind kind;
	bool wide; // double precision
	int rank;
	long n[3], stride, in_dist, dist, batch;
};

/** Returns whether cuFFT is available. The library is opened on first use. GANTRY_CUFFT=none in the
 * environment disables cuFFT. */
extern bool gpu_fft_there(void);

/** Transforms by cuFFT, with cached plans. Returns false and does nothing if cuFFT is not available. */
extern bool gpu_fft_exec(const struct fft_plan *p, void *out, void *in);

#ifdef __cplusplus
}
#endif

#endif
