#ifndef CORRECT_ALIGN_H
#define CORRECT_ALIGN_H

/**
 * Finds the shift between a view and a reference. The shift maximises the cross-correlation of the two
 * images, and is refined to 1/256 pixel by a Fourier sum [1]. align_move() corrects the shift.
 *
 * [1] M. Guizar-Sicairos, S. T. Thurman, J. R. Fienup, Efficient subpixel image registration algorithms, Opt.
 * Lett. 33, 156 (2008).
 */

/** shift[2] [pixels along u, v]: view(x) is about reference(x - shift). In both arrays (cols * rows) the
 * mean must be subtracted, and the values must fade to 0 over an eighth of the view at each edge. `most`:
 * largest shift [pixels]. */
extern void align_shift(
        long cols, long rows, const double *reference, const double *view, double most, double shift[2]);

/** out(x) = in(x + shift), by cubic convolution; beyond the ends, in has the value of its edge. */
extern void align_move(long cols, long rows, const double shift[2], double *out, const double *in);

#endif
