#ifndef NUM_MD_CUDA_DIVIDE_H
#define NUM_MD_CUDA_DIVIDE_H

#include "num/device/cuda/device_fn.h"

/**
 * Divides numbers below 2^31 by a fixed divisor, with a product and a shift [1].
 *
 * [1] T. Granlund, P. L. Montgomery, Division by invariant integers using multiplication, 1994
 */
struct loop_div {
	unsigned divisor, factor, shift;
};

/** Prepares divisions by d, with 0 < d < 2^31. */
static inline struct loop_div loop_div_by(long d)
{
	struct loop_div r = {(unsigned)d, 0, 0};

	if (2 > d)
		return r;

	const int bits = 64 - __builtin_clzl((unsigned long)d - 1);

	r.factor = (unsigned)(((1ul << (31 + bits)) + (unsigned long)d - 1) / (unsigned long)d);
	r.shift = (unsigned)bits - 1;

	return r;
}

DEVICE_FN unsigned loop_quotient(struct loop_div d, unsigned n)
{
	return (1 == d.divisor) ? n : (unsigned)((unsigned long long)n * d.factor >> 32) >> d.shift;
}

#endif
