#ifndef CORRECT_RINGS_RINGS_H
#define CORRECT_RINGS_RINGS_H

/**
 * Removes ring artefacts from sinograms x(u, view), in place. A ring comes from a detector column whose
 * response differs from that of neighbouring columns. In the sinogram, the column appears as a stripe along
 * the views. The values must be line integrals. In line integrals, a wrong gain adds a constant to a
 * column.
 *
 * [1] S. Titarenko, P. J. Withers, A. Yagola, An analytical formula for ring artefact suppression in X-ray
 * tomography, Appl. Math. Lett. 23, 1489 (2010).
 * [2] N. T. Vo, R. C. Atwood, M. Drakopoulos, Superior techniques for eliminating ring artifacts in X-ray
 * micro-tomography, Opt. Express 26, 28396 (2018).
 * [3] B. Muench, P. Trtik, F. Marone, M. Stampanoni, Stripe and ring artifact removal with combined
 * wavelet-Fourier filtering, Opt. Express 17, 8567 (2009).
 */
enum ring_method {
	RINGS_COMBINED,    // RINGS_DEAD, then RINGS_SORTING
	RINGS_SORTING,     // [2], algorithm 3
	RINGS_FILTERING,   // [2], algorithm 2
	RINGS_FITTING,     // [2], algorithm 1
	RINGS_LARGE,       // [2], algorithm 5
	RINGS_DEAD,        // [2], algorithm 6
	RINGS_REGULARISED, // [1]
	RINGS_WAVELET,     // [3]
	RINGS_MEDIAN       // medians along u
};

extern const char ring_method_names[]; // "combined|sorting|..."

struct rings {
	int method;   // enum ring_method
	long size;    // window of medians along u [columns], odd
	long large;   // window of medians for large and dead stripes [columns], odd
	double snr;   // smallest ratio of a large or dead stripe to the noise
	double sigma; // filtering: cutoff frequency [cycles per scan]
	              // fitting: width of the smoothing [columns]
	              // wavelet: width of the damping [cycles per scan]
	long order;   // fitting: degree of the polynomial
	double alpha; // regularised: stripes are narrower than about 1 / sqrt(alpha) columns
	long levels;  // wavelet: number of levels
	long blocks;  // regularised: number of blocks of views that are corrected separately
	long steady;  // odd number of views over which medians of the correction are taken
	              // 1 means no medians, as published
	              // 0 means all views, or a third of the views if a stripe changes
};

/** Sets missing parameters to the defaults of the method. The value 0 means a missing parameter. For
 * `sigma`, NAN also means a missing parameter. Some defaults depend on `cols`, the number of detector
 * columns. The member `steady` is not changed. */
extern void rings_defaults(struct rings *r, long cols);

/** Corrects the sinogram x(u, view) in place by the method r->method. */
extern void rings_correct(const struct rings *r, long cols, long views, double *x);

/** Returns the memory that rings_correct() needs [bytes]. */
extern long rings_memory(const struct rings *r, long cols, long views);

/**
 * These functions correct the sinogram x(u, view) in place by one method. The parameters are those of
 * struct rings.
 * - rings_sorting(): Sorts each column over the views, and replaces the sorted values by medians along u.
 * - rings_filtering(): Applies rings_sorting() to the low frequencies along the views.
 * - rings_fitting(): Fits polynomials along the views, and smooths their coefficients along u.
 * - rings_large(): Replaces large stripes by medians of the sorted values along u.
 * - rings_dead(): Replaces dead columns by interpolation. Groups of more than `size / 8` adjacent dead
 *   columns are not changed.
 * - rings_regularised(): Subtracts a constant from each column.
 * - rings_wavelet(): Damps stripes in the wavelet transform of the sinogram.
 * - rings_median(): Replaces all values by medians along u.
 */
extern void rings_sorting(long size, long cols, long views, double *x);
extern void rings_filtering(double sigma, long size, long cols, long views, double *x);
extern void rings_fitting(long order, double sigma, long cols, long views, double *x);
extern void rings_large(double snr, long size, long cols, long views, double *x);
extern void rings_dead(double snr, long size, long cols, long views, double *x);
extern void rings_regularised(double alpha, long cols, long views, double *x);
extern void rings_wavelet(double sigma, long levels, long cols, long views, double *x);
extern void rings_median(long size, long cols, long views, double *x);

/** Returns the memory that rings_wavelet() needs [bytes]. */
extern long rings_wavelet_memory(long levels, long cols, long views);

/** Marks outliers among values[n], by algorithm 4 of [2]. A line is fitted to the middle half of the sorted
 * values. The limit is `snr` times the rise of the line. Large values are marked if the largest value
 * exceeds the line's upper end by the limit. The marked values exceed the line's upper end by more than
 * half the limit. Small values are treated in the same way. */
extern void rings_detect(double snr, long n, const double values[], unsigned char mark[]);

/** Sorts the values of each column over the views. The values sorted(u, rank) are in ascending order. The
 * view with the rank `rank` in column u is order[rank + views * u]. */
extern void rings_sort(long cols, long views, int *order, double *sorted, const double *x);

/** Computes medians y(u, view) of x(u, view) along u. The window has `size` columns. */
extern void rings_smooth(long size, long cols, long views, double *y, const double *x);

#endif
