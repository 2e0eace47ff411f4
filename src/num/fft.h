#ifndef NUM_FFT_H
#define NUM_FFT_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Discrete Fourier transforms by FFTW3 (FFTW_ESTIMATE on aligned buffers, one thread inside our own
 * partition: same bytes for any -j). X[k] = sum_n x[n] exp(-2 pi i k n / N) along the dims in flags; the
 * inverse has +i and no factor.
 */
enum fft_flags {
	FFT_INVERSE = 1,
	FFT_UNITARY = 2, // factor 1/sqrt(N)
	FFT_CENTRED = 4  // index N/2 is position and frequency 0
};

/** type complex64 or complex128, contiguous; in place when out == in. */
extern void fft(int D, const long dims[], unsigned long dimflags, unsigned mode, enum dtype type, void *out,
        const void *in);

/** Real transforms of `batch` contiguous lines of n: n/2+1 complex outputs per line. float32 or float64. The
 * inverse has no factor and may overwrite its input. */
extern void fft_r2c(long n, long batch, enum dtype type, void *out, const void *in);
extern void fft_c2r(long n, long batch, enum dtype type, void *out, void *in);

/** Whether arrays on a device are transformed there: it has cuFFT. Else on copies, by the CPU. */
extern bool fft_on_device(void);

/** The smallest size >= n that is 2^a 3^b 5^c 7^d. */
extern long fft_good_size(long n);

#endif
