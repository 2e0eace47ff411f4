#ifndef VOLUME_RENDER_LANES_H
#define VOLUME_RENDER_LANES_H

/** Vectors of LANES floats or 32-bit integers. LANES is 16 with AVX-512, 8 with AVX2 and otherwise 4. All
 * operations are correctly rounded. Results are bit-identical for every width. Approximate reciprocals differ
 * between processors and are not used. */

#include <math.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 16 };
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;
#define LANES_OP(name)      _mm512_##name
#define ltf(a, b)           _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define gef(a, b)           _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ)
#define both(a, b)          ((vm)((a) & (b)))
#define except(a, b)        ((vm)((a) & ~(b)))
#define bits(m)             ((unsigned)(m))
#define keep(m, a)          _mm512_maskz_mov_ps(m, a)
#define pick(m, a, b)       _mm512_mask_blend_ps(m, b, a)
#define castf(a)            _mm512_castsi512_ps(a)
#define andi(a, b)          _mm512_and_si512(a, b)
#define floorv(a)           _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define gatherm(m, p, i, s) _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, i, p, s)
#define gatherf(p, i)       _mm512_i32gather_ps(i, p, 4)
#elif defined(__AVX2__)
enum { LANES = 8 };
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;
#define LANES_OP(name) _mm256_##name
#define ltf(a, b)      _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define gef(a, b)      _mm256_cmp_ps(a, b, _CMP_GE_OQ)
#define both(a, b)     _mm256_and_ps(a, b)
#define except(a, b)   _mm256_andnot_ps(b, a)
#define bits(m)        ((unsigned)_mm256_movemask_ps(m))
#define keep(m, a)     _mm256_and_ps(m, a)
#define pick(m, a, b)  _mm256_blendv_ps(b, a, m)
#define castf(a)       _mm256_castsi256_ps(a)
#define andi(a, b)     _mm256_and_si256(a, b)
#define floorv(a)      _mm256_floor_ps(a)
#define gatherm(m, p, i, s)                                                                                  \
	_mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)(p), i, _mm256_castps_si256(m), s)
#define gatherf(p, i) _mm256_i32gather_ps(p, i, 4)
#endif

#ifdef LANES_OP
#define storei(p, a)  memcpy(p, &(a), sizeof(a))
#define set1(a)       LANES_OP(set1_ps)(a)
#define set1i(a)      LANES_OP(set1_epi32)(a)
#define add(a, b)     LANES_OP(add_ps)(a, b)
#define sub(a, b)     LANES_OP(sub_ps)(a, b)
#define mul(a, b)     LANES_OP(mul_ps)(a, b)
#define madd(a, b, c) LANES_OP(fmadd_ps)(a, b, c)
#define divide(a, b)  LANES_OP(div_ps)(a, b)
#define root(a)       LANES_OP(sqrt_ps)(a)
#define least(a, b)   LANES_OP(min_ps)(a, b)
#define most(a, b)    LANES_OP(max_ps)(a, b)
#define addi(a, b)    LANES_OP(add_epi32)(a, b)
#define muli(a, b)    LANES_OP(mullo_epi32)(a, b)
#define srl(a, n)     LANES_OP(srli_epi32)(a, n)
#define sra(a, n)     LANES_OP(srai_epi32)(a, n)
#define sll(a, n)     LANES_OP(slli_epi32)(a, n)
#define floats(a)     LANES_OP(cvtepi32_ps)(a)
#define trunci(a)     LANES_OP(cvttps_epi32)(a)
#define loadf(p)      LANES_OP(loadu_ps)(p)
#define storef(p, a)  LANES_OP(storeu_ps)(p, a)

/* Loads two neighbouring 32-bit integers per lane from p + scale * at. Outside the mask m, *a and *b are 0.
 * A macro, because the scale is a constant. */
#ifdef __AVX512F__
#define gather2(m, p, at, scale, a, b)                                                                       \
	do {                                                                                                 \
		const __m512i none_ = _mm512_setzero_si512();                                                \
		const __m512i l_ = _mm512_mask_i32gather_epi64(                                              \
		        none_, (__mmask8)(m), _mm512_castsi512_si256(at), p, scale);                         \
		const __m512i h_ = _mm512_mask_i32gather_epi64(                                              \
		        none_, (__mmask8)((m) >> 8), _mm512_extracti64x4_epi64(at, 1), p, scale);            \
		const __m512i even_ =                                                                        \
		        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);         \
		*(a) = _mm512_permutex2var_epi32(l_, even_, h_);                                             \
		*(b) = _mm512_permutex2var_epi32(l_, _mm512_add_epi32(even_, _mm512_set1_epi32(1)), h_);     \
	} while (0)
#else
#define gather2(m, p, at, scale, a, b)                                                                       \
	do {                                                                                                 \
		const __m256i none_ = _mm256_setzero_si256(), m_ = _mm256_castps_si256(m);                   \
		const __m256i l_ = _mm256_mask_i32gather_epi64(none_, (const long long *)(const void *)(p),  \
		        _mm256_castsi256_si128(at), _mm256_cvtepi32_epi64(_mm256_castsi256_si128(m_)),       \
		        scale);                                                                              \
		const __m256i h_ = _mm256_mask_i32gather_epi64(none_, (const long long *)(const void *)(p),  \
		        _mm256_extracti128_si256(at, 1),                                                     \
		        _mm256_cvtepi32_epi64(_mm256_extracti128_si256(m_, 1)), scale);                      \
		const __m256 f_ = _mm256_castsi256_ps(l_), g_ = _mm256_castsi256_ps(h_);                     \
		*(a) = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(f_, g_, 0x88)), 0xd8); \
		*(b) = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(f_, g_, 0xdd)), 0xd8); \
	} while (0)
#endif
#else
enum { LANES = 4 };
typedef float vf __attribute__((vector_size(16)));
typedef int vi __attribute__((vector_size(16)));
typedef unsigned vu __attribute__((vector_size(16)));
typedef vi vm;
#define EACH(i)       for (int i = 0; i < LANES; i++)
#define set1(a)       ((vf){(a), (a), (a), (a)})
#define set1i(a)      ((vi){(a), (a), (a), (a)})
#define add(a, b)     ((a) + (b))
#define sub(a, b)     ((a) - (b))
#define mul(a, b)     ((a) * (b))
#define divide(a, b)  ((a) / (b))
#define addi(a, b)    ((vi)((vu)(a) + (vu)(b)))
#define muli(a, b)    ((vi)((vu)(a) * (vu)(b)))
#define srl(a, n)     ((vi)((vu)(a) >> (n)))
#define sra(a, n)     ((a) >> (n))
#define sll(a, n)     ((vi)((vu)(a) << (n)))
#define ltf(a, b)     ((a) < (b))
#define gef(a, b)     ((a) >= (b))
#define both(a, b)    ((a) & (b))
#define except(a, b)  ((a) & ~(b))
#define andi(a, b)    ((a) & (b))
#define castf(a)      ((vf)(a))
#define keep(m, a)    ((vf)((m) & (vi)(a)))
#define pick(m, a, b) ((vf)(((m) & (vi)(a)) | (~(m) & (vi)(b))))
#define least(a, b)   pick((a) < (b), a, b)
#define most(a, b)    pick((a) > (b), a, b)
#define floats(a)     __builtin_convertvector(a, vf)
#define trunci(a)     __builtin_convertvector(a, vi)

static inline vf madd(vf a, vf b, vf c)
{
	EACH(i) c[i] = fmaf(a[i], b[i], c[i]);
	return c;
}

static inline vf root(vf a)
{
	EACH(i) a[i] = sqrtf(a[i]);
	return a;
}

static inline vf floorv(vf a)
{
	EACH(i) a[i] = floorf(a[i]);
	return a;
}

static inline unsigned bits(vm m)
{
	unsigned b = 0;

	EACH(i) b |= (unsigned)(0 != m[i]) << i;
	return b;
}

static inline vf loadf(const float *p)
{
	vf a;

	memcpy(&a, p, sizeof a);
	return a;
}

static inline void storef(float *p, vf a)
{
	memcpy(p, &a, sizeof a);
}

static inline vi gatherm(vm m, const void *p, vi at, int scale)
{
	vi a = {0};

	EACH(i)
	{
		int x = 0;

		if (m[i])
			memcpy(&x, (const char *)p + (long)at[i] * scale, sizeof x);

		a[i] = x;
	}

	return a;
}

static inline void storei(int *p, vi a)
{
	memcpy(p, &a, sizeof a);
}

static inline void gather2(vm m, const void *p, vi at, int scale, vi *a, vi *b)
{
	*a = gatherm(m, p, at, scale);
	*b = gatherm(m, (const char *)p + 4, at, scale);
}

static inline vf gatherf(const float *p, vi at)
{
	return (vf){p[at[0]], p[at[1]], p[at[2]], p[at[3]]};
}
#endif

#define any(m) (0 != bits(m))

/* Loads byte p[i] per lane. The three bytes after p[i] must exist. */
#define gatherb(p, i) andi(gatherm(gef(set1(0.f), set1(0.f)), p, i, 1), set1i(255))

#endif
