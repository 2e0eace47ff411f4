#ifndef CORRECT_ALIGN_H
#define CORRECT_ALIGN_H

/**
 * Finds and corrects shifts of views by cross-correlation [1]. Shifts are refined to 1/256 pixel.
 *
 * [1] M. Guizar-Sicairos, S. T. Thurman, J. R. Fienup, Efficient subpixel image registration algorithms,
 * Opt. Lett. 33, 156 (2008).
 */

/** Computes the shift of a view relative to a reference image [pixels along u and v]. With this shift,
 * `view(x)` approximately equals `reference(x - shift)`. Both images have cols x rows pixels. The shift
 * along each dimension is at most `most` pixels. */
extern void align_shift(
        long cols, long rows, const double *reference, const double *view, double most, double shift[2]);

/** Computes the shifted image out(x) = in(x + shift) by cubic convolution. The shift is in pixels.
 * Outside the image, values are those of the nearest edge pixel. */
extern void align_move(long cols, long rows, const double shift[2], double *out, const double *in);

#endif
