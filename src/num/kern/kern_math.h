#ifndef NUM_KERN_KERN_MATH_H
#define NUM_KERN_KERN_MATH_H

/**
 * Elementary functions without branches, tables or library calls (except sqrt). Compilers can vectorise
 * loops over these functions, with bit-identical results for any vector width. The file compiles as C and as
 * CUDA C. Only kern_fmaf() fuses operations. The polynomials are minimax fits (Remez algorithm). Arguments
 * are reduced by the method of Cody and Waite [1].
 *
 * Errors of the float32 functions are below 0.51 ulp, except for exp and log. Errors of float32 exp and log
 * are below 1.03 and 0.87 ulp for all arguments. The float64 functions are within 1 ulp. Zeros, infinities,
 * NaN and subnormals are as in C11 annex F.
 *
 * [1] Cody, Waite, Software Manual for the Elementary Functions (1980)
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/device/cuda/device_fn.h"

/** Beyond these limits, arguments of sin, cos and tan need another reduction. */
#define KERN_TRIG_LIMIT 1e6f
#define KERN_TRIG_NEAR  0x49742400u // bits of KERN_TRIG_LIMIT
/** Smallest quotient for which the remainder may be inexact. */
#define KERN_MOD_LIMIT 0x1p24

#define KERN_LN2     0x1.62e42fefa39efp-1
#define KERN_LOG2E   0x1.71547652b82fep+0
#define KERN_LOG10E  0x1.bcb7b1526e50ep-2
#define KERN_PI      0x1.921fb54442d18p+1
#define KERN_MAGIC   0x1.8p52 // added to a double, rounds to an integer in the low bits
#define KERN_MAGIC_F 0x1.8p23f

DEVICE_FN uint32_t kern_bits_f(float x)
{
	uint32_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

DEVICE_FN float kern_float(uint32_t u)
{
	float x;

	memcpy(&x, &u, sizeof x);
	return x;
}

DEVICE_FN uint64_t kern_bits(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

DEVICE_FN double kern_double(uint64_t u)
{
	double x;

	memcpy(&x, &u, sizeof x);
	return x;
}

/** Returns a b + c, rounded once. Without an FMA instruction, the sum is rounded to odd in float64 [2].
 *
 * [2] Boldo, Melquiond, Emulation of FMA and correctly rounded sums, IEEE TC 57(4), 2008 */
DEVICE_FN float kern_fmaf(float a, float b, float c)
{
#if DEVICE_FMAF
	return fmaf(a, b, c);
#else
	const double p = (double)a * b, s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
	const uint64_t u = kern_bits(s), even = ~u & 1, away = (kern_bits(e) ^ u) >> 63 ? -(uint64_t)1 : 1;

	return (float)kern_double(u + ((e < 0 || e > 0) ? even * away : 0)); // not where e is NaN
#endif
}

/** Returns `2^k` for `t = k + KERN_MAGIC` with an integer k from -1022 to 1023. */
DEVICE_FN double kern_power_of_two(double t)
{
	return kern_double((kern_bits(t) << 52) + 0x3ff0000000000000u);
}

/** Returns y 2^n for -252 <= n <= 254. Results may overflow or be subnormal. */
DEVICE_FN float kern_scale_f(float y, uint32_t n)
{
	const uint32_t half = (uint32_t)((int32_t)n >> 1);

	return y * kern_float((half + 127) << 23) * kern_float((n - half + 127) << 23);
}

/* ---- exp and log of float32 ---- */

/* Polynomials in pairs of terms (Estrin): the chains of dependent operations set the speed. */

/** Splits `exp(x)` into `y 2^n`, for `|x| <= 104`. Returns n + KERN_MAGIC_F; the low bits of the result are
 * n. */
DEVICE_FN float kern_exp_split(float x, float *y)
{
	const float t = kern_fmaf(x, (float)KERN_LOG2E, KERN_MAGIC_F), k = t - KERN_MAGIC_F;
	const float r = kern_fmaf(k, -0x1.7f7d1cp-20f, kern_fmaf(k, -0x1.62e4p-1f, x)), z = r * r;
	const float low = kern_fmaf(0x1.555492p-3f, r, 0x1.fffffcp-2f);
	const float high = kern_fmaf(z, 0x1.6a23d0p-10f, kern_fmaf(0x1.123a20p-7f, r, 0x1.5558f2p-5f));

	*y = 1 + kern_fmaf(z, kern_fmaf(z, high, low), r);

	return t;
}

/** Returns the bits of |x|. If the result is at most KERN_EXP_NEAR, kern_expf_near(x) is accurate. */
DEVICE_FN uint32_t kern_exp_reach(float x)
{
	return kern_bits_f(x) & 0x7fffffff;
}
#define KERN_EXP_NEAR 0x42ae0000u // bits of 87

DEVICE_FN float kern_expf_near(float x)
{
	float y;
	const float t = kern_exp_split(x, &y);

	return kern_float(kern_bits_f(y) + (kern_bits_f(t) << 23));
}

DEVICE_FN float kern_expf(float x)
{
	const float b = (89 < x) ? 89.f : x, c = (-104 > b) ? -104.f : b;
	float y;
	const float t = kern_exp_split(c, &y);

	return kern_scale_f(y, kern_bits_f(t) - 0x4b400000u);
}

/** Returns log(x 2^e) for the bits u of a positive normal number x. */
DEVICE_FN float kern_log_bits(uint32_t u, float e)
{
	const int32_t n = (int32_t)(u - 0x3f3504f3u) >> 23; // of the fraction in [sqrt(1/2), sqrt(2))
	const float f = kern_float(u - ((uint32_t)n << 23)) - 1, z = f * f, k = (float)n + e;
	const float low = kern_fmaf(z, kern_fmaf(-0x1.555c4ep-3f, f, 0x1.99a4b6p-3f),
	        kern_fmaf(-0x1.000006p-2f, f, 0x1.555548p-2f));
	const float high =
	        kern_fmaf(z, kern_fmaf(z, 0x1.1457acp-4f, kern_fmaf(-0x1.de3c16p-4f, f, 0x1.e6f06ap-4f)),
	                kern_fmaf(-0x1.fc2206p-4f, f, 0x1.233768p-3f));
	const float q = kern_fmaf(z * z, high, low);
	const float rest = kern_fmaf(-0.5f, z, kern_fmaf(f * z, q, k * 0x1.7f7d1cp-20f));

	return kern_fmaf(k, 0x1.62e4p-1f, f + rest);
}

/** Returns the bits of x minus those of the smallest normal number. For results up to KERN_LOG_NEAR, x is
 * positive, normal and finite, and kern_logf_near(x) is accurate. */
DEVICE_FN uint32_t kern_log_reach(float x)
{
	return kern_bits_f(x) - 0x00800000u;
}
#define KERN_LOG_NEAR 0x7effffffu

DEVICE_FN float kern_logf_near(float x)
{
	return kern_log_bits(kern_bits_f(x), 0);
}

DEVICE_FN float kern_logf(float x)
{
	const int small = x < 0x1p-126f;
	const float r = kern_log_bits(kern_bits_f(x * (small ? 0x1p23f : 1.f)), small ? -23.f : 0.f);

	return (x > 0) ? ((x < INFINITY) ? r : x) : (0 == x) ? -INFINITY : NAN;
}

/* ---- float64 kernels of the float32 functions, to 2^-39 or better ---- */

/** Returns exp(x) - 1 for -700 < x < 700, and sets *e to exp(x). */
DEVICE_FN double kern_expm1_part(double x, double *e)
{
	const double t = x * KERN_LOG2E + KERN_MAGIC, k = t - KERN_MAGIC, r = x - k * KERN_LN2;
	const double s = kern_power_of_two(t);
	double q = 0x1.9e88e4b7a1b48p-16, p;

	q = q * r + 0x1.a185aa1b4c6a0p-13;
	q = q * r + 0x1.6c18d408aa403p-10;
	q = q * r + 0x1.1110a2324936dp-7;
	q = q * r + 0x1.5555541d9259dp-5;
	q = q * r + 0x1.5555557debe83p-3;
	q = q * r + 0x1.000000005e3b4p-1;
	p = r + r * r * q;

	*e = s + s * p;

	return s * p + (s - 1);
}

DEVICE_FN double kern_exp_part(double x)
{
	double e;

	kern_expm1_part(x, &e);

	return e;
}

/** Returns 2^x for results that are rounded to float32. The argument x is clamped to -200..200. */
DEVICE_FN double kern_exp2_part(double x)
{
	const double c = (x > 200) ? 200 : (x < -200) ? -200 : x;
	const double t = c + KERN_MAGIC, r = c - (t - KERN_MAGIC);
	double q = 0x1.61c4bc7e8995cp-20;

	q = q * r + 0x1.00d8846b2e1e5p-16;
	q = q * r + 0x1.430aa929521c3p-13;
	q = q * r + 0x1.5d874cbf32fa8p-10;
	q = q * r + 0x1.3b2ab5ecc9d4fp-7;
	q = q * r + 0x1.c6b08dcf0c75ep-5;
	q = q * r + 0x1.ebfbdff8ee866p-3;
	q = q * r + 0x1.62e42fef89bd5p-1;

	return kern_power_of_two(t) * (1 + r * q);
}

/** Returns log(1 + f) for sqrt(1/2) - 1 <= f <= sqrt(2) - 1. */
DEVICE_FN double kern_log1p_near(double f)
{
	const double s = f / (2 + f), z = s * s;
	double q = 0x1.58804bc64ad44p-3;

	q = q * z + 0x1.732b726830515p-3;
	q = q * z + 0x1.c7227d5856271p-3;
	q = q * z + 0x1.2492416ed1d6ep-2;
	q = q * z + 0x1.999999a2a06bap-2;
	q = q * z + 0x1.5555555553934p-1;

	return 2 * s + s * z * q;
}

/** Splits a normal number x = 2^e (1 + f), with sqrt(1/2) - 1 <= f < sqrt(2) - 1. Returns e. */
DEVICE_FN double kern_split(double x, double *f)
{
	const uint64_t root = 0x3fe6a09e667f3bcdu;                       // sqrt(1/2)
	const uint64_t n = kern_bits(x) - root + ((uint64_t)1024 << 52); // bits 52.. hold e + 1024

	*f = kern_double((n & 0x000fffffffffffffu) + root) - 1;

	return kern_double((n >> 52) | 0x4330000000000000u) - (0x1p52 + 1024);
}

/** Returns `log_x` for finite `x > 0`. For x = 0 or infinity, returns the limit of the logarithm, else NaN.
 */
DEVICE_FN double kern_log_limits(double x, double log_x)
{
	return (x > 0) ? ((x < INFINITY) ? log_x : x) : (0 == x) ? -INFINITY : NAN;
}

DEVICE_FN double kern_log_part(double x)
{
	double f;
	const double e = kern_split(x, &f);

	return kern_log_limits(x, e * KERN_LN2 + kern_log1p_near(f));
}

DEVICE_FN double kern_log2_part(double x)
{
	double f;
	const double e = kern_split(x, &f);

	return kern_log_limits(x, e + KERN_LOG2E * kern_log1p_near(f));
}

DEVICE_FN double kern_log1p_part(double x)
{
	const double u = 1 + x;
	double f;
	const double e = kern_split(u, &f);

	return kern_log_limits(u, e * KERN_LN2 + kern_log1p_near((0 == e) ? x : f));
}

/** Returns sin(x + quarter pi / 2) for |x| <= KERN_TRIG_LIMIT. The result is the sine for quarter 0, and
 * the cosine for quarter 1. */
DEVICE_FN double kern_sine(double x, uint64_t quarter)
{
	const double t = x * (2 / KERN_PI) + KERN_MAGIC, k = t - KERN_MAGIC;
	const double r = (x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34, z = r * r;
	const uint64_t n = kern_bits(t) + quarter;
	double s = 0x1.6cd5ebf26b213p-19, c = -0x1.2429092c012cdp-22;

	s = s * z - 0x1.a00f9397a945ap-13;
	s = s * z + 0x1.11110889f50e1p-7;
	s = s * z - 0x1.5555554ca92fcp-3;
	c = c * z + 0x1.a011178cc5b5ap-16;
	c = c * z - 0x1.6c16b88bf1e9ap-10;
	c = c * z + 0x1.5555554f428d7p-5;
	s = r * (1 + z * s);
	c = (1 - 0.5 * z) + z * z * c;

	return kern_double(kern_bits((n & 1) ? c : s) ^ (n & 2) << 62);
}

/** Returns the angle atan(y / x) in [0, pi/2] for x, y >= 0. */
DEVICE_FN double kern_angle(double y, double x)
{
	const int steep = y > x;
	double low = steep ? x : y, high = steep ? y : x;

	const int infinite = (INFINITY == low) & (INFINITY == high); // as two ones

	low = infinite ? 1 : low;
	high = (infinite | (0 == high)) ? 1 : high;

	const int far = low > 0.41421356237309503 * high; // by tan(a - pi/4)
	const double u = (far ? low - high : low) / (far ? low + high : high), z = u * u;
	double q = -0x1.36a23323efb32p-5, a;

	q = q * z + 0x1.1e5acd1046b42p-4;
	q = q * z - 0x1.7082ca88388c0p-4;
	q = q * z + 0x1.c6d1fa0d6062fp-4;
	q = q * z - 0x1.2490c3cb0e68ep-3;
	q = q * z + 0x1.99999203c78b8p-3;
	q = q * z - 0x1.5555554eeab3bp-2;
	a = (u + u * z * q) + (far ? KERN_PI / 4 : 0);

	return steep ? KERN_PI / 2 - a : a;
}

/** Returns the argument of x + i y in (-pi, pi], with the sign of y. */
DEVICE_FN double kern_arg_part(double y, double x)
{
	const double a = kern_angle(fabs(y), fabs(x));

	return copysign((copysign(1., x) < 0) ? KERN_PI - a : a, y);
}

/** Returns asin(w) for w = sqrt(z) in [0, 1/2]. */
DEVICE_FN double kern_asin_near(double w, double z)
{
	double q = 0x1.05f1415c48012p-5;

	q = q * z - 0x1.78e0828fa097fp-9;
	q = q * z + 0x1.315d2179c26dfp-6;
	q = q * z + 0x1.0df126be0873dp-6;
	q = q * z + 0x1.702c86c3aae5cp-6;
	q = q * z + 0x1.f1aae11b5fa6fp-6;
	q = q * z + 0x1.6db764f77dcb7p-5;
	q = q * z + 0x1.333331ebf5e04p-4;
	q = q * z + 0x1.5555555660e50p-3;

	return w + w * z * q;
}

/* ---- float32 functions through them ---- */

DEVICE_FN float kern_exp2f(float x)
{
	return (float)kern_exp2_part((double)x);
}

DEVICE_FN float kern_expm1f(float x)
{
	double e;

	return (float)kern_expm1_part((x > 89) ? 89 : (x < -104) ? -104 : (double)x, &e);
}

DEVICE_FN float kern_log2f(float x)
{
	return (float)kern_log2_part((double)x);
}

DEVICE_FN float kern_log10f(float x)
{
	return (float)(KERN_LOG10E * kern_log_part((double)x));
}

DEVICE_FN float kern_log1pf(float x)
{
	return (float)copysign(kern_log1p_part((double)x), (double)x);
}

DEVICE_FN float kern_sinf(float x)
{
	return (float)kern_sine((double)x, 0);
}

DEVICE_FN float kern_cosf(float x)
{
	return (float)kern_sine((double)x, 1);
}

DEVICE_FN float kern_tanf(float x)
{
	return (float)(kern_sine((double)x, 0) / kern_sine((double)x, 1));
}

DEVICE_FN float kern_asinf(float x)
{
	const double a = fabs((double)x);
	const int far = a > 0.5;
	const double z = far ? 0.5 * (1 - a) : a * a, p = kern_asin_near(far ? sqrt(z) : a, z);

	return (float)copysign(far ? KERN_PI / 2 - 2 * p : p, (double)x);
}

DEVICE_FN float kern_acosf(float x)
{
	const double a = fabs((double)x);
	const int far = a > 0.5;
	const double z = far ? 0.5 * (1 - a) : a * a, p = kern_asin_near(far ? sqrt(z) : a, z);
	const double q = far ? 2 * p : KERN_PI / 2 - p; // acos(|x|)

	return (float)((x < 0) ? KERN_PI - q : q);
}

DEVICE_FN float kern_atanf(float x)
{
	return (float)copysign(kern_angle(fabs((double)x), 1), (double)x);
}

DEVICE_FN float kern_atan2f(float y, float x)
{
	return (float)kern_arg_part((double)y, (double)x);
}

DEVICE_FN float kern_sinhf(float x)
{
	const double a = fabs((double)x);
	double e;
	const double m = kern_expm1_part((a > 200) ? 200 : a, &e);

	return (float)copysign(0.5 * (m + m / (m + 1)), (double)x);
}

DEVICE_FN float kern_coshf(float x)
{
	const double a = fabs((double)x), e = kern_exp_part((a > 200) ? 200 : a);

	return (float)(0.5 * (e + 1 / e));
}

DEVICE_FN float kern_tanhf(float x)
{
	const double a = fabs((double)x);
	double e;
	const double m = kern_expm1_part((a > 20) ? 40 : 2 * a, &e);

	return (float)copysign(m / (m + 2), (double)x);
}

DEVICE_FN float kern_asinhf(float x)
{
	const double a = fabs((double)x), y = kern_log1p_part(a + a * a / (1 + sqrt(1 + a * a)));

	return (float)copysign((a < INFINITY) ? y : a, (double)x);
}

DEVICE_FN float kern_acoshf(float x)
{
	const double t = (double)x - 1;

	return (float)((x < 1) ? NAN : kern_log1p_part(t + sqrt(t * (2 + t))));
}

DEVICE_FN float kern_atanhf(float x)
{
	const double a = fabs((double)x);

	return (float)copysign(0.5 * kern_log1p_part(2 * a / (1 - a)), (double)x);
}

DEVICE_FN float kern_cbrtf(float x)
{
	return (float)copysign(kern_exp2_part(kern_log2_part(fabs((double)x)) / 3), (double)x);
}

/** Returns the error function erf(x). */
DEVICE_FN float kern_erff(float x)
{
	const double b = fabs((double)x), a = (b > 4) ? 4 : b, z = a * a;
	double p = -0x1.436039679c6eep-17, q = -0x1.6bd7e1c22371fp-16;

	p = p * z + 0x1.d817e28f2f75dp-14;
	p = p * z - 0x1.bcbc3f3e1157dp-11;
	p = p * z + 0x1.5628be2a0a7dep-8;
	p = p * z - 0x1.b829a3c9247a2p-6;
	p = p * z + 0x1.ce2f0772daec1p-4;
	p = p * z - 0x1.8127465f2f91fp-2;
	p = p * z + 0x1.20dd7504002cep+0;
	q = q * a + 0x1.cec5ff71028dbp-12;
	q = q * a - 0x1.138cbbd66f936p-8;
	q = q * a + 0x1.9d0303b729a59p-6;
	q = q * a - 0x1.bc1515ee67cf5p-4;
	q = q * a + 0x1.779532432d7f1p-2;
	q = q * a - 0x1.212c0cefddaa2p+0;
	q = q * a + 0x1.8a57540ac9f9cp-13;

	return (float)copysign((a < 1) ? a * p : 1 - kern_exp_part(q - z), (double)x);
}

/** Returns sqrt(x^2 + y^2). The squares of float32 values x and y cannot overflow. */
DEVICE_FN double kern_hypot_part(double x, double y)
{
	const double r = sqrt(x * x + y * y);
	const int infinite = (fabs(x) == INFINITY) | (fabs(y) == INFINITY);

	return infinite ? INFINITY : r;
}

DEVICE_FN float kern_hypotf(float x, float y)
{
	return (float)kern_hypot_part((double)x, (double)y);
}

DEVICE_FN float kern_powf(float x, float y)
{
	const double a = (double)x, b = (double)y;
	const double r = kern_exp2_part(b * kern_log2_part(fabs(a)));
	const int whole = b == rint(b), odd = whole & (0.5 * b != rint(0.5 * b)) & (fabs(b) < INFINITY);
	const int one = (1 == a) | (0 == b) | ((-1 == a) & (fabs(b) == INFINITY));
	const double p = (odd & (copysign(1., a) < 0)) ? -r : r;

	return (float)(one ? 1 : ((a < 0) & (a > -INFINITY) & !whole) ? NAN : p);
}

/* ---- float64 ---- */

DEVICE_FN double kern_exp(double x)
{
	const double c = (x > 710) ? 710 : (x < -746) ? -746 : x;
	const double t = c * KERN_LOG2E + KERN_MAGIC, k = t - KERN_MAGIC;
	const double r = (c - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33, z = r * r;
	const double t1 = 0.5 * k + KERN_MAGIC, t2 = (k - (t1 - KERN_MAGIC)) + KERN_MAGIC;
	double q = 0x1.ad1fd6648a6c0p-26;

	q = q * r + 0x1.289fb155e9583p-22;
	q = q * r + 0x1.71df55b4d261cp-19;
	q = q * r + 0x1.a019ab098a240p-16;
	q = q * r + 0x1.a01a011bd1f70p-13;
	q = q * r + 0x1.6c16c17ccd833p-10;
	q = q * r + 0x1.11111111289aep-7;
	q = q * r + 0x1.55555555531eap-5;
	q = q * r + 0x1.5555555555501p-3;

	return (1 + (r + (0.5 * z + z * r * q))) * kern_power_of_two(t1) * kern_power_of_two(t2);
}

/** Returns log(x) for x = 2^e (1 + f), summed from the smallest term on:
 *     log(1 + f) = f - (h - s (h + R)), h = f^2 / 2, s = f / (2 + f) */
DEVICE_FN double kern_log(double x)
{
	const int small = x < 0x1p-1022;
	double f;
	const double e = kern_split(small ? x * 0x1p54 : x, &f) - (small ? 54 : 0);
	const double s = f / (2 + f), z = s * s, h = 0.5 * f * f;
	double q = 0x1.2b5f66b8a9d8ap-3;

	q = q * z + 0x1.39fdcd13151d4p-3;
	q = q * z + 0x1.7462b91a547b2p-3;
	q = q * z + 0x1.c71c62d5ea02fp-3;
	q = q * z + 0x1.2492492dfd81ap-2;
	q = q * z + 0x1.9999999995274p-2;
	q = q * z + 0x1.5555555555558p-1;

	return kern_log_limits(
	        x, e * 0x1.62e42feep-1 - ((h - (s * (h + z * q) + e * 0x1.a39ef35793c76p-33)) - f));
}

/** Returns |a + i b| without intermediate overflow. If a part is infinite, the result is infinite. */
DEVICE_FN double kern_hypot(double a, double b)
{
	const double p = fabs(a), q = fabs(b), high = (p > q) ? p : q;
	const int64_t field = 2046 - (int64_t)(kern_bits(high) >> 52); // of 1 / 2^exponent
	const double scale = kern_double((uint64_t)((field < 1) ? 1 : field) << 52), x = scale * a,
	             y = scale * b;
	const int infinite = (INFINITY == p) | (INFINITY == q);

	return infinite ? INFINITY : sqrt(x * x + y * y) * (1 / scale);
}

/* ---- complex64 ---- */

/** These functions return whether kern_cexpf(), kern_clogf() and kern_clog1pf() are accurate. For other
 * arguments, such as infinities, use the functions of C. */
DEVICE_FN int kern_cexp_is_near(float a, float b)
{
	return (fabsf(a) <= 600) & (fabsf(b) <= KERN_TRIG_LIMIT);
}

DEVICE_FN int kern_clog_is_near(float a, float b)
{
	return (fabsf(a) < INFINITY) & (fabsf(b) < INFINITY) & ((0 != a) | (0 != b));
}

DEVICE_FN int kern_clog1p_is_near(float a, float b)
{
	return (fabsf(a) < INFINITY) & (fabsf(b) < INFINITY) & (fabsf(1 + a) + fabsf(b) > 1e-3f);
}

/** Computes exp(scale (a + i b)). */
DEVICE_FN void kern_cexpf(float a, float b, double scale, float *re, float *im)
{
	const double e = kern_exp(scale * (double)a), y = scale * (double)b;

	*re = (float)(e * kern_sine(y, 1));
	*im = (float)(e * kern_sine(y, 0));
}

/** Computes scale log(a + i b). Near |a + i b| = 1, the result has no cancellation errors. */
DEVICE_FN void kern_clogf(float a, float b, double scale, float *re, float *im)
{
	const double x = (double)a, y = (double)b, p = fabs(x), q = fabs(y);
	const double high = (p > q) ? p : q, low = (p > q) ? q : p, square = p * p + q * q;
	const double l = ((square > 0.5) & (square < 2))
	                         ? kern_log1p_part((high - 1) * (high + 1) + low * low)
	                         : kern_log_part(square);

	*re = (float)(scale * 0.5 * l);
	*im = (float)(scale * kern_arg_part(y, x));
}

DEVICE_FN void kern_clog1pf(float a, float b, float *re, float *im)
{
	const double x = (double)a, y = (double)b;

	*re = (float)(0.5 * kern_log1p_part(x * (2 + x) + y * y));
	*im = (float)kern_arg_part(y, 1 + x);
}

DEVICE_FN void kern_csqrtf(float a, float b, float *re, float *im)
{
	const double x = (double)a, y = (double)b, m = sqrt(x * x + y * y);
	const double t = sqrt(0.5 * (m + fabs(x))), u = fabs(y) / (2 * t);

	*re = (float)((x < 0) ? u : t);
	*im = (float)copysign((x < 0) ? t : u, y);
}

/** Returns whether kern_cpowf() is accurate. The function kern_cpowf() computes `(a + i b)^(c + i d)`. */
DEVICE_FN int kern_cpow_is_near(float a, float b, float c, float d)
{
	return kern_clog_is_near(a, b) & (fabsf(c) < 1000) & (fabsf(d) < 1000);
}

DEVICE_FN void kern_cpowf(float a, float b, float c, float d, float *re, float *im)
{
	const double x = (double)a, y = (double)b, u = (double)c, v = (double)d;
	const double l = 0.5 * kern_log_part(x * x + y * y), t = kern_arg_part(y, x);
	const double e = kern_exp(u * l - v * t), p = v * l + u * t;

	*re = (float)(e * kern_sine(p, 1));
	*im = (float)(e * kern_sine(p, 0));
}

/** Computes sin(a + i b), or cos(a + i b) if `quarter` is 1. */
DEVICE_FN void kern_csinef(float a, float b, uint64_t quarter, float *re, float *im)
{
	const double y = fabs((double)b);
	double e;
	const double m = kern_expm1_part(y, &e), sinh_y = copysign(0.5 * (m + m / e), (double)b);

	*re = (float)(kern_sine((double)a, quarter) * (0.5 * (e + 1 / e)));
	*im = (float)(kern_sine((double)a, quarter + 1) * sinh_y);
}

/** Returns whether kern_modf(x, y) is exact. */
DEVICE_FN int kern_mod_near(float x, float y)
{
	return (fabs((double)x / (double)y) < KERN_MOD_LIMIT) & (fabsf(y) < INFINITY);
}

/** Returns x - y floor(x / y), with the sign of y. */
DEVICE_FN float kern_modf(float x, float y)
{
	const double b = (double)y;
	const float r = (float)((double)x - trunc((double)x / b) * b);

	return (0 == r) ? copysignf(0, y) : ((r < 0) != (y < 0)) ? r + y : r;
}

#endif
