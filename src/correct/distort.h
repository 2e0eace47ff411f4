#ifndef CORRECT_DISTORT_H
#define CORRECT_DISTORT_H

#include "ct/stream/view_batches.h"

/**
 * Corrects the radial distortion of a lens with the backward model [1]. Let r be the distance [pixels] of a
 * corrected pixel from the centre of distortion. The pixel takes the value of the distorted view at the
 * following distance:
 *
 *     r (k0 + k1 r + k2 r^2 + ...)
 *
 * The direction from the centre stays the same. Values between pixels are interpolated by cubic convolution
 * [2]. Outside the view, values are those of the nearest edge pixel.
 *
 * [1] N. T. Vo, R. C. Atwood, M. Drakopoulos, Radial lens distortion correction with sub-pixel accuracy for
 * X-ray micro-tomography, Opt. Express 23, 32859 (2015).
 * [2] R. G. Keys, Cubic convolution interpolation for digital image processing, IEEE Trans. ASSP 29, 1153
 * (1981).
 */
struct distort {
	long cols, rows;
	double centre[2]; // centre of distortion along u and v [pixels]; the first pixel is 0
	int terms;        // number of coefficients
	const double *k;  // k0, k1, ...
};

/** Corrects one view of cols x rows values. `out` and `in` must not overlap. */
extern void distort_view(const struct distort *d, double *out, const double *in);

/** Corrects a batch of views on a device, as distort_view() does. `ctx` is a struct distort. */
extern void distort_views(void *ctx, const struct view_batch *p);

#endif
