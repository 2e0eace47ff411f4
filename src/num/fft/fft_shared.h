#ifndef NUM_FFT_FFT_SHARED_H
#define NUM_FFT_FFT_SHARED_H

#include "misc/file/cfl.h"

/**
 * Discrete Fourier transforms of files by ranks (misc/ranks/ranks.h), with a result that is bit-identical to
 * one process. If a dim longer than 1 is not transformed, the array is divided between ranks along this dim.
 * If there is no such dim, the array is divided along the last dim, and ranks transform the other dims. The
 * ranks then exchange elements, so that the array is divided along the dim before the last one, and transform
 * the last dim. Each rank sends bytes / ranks * (1 - 1 / ranks), where bytes is the size of the output.
 */

/** Whether ranks can share the transform of an array of these dims; a single line cannot be shared. */
extern bool fft_is_shared(const long dims[DIMS], unsigned long flags);

/** y = scale times the transform of x along the dims in flags; mode as for fft(). y is complex64 or
 * complex128.
 */
extern void fft_shared(struct cfl *y, struct cfl *x, unsigned long flags, unsigned mode, double scale);

#endif
