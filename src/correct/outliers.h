#ifndef CORRECT_OUTLIERS_H
#define CORRECT_OUTLIERS_H

#include <stdbool.h>

#include "ct/stream/view_batches.h"

/**
 * Single values far from the median of their neighbourhood: zingers (particles that hit the detector), and
 * dead or hot pixels. Outliers are replaced by the median. Values that are not finite are always replaced.
 *
 * A value x with the median m is an outlier if |x - m| > threshold, or, without a threshold, if |x - m| >
 * sigmas s(m). s is an estimate of the standard deviation of the noise: 1.4826 times the median of |x - m|
 * over the view (if the median is 0: 1.2533 times the mean). The noise of counts grows as their square root:
 * without a threshold, distances |x - m| of counts are first divided by sqrt(m) (by 1 if m < 1).
 */
struct outliers {
	long cols, rows, radius; // of the window [elements]
	unsigned long dims;      // bits 0 u, 1 v, 2 view: along which the window extends
	double threshold;        // of the same unit as the values; NAN: from sigmas
	double sigmas;
	bool bright, dark; // which to replace
	bool counts;
	unsigned char *bad;       // cols * rows: pixels whose values are never used; NULL: none
	long empty;               // values without a good value in their window
	long found, lost;         // values replaced, by the window and by `bad`
	long views;               // of a stack, for outliers_views()
	unsigned char *bad_there; // `bad` on a device, created when needed; free with device_free()
};

/** The largest number of elements of a window. */
enum { OUTLIERS_WINDOW = 4096 };

/** Number of views that the window needs on either side. */
extern long outliers_reach(const struct outliers *o);

/** Processes one view, for view_batches_run(); ctx is the struct. */
extern void outliers_view(void *ctx, const struct single_view *v);

/** Processes views on a device, bit-identical to the CPU. */
extern void outliers_views(void *ctx, const struct view_batch *b);
enum { OUTLIERS_ROOM = 1, OUTLIERS_OPERATIONS = 400 }; // struct view_batches

/** Marks defective pixels in bad[cols * rows]. A pixel is marked if its mean over the frames of f differs by
 * more than `sigmas` standard deviations (s above) from the median of the surrounding 7 x 7 means. A pixel is
 * also marked if its variance over the frames is 0 and the variance of most pixels is not 0. Pixels whose
 * mean is not finite are marked, too. Returns the number of marked pixels. error() if the frames have another
 * size. */
extern long outliers_find_pixels(struct cfl *f, double sigmas, long cols, long rows, unsigned char *bad);

/** Reads bad from an array (cols, rows), which is nonzero at bad pixels; returns their number. */
extern long outliers_read_map(struct cfl *f, long cols, long rows, unsigned char *bad);

#endif
