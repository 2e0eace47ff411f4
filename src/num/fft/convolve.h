#ifndef NUM_FFT_CONVOLVE_H
#define NUM_FFT_CONVOLVE_H

#include <complex.h>

#include "num/md/multind.h"

/**
 * Convolution of `in` with kernel k along the dims in `flags`:
 *     out[o] = sum over t of k[t] in[o + c - t]      (correlation: sum of k[t] in[o - c + t])
 * Beyond its borders, `in` is 0 or periodic. Dims that are not in `flags` are treated as by
 * md_tenmul_dims(). The adjoint is the correlation with `conj(k)` and centre c; `out` and `in` are exchanged.
 */
enum conv_mode {
	CONV_FULL,   // all products: n + k - 1 outputs; c = 0
	CONV_SAME,   // n outputs, centred on the middle of the kernel; c = (k - 1) / 2
	CONV_VALID,  // outputs with the whole kernel inside: n - k + 1; c = k - 1
	CONV_CAUSAL, // n outputs from present and past inputs; c = 0
	CONV_CYCLIC  // like CONV_SAME, but periodic
};
enum conv_flags {
	CONV_CORRELATE = 1, // correlation
	CONV_CONJ = 2,      // conj(k)
	CONV_PERIODIC = 4   // `in` is periodic; the kernel may be longer than `in`
};

/** Computes the output sizes and the centre c[D] of a convolution along the dims in `flags`. In mode
 * CONV_VALID, a kernel longer than the input is an error(). */
extern void md_conv_geometry(enum conv_mode mode, int D, unsigned long flags, long odims[], long centre[],
        const long kdims[], const long idims[]);

/** Convolves directly, with any centre, sizes and steps. `mode` is a combination of enum conv_flags. */
extern void md_convolve_t(enum dtype t, unsigned mode, int D, unsigned long flags, const long centre[],
        const long odims[], const long ostrs[], void *out, const long kdims[], const long kstrs[],
        const void *k, const long idims[], const long istrs[], const void *in);

/** Convolves blocks by Fourier transforms (overlap-save). Large kernels are faster with
 * md_convolve_fft_t(). Rounding errors are relative to the largest value in a block. The kernel has
 * length 1 along dims that are not in `flags`. Memory for a few blocks is allocated. */
extern void md_convolve_fft_t(enum dtype t, unsigned mode, int D, unsigned long flags, const long centre[],
        const long odims[], const long ostrs[], void *out, const long kdims[], const long kstrs[],
        const void *k, const long idims[], const long istrs[], const void *in);

/** Returns the memory that md_convolve_fft_t() allocates [bytes]. */
extern long md_convolve_fft_memory(
        enum dtype t, int D, unsigned long flags, const long odims[], const long kdims[], const long idims[]);

/** Estimates whether md_convolve_fft_t() is faster than md_convolve_t(). */
extern bool md_convolve_prefers_fft(
        enum dtype t, int D, unsigned long flags, const long odims[], const long kdims[], const long idims[]);

/** These functions take contiguous arrays:
 * - md_conv() and md_zconv() convolve with k.
 * - md_corr() and md_zcorr() correlate with conj(k). */
extern void md_conv(enum conv_mode mode, int D, unsigned long flags, const long odims[], float *out,
        const long kdims[], const float *k, const long idims[], const float *in);
extern void md_corr(enum conv_mode mode, int D, unsigned long flags, const long odims[], float *out,
        const long kdims[], const float *k, const long idims[], const float *in);
extern void md_zconv(enum conv_mode mode, int D, unsigned long flags, const long odims[], complex float *out,
        const long kdims[], const complex float *k, const long idims[], const complex float *in);
extern void md_zcorr(enum conv_mode mode, int D, unsigned long flags, const long odims[], complex float *out,
        const long kdims[], const complex float *k, const long idims[], const complex float *in);

#endif
