#ifndef CT_FBP_RAMP_H
#define CT_FBP_RAMP_H

#include "misc/dtype.h"

/**
 * The ramp filter of filtered back projection. The filter is band-limited and computed in the space domain
 * [1], so that the response at frequency 0 is correct for finite lines (sampling the ramp in frequency
 * changes the mean). The distance of samples is 1, and the Nyquist frequency is 1/2. RAMP_LAMBDA is not a
 * ramp but the local filter of lambda tomography [2].
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

/** The names in the order of the enum: "ramp|shepp-logan|...". */
extern const char ramp_names[];

/** A filter with the response |f| W(x), where x = 2 |f| / cutoff and W(x) = 0 for x > 1. Butterworth's window
 * is W(x) = 1 / sqrt(1 + x^(2 order)) up to the Nyquist frequency. Lambda has the response 2 pi f^2 sinc^2 f
 * + mean / (2 pi). */
struct ramp_filter {
	enum ramp_window window;
	double cutoff; // 0..1 of Nyquist's frequency; 0: 1, Butterworth 1/2
	double order;  // of Butterworth's window; 0: 4
	double beta;   // of Kaiser's window; 0: 6
	double mean;   // of lambda tomography
	long samples;  // RAMP_OWN: W at that many x from 0 to 1, evenly spaced, at least 2; linear between
	const double *own;
};

/** W(x), 0 <= x <= 1 (Butterworth: any x >= 0); not for lambda. */
extern double ramp_window_at(const struct ramp_filter *r, double x);

/** h[0..n-1] = the inverse Fourier transform of the response at 0..n-1 (the transform is even); computed in
 * closed form, or by Gauss quadrature with an error of 1e-13. */
extern void ramp_kernel(const struct ramp_filter *r, long n, double *h);

/** response[0..m]: frequency response of the filter for a line of n samples padded to 2 m >= 2 n samples,
 * divided by 2 m (the factor of a forward and an inverse transform). */
extern void ramp_response(const struct ramp_filter *f, long n, long m, double *response);

/** Convolution of lines of n samples with h, by FFT with zero padding to at least 2 n. bend [rad] is the
 * angle between neighbouring columns of an equiangular detector: element k of the kernel becomes (k bend /
 * sin(k bend))^2 h[k]. bend is 0 for a flat detector. */
struct ramp;
extern struct ramp *ramp_create(const struct ramp_filter *f, long n, double bend);
extern void ramp_free(struct ramp *r);

/** Filters contiguous lines of float32 or float64 in place, on the host or on the GPU. On the host, the
 * result for a line depends only on that line: not on the values or the number of other lines, nor on the
 * number of threads. */
enum { RAMP_BLOCK = 1 << 24 }; // bytes of padded lines at a time on a GPU: its second-level cache holds two
extern void ramp_lines(const struct ramp *r, enum dtype type, long lines, void *x);

/** Filters lines on the host: x (n, lines) = the filtered lines. load(ctx, l, line, room) provides the
 * unfiltered lines on demand: it stores the n samples of line l at `line`. room: work space of n float64
 * values. load() is called by several threads. */
typedef void ramp_load(const void *ctx, long l, void *line, double *room);
extern void ramp_lines_from(
        const struct ramp *r, enum dtype type, long lines, void *x, ramp_load *load, const void *ctx);

#endif
