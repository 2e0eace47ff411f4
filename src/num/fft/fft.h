#ifndef NUM_FFT_FFT_H
#define NUM_FFT_FFT_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Discrete Fourier transforms by FFTW3, with FFTW_ESTIMATE on aligned buffers. Gantry divides the work
 * between threads, and FFTW uses one thread per part, so the result is bit-identical for any -j. X[k] = sum_n
 * x[n] exp(-2 pi i k n / N) along the dims in flags; the inverse has +i and no factor.
 */
enum fft_flags {
	FFT_INVERSE = 1,
	FFT_UNITARY = 2, // factor 1/sqrt(N)
	FFT_CENTRED = 4  // index N/2 is position and frequency 0
};

/** Transforms contiguous arrays of type complex64 or complex128; in place if out == in. */
extern void fft(int D, const long dims[], unsigned long dimflags, unsigned mode, enum dtype type, void *out,
        const void *in);

/** Real transforms of `batch` contiguous lines of n: n/2+1 complex outputs per line. float32 or float64. The
 * inverse has no factor and may overwrite its input. */
extern void fft_r2c(long n, long batch, enum dtype type, void *out, const void *in);
extern void fft_c2r(long n, long batch, enum dtype type, void *out, void *in);

/**
 * Transforms single lines of n complex elements without copies; for lines that fit into the first-level
 * cache. mode: 0 or FFT_INVERSE (no factor). error() unless type is complex64 or complex128 and n >= 1. in
 * and out are separate buffers in host memory, aligned to 64 bytes; in is not changed. Any thread may run a
 * plan; plans are kept until the process ends.
 */
struct fft_line {
	enum dtype type;
	void *plan;
};

extern struct fft_line fft_line(long n, enum dtype type, unsigned mode);
extern void fft_line_run(struct fft_line l, void *out, const void *in);

/** The smallest size >= n of the form 2^a or 5 2^a. With FFTW_ESTIMATE, FFTW transforms single lines of these
 * sizes fastest; most sizes in between are slower. */
extern long fft_line_size(long n);

/** Whether arrays on a device are transformed there (by cuFFT). If not, the CPU transforms copies.
 */
extern bool fft_on_device(void);

/** The smallest size >= n that is 2^a 3^b 5^c 7^d. */
extern long fft_good_size(long n);

#endif
