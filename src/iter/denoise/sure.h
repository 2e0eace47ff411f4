#ifndef ITER_DENOISE_SURE_H
#define ITER_DENOISE_SURE_H

#include "iter/functional/functional.h"
#include "misc/file/cfl.h"

/**
 * Chooses the strength gamma of a denoiser f, the prox of gamma g, by Stein's unbiased estimate of the mean
 * squared error against the image without noise [1]. The divergence is estimated from one vector b of random
 * signs, always the same [2]:
 *
 *     SURE = |y - f(y)|^2 / N - sigma^2 + 2 sigma^2 / (N e) <b, f(y + e b) - f(y)>,    e = sigma / 10
 *
 * The noise is white and normal, with standard deviation sigma in the N numbers y (two for each complex
 * element). f must be weakly differentiable, which excludes hard thresholds. y is the array x, divided into
 * parts of g's size. Searches in steps of factor 2 around start until the minimum is bracketed, then by
 * golden section to 5 %; returns gamma. curve: name of the file for the estimated error as a function of
 * gamma, or NULL. The file is CSV, or a picture if its name ends in .png or .svg. Memory: 5 arrays of the
 * size of a part, on the device in use if `there` is true.
 *
 * [1] C. Stein, Estimation of the mean of a multivariate normal distribution, The Annals of Statistics 9,
 * 1981. [2] S. Ramani, T. Blu, M. Unser, Monte-Carlo SURE: a black-box optimization of regularization
 * parameters for general denoising algorithms, IEEE Transactions on Image Processing 17, 2008.
 */
enum { SURE_PARTS = 5 };

extern double sure_choose(
        const struct functional *g, struct cfl *x, bool there, double sigma, double start, const char *curve);

#endif
