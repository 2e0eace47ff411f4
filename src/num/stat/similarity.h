#ifndef NUM_STAT_SIMILARITY_H
#define NUM_STAT_SIMILARITY_H

#include "misc/file/cfl.h"
#include "num/stat/region.h"

/**
 * Similarity of an array and a reference of the same dims. n is the number of elements compared: all, or only
 * those inside the region (if given) at which the mask (if given) is not 0.
 *
 *   nrmse  |img - ref| / |ref|
 *   rmse   |img - ref| / sqrt(n)
 *   mse    rmse^2
 *   mae    sum |img - ref| / n
 *   psnr   20 log10(range / rmse) [dB], range = max ref - min ref
 *   max    max |img - ref|
 *   correlation   Pearson's: covariance over the product of the standard deviations
 *   ssim   mean structural similarity [1]
 *   ms-ssim   multi-scale structural similarity [2]
 *
 * ssim: SSIM with an 11 x 11 Gaussian window of sigma 1.5, K1 = 0.01, K2 = 0.03 times range, on slices of
 * dims 0 and 1. The mean is over the windows inside the slice; with a mask, over the windows whose centre is
 * in the mask.
 *
 * ms-ssim: five scales per slice; each element of a scale is the mean of 2 x 2 elements of the previous one.
 * The result of a slice is the product of five means with the powers .0448 .2856 .3001 .2363 .1333: the mean
 * contrast-structure terms of the first four scales, and the mean ssim of the last scale. Negative means
 * count as 0. The mean is over slices, which must be at least 176 x 176. Masks and regions are not supported.
 *
 * |.| is the 2-norm; for complex data, the differences are complex, and range, correlation and ssim use
 * magnitudes.
 *
 * [1] Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, Image quality assessment: from error visibility
 * to structural similarity, IEEE TIP 13(4), 2004.
 * [2] Z. Wang, E. P. Simoncelli, A. C. Bovik, Multiscale structural similarity for image quality assessment,
 * Asilomar 2003.
 */
#define METRICS "nrmse|rmse|mse|mae|max|psnr|ssim|ms-ssim|correlation"
enum metric { // from PSNR on, more is better
	METRIC_NRMSE,
	METRIC_RMSE,
	METRIC_MSE,
	METRIC_MAE,
	METRIC_MAX,
	METRIC_PSNR,
	METRIC_SSIM,
	METRIC_MSSSIM,
	METRIC_CORRELATION
};

/** mask may be NULL; its dims of length 1 are repeated. region may be NULL. Sums are in float64 and in a
 * fixed order. error() if dims differ, if compared values are NaN or infinite, or if the metric is undefined
 * (an empty mask; a reference of zeros or of constant value). */
extern double similarity(
        enum metric m, struct cfl *ref, struct cfl *img, struct cfl *mask, const struct region *region);

/** SSIM alone (ssim.c); range > 0. */
extern double similarity_ssim(
        struct cfl *ref, struct cfl *img, struct cfl *mask, const struct region *region, double range);

/** Multi-scale SSIM alone. Private memory: 2/3 of a slice in float64. */
extern double similarity_msssim(struct cfl *ref, struct cfl *img, double range);

#endif
