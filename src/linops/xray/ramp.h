#ifndef LINOPS_XRAY_RAMP_H
#define LINOPS_XRAY_RAMP_H

#include "misc/dtype.h"

/**
 * The ramp filter of filtered back projection, band-limited and built in the space domain [1], so that its
 * response at frequency 0 is what a finite line needs (a ramp sampled in frequency loses the mean). Samples
 * are 1 apart.
 */
enum ramp_window { RAMP_RAMP, RAMP_SHEPP_LOGAN, RAMP_COSINE, RAMP_HAMMING, RAMP_HANN };

/** The names in the order of the enum: "ramp|shepp-logan|...". */
extern const char ramp_names[];

/** h[n], the inverse Fourier transform of |f| W(f) over |f| <= 1/2. */
extern double ramp_kernel(enum ramp_window w, long n);

/** Convolution of lines of n samples with h, by FFT with zero padding to at least 2 n. bend [rad] is the
 * angle between neighbouring columns of an equiangular detector: the kernel becomes (n bend / sin(n bend))^2
 * h[n]; 0 for a flat one. */
struct ramp;
extern struct ramp *ramp_create(enum ramp_window w, long n, double bend);
extern void ramp_free(struct ramp *r);

/** In place on contiguous lines of float32 or float64; the same bits for any number of threads. */
extern void ramp_lines(const struct ramp *r, enum dtype type, long lines, void *x);

#endif
