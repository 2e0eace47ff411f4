#ifndef CORRECT_DEBLUR_H
#define CORRECT_DEBLUR_H

#include "correct/fourier.h"

/**
 * Views without the blur of a detector, y = h * x, h being a point spread function that sums to 1:
 *     wiener  F[x] = conj(H) F[y] / (|H|^2 + noise |f|^slope), the ratio of the powers of noise and signal
 * [1] lucy x <- x h^T * (y / (h * x)), from x = h * y, for values that are not negative [2, 3] with |f| as
 * deblur_radius(). Parameters that are not given are estimated from the view. Noise and slope maximise the
 * likelihood of its spectrum [4], modelled as A (|f|^-slope |H|^2 + noise) times independent exponential
 * deviates. The number of iterations is twice that after which the residual is below the noise in the
 * frequencies with the smallest |H|, assuming the noise of counts.
 *
 * [1] N. Wiener, Extrapolation, Interpolation, and Smoothing of Stationary Time Series, 1949.
 * [2] W. H. Richardson, Bayesian-based iterative method of image restoration, J. Opt. Soc. Am. 62, 55 (1972).
 * [3] L. B. Lucy, An iterative technique for the rectification of observed distributions, Astron. J. 79, 745
 * (1974).
 * [4] P. Whittle, Estimation and information in stationary time series, Ark. Mat. 2, 423 (1953).
 */
enum deblur_method { DEBLUR_LUCY, DEBLUR_WIENER };

struct deblur {
	int method;          // enum deblur_method
	double noise, slope; // NAN: from the view
	long iterations;     // 0: from the view
	struct plane plane;
	double *transfer; // H: 2 plane_size() doubles
};

/** Sets plane and transfer of a Gaussian [pixels] along u and v. */
extern void deblur_gauss(struct deblur *d, long cols, long rows, const double sigma[2]);

/** The same from h(u, v), its middle element ((n - 1) / 2) on the pixel; scaled to the sum 1. error() naming
 * `name` if the sum is not positive. */
extern void deblur_psf(
        struct deblur *d, long cols, long rows, const long size[2], const double *h, const char *name);

extern void deblur_free(struct deblur *d);

/** The magnitude of the frequency of element (a, b) [half cycles per element], as of finite differences: 2 /
 * pi sqrt(sin^2 pi f_u + sin^2 pi f_v), whose fourth power is that of Laplace's operator over pi^4.
 */
extern double deblur_radius(const struct plane *p, long a, long b);

/** From a view's spectrum (plane_forward()): the noise power per element, from the 5 % of the frequencies
 * that the blur attenuates most. */
extern double deblur_noise(const struct deblur *d, const double *spectrum);

/** Noise over signal at |f| = 1, and the slope of the signal power, at least 0. */
extern void deblur_fit(const struct deblur *d, const double *spectrum, double *noise, double *slope);

/** One view. Negative values count as 0 for lucy. Needs 4 plane_size() doubles. */
extern void deblur_view(const struct deblur *d, double *out, const double *in);

#endif
