#ifndef NUM_FFT_FFT_FILES_H
#define NUM_FFT_FFT_FILES_H

#include "misc/file/cfl.h"

/** y = scale times the transform of x along `dims`; mode as for fft(). y is complex64 or complex128; x has
 * the same dims and any type that converts to the type of y. The GPU is used if device_worth() and if its
 * memory holds a block, else the CPU. A block has all dims up to the last transformed one. */
extern void fft_files(struct cfl *y, struct cfl *x, unsigned long dims, unsigned mode, double scale);

#endif
