#ifndef CORRECT_FOURIER_H
#define CORRECT_FOURIER_H

/**
 * Filters of views in the Fourier domain. A view is extended on all sides by its mirror image, to sizes with
 * fast transforms, to avoid wrap-around.
 */
struct plane {
	long cols, rows; // of the view
	long wide, high; // extended
	long left, top;  // position of the view in the extended view
};

/** margin: minimal number of columns and rows added on each side; a dimension of one element is not extended.
 */
extern struct plane plane_create(long cols, long rows, long margin);

/** The number of elements of the extended view, and the number of doubles of its spectrum (real and imaginary
 * parts of all frequencies).
 */
extern long plane_size(const struct plane *p);

/** out[2 * plane_size()]: the spectrum of the extended view. */
extern void plane_forward(const struct plane *p, double *out, const double *view);

/** Computes the view from a spectrum; the spectrum is overwritten. */
extern void plane_inverse(const struct plane *p, double *view, double *spectrum);

/** Frequency of element i of n [cycles per element], -1/2 <= f < 1/2. */
extern double plane_frequency(long i, long n);

#endif
