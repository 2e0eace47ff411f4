/* Conversion between the fifteen element types: 144 loops between real types, made from one template; complex
 * types are pairs of reals, reached by strides. These loops define the results; the common ones have faster
 * counterparts among the kernels (num/kern/kern_convert.inc). */

#include <math.h>
#include <stdint.h>

#include "num/kern/convert.h"
#include "misc/minmax.h"
#include "num/kern/half.h"
#include "num/kern/kern_internal.h"

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
#include "num/kern/convert_impl.inc"

#define SRC    INT8
#define SRC_T  int8_t
#define GET(x) ((int64_t)(x))
#define CLASS  i
#include "num/kern/convert_impl.inc"

#define SRC    INT16
#define SRC_T  int16_t
#define GET(x) ((int64_t)(x))
#define CLASS  i
#include "num/kern/convert_impl.inc"

#define SRC    INT32
#define SRC_T  int32_t
#define GET(x) ((int64_t)(x))
#define CLASS  i
#include "num/kern/convert_impl.inc"

#define SRC    INT64
#define SRC_T  int64_t
#define GET(x) (x)
#define CLASS  i
#include "num/kern/convert_impl.inc"

#define SRC    UINT8
#define SRC_T  uint8_t
#define GET(x) ((uint64_t)(x))
#define CLASS  u
#include "num/kern/convert_impl.inc"

#define SRC    UINT16
#define SRC_T  uint16_t
#define GET(x) ((uint64_t)(x))
#define CLASS  u
#include "num/kern/convert_impl.inc"

#define SRC    UINT32
#define SRC_T  uint32_t
#define GET(x) ((uint64_t)(x))
#define CLASS  u
#include "num/kern/convert_impl.inc"

#define SRC    UINT64
#define SRC_T  uint64_t
#define GET(x) (x)
#define CLASS  u
#include "num/kern/convert_impl.inc"

#define SRC    FLOAT16
#define SRC_T  uint16_t
#define GET(x) ((double)half_widen(x))
#define CLASS  d
#include "num/kern/convert_impl.inc"

#define SRC    FLOAT32
#define SRC_T  float
#define GET(x) ((double)(x))
#define CLASS  d
#include "num/kern/convert_impl.inc"

#define SRC    FLOAT64
#define SRC_T  double
#define GET(x) (x)
#define CLASS  d
#include "num/kern/convert_impl.inc"

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

/** Elements that pass through a buffer at a time. */
enum { PIECE = 512 };

union piece {
	_Alignas(64) double wide[2 * PIECE];
	float narrow[2 * PIECE];
};

/* Real types: the vector kernels where there is one, float16 to others through float32, else the loops above.
 */
static long convert_reals(enum dtype dt, void *dst, enum dtype st, const void *src, long n, enum narrow mode)
{
	kern_line_fn *const *row = kern_set()->line[DT_FLOAT16 == st ? DT_FLOAT32 : st];
	const size_t ds = dtype_size(dt), ss = dtype_size(st);
	kern_line_fn *fn = (DT_FLOAT16 == st && DT_FLOAT32 == dt) ? kern_set()->line[st][dt] : row[dt];
	const bool through = DT_FLOAT16 == st && DT_FLOAT32 != dt;
	long lost = 0;

	if (NULL == fn || (NARROW_WRAP == mode && dtype_is_integer(dt)))
		return rows[st][dt](
		        &(struct lines){.n = n, .ds = 1, .ss = 1, .dst = dst, .src = src, .mode = mode});

	for (long i = 0, m; i < n; i += m) {
		const char *s = (const char *)src + (size_t)i * ss;
		char *d = (char *)dst + (size_t)i * ds;
		union piece p;

		m = min_long(n - i, through ? PIECE : 1l << 30);

		if (through) {
			kern_set()->line[DT_FLOAT16][DT_FLOAT32](m, p.narrow, s);
			s = (const char *)p.narrow;
		}

		lost += fn(m, d, s);
	}

	return lost;
}

/* d = (s, 0), in units of 2, 4 or 8 bytes. */
#define INTERLEAVE(T)                                                                                        \
	{                                                                                                    \
		T *o = d;                                                                                    \
		const T *p = s;                                                                              \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			o[2 * i] = p[i];                                                                     \
			o[2 * i + 1] = 0;                                                                    \
		}                                                                                            \
	}

static void interleave(size_t size, void *d, const void *s, long n)
{
	if (2 == size)
		INTERLEAVE(uint16_t)
	else if (4 == size)
		INTERLEAVE(uint32_t)
	else
		INTERLEAVE(uint64_t)
}

static long real_to_complex(
        enum dtype dt, char *dst, enum dtype st, const char *src, long n, enum narrow mode)
{
	const enum dtype dr = dtype_real(dt);
	const size_t ds = dtype_size(dt), ss = dtype_size(st);
	long lost = 0;
	union piece p;

	for (long i = 0; i < n; i += PIECE) {
		const long m = min_long(n - i, PIECE);
		const void *from = src + (size_t)i * ss;

		if (dr != st) {
			lost += convert_reals(dr, p.wide, st, from, m, mode);
			from = p.wide;
		}

		interleave(dtype_size(dr), dst + (size_t)i * ds, from, m);
	}

	return lost;
}

/* True where a part is not 0; NaN counts as lost, as it does for real types. */
static long complex_to_bool(uint8_t *d, enum dtype sr, const char *src, long n)
{
	long lost = 0;
	union piece p;

	for (long i = 0; i < n; i += PIECE) {
		const long m = min_long(n - i, PIECE);

		convert_reals(
		        DT_FLOAT64, p.wide, sr, src + 2 * (size_t)i * dtype_size(sr), 2 * m, NARROW_SATURATE);

		for (long k = 0; k < m; k++) {
			const double re = p.wide[2 * k], im = p.wide[2 * k + 1];

			d[i + k] = (0 != re) | (0 != im);
			lost += (re != re) | (im != im);
		}
	}

	return lost;
}

/* o = the first of each pair; returns how many of the second are not +-0: `bits` without the sign. */
#define SEPARATE(T)                                                                                          \
	{                                                                                                    \
		T *o = d;                                                                                    \
		const T *p = s;                                                                              \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			o[i] = p[2 * i];                                                                     \
			dropped += 0 != (T)(p[2 * i + 1] << 1);                                              \
		}                                                                                            \
	}

static long separate(size_t size, void *d, const void *s, long n)
{
	long dropped = 0;

	if (2 == size)
		SEPARATE(uint16_t)
	else if (4 == size)
		SEPARATE(uint32_t)
	else
		SEPARATE(uint64_t)

	return dropped;
}

static long complex_to_real(
        enum dtype dt, char *dst, enum dtype st, const char *src, long n, enum narrow mode)
{
	const enum dtype sr = dtype_real(st);
	const size_t ds = dtype_size(dt), ss = dtype_size(st), half = dtype_size(sr);
	long lost = 0;
	union piece p;

	for (long i = 0; i < n; i += PIECE) {
		const long m = min_long(n - i, PIECE);
		const char *s = src + (size_t)i * ss;
		char *d = dst + (size_t)i * ds;
		const long dropped = separate(half, (dt == sr) ? (void *)d : p.wide, s, m);
		const long over = (dt == sr) ? 0 : convert_reals(dt, d, sr, p.wide, m, mode);

		if (dropped && over) // an element counts once
			lost += rows[sr][dt](&(struct lines){.n = m,
			        .ds = 1,
			        .ss = 2,
			        .dst = d,
			        .src = s,
			        .imag = s + half,
			        .mode = mode});
		else
			lost += dropped + over;
	}

	return lost;
}

bool convert_holds(enum dtype dt, double value)
{
	char held[16];

	return 0 == convert(dt, held, DT_FLOAT64, &value, 1, NARROW_SATURATE);
}

const char *convert_word(enum dtype dt, enum narrow mode)
{
	if (!dtype_is_integer(dt))
		return "infinite";

	return (NARROW_WRAP == mode) ? "wrapped" : "clipped";
}

long convert(enum dtype dt, void *dst, enum dtype st, const void *src, long n, enum narrow mode)
{
	const bool dc = dtype_is_complex(dt), sc = dtype_is_complex(st);

	if (dt == st && DT_BOOL != dt) {
		if (n > 0)
			memcpy(dst, src, (size_t)n * dtype_size(dt));

		return 0;
	}

	if (dc == sc)
		return convert_reals(dtype_real(dt), dst, dtype_real(st), src, sc ? 2 * n : n, mode);

	if (dc)
		return real_to_complex(dt, dst, st, src, n, mode);

	if (DT_BOOL == dt)
		return complex_to_bool(dst, dtype_real(st), src, n);

	return complex_to_real(dt, dst, st, src, n, mode);
}

float half_to_float(unsigned short h)
{
	return half_widen(h);
}

unsigned short float_to_half(float f)
{
	return half_narrow((double)f);
}
