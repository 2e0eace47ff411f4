#ifndef LINOPS_WAVELET_FILTERS_H
#define LINOPS_WAVELET_FILTERS_H

#include "linops/linop.h"
#include "num/fft/convolve.h"

/** Convolutions and diagonals in the Fourier domain. */

/** Convolution with a kernel (copied) along the dims in flags, in one of the modes of num/fft/convolve.h:
 * zero or periodic continuation; kdims[d] is 1 along the other dims. The convolution is computed directly or
 * by Fourier transforms of blocks, whichever is faster. The adjoint is exact. */
extern struct linop *linop_conv_create(enum dtype type, int D, const long dims[], unsigned long flags,
        enum conv_mode mode, const long kdims[], const void *kernel);

/** F^-1 diag(w) F, F being the Fourier transform along the dims in flags: w holds a real weight for each
 * frequency, in the order of the transform. Index k of n has the frequency k/n if k < n/2, else k/n - 1. Each
 * of the dims wdims of w is that of the array or 1; w is copied. For real arrays only the real part is
 * returned, as if w were averaged with its mirror image about frequency 0. Self-adjoint. */
extern struct linop *linop_fourier_diag_create(
        enum dtype type, int D, const long dims[], unsigned long flags, const long wdims[], const double w[]);

/** linop_fourier_diag_create() with the weight fn(ctx, |f|). |f| is the magnitude of the frequency [1/mm]
 * along the dims in flags, h[] the spacing of each dim [mm]. If `padded` is set, arrays are zero-padded to at
 * least twice the length, so that there is no wrap-around. fn NULL: |f|, the ramp. */
typedef double radial_fn(void *ctx, double f);
extern struct linop *linop_radial_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], bool padded, radial_fn *fn, void *ctx);

/**
 * The cone-adapted discrete shearlet transform of images in two dims, band-limited, undecimated, as in [1]
 * with the cones joined smoothly. The transform has one filter for the low frequencies and 4 * 2^ceil(j / 2)
 * filters for each scale j, from 0 (coarse) to scales - 1. Each filter covers an octave in max(|f1|, |f2|)
 * and a range of slopes of the frequency vector. The filters are products of Meyer windows; their squares sum
 * to 1 at every frequency, so the transform S is a Parseval frame: S'S = 1, both frame bounds 1. Coefficients
 * of real images are real. A new last dim counts the filters: first the low frequencies, then the directions
 * scale by scale.
 *
 * [1] S. Hauser and G. Steidl, Fast finite shearlet transform, arXiv:1202.1773, 2012.
 */
enum { SHEARLET_SCALES = 12 }; // at most
extern struct linop *linop_shearlet_create(
        enum dtype type, int D, const long dims[], int d1, int d2, int scales);
extern long shearlet_count(int scales); // filters

#endif
