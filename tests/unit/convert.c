/* All conversions against a plain model in long double, which holds every value of every type exactly. */

#include <complex.h>
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "misc/mem.h"
#include "num/kern/convert.h"

static const int bits[] = {1, 7, 15, 31, 63, 8, 16, 32, 64};

static bool is_signed(enum dtype t)
{
	return DT_INT8 <= t && t <= DT_INT64;
}

/* Largest finite value and smallest step of a float type. */
static void limits(enum dtype t, long double *largest, int *digits, int *smallest)
{
	*digits = DT_FLOAT16 == t ? 11 : DT_FLOAT32 == t ? 24 : 53;
	*smallest = DT_FLOAT16 == t ? -24 : DT_FLOAT32 == t ? -149 : -1074;
	*largest = ldexpl(1, DT_FLOAT16 == t ? 16 : DT_FLOAT32 == t ? 128 : 1024) * (1 - ldexpl(1, -*digits));
}

/* x rounded to a float type: to nearest, ties to even. */
static long double round_to(enum dtype t, long double x)
{
	long double largest;
	int digits, smallest, e;

	if (0 == x || isnan(x) || isinf(x))
		return x;

	limits(t, &largest, &digits, &smallest);
	frexpl(x, &e);

	int step = e - digits > smallest ? e - digits : smallest;
	long double r = ldexpl(rintl(ldexpl(x, -step)), step);

	return fabsl(r) > largest ? copysignl(INFINITY, x) : r;
}

static long double half_value(uint16_t h)
{
	int e = h >> 10 & 31, f = h & 1023;
	long double m = 31 == e ? (f ? NAN : INFINITY) : 0 == e ? ldexpl(f, -24) : ldexpl(1024 + f, e - 25);

	return h & 0x8000 ? -m : m;
}

static long double get(enum dtype t, const void *p)
{
	switch (t) {
	case DT_BOOL:
		return 0 != *(const uint8_t *)p;
	case DT_INT8:
		return *(const int8_t *)p;
	case DT_INT16:
		return *(const int16_t *)p;
	case DT_INT32:
		return *(const int32_t *)p;
	case DT_INT64:
		return *(const int64_t *)p;
	case DT_UINT8:
		return *(const uint8_t *)p;
	case DT_UINT16:
		return *(const uint16_t *)p;
	case DT_UINT32:
		return *(const uint32_t *)p;
	case DT_UINT64:
		return *(const uint64_t *)p;
	case DT_FLOAT16:
		return half_value(*(const uint16_t *)p);
	case DT_FLOAT32:
		return *(const float *)p;
	default:
		return *(const double *)p;
	}
}

/* The value of x in real type t; *lost when it is not held. */
static long double model(enum dtype t, long double x, enum narrow mode, bool *lost)
{
	if (DT_BOOL == t) {
		*lost = isnan(x);
		return 0 != x;
	}

	if (!dtype_is_integer(t)) {
		long double r = round_to(t, x);

		*lost = isinf(r) && !isinf(x);
		return r;
	}

	long double low = is_signed(t) ? -ldexpl(1, bits[t]) : 0, high = ldexpl(1, bits[t]) - 1;
	long double r = rintl(x) + 0.0L; // integers know no -0

	*lost = !(r >= low && r <= high);

	if (!*lost)
		return r;

	if (NARROW_WRAP == mode) {
		long double range = ldexpl(1, bits[t] + is_signed(t));

		if (isnan(r) || isinf(r))
			return 0;

		r = fmodl(r, range) + 0.0L;
		return r < low ? r + range : r > high ? r - range : r;
	}

	return isnan(r) ? 0 : r < low ? low : high;
}

static bool same(long double a, long double b)
{
	return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static const long double samples[] = {0, -0.0L, 1, -1, 0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999L, 126.5, 127,
        127.5, 128, -128, -128.5, -129, 254.5, 255, 255.5, 256, 32767, 32767.5, 32768, -32768, -32769, 65503,
        65504, 65519, 65519.996L, 65520, 65535, 65535.5, 65536, 2147483647, 2147483648, -2147483648.0L,
        -2147483649.0L, 4294967295, 4294967295.5L, 4294967296, 16777217, 9007199254740993,
        9223372036854775807.0L, 9223372036854775808.0L, -9223372036854775808.0L, 18446744073709551615.0L,
        18446744073709551616.0L, 1e20L, -1e20L, 3.4028235e38L, 3.4028236e38L, 1e39L, -1e300L, 6e-8L,
        2.9802322387695312e-8L, 3e-8L, 1e-7L, 6.1035e-5L, 1e-45L, 1e-320L, 2049, 2051, 4097, 1.0004883L,
        1.00048828125L, 4503599627370495.5L, 4503599627370497, -4503599627370499.0L, 9007199254740989,
        9007199254740991, -9007199254740991.0L, INFINITY, -INFINITY, NAN};

enum { SAMPLES = sizeof samples / sizeof samples[0], COPIES = 3, N = SAMPLES * COPIES };

/* One pair of types, all samples; also element by element and over an odd start, which take other loops. */
static bool pair_agrees(enum dtype dt, enum dtype st, enum narrow mode)
{
	enum dtype dr = dtype_real(dt), sr = dtype_real(st);
	size_t ds = dtype_size(dt), ss = dtype_size(st), du = dtype_size(dr), su = dtype_size(sr);
	double in[N];
	char *src = mem_calloc(N, ss), *dst = mem_calloc(N, ds), *one = mem_calloc(N, ds);
	long count = 0, parts = (dtype_is_complex(st) && dtype_is_complex(dt)) ? 2 : 1;
	bool good = true;

	for (int i = 0; i < N; i++)
		in[i] = (double)samples[i % SAMPLES];

	convert(st, src, DT_FLOAT64, in, N, NARROW_WRAP);

	for (int i = 0; i < N && dtype_is_complex(st); i += 2) // imaginary parts, for every other element
		convert(sr, src + i * ss + su, DT_FLOAT64, in + (i + 7) % N, 1, NARROW_WRAP);

	long lost = convert(dt, dst, st, src, N, mode), singly = 0;

	for (int i = 0; i < N; i++)
		singly += convert(dt, one + i * ds, st, src + i * ss, 1, mode);

	good = lost == singly && 0 == memcmp(dst, one, N * ds);

	for (int i = 0; i < N; i++) {
		long double imag = dtype_is_complex(st) ? get(sr, src + i * ss + su) : 0;
		bool l[2] = {false, false};

		long double real = get(sr, src + i * ss);

		if (DT_BOOL == dt && 0 != imag) // true where either part is not 0
			real = isnan(real) ? real : isnan(imag) ? imag : 1;

		good = good && same(get(dr, dst + i * ds), model(dr, real, mode, &l[0]));

		if (DT_BOOL == dt)
			l[0] = isnan(real);
		else if (dtype_is_complex(dt))
			good = good && same(get(dr, dst + i * ds + du), model(dr, imag, mode, &l[1]));
		else
			l[0] = l[0] || 0 != imag;

		count += l[0] + (2 == parts && l[1]);
	}

	free(src);
	free(dst);
	free(one);
	return good && lost == count;
}

static void test_pairs(void)
{
	for (int s = 0; s < DT_COUNT; s++) {
		char wrong[400] = "";

		for (int d = 0; d < DT_COUNT; d++)
			for (int mode = NARROW_SATURATE; mode <= NARROW_ERROR; mode++)
				if (!pair_agrees((enum dtype)d, (enum dtype)s, (enum narrow)mode))
					snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong),
					        " %s/%d", dtype_name((enum dtype)d), mode);

		check('\0' == wrong[0], "convert: from %s to every type%s%s", dtype_name((enum dtype)s),
		        wrong[0] ? ", not to" : "", wrong);
	}
}

static void test_half(void)
{
	uint16_t *h = mem_alloc(65536 * sizeof *h), *back = mem_alloc(65536 * sizeof *back);
	float *f = mem_alloc(65536 * sizeof *f);
	bool good = true, singly = true, there = true;

	for (int i = 0; i < 65536; i++)
		h[i] = (uint16_t)i;

	convert(DT_FLOAT32, f, DT_FLOAT16, h, 65536, NARROW_SATURATE);
	convert(DT_FLOAT16, back, DT_FLOAT32, f, 65536, NARROW_SATURATE);

	for (int i = 0; i < 65536; i++) {
		float one = half_to_float(h[i]);
		uint16_t quiet = (h[i] & 0x7fff) > 0x7c00 ? h[i] | 0x200 : h[i];

		good = good && same(half_value(h[i]), f[i]);
		singly = singly && 0 == memcmp(&one, &f[i], 4);
		there = there && back[i] == quiet && float_to_half(one) == quiet;
	}

	check(good, "float16: value of every pattern");
	check(singly, "float16: blocks and single elements have the same bits");
	check(there, "float16: there and back");

	// every boundary between neighbours, and the floats beside it
	bool nearest = true;

	for (int i = 0; i < 0x7c00; i++) {
		long double a = half_value((uint16_t)i),
		            b = 0x7bff == i ? 65536 : half_value((uint16_t)(i + 1));
		float middle = (float)((a + b) / 2);

		nearest = nearest && float_to_half(middle) == (i & 1 ? i + 1 : i) &&
		          float_to_half(nextafterf(middle, 0)) == i &&
		          float_to_half(nextafterf(middle, INFINITY)) == i + 1 &&
		          float_to_half(-nextafterf(middle, 0)) == (i | 0x8000);
	}

	check(nearest, "float16: nearest, ties to even, on both sides of every boundary");

	// random patterns of float32, the vector code against the element code
	for (int i = 0; i < 65536; i++) {
		uint32_t u = (uint32_t)i * 2654435761u;

		memcpy(&f[i], &u, 4);
	}

	long lost = convert(DT_FLOAT16, back, DT_FLOAT32, f, 65536, NARROW_SATURATE), one = 0;

	singly = true;

	for (int i = 0; i < 65536; i++) {
		uint16_t x;

		one += convert(DT_FLOAT16, &x, DT_FLOAT32, f + i, 1, NARROW_SATURATE);
		singly = singly && x == back[i];
	}

	check(singly && lost == one,
	        "float16: of any float32 pattern, in blocks and singly (%ld over the range)", lost);
	free(h);
	free(back);
	free(f);
}

int main(void)
{
	test_pairs();
	test_half();

	return checks_failed > 0;
}
