#ifndef CT_PROJECTOR_CPU_TRANSPOSE_H
#define CT_PROJECTOR_CPU_TRANSPOSE_H

/**
 * Transposes blocks of up to 16 x 16 float32 elements. In volumes, x is contiguous in memory. In
 * projections, columns are contiguous in memory. In the buffers of the X-ray transform, z is contiguous in
 * memory.
 */
enum { TRANSPOSE_TILE = 16 };

/** Sets to[c * to_pitch + r] = from[r * from_pitch + c] for r < rows and c < cols. Neither rows nor cols may
 * exceed TRANSPOSE_TILE. */
typedef void transpose_fn(float *to, long to_pitch, const float *from, long from_pitch, int rows, int cols);

/** Returns the fastest function for this machine. */
extern transpose_fn *transpose_block(void);

#ifdef __x86_64__
#include <immintrin.h>

/** Transposes 8 x 8 elements in registers. */
__attribute__((target("avx2"), always_inline)) static inline void transpose256(__m256 r[8])
{
	__m256 t[8];

	_Pragma("GCC unroll 8") for (int i = 0; i < 8; i += 2)
	{
		t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
	}

	_Pragma("GCC unroll 8") for (int i = 0; i < 8; i += 4)
	        _Pragma("GCC unroll 8") for (int k = 0; k < 2; k++)
	{
		r[i + 2 * k] = _mm256_shuffle_ps(t[i + k], t[i + k + 2], 0x44);
		r[i + 2 * k + 1] = _mm256_shuffle_ps(t[i + k], t[i + k + 2], 0xee);
	}

	_Pragma("GCC unroll 8") for (int k = 0; k < 4; k++)
	{
		t[k] = _mm256_permute2f128_ps(r[k], r[k + 4], 0x20);
		t[k + 4] = _mm256_permute2f128_ps(r[k], r[k + 4], 0x31);
	}

	_Pragma("GCC unroll 8") for (int k = 0; k < 8; k++) r[k] = t[k];
}

/** Transposes 16 x 16 elements in registers. */
__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"), always_inline)) static inline void transpose512(
        __m512 r[16])
{
	__m512 t[16];

	_Pragma("GCC unroll 16") for (int i = 0; i < 16; i += 2)
	{
		t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
	}

	_Pragma("GCC unroll 16") for (int i = 0; i < 16; i += 4)
	        _Pragma("GCC unroll 16") for (int k = 0; k < 2; k++)
	{
		const __m512d a = _mm512_castps_pd(t[i + k]), b = _mm512_castps_pd(t[i + k + 2]);

		r[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
		r[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
	}

	_Pragma("GCC unroll 16") for (int i = 0; i < 16; i += 8)
	        _Pragma("GCC unroll 16") for (int k = 0; k < 4; k++)
	{
		t[i + k] = _mm512_shuffle_f32x4(r[i + k], r[i + k + 4], 0x88);
		t[i + k + 4] = _mm512_shuffle_f32x4(r[i + k], r[i + k + 4], 0xdd);
	}

	_Pragma("GCC unroll 16") for (int k = 0; k < 8; k++)
	{
		r[k] = _mm512_shuffle_f32x4(t[k], t[k + 8], 0x88);
		r[k + 8] = _mm512_shuffle_f32x4(t[k], t[k + 8], 0xdd);
	}
}
#endif

#endif
