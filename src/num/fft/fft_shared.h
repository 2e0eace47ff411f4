#ifndef NUM_FFT_FFT_SHARED_H
#define NUM_FFT_FFT_SHARED_H

#include "misc/file/cfl.h"

/**
 * Discrete Fourier transforms of files by ranks (misc/ranks/ranks.h), with the bytes of one process. If a dim
 * longer than 1 is not transformed, ranks take parts along it. Else they take parts along the last dim,
 * transform the others, exchange parts along the one before it for those (each rank sends bytes / ranks * (1
 * - 1 / ranks) of the output's), and transform the last.
 */

/** Whether ranks can share the transform of an array of these dims: not of a single line. */
extern bool fft_is_shared(const long dims[DIMS], unsigned long flags);

/** y, complex64 or complex128, = scale times the transform of x along the dims in flags; mode: num/fft/fft.h.
 */
extern void fft_shared(struct cfl *y, struct cfl *x, unsigned long flags, unsigned mode, double scale);

#endif
