#ifndef NUM_KERN_CONVERT_H
#define NUM_KERN_CONVERT_H

#include <stdbool.h>

#include "misc/dtype.h"

/** What to do with values that the target type cannot hold. */
enum narrow { NARROW_SATURATE, NARROW_WRAP, NARROW_ERROR };

/**
 * dst[i] = src[i] for n contiguous elements. Real to complex sets the imaginary part to 0; complex to real
 * takes the real part. Float to integer rounds to nearest, ties to even. Integers out of range wrap modulo
 * 2^bits with NARROW_WRAP, else they saturate (NaN becomes 0). To bool: 1 if not 0 (complex: if either part
 * is not 0). To float16: rounds to nearest even, overflows to infinity. Returns the number of values that
 * could not be held (out of range, NaN to integer, dropped non-zero imaginary part). The function uses one
 * thread and works element by element, so any division into blocks gives the same result.
 */
extern long convert(enum dtype dt, void *dst, enum dtype st, const void *src, long n, enum narrow mode);

/** Whether type dt can hold a value, rounded. */
extern bool convert_holds(enum dtype dt, double value);

/** What convert() did with real values that type dt could not hold: "clipped", "wrapped" or, for
 * floating-point types, "infinite". */
extern const char *convert_word(enum dtype dt, enum narrow mode);

extern float half_to_float(unsigned short h);
extern unsigned short float_to_half(float f);

#endif
