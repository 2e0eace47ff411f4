#ifndef NUM_MD_FLPMATH_H
#define NUM_MD_FLPMATH_H

#include <complex.h>

#include "num/md/flpmath_chain.h"
#include "num/md/multind.h"

/** Element-wise arithmetic and reductions on strided arrays. Functions md_..._t take one of the types
 * float32, float64, complex64 and complex128. Named forms exist for float32 (no prefix) and complex64
 * (prefix z). Conventions are those of num/md/multind.h, with one exception. An accumulating operation sums
 * along dims in which its output has step 0. Sums are computed in float64. Results are bit-identical for any
 * number of threads. NaN and infinity follow IEEE 754. Wrong types are an error(). */

/** These functions apply an operator of num/kern/ops.h: out = op(a, b, c). All arrays have type `type`.
 * Comparisons and tests give 1 and 0. Real results of complex operands have an imaginary part of 0. */
extern void md_apply1(enum op op, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a);
extern void md_apply2(enum op op, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b);
extern void md_apply3(enum op op, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b, const long cstrs[],
        const void *c);

/** Computes out = f(in[0], ...), where out has type otype. The inputs have the types of the operands of the
 * chain. */
extern void md_chain(const struct md_chain *f, enum dtype otype, int D, const long dims[], const long ostrs[],
        void *out, const long *const istrs[], const void *const in[]);

/** Adds a b, or a conj(b), to out. Along dims with step 0 in ostrs, products are summed in float64. For
 * md_fmac_wide_t(), out has double precision, and every term is added in this precision. */
extern void md_fmac_t(enum dtype type, bool conj_b, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b);
extern void md_fmac_wide_t(enum dtype type, bool conj_b, int D, const long dims[], const long ostrs[],
        void *out, const long astrs[], const void *a, const long bstrs[], const void *b);

/**
 * The scalar s of these functions is real for real types.
 *   md_smul_t()   out = s a
 *   md_axpy_t()   out += s a
 *   md_sadd_t()   out = a + s
 */
extern void md_smul_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, complex double s);
extern void md_axpy_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        complex double s, const long astrs[], const void *a);
extern void md_sadd_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, complex double s);

/* ---- reductions --------------------------------------------------------- */

/** A reduction out = post(red(pre(in))). The chain `pre` maps the operands to one value. The chain `post`
 * maps the result to an element of the output. */
struct md_reduction {
	enum reduction red;
	enum dtype type;             // of the operands if `pre` is NULL
	const struct md_chain *pre;  // if NULL, `red` takes the operand, or two for RED_DOT
	const struct md_chain *post; // takes the result of `red`; NULL writes this result
};

/** Reduces along the dims in flags. `dims` are the dims of the operands. The output has type otype, and
 * length 1 along the reduced dims. */
extern void md_reduction_t(const struct md_reduction *r, enum dtype otype, int D, const long dims[],
        unsigned long flags, const long ostrs[], void *out, int nin, const long *const istrs[],
        const void *const in[]);

/** Reduces one operand, for example by RED_SUM or RED_NORM. Operand and output have type `type`. */
extern void md_reduce_t(enum reduction red, enum dtype type, int D, const long dims[], unsigned long flags,
        const long ostrs[], void *out, const long istrs[], const void *in);

/**
 * These functions reduce all elements in float64, in a fixed order.
 *   md_scalar_t()   sum a conj(b)
 *   md_norm_t()     sqrt(sum |a|^2)
 *   md_sum_t()      sum a
 *   md_asum_t()     sum |a|
 *   md_maxabs_t()   max |a|
 */
extern complex double md_scalar_t(enum dtype type, int D, const long dims[], const long astrs[],
        const void *a, const long bstrs[], const void *b);
extern double md_norm_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a);
extern complex double md_sum_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a);
extern double md_asum_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a);
extern double md_maxabs_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a);
/** These functions return the norm and the root mean square of a - b. */
extern double md_norme_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a,
        const long bstrs[], const void *b);
extern double md_rmse_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a,
        const long bstrs[], const void *b);

/**
 * Statistics of the n elements along the dims in flags, with sums and means in float64.
 *   var    sum |a - mean|^2 / (n - 1); NaN if n is 1           std   square root of var
 *   covar  sum (a - mean a) conj(b - mean b) / (n - 1)
 *   wavg   mean of the elements that are not 0; 0 if all elements are 0
 *   cumsum out[i] = a[0] + ... + a[i] along each of the dims in turn; out may equal a
 */
extern void md_var_t(bool root, enum dtype type, int D, const long dims[], unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a);
extern void md_covar_t(enum dtype type, int D, const long dims[], unsigned long flags, const long ostrs[],
        void *out, const long astrs[], const void *a, const long bstrs[], const void *b);
extern void md_wavg_t(enum dtype type, int D, const long dims[], unsigned long flags, const long ostrs[],
        void *out, const long astrs[], const void *a);
extern void md_cumsum_t(enum dtype type, int D, const long dims[], unsigned long flags, const long ostrs[],
        void *out, const long astrs[], const void *a);

/* ---- thresholds, differences, modulation -------------------------------- */

/** Computes out = max(1 - lambda / n, 0) a, with lambda >= 0. If flags is 0, n is |a|. If flags is not 0, n
 * is the square root of sum |a|^2 along the dims in flags. The function md_softthresh_half_t() writes only
 * the factor `max(1 - lambda / |a|, 0)`. */
extern void md_softthresh_t(enum dtype type, int D, const long dims[], double lambda, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a);
extern void md_softthresh_half_t(enum dtype type, int D, const long dims[], double lambda, const long ostrs[],
        void *out, const long astrs[], const void *a);

/**
 * These functions keep large elements and set other elements to 0. If magnitudes are equal, more than k can
 * be kept. NaN is kept if k > 0.
 * - md_hardthresh_t(): Keeps the k largest magnitudes along the dims in flags, for each index of the other
 *   dims.
 * - md_hardthresh_mask_t(): Writes 1 for kept elements and 0 for others.
 * - md_hardthresh_joint_t(): Keeps the k groups with the largest sum of squares. A group consists of the
 *   elements along the dims in flags.
 */
extern void md_hardthresh_t(enum dtype type, int D, const long dims[], long k, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a);
extern void md_hardthresh_mask_t(enum dtype type, int D, const long dims[], long k, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a);
extern void md_hardthresh_joint_t(enum dtype type, int D, const long dims[], long k, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a);

/**
 * Differences along dim d. The output does not overlap a.
 *   DIFF_FORWARD   out[i] = a[i] - a[i-1], periodic       DIFF_BACKWARD   out[i] = a[i] - a[i+1], periodic
 *   DIFF_FORWARD0, DIFF_BACKWARD0: as above, but 0 beyond the ends; cumsum inverts DIFF_FORWARD0
 */
enum md_diff { DIFF_FORWARD, DIFF_BACKWARD, DIFF_FORWARD0, DIFF_BACKWARD0 };
extern void md_fdiff_t(enum md_diff kind, enum dtype type, int D, const long dims[], int d,
        const long ostrs[], void *out, const long astrs[], const void *a);

/** Multiplies a by exp(i pi c (2 k - c) / n) along every dim in flags. Here k is the index, n the length and
 * c = n / 2, rounded down. With `inverse`, the factor is conjugated. Used before and after a Fourier
 * transform, the factor moves the origin to c. Real types are an error(). */
extern void md_fftmod_t(enum dtype type, int D, const long dims[], unsigned long flags, bool inverse,
        const long ostrs[], void *out, const long astrs[], const void *a);

/* ---- vectors ------------------------------------------------------------ */

/** Contiguous vectors of n elements of any of the four types. */
extern void vec_copy(enum dtype t, long n, void *y, const void *x);
extern void vec_clear(enum dtype t, long n, void *y);
extern void vec_scale(enum dtype t, long n, void *y, double a);               // y = a y
extern void vec_axpy(enum dtype t, long n, void *y, double a, const void *x); // y += a x
extern void vec_xpay(enum dtype t, long n, void *y, double a, const void *x); // y = x + a y
extern void vec_axpby(
        enum dtype t, long n, void *z, double a, const void *x, double b, const void *y); // z = a x + b y
/** Computes y = f(x[0], x[1], ..) for elements of type t. */
extern void vec_chain(const struct md_chain *f, enum dtype t, long n, void *y, const void *const x[]);
extern void vec_mul(enum dtype t, long n, void *z, const void *x, const void *y); // z = x y
extern double vec_dot(enum dtype t, long n, const void *x, const void *y);        // Re sum x conj(y)
extern double vec_norm(enum dtype t, long n, const void *x);
/** These functions write the inner product or the norm to *out. The address `out` is on the device of x and
 * y. Nothing is copied between host and device. */
extern void vec_dot_to(enum dtype t, long n, double *out, const void *x, const void *y);
extern void vec_norm_to(enum dtype t, long n, double *out, const void *x);
/** Returns the number of elements with a NaN or infinite part. */
extern long vec_count_nonfinite(enum dtype t, long n, const void *x);

/* ---- named forms: md_NAME of contiguous arrays, md_NAME2 with strides ---- */

#define MD_DECLARE1(name, O, A)                                                                              \
	extern void md_##name(int D, const long dims[], O *out, const A *a);                                 \
	extern void md_##name##2(                                                                            \
	        int D, const long dims[], const long ostrs[], O *out, const long astrs[], const A *a)
#define MD_DECLARE2(name, O, A, B)                                                                           \
	extern void md_##name(int D, const long dims[], O *out, const A *a, const B *b);                     \
	extern void md_##name##2(int D, const long dims[], const long ostrs[], O *out, const long astrs[],   \
	        const A *a, const long bstrs[], const B *b)
#define MD_DECLARE_S(name, T, S)                                                                             \
	extern void md_##name(int D, const long dims[], T *out, const T *a, S s);                            \
	extern void md_##name##2(                                                                            \
	        int D, const long dims[], const long ostrs[], T *out, const long astrs[], const T *a, S s)
#define MD_DECLARE_RED(name, T)                                                                              \
	extern void md_##name(int D, const long dims[], unsigned long flags, T *out, const T *a);            \
	extern void md_##name##2(int D, const long dims[], unsigned long flags, const long ostrs[], T *out,  \
	        const long astrs[], const T *a)
/* a form for float32 and one for complex64 */
#define MD_DECLARE1_Z(name)                                                                                  \
	MD_DECLARE1(name, float, float);                                                                     \
	MD_DECLARE1(z##name, complex float, complex float)
#define MD_DECLARE2_Z(name)                                                                                  \
	MD_DECLARE2(name, float, float, float);                                                              \
	MD_DECLARE2(z##name, complex float, complex float, complex float)
#define MD_DECLARE_S_Z(name)                                                                                 \
	MD_DECLARE_S(name, float, float);                                                                    \
	MD_DECLARE_S(z##name, complex float, complex float)
#define MD_DECLARE_RED_Z(name)                                                                               \
	MD_DECLARE_RED(name, float);                                                                         \
	MD_DECLARE_RED(z##name, complex float)

/* arithmetic */
MD_DECLARE2_Z(add);
MD_DECLARE2_Z(sub);
MD_DECLARE2_Z(mul);
MD_DECLARE2_Z(div);
MD_DECLARE2_Z(pow);
MD_DECLARE2_Z(fmac);
MD_DECLARE2(zmulc, complex float, complex float, complex float);  // a conj(b)
MD_DECLARE2(zfmacc, complex float, complex float, complex float); // out += a conj(b)
MD_DECLARE2(zrmul, complex float, complex float, complex float);  // re a re b + i im a im b
MD_DECLARE2(fmacD, double, float, float);                         // out += a b in float64
MD_DECLARE2(zfmacD, complex double, complex float, complex float);
MD_DECLARE2(zfmaccD, complex double, complex float, complex float);
MD_DECLARE_S_Z(sadd);
MD_DECLARE_S_Z(smul);
MD_DECLARE_S_Z(spow); // a ^ s
MD_DECLARE1_Z(sqrt);
extern void md_div_reg(int D, const long dims[], float *out, const float *a, const float *b,
        float lambda); // a / (b + lambda)
extern void md_div_reg2(int D, const long dims[], const long ostrs[], float *out, const long astrs[],
        const float *a, const long bstrs[], const float *b, float lambda);
extern void md_zdiv_reg(int D, const long dims[], complex float *out, const complex float *a,
        const complex float *b, complex float lambda);
extern void md_zdiv_reg2(int D, const long dims[], const long ostrs[], complex float *out, const long astrs[],
        const complex float *a, const long bstrs[], const complex float *b, complex float lambda);
extern void md_axpy(int D, const long dims[], float *out, float s, const float *a); // out += s a
extern void md_axpy2(int D, const long dims[], const long ostrs[], float *out, float s, const long astrs[],
        const float *a);
extern void md_zaxpy(int D, const long dims[], complex float *out, complex float s, const complex float *a);
extern void md_zaxpy2(int D, const long dims[], const long ostrs[], complex float *out, complex float s,
        const long astrs[], const complex float *a);

/* functions; zacosr, zatanr and zatan2r use only real parts and give an imaginary part of 0 */
MD_DECLARE1_Z(abs);
MD_DECLARE1_Z(exp);
MD_DECLARE1_Z(log);
MD_DECLARE1_Z(sin);
MD_DECLARE1_Z(cos);
MD_DECLARE1_Z(tan);
MD_DECLARE1_Z(asin);
MD_DECLARE1_Z(acos);
MD_DECLARE1_Z(atan);
MD_DECLARE1_Z(sinh);
MD_DECLARE1_Z(cosh);
MD_DECLARE1_Z(tanh);
MD_DECLARE1_Z(round); // each part to nearest, ties to even
MD_DECLARE1(zarg, complex float, complex float);
MD_DECLARE1(zexpj, complex float, complex float); // exp(i a)
MD_DECLARE1(zphsr, complex float, complex float); // a / |a|, or 0 if a is 0
MD_DECLARE1(zacosr, complex float, complex float);
MD_DECLARE1(zatanr, complex float, complex float);
MD_DECLARE2(atan2r, float, float, float); // atan2(a, b)
MD_DECLARE2(zatan2r, complex float, complex float, complex float);

/* parts */
MD_DECLARE1(zconj, complex float, complex float);
MD_DECLARE1(zreal, complex float, complex float); // imaginary part 0
MD_DECLARE1(zimag, complex float, complex float);
MD_DECLARE1(real, float, complex float);
MD_DECLARE1(imag, float, complex float);
MD_DECLARE2(zcmpl, complex float, float, float); // a + i b
MD_DECLARE1(zcmpl_real, complex float, float);   // a
MD_DECLARE1(zcmpl_imag, complex float, float);   // i a

/* comparisons give 1 and 0; z forms use only real parts, except zcmp */
MD_DECLARE2_Z(cmp); // a == b
MD_DECLARE2_Z(lessequal);
MD_DECLARE2_Z(greatequal);
MD_DECLARE2_Z(max); // NaN if an operand is NaN
MD_DECLARE2_Z(min);
MD_DECLARE_S(slessequal, float, float);
MD_DECLARE_S(zslessequal, complex float, float);
MD_DECLARE_S(sgreatequal, float, float);
MD_DECLARE_S(zsgreatequal, complex float, float);
MD_DECLARE_S(smax, float, float);
MD_DECLARE_S(zsmax, complex float, float);
MD_DECLARE_S(smin, float, float);
MD_DECLARE_S(zsmin, complex float, float);

/* reductions along the dims in flags, like the typed forms above; zmax and zmin use only real parts */
MD_DECLARE_RED_Z(sum);
MD_DECLARE_RED_Z(avg);
MD_DECLARE_RED_Z(wavg);
MD_DECLARE_RED_Z(ss);  // sum |a|^2
MD_DECLARE_RED_Z(rss); // square root of ss
MD_DECLARE_RED_Z(var);
MD_DECLARE_RED_Z(std);
MD_DECLARE_RED_Z(cumsum);
MD_DECLARE_RED(reduce_max, float);
MD_DECLARE_RED(reduce_zmax, complex float);
MD_DECLARE_RED(reduce_min, float);
MD_DECLARE_RED(reduce_zmin, complex float);
extern void md_covar(
        int D, const long dims[], unsigned long flags, float *out, const float *a, const float *b);
extern void md_covar2(int D, const long dims[], unsigned long flags, const long ostrs[], float *out,
        const long astrs[], const float *a, const long bstrs[], const float *b);
extern void md_zcovar(int D, const long dims[], unsigned long flags, complex float *out,
        const complex float *a, const complex float *b);
extern void md_zcovar2(int D, const long dims[], unsigned long flags, const long ostrs[], complex float *out,
        const long astrs[], const complex float *a, const long bstrs[], const complex float *b);

/* reductions of all elements to one number */
#define MD_DECLARE_TOTAL1(name, R, T)                                                                        \
	extern R md_##name(int D, const long dims[], const T *a);                                            \
	extern R md_##name##2(int D, const long dims[], const long astrs[], const T *a)
#define MD_DECLARE_TOTAL2(name, R, T)                                                                        \
	extern R md_##name(int D, const long dims[], const T *a, const T *b);                                \
	extern R md_##name##2(                                                                               \
	        int D, const long dims[], const long astrs[], const T *a, const long bstrs[], const T *b)
#define MD_DECLARE_TOTAL1_Z(name)                                                                            \
	MD_DECLARE_TOTAL1(name, double, float);                                                              \
	MD_DECLARE_TOTAL1(z##name, double, complex float)
#define MD_DECLARE_TOTAL2_Z(name)                                                                            \
	MD_DECLARE_TOTAL2(name, double, float);                                                              \
	MD_DECLARE_TOTAL2(z##name, double, complex float)

MD_DECLARE_TOTAL2(scalar, double, float);
MD_DECLARE_TOTAL2(zscalar, complex double, complex float); // sum a conj(b)
MD_DECLARE_TOTAL2(zscalar_real, double, complex float);    // real part of zscalar
MD_DECLARE_TOTAL1_Z(norm);
MD_DECLARE_TOTAL1_Z(rms);                           // norm / sqrt(elements)
MD_DECLARE_TOTAL1(asum, double, float);             // sum |a|
MD_DECLARE_TOTAL1(zasum, double, complex float);    // sum |re a| + |im a|, as in BLAS
MD_DECLARE_TOTAL1(z1norm, double, complex float);   // sum |a|
MD_DECLARE_TOTAL1(maxnorm, double, float);          // max |a|
MD_DECLARE_TOTAL1(zmaxnorm, double, complex float); // max |a|
MD_DECLARE_TOTAL2_Z(norme);                         // norm of a - b
MD_DECLARE_TOTAL2_Z(rmse);                          // rms of a - b
MD_DECLARE_TOTAL2_Z(rnorme);                        // norm of a - b divided by the norm of a
MD_DECLARE_TOTAL2_Z(nrmse);                         // rms of a - b divided by the rms of a

/* thresholds, differences and others, like the typed forms above */
#define MD_DECLARE_SOFT(name, T)                                                                             \
	extern void md_##name(                                                                               \
	        int D, const long dims[], float lambda, unsigned long flags, T *out, const T *a);            \
	extern void md_##name##2(int D, const long dims[], float lambda, unsigned long flags,                \
	        const long ostrs[], T *out, const long astrs[], const T *a)
#define MD_DECLARE_HARD(name, T)                                                                             \
	extern void md_##name(int D, const long dims[], long k, unsigned long flags, T *out, const T *a);    \
	extern void md_##name##2(int D, const long dims[], long k, unsigned long flags, const long ostrs[],  \
	        T *out, const long astrs[], const T *a)
#define MD_DECLARE_DIFF(name, T)                                                                             \
	extern void md_##name(int D, const long dims[], int d, T *out, const T *a);                          \
	extern void md_##name##2(                                                                            \
	        int D, const long dims[], int d, const long ostrs[], T *out, const long astrs[], const T *a)

MD_DECLARE_SOFT(softthresh, float);
MD_DECLARE_SOFT(zsoftthresh, complex float);
MD_DECLARE_S(softthresh_half, float, float);
MD_DECLARE_S(zsoftthresh_half, complex float, float);
MD_DECLARE_HARD(hardthresh, float);
MD_DECLARE_HARD(zhardthresh, complex float);
MD_DECLARE_HARD(hardthresh_mask, float);
MD_DECLARE_HARD(zhardthresh_mask, complex float);
MD_DECLARE_HARD(hardthresh_joint, float);
MD_DECLARE_HARD(zhardthresh_joint, complex float);
MD_DECLARE_DIFF(fdiff, float);
MD_DECLARE_DIFF(zfdiff, complex float);
MD_DECLARE_DIFF(fdiff_backwards, float);
MD_DECLARE_DIFF(zfdiff_backwards, complex float);
MD_DECLARE_DIFF(fdiff0, float);
MD_DECLARE_DIFF(zfdiff0, complex float);
MD_DECLARE_DIFF(fdiff_backwards0, float);
MD_DECLARE_DIFF(zfdiff_backwards0, complex float);
extern void md_zfftmod(int D, const long dims[], unsigned long flags, complex float *out,
        const complex float *a, bool inverse);
extern void md_zfftmod2(int D, const long dims[], unsigned long flags, const long ostrs[], complex float *out,
        const long astrs[], const complex float *a, bool inverse);
MD_DECLARE1(float2double, double, float);
MD_DECLARE1(double2float, float, double);
MD_DECLARE1(zfloat2double, complex double, complex float);
MD_DECLARE1(zdouble2float, complex float, complex double);
MD_DECLARE1_Z(setnanzero); // 0 where a part of a is NaN
/**
 * These functions compute the normal density with mean mu.
 *   real a      exp(-(a - mu)^2 / (2 sigma^2)) / (sigma sqrt(2 pi))
 *   complex a   exp(-|a - mu|^2 / sigma^2) / (pi sigma^2)
 * The complex density is circular, with E |a - mu|^2 = sigma^2.
 */
extern void md_pdf_gauss(int D, const long dims[], float *out, const float *a, float mu, float sigma);
extern void md_pdf_gauss2(int D, const long dims[], const long ostrs[], float *out, const long astrs[],
        const float *a, float mu, float sigma);
extern void md_zgausspdf(
        int D, const long dims[], complex float *out, const complex float *a, complex float mu, float sigma);
extern void md_zgausspdf2(int D, const long dims[], const long ostrs[], complex float *out,
        const long astrs[], const complex float *a, complex float mu, float sigma);

#endif
