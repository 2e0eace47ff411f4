#ifndef CORRECT_EIGEN_FLATS_H
#define CORRECT_EIGEN_FLATS_H

/**
 * Implements dynamic flat field correction [1]. If the beam moves or flickers, flat fields differ by a few
 * patterns. The patterns are the principal components of many flat fields. The weights of the patterns are
 * found for each view. Unlike in [1], the components are not denoised.
 *
 * [1] V. Van Nieuwenhove, J. De Beenhouwer, F. De Carlo, L. Mancini, F. Marone, J. Sijbers, Dynamic
 * intensity normalization using eigen flat fields in X-ray imaging, Opt. Express 23, 27975 (2015).
 */

/** Computes the mean and the first n principal components of flat fields. `frames` contains `count` flat
 * fields of `size` values and is overwritten. `image` receives size * (n + 1) values: the mean, then the
 * components. The strongest component comes first. Each component is scaled to its standard deviation
 * over the flat fields. The number n must be less than `count`. */
extern void eigen_flats(long count, long size, double *frames, long n, double *image);

/**
 * Finds weights c[n + 1] that minimise the total variation of the transmission t of a view:
 *
 *     t = (x - dark) / (sum_k c[k] image_k - dark)
 *
 * The weight c[0] of the mean is 1. `x` contains cols * rows counts. `dark` may be NULL, which means 0.
 */
extern void eigen_flats_weights(
        long cols, long rows, long n, const double *image, const double *dark, const double *x, double c[]);

#endif
