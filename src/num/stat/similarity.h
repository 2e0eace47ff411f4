#ifndef NUM_STAT_SIMILARITY_H
#define NUM_STAT_SIMILARITY_H

#include "misc/file/cfl.h"
#include "num/stat/region.h"

/**
 * Similarity of an array and a reference of the same dims. Elements outside a given region, or with a zero
 * mask, are not compared. The number of compared elements is n.
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
 * The metric ssim uses an 11 x 11 Gaussian window of sigma 1.5 in slices. The constants are K1 = 0.01 and K2
 * = 0.03, relative to the range. The metric is the mean over windows inside the slice. With a mask, the
 * centre of a window must be in the mask.
 *
 * The metric ms-ssim uses five scales per slice. An element of a scale is the mean of 2 x 2 elements of the
 * previous scale. A slice gives the product of five means, raised to the powers .0448 .2856 .3001 .2363
 * .1333. The first four are means of the contrast-structure term, the last is ssim. Negative means count as
 * 0. The result is the mean over slices, which must be at least 176 x 176. Masks and regions are not
 * supported.
 *
 * The sign |.| denotes the 2-norm. For complex data, differences are complex. Range, correlation and ssim
 * then use magnitudes.
 *
 * [1] Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, Image quality assessment: from error visibility
 * to structural similarity, IEEE TIP 13(4), 2004.
 * [2] Z. Wang, E. P. Simoncelli, A. C. Bovik, Multiscale structural similarity for image quality assessment,
 * Asilomar 2003.
 */
#define METRICS "nrmse|rmse|mse|mae|max|psnr|ssim|ms-ssim|correlation"
enum metric { // from METRIC_PSNR on, larger is better
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

/** Returns the metric m. Both `mask` and `region` may be NULL. Mask dims of length 1 are repeated. Sums are
 * in float64 and in a fixed order. Different dims, and NaN or infinite values, are an error(). An empty mask,
 * or a reference for which the metric is undefined, is an error(). */
extern double similarity(
        enum metric m, struct cfl *ref, struct cfl *img, struct cfl *mask, const struct region *region);

/** Returns the SSIM for a range > 0. */
extern double similarity_ssim(
        struct cfl *ref, struct cfl *img, struct cfl *mask, const struct region *region, double range);

/** Returns the multi-scale SSIM for a range > 0. Private memory is 2/3 of a slice in float64. */
extern double similarity_msssim(struct cfl *ref, struct cfl *img, double range);

#endif
