#ifndef LINOPS_WAVELET_FILTERS_H
#define LINOPS_WAVELET_FILTERS_H

#include "linops/linop.h"
#include "num/fft/convolve.h"

/** Convolutions, and operators that are diagonal in the Fourier domain. */

/** Creates the convolution with a kernel along the dims in flags. `mode` selects the output size and the
 * values beyond the ends of the input (num/fft/convolve.h). Along other dims, kdims[d] must be 1. The
 * kernel is copied. The adjoint is exact. */
extern struct linop *linop_conv_create(enum dtype type, int D, const long dims[], unsigned long flags,
        enum conv_mode mode, const long kdims[], const void *kernel);

/**
 * Creates the operator F^-1 diag(w) F, where F is the Fourier transform along the dims in flags. `w` has one
 * real weight for each frequency, in the order of the transform. Frequency number k of n is `k / n` if
 * `k < n / 2`, otherwise `k / n - 1`. `wdims` is the shape of w. Along dims of length 1, w is repeated. `w`
 * is copied.
 *
 * The operator is self-adjoint. For real arrays, the weights of the frequencies f and -f are averaged. The
 * result is then the real part of F^-1 diag(w) F x.
 */
extern struct linop *linop_fourier_diag_create(
        enum dtype type, int D, const long dims[], unsigned long flags, const long wdims[], const double w[]);

/** Returns the weight of a frequency of magnitude f [1/mm]. */
typedef double radial_fn(void *ctx, double f);
/** Creates an operator like linop_fourier_diag_create(), with the weights fn(ctx, |f|). `|f|` is the
 * magnitude of the frequency vector along the dims in flags [1/mm]. `h` has the spacing of each dim [mm].
 * `fn` may be NULL, which means the ramp |f|. With `padded`, arrays are zero-padded to at least twice their
 * length, which avoids wrap-around. */
extern struct linop *linop_radial_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], bool padded, radial_fn *fn, void *ctx);

/**
 * Creates the cone-adapted discrete shearlet transform of images in dims d1 and d2 [1]. The transform is
 * band-limited and undecimated. The cones are joined smoothly.
 *
 * There is one filter for the low frequencies. Scale j has 4 * 2^ceil(j / 2) filters, one for each
 * direction. Scales run from 0 (coarse) to scales - 1. A directional filter covers one octave of max(|f1|,
 * |f2|) and a range of directions. A new last dim counts the filters: first the low frequencies, then the
 * directions of each scale.
 *
 * The filters are products of Meyer windows. The squares of all filters sum to 1 at every frequency. So the
 * transform S is a Parseval frame with S'S = 1. Coefficients of real images are real.
 *
 * [1] S. Hauser and G. Steidl, Fast finite shearlet transform, arXiv:1202.1773, 2012.
 */
enum { SHEARLET_SCALES = 12 }; // largest number of scales
extern struct linop *linop_shearlet_create(
        enum dtype type, int D, const long dims[], int d1, int d2, int scales);
extern long shearlet_count(int scales); // number of filters

#endif
