/** Blocks transposed, with AVX-512 in registers. */

#include "ct/projector/cpu/transpose.h"

#include <string.h>

#include "num/kern/kern.h"

static void transpose_plain(float *to, long to_pitch, const float *from, long from_pitch, int rows, int cols)
{
	for (int c = 0; c < cols; c++)
		for (int r = 0; r < rows; r++)
			to[c * to_pitch + r] = from[r * from_pitch + c];
}

#ifdef __x86_64__
#define transpose_avx2 transpose_plain

__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"))) static void transpose_avx512(
        float *to, long to_pitch, const float *from, long from_pitch, int rows, int cols)
{
	const __mmask16 in = (__mmask16)((1u << cols) - 1), out = (__mmask16)((1u << rows) - 1);
	__m512 r[TRANSPOSE_TILE];

	_Pragma("GCC unroll 16") for (int i = 0; i < TRANSPOSE_TILE; i++) r[i] =
	        _mm512_maskz_loadu_ps((i < rows) ? in : 0, from + ((i < rows) ? i : 0) * from_pitch);

	transpose512(r);

	_Pragma("GCC unroll 16") for (int i = 0; i < TRANSPOSE_TILE; i++) if (i < cols)
	        _mm512_mask_storeu_ps(to + i * to_pitch, out, r[i]);
}
#endif

transpose_fn *transpose_block(void)
{
	return KERN_CHOOSE(transpose);
}
