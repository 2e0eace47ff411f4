#ifndef CORRECT_OUTLIERS_H
#define CORRECT_OUTLIERS_H

#include <stdbool.h>

#include "ct/stream/view_batches.h"

/**
 * Replaces outliers by the median of their neighbourhood. Outliers are single values from dead or hot
 * pixels, or from particles that hit the detector. Values that are not finite are always replaced.
 *
 * A value x with the median m is an outlier if |x - m| > threshold. Without a threshold, x is an outlier if
 * |x - m| > sigmas * s. Here s is an estimate of the standard deviation of the noise. The estimate is
 * 1.4826 times the median of |x - m| over the view. If this median is 0, the estimate s is 1.2533 times the
 * mean of |x - m|.
 *
 * The noise of counts grows with the square root of the counts. Without a threshold, distances |x - m| of
 * counts are therefore divided by sqrt(max(m, 1)).
 */
struct outliers {
	long cols, rows, radius;  // size of a view; radius of the window [elements]
	unsigned long dims;       // dimensions of the window: bit 0 means u, bit 1 means v, bit 2 means view
	double threshold;         // largest |x - m|, in the unit of the values; NAN means to use sigmas
	double sigmas;            // largest |x - m| in standard deviations of the noise
	bool bright, dark;        // whether to replace outliers above and below the median
	bool counts;              // whether the values are counts
	unsigned char *bad;       // cols * rows, nonzero at pixels whose values are not used; NULL means none
	long empty;               // number of values without a good value in their neighbourhood
	long found, lost;         // numbers of outliers and of unusable values that were replaced
	long views;               // number of views of a stack, for outliers_views()
	unsigned char *bad_there; // copy of `bad` on a device; NULL until needed; free with device_free()
};

/** The largest number of elements in a window. */
enum { OUTLIERS_WINDOW = 4096 };

/** Returns the number of views that the window needs on either side. */
extern long outliers_reach(const struct outliers *o);

/** Corrects one view as an operation of view_batches_run(). `ctx` is a struct outliers. */
extern void outliers_view(void *ctx, const struct single_view *v);

/** Corrects a batch of views on a device. `ctx` is a struct outliers. The results are bit-identical to
 * the results on the CPU. */
extern void outliers_views(void *ctx, const struct view_batch *b);
enum { OUTLIERS_ROOM = 1, OUTLIERS_OPERATIONS = 400 }; // `room` and `operations` of struct view_batches

/** Marks defective pixels in bad[cols * rows] and returns their number. The array f contains several frames
 * of the detector. A pixel is marked if its mean over the frames is not finite. The mean of each pixel is
 * also compared with the median of the surrounding 7 x 7 means. The pixel is marked if the difference
 * exceeds `sigmas * s`, where struct outliers explains s. If most pixels vary from frame to frame, then
 * constant pixels are marked, too. Frames of another size are an error(). */
extern long outliers_find_pixels(struct cfl *f, double sigmas, long cols, long rows, unsigned char *bad);

/** Reads a map of bad pixels into bad[cols * rows] and returns their number. The array f has the shape
 * (cols, rows) and is nonzero at bad pixels. Another shape is an error(). */
extern long outliers_read_map(struct cfl *f, long cols, long rows, unsigned char *bad);

#endif
