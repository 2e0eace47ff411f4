#ifndef NUM_KERN_CONVERT_H
#define NUM_KERN_CONVERT_H

#include <stdbool.h>

#include "misc/dtype.h"

/** Treatment of values that the target type cannot hold. */
enum narrow { NARROW_SATURATE, NARROW_WRAP, NARROW_ERROR };

/**
 * Converts n contiguous elements: dst[i] = src[i]. Uses one thread.
 * - Real to complex sets the imaginary part to 0.
 * - Complex to real takes the real part.
 * - Float to integer rounds to nearest, ties to even.
 * - Integers out of range wrap modulo 2^bits with NARROW_WRAP. Otherwise they saturate. NaN becomes 0.
 * - Conversion to bool gives 0 for 0, else 1.
 * - Conversion to float16 rounds to nearest even. Overflow gives infinity.
 *
 * Returns the number of values that could not be held. Values out of range, NaN to integer, and dropped
 * non-zero imaginary parts are counted.
 */
extern long convert(enum dtype dt, void *dst, enum dtype st, const void *src, long n, enum narrow mode);

/** Returns whether type dt can hold a value after rounding. */
extern bool convert_holds(enum dtype dt, double value);

/** Returns "clipped" or "wrapped", the treatment of real values out of range by convert(). For floating-point
 * types, returns "infinite". */
extern const char *convert_word(enum dtype dt, enum narrow mode);

extern float half_to_float(unsigned short h);
extern unsigned short float_to_half(float f);

#endif
