/* Conversion between the fifteen element types: 144 loops between real types, made from one template; complex
 * types are pairs of reals, reached by strides. */

#include <math.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "num/convert.h"
#include "num/half.h"

#define CONVERT_REALS(X)                                                                                     \
	X(BOOL, uint8_t)                                                                                     \
	X(INT8, int8_t)                                                                                      \
	X(INT16, int16_t)                                                                                    \
	X(INT32, int32_t)                                                                                    \
	X(INT64, int64_t)                                                                                    \
	X(UINT8, uint8_t)                                                                                    \
	X(UINT16, uint16_t)                                                                                  \
	X(UINT32, uint32_t)                                                                                  \
	X(UINT64, uint64_t)                                                                                  \
	X(FLOAT16, uint16_t)                                                                                 \
	X(FLOAT32, float)                                                                                    \
	X(FLOAT64, double)

/** n elements with steps in elements; imag is the imaginary part that is dropped, or NULL. */
struct lines {
	long n, ds, ss;
	void *dst;
	const void *src, *imag;
	enum narrow mode;
};

/** Returns the number of elements that did not fit. */
typedef long line_fn(const struct lines *l);

/** Nearest integer, ties to even, without a library call: vectorises on every x86-64. */
static inline double round_even(double x)
{
	double a = fabs(x);
	double r = (a + 0x1p52) - 0x1p52;

	return copysign(a < 0x1p52 ? r : a, x);
}

/** x modulo 2^64 of an integral x; 0 for NaN and infinities. */
static uint64_t wrap_double(double x)
{
	if (!isfinite(x))
		return 0;

	double m = fmod(x, 0x1p64);

	return (m < 0) ? 0 - (uint64_t)-m : (uint64_t)m;
}

/* put_TYPE_CLASS(d, v, mode): stores v, returns whether it did not fit. */

#define PUT_INTEGER(name, T, LO, HI, OVER)                                                                   \
	static inline bool put_##name##_i(T *d, int64_t v, enum narrow mode)                                 \
	{                                                                                                    \
		__int128 w = v;                                                                              \
                                                                                                             \
		if (w >= (LO) && w <= (HI)) {                                                                \
			*d = (T)v;                                                                           \
			return false;                                                                        \
		}                                                                                            \
		*d = (NARROW_WRAP == mode) ? (T)v : (v < 0) ? (T)(LO) : (T)(HI);                             \
		return true;                                                                                 \
	}                                                                                                    \
	static inline bool put_##name##_u(T *d, uint64_t v, enum narrow mode)                                \
	{                                                                                                    \
		if (v <= (uint64_t)(HI)) {                                                                   \
			*d = (T)v;                                                                           \
			return false;                                                                        \
		}                                                                                            \
		*d = (NARROW_WRAP == mode) ? (T)v : (T)(HI);                                                 \
		return true;                                                                                 \
	}                                                                                                    \
	static inline bool put_##name##_d(T *d, double v, enum narrow mode)                                  \
	{                                                                                                    \
		double r = round_even(v);                                                                    \
                                                                                                             \
		if (r >= (double)(LO) && r < (OVER)) {                                                       \
			*d = (T)r;                                                                           \
			return false;                                                                        \
		}                                                                                            \
		if (NARROW_WRAP == mode)                                                                     \
			*d = (T)wrap_double(r);                                                              \
		else                                                                                         \
			*d = (r >= (OVER)) ? (T)(HI) : (r < (double)(LO)) ? (T)(LO) : (T)0;                  \
		return true;                                                                                 \
	}

PUT_INTEGER(INT8, int8_t, INT8_MIN, INT8_MAX, 0x1p7)
PUT_INTEGER(INT16, int16_t, INT16_MIN, INT16_MAX, 0x1p15)
PUT_INTEGER(INT32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
PUT_INTEGER(INT64, int64_t, INT64_MIN, INT64_MAX, 0x1p63)
PUT_INTEGER(UINT8, uint8_t, 0, UINT8_MAX, 0x1p8)
PUT_INTEGER(UINT16, uint16_t, 0, UINT16_MAX, 0x1p16)
PUT_INTEGER(UINT32, uint32_t, 0, UINT32_MAX, 0x1p32)
PUT_INTEGER(UINT64, uint64_t, 0, UINT64_MAX, 0x1p64)

#define PUT_OTHER(C, suffix)                                                                                 \
	static inline bool put_BOOL_##suffix(uint8_t *d, C v, enum narrow mode)                              \
	{                                                                                                    \
		(void)mode;                                                                                  \
		*d = (0 != v);                                                                               \
		return v != v;                                                                               \
	}                                                                                                    \
	static inline bool put_FLOAT16_##suffix(uint16_t *d, C v, enum narrow mode)                          \
	{                                                                                                    \
		(void)mode;                                                                                  \
		*d = half_narrow((double)v);                                                                 \
		return 0x7c00u == (*d & 0x7fffu) && !isinf((double)v);                                       \
	}                                                                                                    \
	static inline bool put_FLOAT32_##suffix(float *d, C v, enum narrow mode)                             \
	{                                                                                                    \
		(void)mode;                                                                                  \
		*d = (float)v;                                                                               \
		return isinf(*d) && !isinf((double)v);                                                       \
	}                                                                                                    \
	static inline bool put_FLOAT64_##suffix(double *d, C v, enum narrow mode)                            \
	{                                                                                                    \
		(void)mode;                                                                                  \
		*d = (double)v;                                                                              \
		return false;                                                                                \
	}

PUT_OTHER(int64_t, i)
PUT_OTHER(uint64_t, u)
PUT_OTHER(double, d)

#define SRC    BOOL
#define SRC_T  uint8_t
#define GET(x) ((uint64_t)(0 != (x)))
#define CLASS  u
#include "num/convert_impl.inc"

#define SRC    INT8
#define SRC_T  int8_t
#define GET(x) ((int64_t)(x))
#define CLASS  i
#include "num/convert_impl.inc"

#define SRC    INT16
#define SRC_T  int16_t
#define GET(x) ((int64_t)(x))
#define CLASS  i
#include "num/convert_impl.inc"

#define SRC    INT32
#define SRC_T  int32_t
#define GET(x) ((int64_t)(x))
#define CLASS  i
#include "num/convert_impl.inc"

#define SRC    INT64
#define SRC_T  int64_t
#define GET(x) (x)
#define CLASS  i
#include "num/convert_impl.inc"

#define SRC    UINT8
#define SRC_T  uint8_t
#define GET(x) ((uint64_t)(x))
#define CLASS  u
#include "num/convert_impl.inc"

#define SRC    UINT16
#define SRC_T  uint16_t
#define GET(x) ((uint64_t)(x))
#define CLASS  u
#include "num/convert_impl.inc"

#define SRC    UINT32
#define SRC_T  uint32_t
#define GET(x) ((uint64_t)(x))
#define CLASS  u
#include "num/convert_impl.inc"

#define SRC    UINT64
#define SRC_T  uint64_t
#define GET(x) (x)
#define CLASS  u
#include "num/convert_impl.inc"

#define SRC    FLOAT16
#define SRC_T  uint16_t
#define GET(x) ((double)half_widen(x))
#define CLASS  d
#include "num/convert_impl.inc"

#define SRC    FLOAT32
#define SRC_T  float
#define GET(x) ((double)(x))
#define CLASS  d
#include "num/convert_impl.inc"

#define SRC    FLOAT64
#define SRC_T  double
#define GET(x) (x)
#define CLASS  d
#include "num/convert_impl.inc"

static line_fn *const *const rows[DT_COUNT] = {
        [DT_BOOL] = conv_BOOL,
        [DT_INT8] = conv_INT8,
        [DT_INT16] = conv_INT16,
        [DT_INT32] = conv_INT32,
        [DT_INT64] = conv_INT64,
        [DT_UINT8] = conv_UINT8,
        [DT_UINT16] = conv_UINT16,
        [DT_UINT32] = conv_UINT32,
        [DT_UINT64] = conv_UINT64,
        [DT_FLOAT16] = conv_FLOAT16,
        [DT_FLOAT32] = conv_FLOAT32,
        [DT_FLOAT64] = conv_FLOAT64,
};

#if defined(__x86_64__)

/** float16 <-> float32 by the F16C instructions, eight at a time; the bits are those of num/half.h. */
__attribute__((target("avx,f16c"))) static long widen_f16c(const struct lines *l)
{
	const uint16_t *s = l->src;
	float *d = l->dst;
	long i = 0;

	for (; i + 8 <= l->n; i += 8)
		_mm256_storeu_ps(d + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(s + i))));

	for (; i < l->n; i++)
		d[i] = half_widen(s[i]);

	return 0;
}

__attribute__((target("avx,f16c"))) static long narrow_f16c(const struct lines *l)
{
	const float *s = l->src;
	uint16_t *d = l->dst;
	const __m256 sign = _mm256_set1_ps(-0.f), over = _mm256_set1_ps(65520.f),
	             inf = _mm256_set1_ps(INFINITY);
	long i = 0, lost = 0;

	for (; i + 8 <= l->n; i += 8) {
		__m256 x = _mm256_loadu_ps(s + i);
		__m256 a = _mm256_andnot_ps(sign, x);
		__m256 out =
		        _mm256_and_ps(_mm256_cmp_ps(a, over, _CMP_GE_OQ), _mm256_cmp_ps(a, inf, _CMP_LT_OQ));

		lost += __builtin_popcount((unsigned)_mm256_movemask_ps(out));
		_mm_storeu_si128((__m128i *)(d + i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
	}

	for (; i < l->n; i++)
		lost += put_FLOAT16_d(d + i, (double)s[i], NARROW_SATURATE);

	return lost;
}

static bool have_f16c;

/** Asked once: under virtualisation CPUID takes microseconds. */
__attribute__((constructor)) static void ask_f16c(void)
{
	unsigned a, b, c, d;

	__builtin_cpu_init();
	have_f16c = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) && __builtin_cpu_supports("avx");
}

static line_fn *fast_kernel(enum dtype d, enum dtype s)
{
	if (have_f16c && DT_FLOAT32 == d && DT_FLOAT16 == s)
		return widen_f16c;

	if (have_f16c && DT_FLOAT16 == d && DT_FLOAT32 == s)
		return narrow_f16c;

	return NULL;
}

#else

static line_fn *fast_kernel(enum dtype d, enum dtype s)
{
	(void)d;
	(void)s;

	return NULL;
}

#endif

/* True where a part is not 0; NaN counts as lost, as it does for real types. */
static long complex_to_bool(void *dst, enum dtype sr, const void *src, long n)
{
	uint8_t *d = dst;
	long lost = 0;

	for (long i = 0; i < n; i++) {
		uint8_t part[2];

		lost += 0 != rows[sr][DT_BOOL](&(struct lines){.n = 2,
		                     .ds = 1,
		                     .ss = 1,
		                     .dst = part,
		                     .src = (const char *)src + 2 * i * (long)dtype_size(sr)});
		d[i] = part[0] | part[1];
	}

	return lost;
}

long convert(enum dtype dt, void *dst, enum dtype st, const void *src, long n, enum narrow mode)
{
	bool dc = dtype_is_complex(dt), sc = dtype_is_complex(st);
	enum dtype dr = dtype_real(dt), sr = dtype_real(st);
	struct lines l = {.n = n, .ds = 1, .ss = 1, .dst = dst, .src = src, .mode = mode};

	if (dt == st && DT_BOOL != dt) {
		memcpy(dst, src, (size_t)n * dtype_size(dt));
		return 0;
	}

	if (dc == sc) {
		line_fn *fast = fast_kernel(dr, sr);

		l.n = sc ? 2 * n : n;

		return (NULL != fast) ? fast(&l) : rows[sr][dr](&l);
	}

	if (dc) {
		memset(dst, 0, (size_t)n * dtype_size(dt));
		l.ds = 2;
	} else if (DT_BOOL == dt) { // of either part
		return complex_to_bool(dst, sr, src, n);
	} else {
		l.ss = 2;
		l.imag = (const char *)src + dtype_size(sr);
	}

	return rows[sr][dr](&l);
}

float half_to_float(unsigned short h)
{
	return half_widen(h);
}

unsigned short float_to_half(float f)
{
	return half_narrow((double)f);
}
