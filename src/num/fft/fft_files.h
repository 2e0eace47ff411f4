#ifndef NUM_FFT_FFT_FILES_H
#define NUM_FFT_FFT_FILES_H

#include "misc/file/cfl.h"

/** y = scale times the transform of x along dims, mode as of fft(); y is complex64 or complex128, x of any
 * type that converts to it, of the same dims. On the GPU where that was asked for and a block of all dims up
 * to the last one of the transform fits, else on the CPU. */
extern void fft_files(struct cfl *y, struct cfl *x, unsigned long dims, unsigned mode, double scale);

#endif
