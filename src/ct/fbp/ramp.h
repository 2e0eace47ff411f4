#ifndef CT_FBP_RAMP_H
#define CT_FBP_RAMP_H

#include "misc/dtype.h"

/**
 * The ramp filter of filtered back projection. The distance between samples is 1, and the Nyquist frequency
 * is 1/2. The filter is band-limited and computed in the space domain [1]. Sampling the ramp in the
 * frequency domain would change the mean of the result. RAMP_LAMBDA is not a ramp, but the local filter of
 * lambda tomography [2].
 *
 * [1] A. C. Kak and M. Slaney, Principles of Computerized Tomographic Imaging, IEEE Press, 1988, chapter 3.
 * [2] A. Faridani, E. L. Ritman, K. T. Smith, Local tomography, SIAM J. Appl. Math. 52(2), 1992.
 */
enum ramp_window {
	RAMP_RAMP,
	RAMP_SHEPP_LOGAN,
	RAMP_COSINE,
	RAMP_HAMMING,
	RAMP_HANN,
	RAMP_BLACKMAN,
	RAMP_BUTTERWORTH,
	RAMP_PARZEN,
	RAMP_KAISER,
	RAMP_LAMBDA,
	RAMP_OWN,
	RAMP_WINDOWS
};

/** The names of the windows in the order of the enum: "ramp|shepp-logan|...". RAMP_OWN has no name. */
extern const char ramp_names[];

/** A filter with the response |f| W(x), where x = 2 |f| / cutoff. Except for Butterworth's window, W(x) is 0
 * for x > 1. Butterworth's window is W(x) = 1 / sqrt(1 + x^(2 order)) up to the Nyquist frequency.
 * RAMP_LAMBDA has the response `2 pi f^2 sinc^2 f + mean / (2 pi)`. */
struct ramp_filter {
	enum ramp_window window;
	double cutoff;     // fraction of the Nyquist frequency; 0 means 1, or 1/2 for Butterworth
	double order;      // order of Butterworth's window; 0 means 4
	double beta;       // parameter of Kaiser's window; 0 means 6
	double mean;       // RAMP_LAMBDA: weight of the unfiltered back projection
	long samples;      // RAMP_OWN: number of values in `own`, at least 2
	const double *own; // RAMP_OWN: W at evenly spaced x from 0 to 1; linear interpolation
};

/** Returns the window W(x) for 0 <= x <= 1. For Butterworth's window, x may be larger than 1. RAMP_LAMBDA has
 * no window. */
extern double ramp_window_at(const struct ramp_filter *r, double x);

/** Computes the kernel h[0..n-1], the inverse Fourier transform of the response. The kernel is symmetric:
 * h[-i] = h[i]. The absolute error is at most about 1e-13. */
extern void ramp_kernel(const struct ramp_filter *r, long n, double *h);

/** Writes the frequency response of the filter to `response[0..m]`. The filter is for lines of n samples,
 * padded to 2 m samples with m >= n. The response is divided by 2 m, the factor of a forward and an inverse
 * FFT. */
extern void ramp_response(const struct ramp_filter *f, long n, long m, double *response);

/** A filter for lines of n samples. Lines are zero-padded to at least 2 n samples and convolved with h by
 * FFT. For an equiangular detector, `bend` is the angle between neighbouring columns [rad]. For a flat
 * detector, `bend` is 0. If `bend` is not 0, `h[k]` is multiplied by `(k * bend / sin(k * bend))^2`. */
struct ramp;
extern struct ramp *ramp_create(const struct ramp_filter *f, long n, double bend);
extern void ramp_free(struct ramp *r);

/** Filters the contiguous lines x (n, lines) in place. `type` is float32 or float64. The lines reside on the
 * host or on the GPU. On the host, the result for a line depends only on that line. */
enum { RAMP_BLOCK = 1 << 24 }; // bytes of padded lines at a time on a GPU; two blocks fit into the L2 cache
extern void ramp_lines(const struct ramp *r, enum dtype type, long lines, void *x);

/** On the host, filters the lines that load() provides. The filtered lines are written to x (n, lines). The
 * call load(ctx, l, line, room) stores the n samples of line l at `line`. `room` is workspace for n float64
 * values. Several threads call load() at the same time. */
typedef void ramp_load(const void *ctx, long l, void *line, double *room);
extern void ramp_lines_from(
        const struct ramp *r, enum dtype type, long lines, void *x, ramp_load *load, const void *ctx);

#endif
