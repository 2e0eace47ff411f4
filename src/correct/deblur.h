#ifndef CORRECT_DEBLUR_H
#define CORRECT_DEBLUR_H

#include "correct/fourier.h"

/**
 * Removes the blur of a detector from views y = h * x. Here h is a point spread function with the sum 1.
 * Two methods are available:
 *
 *     wiener [1]   F[x] = conj(H) F[y] / (|H|^2 + noise |f|^slope)
 *     lucy [2, 3]  x <- x h^T * (y / (h * x)), starting from x = h * y
 *
 * The noise power divided by the signal power is `noise * |f|^slope`. The function deblur_radius()
 * returns the frequency |f|. The method lucy needs nonnegative values.
 *
 * Missing parameters are estimated from the view. The method wiener estimates `noise` and `slope` by
 * maximum likelihood [4]. The expected power spectrum is proportional to `|f|^-slope * |H|^2 + noise`.
 *
 * The method lucy estimates the number of iterations. After k iterations, the residual first reaches the
 * noise or hardly decreases. The result is taken after `min(2 k, 500)` iterations. The noise variance is
 * assumed to be proportional to the mean, as for photon counts.
 *
 * [1] N. Wiener, Extrapolation, Interpolation, and Smoothing of Stationary Time Series, 1949.
 * [2] W. H. Richardson, Bayesian-based iterative method of image restoration, J. Opt. Soc. Am. 62, 55
 * (1972).
 * [3] L. B. Lucy, An iterative technique for the rectification of observed distributions, Astron. J. 79,
 * 745 (1974).
 * [4] P. Whittle, Estimation and information in stationary time series, Ark. Mat. 2, 423 (1953).
 */
enum deblur_method { DEBLUR_LUCY, DEBLUR_WIENER };

struct deblur {
	int method;          // enum deblur_method
	double noise, slope; // for wiener; if noise is NAN, both are estimated
	long iterations;     // for lucy; 0 means estimated
	struct plane plane;
	double *transfer; // transfer function H, complex: 2 plane_size() doubles
};

/** Sets `plane` and `transfer` for a Gaussian point spread function. `sigma` contains the standard
 * deviations along u and v [pixels]. Release the memory with deblur_free(). */
extern void deblur_gauss(struct deblur *d, long cols, long rows, const double sigma[2]);

/** Sets `plane` and `transfer` for a sampled point spread function h(u, v). The array `h` has size[0] x
 * size[1] samples and is scaled to the sum 1. The origin of h is the middle sample. For an even size,
 * the origin is the sample before the middle. If the sum is not positive, error() prints `name`. Release
 * the memory with deblur_free(). */
extern void deblur_psf(
        struct deblur *d, long cols, long rows, const long size[2], const double *h, const char *name);

extern void deblur_free(struct deblur *d);

/**
 * Returns the magnitude of the frequency of element (a, b) [half cycles per element]. The magnitude is
 * defined by finite differences:
 *
 *     |f| = 2 / pi sqrt(sin^2 pi f_u + sin^2 pi f_v)
 *
 * (pi |f|)^4 is the squared symbol of the discrete Laplace operator.
 */
extern double deblur_radius(const struct plane *p, long a, long b);

/** Estimates the noise power per element of a view. `spectrum` is the spectrum of the view from
 * plane_forward(). Only the 5 % of the frequencies with the smallest |H| are used. */
extern double deblur_noise(const struct deblur *d, const double *spectrum);

/** Estimates `noise` and `slope` from the spectrum of a view. `noise` is the ratio of noise power to
 * signal power at |f| = 1. The signal power is proportional to |f|^-slope, with `slope` >= 0. */
extern void deblur_fit(const struct deblur *d, const double *spectrum, double *noise, double *slope);

/** Deblurs one view. The method lucy treats negative values as 0. The function needs memory for up to
 * `4 * plane_size()` doubles. */
extern void deblur_view(const struct deblur *d, double *out, const double *in);

#endif
