#ifndef ITER_DENOISE_SURE_H
#define ITER_DENOISE_SURE_H

#include "iter/functional/functional.h"
#include "misc/file/cfl.h"

/**
 * Chooses the strength gamma of a denoiser f, and returns gamma. The denoiser f is the prox of `gamma g`. The
 * choice minimises Stein's unbiased estimate of the mean squared error [1]. The divergence of f is estimated
 * from a fixed vector b of random signs [2]:
 *
 *     SURE = |y - f(y)|^2 / N - sigma^2 + 2 sigma^2 / (N e) <b, f(y + e b) - f(y)>,    e = sigma / 10
 *
 * The array x contains the N numbers y. A complex element counts as two numbers. The noise must be white and
 * normal with standard deviation sigma. The denoiser must be weakly differentiable, which excludes hard
 * thresholds. The denoiser is applied to parts of x. A part has functional_size(g) elements.
 *
 * The search starts at gamma = `start`. First gamma is multiplied or divided by 2 until a minimum is
 * enclosed. Then golden section determines gamma to 5 %. If `curve` is not NULL, the file `curve` receives
 * the estimated error as a function of gamma. The file is a picture if the name ends in .png or .svg,
 * otherwise a CSV file. Five arrays of the size of a part are allocated, on the GPU if `there` is true.
 *
 * [1] C. Stein, Estimation of the mean of a multivariate normal distribution, The Annals of Statistics 9,
 * 1981. [2] S. Ramani, T. Blu, M. Unser, Monte-Carlo SURE: a black-box optimization of regularization
 * parameters for general denoising algorithms, IEEE Transactions on Image Processing 17, 2008.
 */
enum { SURE_PARTS = 5 };

extern double sure_choose(
        const struct functional *g, struct cfl *x, bool there, double sigma, double start, const char *curve);

#endif
