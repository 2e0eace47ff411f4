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
#define LANES_OP(name) _mm512_##name
#define ltf(a, b)      _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define gef(a, b)      _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ)
#define both(a, b)     ((vm)((a) & (b)))
#define except(a, b)   ((vm)((a) & ~(b)))
#define bits(m)        ((unsigned)(m))
#define keep(m, a)     _mm512_maskz_mov_ps(m, a)
#define pick(m, a, b)  _mm512_mask_blend_ps(m, b, a)
#define castf(a)       _mm512_castsi512_ps(a)
#define casti(a)       _mm512_castps_si512(a)
#define andi(a, b)     _mm512_and_si512(a, b)
#define floorv(a)      _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define picki(m, a, b) _mm512_mask_blend_epi32(m, b, a)
#define lowest(a)      _mm512_reduce_min_ps(a)
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
#define casti(a)       _mm256_castps_si256(a)
#define andi(a, b)     _mm256_and_si256(a, b)
#define floorv(a)      _mm256_floor_ps(a)
#define picki(m, a, b) _mm256_blendv_epi8(b, a, _mm256_castps_si256(m))
#endif

#ifdef LANES_OP
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

#if !defined(__AVX512F__)
static inline float lowest(vf a)
{
	__m128 b = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));

	b = _mm_min_ps(b, _mm_movehl_ps(b, b));
	return _mm_cvtss_f32(_mm_min_ss(b, _mm_movehdup_ps(b)));
}
#endif

#else
enum { LANES = 4 };
typedef float vf __attribute__((vector_size(16)));
typedef int vi __attribute__((vector_size(16)));
typedef unsigned vu __attribute__((vector_size(16)));
typedef vi vm;
#define EACH(i)        for (int i = 0; i < LANES; i++)
#define set1(a)        ((vf){(a), (a), (a), (a)})
#define set1i(a)       ((vi){(a), (a), (a), (a)})
#define add(a, b)      ((a) + (b))
#define sub(a, b)      ((a) - (b))
#define mul(a, b)      ((a) * (b))
#define divide(a, b)   ((a) / (b))
#define addi(a, b)     ((vi)((vu)(a) + (vu)(b)))
#define muli(a, b)     ((vi)((vu)(a) * (vu)(b)))
#define srl(a, n)      ((vi)((vu)(a) >> (n)))
#define sra(a, n)      ((a) >> (n))
#define sll(a, n)      ((vi)((vu)(a) << (n)))
#define ltf(a, b)      ((a) < (b))
#define gef(a, b)      ((a) >= (b))
#define both(a, b)     ((a) & (b))
#define except(a, b)   ((a) & ~(b))
#define andi(a, b)     ((a) & (b))
#define castf(a)       ((vf)(a))
#define keep(m, a)     ((vf)((m) & (vi)(a)))
#define picki(m, a, b) (((m) & (a)) | (~(m) & (b)))
#define pick(m, a, b)  ((vf)(((m) & (vi)(a)) | (~(m) & (vi)(b))))
#define least(a, b)    pick((a) < (b), a, b)
#define most(a, b)     pick((a) > (b), a, b)
#define floats(a)      __builtin_convertvector(a, vf)
#define trunci(a)      __builtin_convertvector(a, vi)

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

static inline float lowest(vf a)
{
	float low = a[0];

	EACH(i) low = a[i] < low ? a[i] : low;
	return low;
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
#endif

#define any(m) (0 != bits(m))

/* ---- loads of an element per lane ---- */

#ifdef LANES_OP
#define LANES_INLINE static inline __attribute__((always_inline))
#else
#define LANES_INLINE static inline
#endif

/** Where elements are, one per lane, as 32-bit integers in memory: the loads take them from there. */
struct places {
	int i[LANES];
};

LANES_INLINE struct places places_of(vi at)
{
	struct places a;

	memcpy(&a, &at, sizeof a);
	return a;
}

#ifdef LANES_OP
/* Single loads and blends take less time than gather instructions, which many processors execute in
 * microcode. */

LANES_INLINE __m256i word_at(const char *p)
{
	int w;

	memcpy(&w, p, sizeof w);
	return _mm256_set1_epi32(w);
}

LANES_INLINE __m256i long_at(const char *p)
{
	long long w;

	memcpy(&w, p, sizeof w);
	return _mm256_set1_epi64x(w);
}

/* 32-bit integers at p + scale * at[i], i = 0 .. 7. */
LANES_INLINE __m256i eight_words(const char *p, const int *at, long scale)
{
	__m256i a = word_at(p + at[0] * scale);

#define LANE(i) a = _mm256_blend_epi32(a, word_at(p + at[i] * scale), 1 << (i))
	LANE(1);
	LANE(2);
	LANE(3);
	LANE(4);
	LANE(5);
	LANE(6);
	LANE(7);
#undef LANE
	return a;
}

/* 64-bit integers at p + scale * at[i], i = 0, 1, 4, 5. */
LANES_INLINE __m256i four_longs(const char *p, const int *at, long scale)
{
	__m256i a = long_at(p + at[0] * scale);

	a = _mm256_blend_epi32(a, long_at(p + at[1] * scale), 0x0c);
	a = _mm256_blend_epi32(a, long_at(p + at[4] * scale), 0x30);
	return _mm256_blend_epi32(a, long_at(p + at[5] * scale), 0xc0);
}
#endif

/** A 32-bit integer per lane from p + scale * at. */
LANES_INLINE vi gather(const void *p, const struct places *at, long scale)
{
#if defined(__AVX512F__)
	return _mm512_inserti64x4(
	        _mm512_castsi256_si512(eight_words(p, at->i, scale)), eight_words(p, at->i + 8, scale), 1);
#elif defined(__AVX2__)
	return eight_words(p, at->i, scale);
#else
	vi a;

	EACH(l) memcpy((char *)&a + l * (int)sizeof(int), (const char *)p + at->i[l] * scale, sizeof(int));
	return a;
#endif
}

/** Two neighbouring 32-bit integers per lane from p + scale * at. */
LANES_INLINE void gather2(const void *p, const struct places *at, long scale, vi *a, vi *b)
{
#ifdef LANES_OP
#if defined(__AVX512F__)
	const vf l = _mm512_castsi512_ps(_mm512_inserti64x4(
	        _mm512_castsi256_si512(four_longs(p, at->i, scale)), four_longs(p, at->i + 8, scale), 1));
	const vf h = _mm512_castsi512_ps(
	        _mm512_inserti64x4(_mm512_castsi256_si512(four_longs(p, at->i + 2, scale)),
	                four_longs(p, at->i + 10, scale), 1));
#else
	const vf l = castf(four_longs(p, at->i, scale)), h = castf(four_longs(p, at->i + 2, scale));
#endif
	*a = casti(LANES_OP(shuffle_ps)(l, h, 0x88));
	*b = casti(LANES_OP(shuffle_ps)(l, h, 0xdd));
#else
	*a = gather(p, at, scale);
	*b = gather((const char *)p + 4, at, scale);
#endif
}

LANES_INLINE vf gatherf(const float *p, vi at)
{
	const struct places a = places_of(at);

	return castf(gather(p, &a, 4));
}

/** Byte p[at] per lane. The three bytes after it must exist. */
LANES_INLINE vi gatherb(const unsigned char *p, vi at)
{
	const struct places a = places_of(at);

	return andi(gather(p, &a, 1), set1i(255));
}

#endif
