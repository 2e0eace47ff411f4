#ifndef NUM_FFT_FFT_H
#define NUM_FFT_FFT_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Discrete Fourier transforms by FFTW3, along the dims in `dimflags`:
 *     X[k] = sum_n x[n] exp(-2 pi i k n / N)
 * The inverse has +i in the exponent and no factor 1/N. The result is bit-identical for any number of
 * threads.
 */
enum fft_flags {
	FFT_INVERSE = 1,
	FFT_UNITARY = 2, // factor 1/sqrt(N)
	FFT_CENTRED = 4  // position 0 and frequency 0 have index N/2
};

/** Transforms contiguous arrays of type complex64 or complex128. If out == in, the transform is in place.
 * Other types are an error(). */
extern void fft(int D, const long dims[], unsigned long dimflags, unsigned mode, enum dtype type, void *out,
        const void *in);

/** Real transforms of `batch` contiguous lines of n elements, float32 or float64. A transformed line has
 * n/2+1 complex elements. The inverse, fft_c2r(), has no factor and may overwrite its input. */
extern void fft_r2c(long n, long batch, enum dtype type, void *out, const void *in);
extern void fft_c2r(long n, long batch, enum dtype type, void *out, void *in);

/**
 * Transforms single lines of n complex elements that fit into the first-level cache. `mode` is 0 or
 * FFT_INVERSE, without a factor. Types other than complex64 and complex128, and n < 1, are an error(). The
 * buffers `in` and `out` are in host memory, separate, and aligned to 64 bytes. The transform does not
 * change `in`. Any thread may run a plan. Plans are kept until the process ends.
 */
struct fft_line {
	enum dtype type;
	void *plan;
};

extern struct fft_line fft_line(long n, enum dtype type, unsigned mode);
extern void fft_line_run(struct fft_line l, void *out, const void *in);

/** Returns the smallest size >= n of the form 2^a or 5 2^a. FFTW transforms single lines of these sizes
 * fastest. */
extern long fft_line_size(long n);

/** Returns whether cuFFT transforms arrays on a device. Otherwise the CPU transforms copies. */
extern bool fft_on_device(void);

/** Returns the smallest size >= n of the form 2^a 3^b 5^c 7^d. */
extern long fft_good_size(long n);

#endif
