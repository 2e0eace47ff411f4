#ifndef NUM_FFT_FFT_FILES_H
#define NUM_FFT_FFT_FILES_H

#include "misc/file/cfl.h"

/** Sets y to `scale` times the transform of x along `dims`, with the modes of fft(). The type of y is
 * complex64 or complex128. The input x has the dims of y and any type that converts to the type of y. The GPU
 * is used if device_worth() and if its memory holds a block. A block contains all dims up to the last
 * transformed dim. */
extern void fft_files(struct cfl *y, struct cfl *x, unsigned long dims, unsigned mode, double scale);

#endif
