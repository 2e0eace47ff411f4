#ifndef NUM_FFT_FFT_SHARED_H
#define NUM_FFT_FFT_SHARED_H

#include "misc/file/cfl.h"

/**
 * Discrete Fourier transforms of files by ranks (misc/ranks/ranks.h). The result is bit-identical to that of
 * one process. Ranks divide the array along a dim that is not transformed. If all dims are transformed, ranks
 * first transform all dims but the last. The ranks then exchange elements and transform the last dim. For an
 * output of `bytes` bytes, each rank sends `bytes / ranks * (1 - 1 / ranks)`.
 */

/** Returns whether ranks can share the transform of an array. A single line cannot be shared. */
extern bool fft_is_shared(const long dims[DIMS], unsigned long flags);

/** Returns the private memory [bytes] that this rank needs for fft_shared(), for tool_needs(). `h` is the
 * header of the output `name`. */
extern long fft_shared_memory(
        const struct hdr *h, const struct cfl *x, unsigned long flags, const char *name);

/**
 * Sets y to `scale` times the transform of x along dims in `flags`, with the modes of fft(). The type of y is
 * complex64 or complex128.
 */
extern void fft_shared(struct cfl *y, struct cfl *x, unsigned long flags, unsigned mode, double scale);

#endif
