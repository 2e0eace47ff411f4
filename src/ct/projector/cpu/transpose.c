/** Blocks transposed, with AVX2 and AVX-512 in registers. */

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
__attribute__((target("avx2"))) static void transpose_avx2(
        float *to, long to_pitch, const float *from, long from_pitch, int rows, int cols)
{
	enum { TILE = 8 };

	for (int c = 0; c < cols; c += TILE)
		for (int k = 0; k < rows; k += TILE) {
			float *out = to + c * to_pitch + k;
			const float *in = from + k * from_pitch + c;
			__m256 r[TILE];

			if (rows - k < TILE || cols - c < TILE) {
				transpose_plain(out, to_pitch, in, from_pitch,
				        (rows - k < TILE) ? rows - k : TILE,
				        (cols - c < TILE) ? cols - c : TILE);
				continue;
			}

			_Pragma("GCC unroll 8") for (int i = 0; i < TILE; i++) r[i] =
			        _mm256_loadu_ps(in + i * from_pitch);

			transpose256(r);

			_Pragma("GCC unroll 8") for (int i = 0; i < TILE; i++)
			        _mm256_storeu_ps(out + i * to_pitch, r[i]);
		}
}

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
