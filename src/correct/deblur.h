#ifndef CORRECT_DEBLUR_H
#define CORRECT_DEBLUR_H

#include "correct/fourier.h"

/**
 * Removes the blur of a detector from views y = h * x, where h is a point spread function with the sum 1:
 *
 *     wiener [1]   F[x] = conj(H) F[y] / (|H|^2 + noise |f|^slope)
 *     lucy [2, 3]  x <- x h^T * (y / (h * x)), starting from x = h * y
 *
 * noise |f|^slope is the ratio of the powers of noise and signal, with |f| from deblur_radius(). The method
 * lucy needs nonnegative values. Parameters that are not given are estimated from the view. noise and slope
 * maximise the likelihood of the view's spectrum [4], modelled as A (|f|^-slope |H|^2 + noise) times
 * independent exponential deviates. For lucy the estimated number of iterations is twice the number after
 * which the residual is below the noise or hardly decreases (at most 500). The noise is measured at the
 * frequencies with the smallest |H|. Its variance is assumed to be proportional to the mean, as for counts.
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

/** Sets plane and transfer for a Gaussian with the standard deviations sigma [pixels] along u and v. */
extern void deblur_gauss(struct deblur *d, long cols, long rows, const double sigma[2]);

/** Sets plane and transfer for a point spread function h(u, v), which is scaled to the sum 1. The origin of
 * h is its middle element ((n - 1) / 2). error() naming `name` if the sum is not positive. */
extern void deblur_psf(
        struct deblur *d, long cols, long rows, const long size[2], const double *h, const char *name);

extern void deblur_free(struct deblur *d);

/** The magnitude of the frequency of element (a, b) [half cycles per element], defined by finite differences:
 * 2 / pi sqrt(sin^2 pi f_u + sin^2 pi f_v). Its fourth power times pi^4 is the squared symbol of the discrete
 * Laplace operator.
 */
extern double deblur_radius(const struct plane *p, long a, long b);

/** The noise power per element, estimated from a view's spectrum (plane_forward()) at the 5 % of the
 * frequencies with the strongest attenuation by the blur. */
extern double deblur_noise(const struct deblur *d, const double *spectrum);

/** Fits `noise`, the ratio of noise to signal at |f| = 1, and `slope` >= 0 of the signal power |f|^-slope. */
extern void deblur_fit(const struct deblur *d, const double *spectrum, double *noise, double *slope);

/** Deblurs one view. The method lucy treats negative values as 0. Needs memory of 4 plane_size() doubles. */
extern void deblur_view(const struct deblur *d, double *out, const double *in);

#endif
