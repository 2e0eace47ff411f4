#ifndef CORRECT_FOURIER_H
#define CORRECT_FOURIER_H

/** Filters views in the Fourier domain. To avoid wrap-around, a view is extended on all sides by its
 * mirror image. The extended size is suited to the fast Fourier transform. */
struct plane {
	long cols, rows; // size of the view
	long wide, high; // size of the extended view
	long left, top;  // first column and row of the view within the extended view
};

/** Chooses the size of the extended view. At least `margin` columns and rows are added on each side. A
 * dimension of one element is not extended. */
extern struct plane plane_create(long cols, long rows, long margin);

/** Returns the number of elements of the extended view. The spectrum has plane_size() complex values. */
extern long plane_size(const struct plane *p);

/** Computes the spectrum of the extended view. `out` receives 2 * plane_size() doubles, as pairs of real
 * and imaginary part. */
extern void plane_forward(const struct plane *p, double *out, const double *view);

/** Computes a view from its spectrum. The spectrum is overwritten. */
extern void plane_inverse(const struct plane *p, double *view, double *spectrum);

/** Returns the frequency of element i of n [cycles per element]. The frequency is at least -1/2 and less
 * than 1/2. */
extern double plane_frequency(long i, long n);

#endif
