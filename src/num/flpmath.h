#ifndef NUM_FLPMATH_H
#define NUM_FLPMATH_H

#include <complex.h>

#include "num/multind.h"

/**
 * Element-wise arithmetic and reductions on strided arrays of float32 (no prefix), complex64 (z), float64 (d)
 * and complex128 (zd). Conventions as in num/multind.h; a step of 0 on the output of an accumulating
 * operation reduces along that dim. Sums run in float64 over a fixed partition: the same bits for any number
 * of threads. NaN and infinity pass through as in IEEE 754.
 */

/** Binary, unary and accumulating operations of the typed entry points. */
enum md_op2 { MD_ADD, MD_SUB, MD_MUL, MD_MULC /* a conj(b) */, MD_DIV, MD_MAX, MD_MIN };
enum md_op1 { MD_COPY, MD_NEG, MD_ABS, MD_SQRT, MD_EXP, MD_LOG, MD_CONJ, MD_REAL, MD_INVERT };

/** out = a op b. type: float32, float64, complex64, complex128 (MAX and MIN real only: error() else). */
extern void md_apply2(enum md_op2 op, enum dtype type, int D, const long dims[], const long ostrs[],
        void *out, const long astrs[], const void *a, const long bstrs[], const void *b);

/** out = op(a); MD_ABS of complex data has zero imaginary part. */
extern void md_apply1(enum md_op1 op, enum dtype type, int D, const long dims[], const long ostrs[],
        void *out, const long astrs[], const void *a);

/** out += a b (or a conj(b)). With zero steps in ostrs: a contraction, accumulated in float64 along the
 * contracted dims. */
extern void md_fmac_t(enum dtype type, bool conj_b, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b);

/** out = s a, out += s a, out = a + s; s is real for real types. */
extern void md_smul_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, complex double s);
extern void md_axpy_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        complex double s, const long astrs[], const void *a);
extern void md_sadd_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, complex double s);

/** sum a conj(b), sum |a|^2's root, sum a, sum |a|, max |a|: float64, fixed order. */
extern complex double md_scalar_t(enum dtype type, int D, const long dims[], const long astrs[],
        const void *a, const long bstrs[], const void *b);
extern double md_norm_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a);
extern complex double md_sum_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a);
extern double md_asum_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a);
extern double md_maxabs_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a);

/**
 * Contiguous vectors of n elements of any of the four types: what iterative algorithms use. y and x as in
 * BLAS.
 */
extern void vec_copy(enum dtype t, long n, void *y, const void *x);
extern void vec_clear(enum dtype t, long n, void *y);
extern void vec_scale(enum dtype t, long n, void *y, double a);               // y = a y
extern void vec_axpy(enum dtype t, long n, void *y, double a, const void *x); // y += a x
extern void vec_xpay(enum dtype t, long n, void *y, double a, const void *x); // y = x + a y
extern void vec_axpby(
        enum dtype t, long n, void *z, double a, const void *x, double b, const void *y); // z = a x + b y
extern void vec_mul(enum dtype t, long n, void *z, const void *x, const void *y);         // z = x y
extern double vec_dot(enum dtype t, long n, const void *x, const void *y);                // Re sum x conj(y)
extern double vec_norm(enum dtype t, long n, const void *x);
/** Number of elements that are not finite (NaN or infinite in either part). */
extern long vec_count_nonfinite(enum dtype t, long n, const void *x);

/**
 * Named forms of the float32 and complex64 cases, contiguous and strided (2).
 */
#define MD_DECLARE2(name)                                                                                    \
	extern void md_##name(int D, const long dims[], float *out, const float *a, const float *b);         \
	extern void md_##name##2(int D, const long dims[], const long ostrs[], float *out,                   \
	        const long astrs[], const float *a, const long bstrs[], const float *b)
#define MD_DECLARE_Z2(name)                                                                                  \
	extern void md_##name(int D, const long dims[], complex float *out, const complex float *a,          \
	        const complex float *b);                                                                     \
	extern void md_##name##2(int D, const long dims[], const long ostrs[], complex float *out,           \
	        const long astrs[], const complex float *a, const long bstrs[], const complex float *b)
#define MD_DECLARE1(name)                                                                                    \
	extern void md_##name(int D, const long dims[], float *out, const float *a);                         \
	extern void md_##name##2(int D, const long dims[], const long ostrs[], float *out,                   \
	        const long astrs[], const float *a)
#define MD_DECLARE_Z1(name)                                                                                  \
	extern void md_##name(int D, const long dims[], complex float *out, const complex float *a);         \
	extern void md_##name##2(int D, const long dims[], const long ostrs[], complex float *out,           \
	        const long astrs[], const complex float *a)

MD_DECLARE2(add);
MD_DECLARE2(sub);
MD_DECLARE2(mul);
MD_DECLARE2(div);
MD_DECLARE2(fmac);
MD_DECLARE2(max);
MD_DECLARE2(min);
MD_DECLARE_Z2(zadd);
MD_DECLARE_Z2(zsub);
MD_DECLARE_Z2(zmul);
MD_DECLARE_Z2(zmulc);
MD_DECLARE_Z2(zdiv);
MD_DECLARE_Z2(zfmac);
MD_DECLARE_Z2(zfmacc);
MD_DECLARE1(abs);
MD_DECLARE1(sqrt);
MD_DECLARE1(exp);
MD_DECLARE1(log);
MD_DECLARE_Z1(zabs);
MD_DECLARE_Z1(zsqrt);
MD_DECLARE_Z1(zexp);
MD_DECLARE_Z1(zlog);
MD_DECLARE_Z1(zconj);
MD_DECLARE_Z1(zreal);

extern void md_smul(int D, const long dims[], float *out, const float *a, float s);
extern void md_zsmul(int D, const long dims[], complex float *out, const complex float *a, complex float s);
extern void md_axpy(int D, const long dims[], float *out, float s, const float *a);
extern void md_zaxpy(int D, const long dims[], complex float *out, complex float s, const complex float *a);
extern double md_scalar(int D, const long dims[], const float *a, const float *b);
extern complex double md_zscalar(
        int D, const long dims[], const complex float *a, const complex float *b); // sum a conj(b)
extern double md_norm(int D, const long dims[], const float *a);
extern double md_znorm(int D, const long dims[], const complex float *a);

#endif
