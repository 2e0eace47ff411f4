#ifndef NUM_SIMILARITY_H
#define NUM_SIMILARITY_H

#include "misc/cfl.h"

/**
 * How alike an array is to a reference of the same dims, over all elements or those where the mask is not 0
 * (n of them):
 *
 *   nrmse  |img - ref| / |ref|
 *   rmse   |img - ref| / sqrt(n)
 *   psnr   20 log10(range / rmse) [dB], range = max ref - min ref
 *   max    max |img - ref|
 *   ssim   mean structural similarity [1]: 11 x 11 Gaussian window of sigma 1.5, K1 = 0.01, K2 = 0.03 times
 * range, on slices of dims 0 and 1, mean over the windows that lie inside the slice (with a mask: whose
 * centre the mask holds)
 *
 * |.| is the 2-norm; of complex data the differences are complex, and range and ssim are of magnitudes.
 *
 * [1] Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, Image quality assessment: from error visibility
 * to structural similarity, IEEE TIP 13(4), 2004.
 */
enum metric { METRIC_NRMSE, METRIC_RMSE, METRIC_PSNR, METRIC_SSIM, METRIC_MAX };

/** mask may be NULL; its dims of length 1 are repeated. float64, fixed order. error() when dims differ, when
 * values compared are NaN or infinite, or where the metric is undefined (an empty mask, a reference of zeros,
 * or without range). */
extern double similarity(enum metric m, struct cfl *ref, struct cfl *img, struct cfl *mask);

/** SSIM alone (ssim.c); range > 0. */
extern double similarity_ssim(struct cfl *ref, struct cfl *img, struct cfl *mask, double range);

#endif
