#ifndef NUM_EXPR_CUDA_LOOP_FN_H
#define NUM_EXPR_CUDA_LOOP_FN_H

/** Device functions for chains of operators in strided loops. */

#include "num/expr/cuda/loop_place.h"
#include "num/md/cuda/ops_fn.h"

/** Computes a program at E elements and returns the E results. Operand k begins at p[k], with elements
 * inner[k] bytes apart. */
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
