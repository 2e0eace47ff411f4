#ifndef CT_FBP_RAMP_H
#define CT_FBP_RAMP_H

#include "misc/dtype.h"

/**
 * The ramp filter of filtered back projection, band-limited and built in the space domain [1], so that its
 * response at frequency 0 is correct for finite lines (a ramp sampled in frequency changes the mean). Samples
 * are 1 apart, Nyquist's frequency is 1/2. RAMP_LAMBDA is not a ramp but the local filter of lambda
 * tomography [2].
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

/** A filter: response |f| W(x) with x = 2 |f| / cutoff, 0 for x > 1 (Butterworth: 1 / sqrt(1 + x^(2 order))
 * up to Nyquist's frequency). Lambda: 2 pi f^2 sinc^2 f + mean / (2 pi). */
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

/** h[0..n-1], the inverse Fourier transform of the response, which is even: in closed form, or by Gauss
 * quadrature to 1e-13. */
extern void ramp_kernel(const struct ramp_filter *r, long n, double *h);

/** response[0..m]: frequency response of the filter for a line of n samples padded to 2 m >= 2 n samples,
 * divided by 2 m (the factor of a forward and an inverse transform). */
extern void ramp_response(const struct ramp_filter *f, long n, long m, double *response);

/** Convolution of lines of n samples with h, by FFT with zero padding to at least 2 n. bend [rad] is the
 * angle between neighbouring columns of an equiangular detector: the kernel becomes (n bend / sin(n bend))^2
 * h[n]; 0 for a flat one. */
struct ramp;
extern struct ramp *ramp_create(const struct ramp_filter *f, long n, double bend);
extern void ramp_free(struct ramp *r);

/** In place on contiguous lines of float32 or float64, on the host or on the GPU. On the host the bits of a
 * line depend only on the line: not on other lines, finite or not, their number or the threads. */
enum { RAMP_BLOCK = 1 << 24 }; // bytes of padded lines at a time on a GPU: its second-level cache holds two
extern void ramp_lines(const struct ramp *r, enum dtype type, long lines, void *x);

/** The same on the host, x (n, lines) = filtered lines that load(ctx, l, line, room) provides on demand: n
 * samples of line l at `line`. room: n values of float64 of work space. Called by several threads.
 */
typedef void ramp_load(const void *ctx, long l, void *line, double *room);
extern void ramp_lines_from(
        const struct ramp *r, enum dtype type, long lines, void *x, ramp_load *load, const void *ctx);

#endif
