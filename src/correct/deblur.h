#ifndef CORRECT_DEBLUR_H
#define CORRECT_DEBLUR_H

#include "correct/fourier.h"

/**
 * Views without the blur of a detector, y = h * x, h being a point spread function that sums to 1:
 *     wiener  F[x] = conj(H) F[y] / (|H|^2 + noise), noise being noise power over signal power        [1]
 *     lucy    x <- x h^T * (y / (h * x)), from x = y, for values that are not negative              [2, 3]
 *
 * [1] N. Wiener, Extrapolation, Interpolation, and Smoothing of Stationary Time Series, 1949.
 * [2] W. H. Richardson, Bayesian-based iterative method of image restoration, J. Opt. Soc. Am. 62, 55 (1972).
 * [3] L. B. Lucy, An iterative technique for the rectification of observed distributions, Astron. J. 79, 745
 * (1974).
 */
enum deblur_method { DEBLUR_LUCY, DEBLUR_WIENER };

struct deblur {
	int method; // enum deblur_method
	double noise;
	long iterations;
	struct plane plane;
	double *transfer; // H: 2 plane_size() doubles
};

/** Sets plane and transfer of a Gaussian [pixels] along u and v. */
extern void deblur_gauss(struct deblur *d, long cols, long rows, const double sigma[2]);

/** The same of h(u, v), its middle element ((n - 1) / 2) on the pixel; scaled to the sum 1. error() naming
 * `name` where the sum is not over 0. */
extern void deblur_psf(
        struct deblur *d, long cols, long rows, const long size[2], const double *h, const char *name);

extern void deblur_free(struct deblur *d);

/** One view. Negative values count as 0 for lucy. Needs 4 plane_size() doubles. */
extern void deblur_view(const struct deblur *d, double *out, const double *in);

#endif
