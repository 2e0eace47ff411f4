#ifndef NUM_KERN_COMPRESS_H
#define NUM_KERN_COMPRESS_H

#ifdef __x86_64__
#include <immintrin.h>
#include <stdint.h>

#define COMPRESS_BIT(m, i) ((m) >> (i)&1)
#define COMPRESS_COUNT(m)                                                                                    \
	(COMPRESS_BIT(m, 0) + COMPRESS_BIT(m, 1) + COMPRESS_BIT(m, 2) + COMPRESS_BIT(m, 3) +                 \
	        COMPRESS_BIT(m, 4) + COMPRESS_BIT(m, 5) + COMPRESS_BIT(m, 6) + COMPRESS_BIT(m, 7))
#define COMPRESS_LANE(m, i)                                                                                  \
	((uint64_t)(COMPRESS_BIT(m, i) * (i)) << 8 * (COMPRESS_COUNT((m) & ((1 << (i)) - 1)) & 7))
#define COMPRESS_LANES(m)                                                                                    \
	(COMPRESS_LANE(m, 0) | COMPRESS_LANE(m, 1) | COMPRESS_LANE(m, 2) | COMPRESS_LANE(m, 3) |             \
	        COMPRESS_LANE(m, 4) | COMPRESS_LANE(m, 5) | COMPRESS_LANE(m, 6) | COMPRESS_LANE(m, 7))

#define COMPRESS_4(f, m) f(m), f((m) + 1), f((m) + 2), f((m) + 3)
#define COMPRESS_16(f, m)                                                                                    \
	COMPRESS_4(f, m), COMPRESS_4(f, (m) + 4), COMPRESS_4(f, (m) + 8), COMPRESS_4(f, (m) + 12)
#define COMPRESS_64(f, m)                                                                                    \
	COMPRESS_16(f, m), COMPRESS_16(f, (m) + 16), COMPRESS_16(f, (m) + 32), COMPRESS_16(f, (m) + 48)
#define COMPRESS_256(f, m)                                                                                   \
	COMPRESS_64(f, m), COMPRESS_64(f, (m) + 64), COMPRESS_64(f, (m) + 128), COMPRESS_64(f, (m) + 192)

/** Element m: byte i is the number of the (i + 1)-th bit that is set in m. Bytes past the last one are 0. */
static const uint64_t compress_lanes[256] = {COMPRESS_256(COMPRESS_LANES, 0)};

#define EXPAND_LANE(m, i) ((uint64_t)COMPRESS_COUNT((m) & ((1 << (i)) - 1)) << 8 * (i))
#define EXPAND_LANES(m)                                                                                      \
	(EXPAND_LANE(m, 0) | EXPAND_LANE(m, 1) | EXPAND_LANE(m, 2) | EXPAND_LANE(m, 3) | EXPAND_LANE(m, 4) | \
	        EXPAND_LANE(m, 5) | EXPAND_LANE(m, 6) | EXPAND_LANE(m, 7))

/** Element m: byte i is the number of bits that are set in m below bit i. */
static const uint64_t expand_lanes[256] __attribute__((unused)) = {COMPRESS_256(EXPAND_LANES, 0)};

#undef EXPAND_LANE
#undef EXPAND_LANES
#undef COMPRESS_BIT
#undef COMPRESS_COUNT
#undef COMPRESS_LANE
#undef COMPRESS_LANES
#undef COMPRESS_4
#undef COMPRESS_16
#undef COMPRESS_64
#undef COMPRESS_256

/** Returns the lanes of a mask of eight, those that are set first. The instructions pext and pdep would do
 * the same, but take hundreds of cycles on some processors with AVX2. */
__attribute__((target("avx2"), always_inline)) static inline __m256i compress256(unsigned mask)
{
	return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(compress_lanes + mask)));
}

/** Returns the lanes of values that belong into the lanes of a mask of eight, one after the other. */
__attribute__((target("avx2"), always_inline, unused)) static inline __m256i expand256(unsigned mask)
{
	return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(expand_lanes + mask)));
}
#endif

#endif
