#ifndef NUM_FFT_CONVOLVE_H
#define NUM_FFT_CONVOLVE_H

#include <complex.h>

#include "num/md/multind.h"

/**
 * Convolution along the dims in `flags`:
 *     out[o] = sum over t of k[t] in[o + c - t]      (correlation: sum of k[t] in[o - c + t])
 * Beyond its borders, `in` is 0 or periodic. Dims that are not in `flags` are treated as in a tensor product
 * (md_tenmul_dims()). The adjoint of a convolution with kernel k and centre c is the correlation with conj(k)
 * and centre c, with out and in exchanged.
 */
enum conv_mode {
	CONV_FULL,   // every product: n + k - 1 outputs; c = 0
	CONV_SAME,   // n outputs, the kernel's middle element on the output's place; c = (k - 1) / 2
	CONV_VALID,  // only where the kernel lies inside: n - k + 1 outputs; c = k - 1
	CONV_CAUSAL, // n outputs of past inputs alone; c = 0
	CONV_CYCLIC  // as CONV_SAME, periodic
};
enum conv_flags {
	CONV_CORRELATE = 1, // correlation
	CONV_CONJ = 2,      // conj(k)
	CONV_PERIODIC = 4   // in repeats; the kernel may be longer than in
};

/** The sizes of the output and the centre c[D] of a convolution along the dims in flags. Under CONV_VALID,
 * error() if the kernel is longer than the input. */
extern void md_conv_geometry(enum conv_mode mode, int D, unsigned long flags, long odims[], long centre[],
        const long kdims[], const long idims[]);

/** Convolution with any centre and any sizes, without copies. One strided loop over outputs and kernel
 * elements (up to 2 D dims) computes the outputs away from the borders. mode: enum conv_flags. Arrays may
 * have any steps. */
extern void md_convolve_t(enum dtype t, unsigned mode, int D, unsigned long flags, const long centre[],
        const long odims[], const long ostrs[], void *out, const long kdims[], const long kstrs[],
        const void *k, const long idims[], const long istrs[], const void *in);

/** Convolution by Fourier transforms of blocks (overlap and save), which is faster for large kernels.
 * Rounding errors are relative to the largest value in a block. A kernel has length 1 along dims that are not
 * in flags. Memory: a few blocks. */
extern void md_convolve_fft_t(enum dtype t, unsigned mode, int D, unsigned long flags, const long centre[],
        const long odims[], const long ostrs[], void *out, const long kdims[], const long kstrs[],
        const void *k, const long idims[], const long istrs[], const void *in);

/** Memory that md_convolve_fft_t() allocates [bytes]. */
extern long md_convolve_fft_memory(
        enum dtype t, int D, unsigned long flags, const long odims[], const long kdims[], const long idims[]);

/** Whether md_convolve_fft_t() is faster than md_convolve_t(), estimated from operation counts. */
extern bool md_convolve_prefers_fft(
        enum dtype t, int D, unsigned long flags, const long odims[], const long kdims[], const long idims[]);

/** md_conv(), md_zconv(): out = the convolution in one of the modes. md_corr(), md_zcorr(): out = the
 * correlation with conj(k). Arrays are contiguous. */
extern void md_conv(enum conv_mode mode, int D, unsigned long flags, const long odims[], float *out,
        const long kdims[], const float *k, const long idims[], const float *in);
extern void md_corr(enum conv_mode mode, int D, unsigned long flags, const long odims[], float *out,
        const long kdims[], const float *k, const long idims[], const float *in);
extern void md_zconv(enum conv_mode mode, int D, unsigned long flags, const long odims[], complex float *out,
        const long kdims[], const complex float *k, const long idims[], const complex float *in);
extern void md_zcorr(enum conv_mode mode, int D, unsigned long flags, const long odims[], complex float *out,
        const long kdims[], const complex float *k, const long idims[], const complex float *in);

#endif
