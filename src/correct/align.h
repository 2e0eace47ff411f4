#ifndef CORRECT_ALIGN_H
#define CORRECT_ALIGN_H

/**
 * How far a view is shifted against a reference, by the maximum of their cross-correlation, between
 * pixels from its Fourier sum [1], in steps down to 1/256 pixel; and views shifted back.
 *
 * [1] M. Guizar-Sicairos, S. T. Thurman, J. R. Fienup, Efficient subpixel image registration algorithms, Opt.
 * Lett. 33, 156 (2008).
 */

/** shift[2] [pixels along u, v]: view(x) is about reference(x - shift). Both, cols * rows, lose their mean
 * and fade to 0 at the ends, over an eighth of the view. `most`: shifts are at most that [pixels]. */
extern void align_shift(
        long cols, long rows, const double *reference, const double *view, double most, double shift[2]);

/** out(x) = in(x + shift), by cubic convolution; beyond the ends the last pixel counts. */
extern void align_move(long cols, long rows, const double shift[2], double *out, const double *in);

#endif
