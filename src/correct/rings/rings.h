#ifndef CORRECT_RINGS_RINGS_H
#define CORRECT_RINGS_RINGS_H

/**
 * Ring artefacts: a detector column whose response differs from that of its neighbours causes a stripe along
 * the views of a sinogram x(u, view). These functions remove the stripes, in place. Values are line
 * integrals, where a wrong gain adds a constant.
 *
 * [1] S. Titarenko, P. J. Withers, A. Yagola, An analytical formula for ring artefact suppression in X-ray
 * tomography, Appl. Math. Lett. 23, 1489 (2010).
 * [2] N. T. Vo, R. C. Atwood, M. Drakopoulos, Superior techniques for eliminating ring artifacts in X-ray
 * micro-tomography, Opt. Express 26, 28396 (2018).
 * [3] B. Muench, P. Trtik, F. Marone, M. Stampanoni, Stripe and ring artifact removal with combined wavelet -
 * Fourier filtering, Opt. Express 17, 8567 (2009).
 */
enum ring_method {
	RINGS_COMBINED,    // dead, then sorting
	RINGS_SORTING,     // [2], algorithm 3
	RINGS_FILTERING,   // [2], algorithm 2: sorting of the low frequencies along the views
	RINGS_FITTING,     // [2], algorithm 1: a polynomial fit along the views
	RINGS_LARGE,       // [2], algorithm 5
	RINGS_DEAD,        // [2], algorithm 6
	RINGS_REGULARISED, // [1]
	RINGS_WAVELET,     // [3]
	RINGS_MEDIAN       // medians along u
};

extern const char ring_method_names[]; // "combined|sorting|..."

struct rings {
	int method; // enum ring_method
	long size;  // odd: window of medians along u [columns], wider than small stripes, narrower than dense
	            // parts
	long large; // odd: the same for large and dead stripes
	double snr; // ratio of a large or dead stripe to the noise
	double sigma; // filtering: cutoff frequency [cycles per scan]; fitting: width of the smoothing
	              // [columns]; wavelet: width of the damping [cycles per scan]
	long order;   // fitting: of the polynomial
	double alpha; // regularised: 1 / (scale in columns)^2 that separates stripes from the object
	long levels;  // wavelet
	long blocks;  // regularised: number of blocks of views with separate stripes
	long steady;  // odd: the correction is filtered by a median over so many views; 1: as published; 0:
	              // over all views, or over a third of them if a stripe changes
};

/** Sets parameters that are not given (0, or NAN for sigma) to the defaults of the method for this number of
 * detector columns. */
extern void rings_defaults(struct rings *r, long cols);

/** Corrects x(u, view) in place. Needs memory of about 5 sinograms. */
extern void rings_correct(const struct rings *r, long cols, long views, double *x);

/* The methods; rings_correct() calls one. */
extern void rings_sorting(long size, long cols, long views, double *x);
extern void rings_filtering(double sigma, long size, long cols, long views, double *x);
extern void rings_fitting(long order, double sigma, long cols, long views, double *x);
extern void rings_large(double snr, long size, long cols, long views, double *x);
/** More than size / 8 adjacent dead columns are not changed. */
extern void rings_dead(double snr, long size, long cols, long views, double *x);
extern void rings_regularised(double alpha, long cols, long views, double *x);
extern void rings_wavelet(double sigma, long levels, long cols, long views, double *x);
extern void rings_median(long size, long cols, long views, double *x);

/** Marks outliers among values[n] ([2], algorithm 4): the sorted values are compared with a line through
 * their middle half. If the extreme values deviate by more than snr times the rise of the line, all values
 * that deviate by more than half of this limit are marked. */
extern void rings_detect(double snr, long n, const double values[], unsigned char mark[]);

/** Ranks of the views in each column: order[rank + views col] is the view with this rank; sorted(u, rank) are
 * the values in ascending order. */
extern void rings_sort(long cols, long views, int *order, double *sorted, const double *x);

/** Medians along u: y(u, view) of x(u, view). */
extern void rings_smooth(long size, long cols, long views, double *y, const double *x);

#endif
