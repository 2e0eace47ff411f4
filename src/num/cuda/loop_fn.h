#ifndef NUM_CUDA_LOOP_FN_H
#define NUM_CUDA_LOOP_FN_H

/** Strided loops and chains of operators inside kernels. */

#include "num/cuda/md.h"
#include "num/cuda/ops_fn.h"

/** i = i / d, and the remainder. */
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

/** offset[k] [bytes] of the operands from `first` at place i of the loop, 0 <= i < l.count; offset has room
 * for LOOP_OPERANDS. */
static __device__ __forceinline__ void loop_place(const struct loop &l, long i, int first, long offset[])
{
#pragma unroll
	for (int k = 0; k < LOOP_OPERANDS; k++)
		offset[k] = 0;

	for (int d = 0; d < l.D; d++) {
		const long at = (d == l.D - 1) ? i : loop_divide(l, d, &i);

		// all that there may be, by constant indices: offsets stay in registers
#pragma unroll
		for (int k = 0; k < LOOP_OPERANDS; k++)
			if (k >= first && k < l.N)
				offset[k] += at * l.strs[k][d];
	}
}

/** The values of a program at E elements: the last of them. Operand k of the program lies at p[k], its
 * elements inner[k] bytes apart. */
template <int E>
static __device__ __attribute__((noinline)) const cell *program_run(
        const struct program &f, const char *const p[], const long inner[], cell (*v)[E])
{
	for (int j = 0; j < f.values; j++) {
		const struct program_value x = f.value[j];
		const cell *a = v[x.in[0]];

		switch (x.kind) {
		case VALUE_OPERAND:
			for (int e = 0; e < E; e++)
				cell_load(&v[j][e], x.type, p[j] + e * inner[j]);
			break;
		case VALUE_CONSTANT:
			for (int e = 0; e < E; e++)
				cell_load(&v[j][e], x.type, (const char *)f.constant[j]);
			break;
		case VALUE_CONVERT:
			for (int e = 0; e < E; e++)
				cell_narrow(&v[j][e], x.type, cell_wide(a[e], f.value[x.in[0]].type));
			break;
		default:
			ops_apply<E>(x.op, x.work, v[j], a, (1 < x.args) ? v[x.in[1]] : NULL,
			        (2 < x.args) ? v[x.in[2]] : NULL);
		}
	}

	return v[f.values - 1];
}

#endif
