#ifndef CORRECT_DISTORT_H
#define CORRECT_DISTORT_H

#include "ct/stream/view_batches.h"

/**
 * Correction of the radial distortion of a detector's lens, backward model [1]. The value at distance r
 * [pixels] from the centre of distortion is read at the distance r (k0 + k1 r + k2 r^2 + ...) in the same
 * direction. Values between pixels are interpolated by cubic convolution [2], clamped beyond the ends.
 *
 * [1] N. T. Vo, R. C. Atwood, M. Drakopoulos, Radial lens distortion correction with sub-pixel accuracy for
 * X-ray micro-tomography, Opt. Express 23, 32859 (2015).
 * [2] R. G. Keys, Cubic convolution interpolation for digital image processing, IEEE Trans. ASSP 29, 1153
 * (1981).
 */
struct distort {
	long cols, rows;
	double centre[2]; // u, v [pixels], counted from 0
	int terms;        // of k
	const double *k;
};

extern void distort_view(const struct distort *d, double *out, const double *in);

/** distort_view() for views on a device; ctx is the struct distort. */
extern void distort_views(void *ctx, const struct view_batch *p);

#endif
