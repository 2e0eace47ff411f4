#include "volume/mesh/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "num/kern/convert.h"
#include "num/kern/kern.h"

typedef long row_fn(uint64_t *bits, const void *p, long n, union inside_level level);

enum { WORD = 64 };

/* Packs 64 bytes of 0 or 1 into bits. */
static inline uint64_t pack_plain(const uint8_t q[WORD])
{
	uint64_t w = 0;

	for (int j = 0; j < 8; j++) {
		uint64_t t;

		memcpy(&t, q + 8 * j, 8);
		w |= ((t * 0x0102040810204080ull) >> 56) << 8 * j;
	}

	return w;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static inline uint64_t pack_avx2(const uint8_t q[WORD])
{
	uint64_t w = 0;

	for (int j = 0; j < WORD; j += 32) {
		const __m256i v = _mm256_loadu_si256((const __m256i *)(q + j));

		w |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(v, 7)) << j;
	}

	return w;
}
#endif

/* Compares 64 elements at a time; the tail goes through a copy that is outside beyond its end. */
#define ROW(name, T, member, op, isa, attributes)                                                            \
	attributes static long row_##name##_##isa(                                                           \
	        uint64_t *bits, const void *data, long n, union inside_level level)                          \
	{                                                                                                    \
		const T t = (T)level.member;                                                                 \
		long nan = 0;                                                                                \
		uint64_t over = 0;                                                                           \
		for (long i = 0; i <= n; i += WORD) {                                                        \
			uint8_t q[WORD];                                                                     \
			T tail[WORD];                                                                        \
			const T *p = (const T *)data + i;                                                    \
			uint64_t w;                                                                          \
			int bad = 0;                                                                         \
			if (n == i) {                                                                        \
				bits[i / WORD] = over;                                                       \
				break;                                                                       \
			}                                                                                    \
			if (n - i < WORD) {                                                                  \
				memset(tail, 0, sizeof tail);                                                \
				memcpy(tail, p, (size_t)(n - i) * sizeof *p);                                \
				p = tail;                                                                    \
			}                                                                                    \
			for (int j = 0; j < WORD; j++)                                                       \
				q[j] = p[j] op t;                                                            \
			for (int j = 0; (T)0.5 != 0 && j < WORD; j++)                                        \
				bad += p[j] != p[j];                                                         \
			w = pack_##isa(q);                                                                   \
			w = n - i < WORD ? w & (((uint64_t)1 << (n - i)) - 1) : w;                           \
			bits[i / WORD] = w << 1 | over;                                                      \
			over = w >> 63;                                                                      \
			nan += bad;                                                                          \
		}                                                                                            \
		return nan;                                                                                  \
	}

#define ROWS(isa, attributes)                                                                                \
	ROW(int8, int8_t, i, >=, isa, attributes)                                                            \
	ROW(int16, int16_t, i, >=, isa, attributes)                                                          \
	ROW(int32, int32_t, i, >=, isa, attributes)                                                          \
	ROW(int64, int64_t, i, >=, isa, attributes)                                                          \
	ROW(uint8, uint8_t, u, >=, isa, attributes)                                                          \
	ROW(uint16, uint16_t, u, >=, isa, attributes)                                                        \
	ROW(uint32, uint32_t, u, >=, isa, attributes)                                                        \
	ROW(uint64, uint64_t, u, >=, isa, attributes)                                                        \
	ROW(float32, float, f, >=, isa, attributes)                                                          \
	ROW(float64, double, d, >=, isa, attributes)                                                         \
	ROW(label8, uint8_t, u, ==, isa, attributes)                                                         \
	ROW(label16, uint16_t, u, ==, isa, attributes)                                                       \
	ROW(label32, uint32_t, u, ==, isa, attributes)                                                       \
	ROW(label64, uint64_t, u, ==, isa, attributes)                                                       \
	static row_fn *const above_##isa[DT_COUNT] = {                                                       \
	        [DT_BOOL] = row_uint8_##isa,                                                                 \
	        [DT_INT8] = row_int8_##isa,                                                                  \
	        [DT_INT16] = row_int16_##isa,                                                                \
	        [DT_INT32] = row_int32_##isa,                                                                \
	        [DT_INT64] = row_int64_##isa,                                                                \
	        [DT_UINT8] = row_uint8_##isa,                                                                \
	        [DT_UINT16] = row_uint16_##isa,                                                              \
	        [DT_UINT32] = row_uint32_##isa,                                                              \
	        [DT_UINT64] = row_uint64_##isa,                                                              \
	        [DT_FLOAT16] = row_float32_##isa,                                                            \
	        [DT_FLOAT32] = row_float32_##isa,                                                            \
	        [DT_FLOAT64] = row_float64_##isa,                                                            \
	};                                                                                                   \
	static row_fn *const equal_##isa[] = {[1] = row_label8_##isa,                                        \
	        [2] = row_label16_##isa,                                                                     \
	        [4] = row_label32_##isa,                                                                     \
	        [8] = row_label64_##isa};

ROWS(plain, )
#ifdef __x86_64__
ROWS(avx2, __attribute__((target("avx2"))))
#endif

static bool has_avx2(void)
{
	return 0 != strcmp("plain", kern_isa());
}

static row_fn *row_of(enum dtype type, bool label)
{
#ifdef __x86_64__
	if (has_avx2())
		return label ? equal_avx2[dtype_size(type)] : above_avx2[type];
#endif
	return label ? equal_plain[dtype_size(type)] : above_plain[type];
}

static bool is_unsigned(enum dtype type)
{
	return DT_BOOL == type || DT_UINT8 == type || DT_UINT16 == type || DT_UINT32 == type ||
	       DT_UINT64 == type;
}

/* The smallest integer of the type from the level on. */
static void integer_level(struct inside *s, double level)
{
	const int bits = 8 * (int)dtype_size(s->type);
	const bool has_sign = !is_unsigned(s->type);
	const double beyond = DT_BOOL == s->type ? 2. : ldexp(1., has_sign ? bits - 1 : bits);
	const double least = has_sign ? -beyond : 0.;
	const double t = fmax(ceil(level), least);

	s->never = !(t < beyond);

	if (has_sign)
		s->level.i = s->never ? 0 : (int64_t)t;
	else
		s->level.u = s->never ? 0 : (uint64_t)t;
}

void inside_init(struct inside *s, enum dtype type, double level, bool label)
{
	*s = (struct inside){.type = type, .row = row_of(type, label)};

	if (label) {
		s->level.u = level < 0. ? (uint64_t)(int64_t)level : (uint64_t)level;
	} else if (DT_FLOAT64 == type) {
		s->level.d = level;
	} else if (dtype_is_float(type)) {
		s->level.f = (float)level;

		if ((double)s->level.f < level)
			s->level.f = nextafterf(s->level.f, INFINITY);
	} else {
		integer_level(s, level);
	}
}

long inside_row(const struct inside *s, uint64_t *bits, long words, const void *p, long n, float *buffer)
{
	memset(bits + n / WORD, 0, (size_t)(words - n / WORD) * sizeof *bits);

	if (s->never) {
		memset(bits, 0, (size_t)words * sizeof *bits);
		return 0;
	}

	if (DT_FLOAT16 == s->type) {
		convert(DT_FLOAT32, buffer, DT_FLOAT16, p, n, NARROW_SATURATE);
		p = buffer;
	}

	return s->row(bits, p, n, s->level);
}
