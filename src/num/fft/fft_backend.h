#ifndef NUM_FFT_FFT_BACKEND_H
#define NUM_FFT_FFT_BACKEND_H

#include "num/fft/fft.h"

/** Functions of num/fft/fft.h for one device, called with checked arguments. The transform runs on the
 * device of the output. */
struct fft_backend {
	void (*fft)(int D, const long dims[], unsigned long dimflags, unsigned mode, enum dtype type,
	        void *out, const void *in);
	void (*r2c)(long n, long batch, enum dtype type, void *out, const void *in);
	void (*c2r)(long n, long batch, enum dtype type, void *out, void *in);
	bool (*is_there)(void); // whether the device has an FFT library; otherwise the host transforms
};

extern const struct fft_backend fft_backend_cpu, fft_backend_gpu;

#endif
