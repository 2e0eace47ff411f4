#ifndef NUM_FFT_FFT_BACKEND_H
#define NUM_FFT_FFT_BACKEND_H

#include "num/fft/fft.h"

/** The functions of num/fft/fft.h for one device; the arguments are already checked. The address of the
 * output chooses the device. */
struct fft_backend {
	void (*fft)(int D, const long dims[], unsigned long dimflags, unsigned mode, enum dtype type,
	        void *out, const void *in);
	void (*r2c)(long n, long batch, enum dtype type, void *out, const void *in);
	void (*c2r)(long n, long batch, enum dtype type, void *out, void *in);
	bool (*is_there)(void); // whether it has a library; else arrays there are transformed on the host
};

extern const struct fft_backend fft_backend_cpu, fft_backend_gpu;

#endif
