#ifndef NUM_EXPR_CUDA_LOOP_PLACE_H
#define NUM_EXPR_CUDA_LOOP_PLACE_H

/** Device functions for positions in strided loops. */

#include "num/md/cuda/md.h"

/** Divides *i by the length of dim `dim` and returns the remainder. */
static __device__ __forceinline__ long loop_divide(const struct loop &l, int dim, long *i)
{
	if (l.small) {
		const struct loop_div d = l.div[dim];
		const unsigned n = (unsigned)*i, q = loop_quotient(d, n);

		*i = q;

		return n - q * d.divisor;
	}

	const long q = *i / l.dims[dim], r = *i - q * l.dims[dim];

	*i = q;

	return r;
}

/** Computes `offset[k]` in bytes at loop position i, for operands `k >= first`. Requires 0 <= i < l.count.
 * All other offsets become 0. */
static __device__ __forceinline__ void loop_place(const struct loop &l, long i, int first, long offset[])
{
#pragma unroll
	for (int k = 0; k < LOOP_OPERANDS; k++)
		offset[k] = 0;

	for (int d = 0; d < l.D; d++) {
		const long at = (d == l.D - 1) ? i : loop_divide(l, d, &i);

		// constant indices keep offsets in registers
#pragma unroll
		for (int k = 0; k < LOOP_OPERANDS; k++)
			if (k >= first && k < l.N)
				offset[k] += at * l.strs[k][d];
	}
}

#endif
