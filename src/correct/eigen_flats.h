#ifndef CORRECT_EIGEN_FLATS_H
#define CORRECT_EIGEN_FLATS_H

/**
 * Dynamic flat field correction [1]: with a beam that moves and flickers, flats differ by a few patterns. The
 * patterns are the principal components of many flats; their weights in each view minimise the total
 * variation of the corrected view.
 *
 * [1] V. Van Nieuwenhove, J. De Beenhouwer, F. De Carlo, L. Mancini, F. Marone, J. Sijbers, Dynamic intensity
 * normalization using eigen flat fields in X-ray imaging, Opt. Express 23, 27975 (2015), without its
 * denoising of the components.
 */

/** image[size * (n + 1)]: the mean of frames[size * count], then n principal components in descending order
 * of strength, scaled to the standard deviation over the frames. n < count. frames are overwritten. */
extern void eigen_flats(long count, long size, double *frames, long n, double *image);

/** Weights c[n + 1] of the images (c[0] = 1) that minimise the total variation of t = (x - dark) / (sum c
 * image - dark). The weights are computed by iteratively reweighted least squares, starting from (1, 0, ..,
 * 0). dark NULL = 0. x: cols * rows counts. */
extern void eigen_flats_weights(
        long cols, long rows, long n, const double *image, const double *dark, const double *x, double c[]);

#endif
