/* The named forms of flpmath.h: NAME2 with strides, NAME of contiguous arrays. */

#include <math.h>

#include "num/md/flpmath.h"

typedef complex float zfloat;
typedef complex double zdouble;

#define F32  DT_FLOAT32
#define F64  DT_FLOAT64
#define C64  DT_COMPLEX64
#define C128 DT_COMPLEX128

#define STRIDES(strs, T)                                                                                     \
	long strs[DIMS];                                                                                     \
                                                                                                             \
	md_calc_strides(D, strs, dims, sizeof(T))

/* ---- element-wise: ... is the call of the typed form, in which a, astrs and so on are known --------------
 */

#define FORM1(name, O, A, ...)                                                                               \
	void md_##name##2(                                                                                   \
	        int D, const long dims[], const long ostrs[], O *out, const long astrs[], const A *a)        \
	{                                                                                                    \
		__VA_ARGS__;                                                                                 \
	}                                                                                                    \
	void md_##name(int D, const long dims[], O *out, const A *a)                                         \
	{                                                                                                    \
		STRIDES(ostrs, O);                                                                           \
		STRIDES(astrs, A);                                                                           \
		md_##name##2(D, dims, ostrs, out, astrs, a);                                                 \
	}
#define FORM2(name, O, A, B, ...)                                                                            \
	void md_##name##2(int D, const long dims[], const long ostrs[], O *out, const long astrs[],          \
	        const A *a, const long bstrs[], const B *b)                                                  \
	{                                                                                                    \
		__VA_ARGS__;                                                                                 \
	}                                                                                                    \
	void md_##name(int D, const long dims[], O *out, const A *a, const B *b)                             \
	{                                                                                                    \
		STRIDES(ostrs, O);                                                                           \
		STRIDES(astrs, A);                                                                           \
		STRIDES(bstrs, B);                                                                           \
		md_##name##2(D, dims, ostrs, out, astrs, a, bstrs, b);                                       \
	}
#define FORM_S(name, T, S, ...)                                                                              \
	void md_##name##2(                                                                                   \
	        int D, const long dims[], const long ostrs[], T *out, const long astrs[], const T *a, S s)   \
	{                                                                                                    \
		__VA_ARGS__;                                                                                 \
	}                                                                                                    \
	void md_##name(int D, const long dims[], T *out, const T *a, S s)                                    \
	{                                                                                                    \
		STRIDES(strs, T);                                                                            \
		md_##name##2(D, dims, strs, out, strs, a, s);                                                \
	}

/* The chain of one or two operands x, y that the builders in ... append to. */
#define CHAIN1(t, ta, ...)                                                                                   \
	struct md_chain f = {0};                                                                             \
	int x = chain_operand(&f, ta);                                                                       \
	(void)x;                                                                                             \
	__VA_ARGS__;                                                                                         \
	md_chain(&f, t, D, dims, ostrs, out, (const long *const[]){astrs}, (const void *const[]){a})
#define CHAIN2(t, ta, ...)                                                                                   \
	struct md_chain f = {0};                                                                             \
	int x = chain_operand(&f, ta), y = chain_operand(&f, ta);                                            \
	__VA_ARGS__;                                                                                         \
	md_chain(&f, t, D, dims, ostrs, out, (const long *const[]){astrs, bstrs}, (const void *const[]){a, b})
#define OP1(op, v)    chain_op1(&f, OP_##op, v)
#define OP2(op, v, w) chain_op2(&f, OP_##op, v, w)
#define NUMBER(t, v)  chain_constant(&f, t, v)
#define RE(v)         OP1(REAL, v)
#define IM(v)         OP1(IMAG, v)

#define UNARY(name, op)                                                                                      \
	FORM1(name, float, float, md_apply1(OP_##op, F32, D, dims, ostrs, out, astrs, a))                    \
	FORM1(z##name, zfloat, zfloat, md_apply1(OP_##op, C64, D, dims, ostrs, out, astrs, a))
#define BINARY(name, op)                                                                                     \
	FORM2(name, float, float, float, md_apply2(OP_##op, F32, D, dims, ostrs, out, astrs, a, bstrs, b))   \
	FORM2(z##name, zfloat, zfloat, zfloat,                                                               \
	        md_apply2(OP_##op, C64, D, dims, ostrs, out, astrs, a, bstrs, b))
/* of real parts in the z form */
#define COMPARISON(name, op)                                                                                 \
	FORM2(name, float, float, float, md_apply2(OP_##op, F32, D, dims, ostrs, out, astrs, a, bstrs, b))   \
	FORM2(z##name, zfloat, zfloat, zfloat, CHAIN2(C64, C64, OP2(op, RE(x), RE(y))))
#define COMPARISON_S(name, op)                                                                               \
	FORM_S(name, float, float, CHAIN1(F32, F32, OP2(op, x, NUMBER(F32, s))))                             \
	FORM_S(z##name, zfloat, float, CHAIN1(C64, C64, OP2(op, RE(x), NUMBER(F32, s))))

BINARY(add, ADD)
BINARY(sub, SUB)
BINARY(mul, MUL)
BINARY(div, DIV)
BINARY(pow, POW)
FORM2(zmulc, zfloat, zfloat, zfloat, md_apply2(OP_MULC, C64, D, dims, ostrs, out, astrs, a, bstrs, b))
FORM2(zrmul, zfloat, zfloat, zfloat,
        CHAIN2(C64, C64, OP2(COMPLEX, OP2(MUL, RE(x), RE(y)), OP2(MUL, IM(x), IM(y)))))
FORM2(fmac, float, float, float, md_fmac_t(F32, false, D, dims, ostrs, out, astrs, a, bstrs, b))
FORM2(zfmac, zfloat, zfloat, zfloat, md_fmac_t(C64, false, D, dims, ostrs, out, astrs, a, bstrs, b))
FORM2(zfmacc, zfloat, zfloat, zfloat, md_fmac_t(C64, true, D, dims, ostrs, out, astrs, a, bstrs, b))
FORM2(fmacD, double, float, float, md_fmac_wide_t(F32, false, D, dims, ostrs, out, astrs, a, bstrs, b))
FORM2(zfmacD, zdouble, zfloat, zfloat, md_fmac_wide_t(C64, false, D, dims, ostrs, out, astrs, a, bstrs, b))
FORM2(zfmaccD, zdouble, zfloat, zfloat, md_fmac_wide_t(C64, true, D, dims, ostrs, out, astrs, a, bstrs, b))
FORM_S(sadd, float, float, md_sadd_t(F32, D, dims, ostrs, out, astrs, a, s))
FORM_S(zsadd, zfloat, zfloat, md_sadd_t(C64, D, dims, ostrs, out, astrs, a, s))
FORM_S(smul, float, float, md_smul_t(F32, D, dims, ostrs, out, astrs, a, s))
FORM_S(zsmul, zfloat, zfloat, md_smul_t(C64, D, dims, ostrs, out, astrs, a, s))
FORM_S(spow, float, float, CHAIN1(F32, F32, OP2(POW, x, NUMBER(F32, s))))
FORM_S(zspow, zfloat, zfloat, CHAIN1(C64, C64, OP2(POW, x, NUMBER(C64, s))))

UNARY(sqrt, SQRT)
UNARY(abs, ABS)
UNARY(exp, EXP)
UNARY(log, LOG)
UNARY(sin, SIN)
UNARY(cos, COS)
UNARY(tan, TAN)
UNARY(asin, ASIN)
UNARY(acos, ACOS)
UNARY(atan, ATAN)
UNARY(sinh, SINH)
UNARY(cosh, COSH)
UNARY(tanh, TANH)
FORM1(round, float, float, md_apply1(OP_ROUND, F32, D, dims, ostrs, out, astrs, a))
FORM1(zround, zfloat, zfloat, CHAIN1(C64, C64, OP2(COMPLEX, OP1(ROUND, RE(x)), OP1(ROUND, IM(x)))))
FORM1(zarg, zfloat, zfloat, md_apply1(OP_ARG, C64, D, dims, ostrs, out, astrs, a))
FORM1(zexpj, zfloat, zfloat, // exp(-im) cis(re)
        CHAIN1(C64, C64, OP1(EXP, OP2(COMPLEX, OP1(NEG, IM(x)), RE(x)))))
FORM1(zphsr, zfloat, zfloat, md_apply1(OP_SIGN, C64, D, dims, ostrs, out, astrs, a))
FORM1(zacosr, zfloat, zfloat, CHAIN1(C64, C64, OP1(ACOS, RE(x))))
FORM1(zatanr, zfloat, zfloat, CHAIN1(C64, C64, OP1(ATAN, RE(x))))
FORM2(atan2r, float, float, float, md_apply2(OP_ATAN2, F32, D, dims, ostrs, out, astrs, a, bstrs, b))
FORM2(zatan2r, zfloat, zfloat, zfloat, CHAIN2(C64, C64, OP2(ATAN2, RE(x), RE(y))))

FORM1(zconj, zfloat, zfloat, md_apply1(OP_CONJ, C64, D, dims, ostrs, out, astrs, a))
FORM1(zreal, zfloat, zfloat, md_apply1(OP_REAL, C64, D, dims, ostrs, out, astrs, a))
FORM1(zimag, zfloat, zfloat, md_apply1(OP_IMAG, C64, D, dims, ostrs, out, astrs, a))
FORM1(real, float, zfloat, CHAIN1(F32, C64, RE(x)))
FORM1(imag, float, zfloat, CHAIN1(F32, C64, IM(x)))
FORM2(zcmpl, zfloat, float, float, CHAIN2(C64, F32, OP2(COMPLEX, x, y)))
FORM1(zcmpl_real, zfloat, float, CHAIN1(C64, F32, ))
FORM1(zcmpl_imag, zfloat, float, CHAIN1(C64, F32, OP2(COMPLEX, NUMBER(F32, 0.), x)))

BINARY(cmp, EQ)
COMPARISON(lessequal, LE)
COMPARISON(greatequal, GE)
COMPARISON(max, MAX)
COMPARISON(min, MIN)
COMPARISON_S(slessequal, LE)
COMPARISON_S(sgreatequal, GE)
COMPARISON_S(smax, MAX)
COMPARISON_S(smin, MIN)

FORM1(float2double, double, float, CHAIN1(F64, F32, ))
FORM1(double2float, float, double, CHAIN1(F32, F64, ))
FORM1(zfloat2double, zdouble, zfloat, CHAIN1(C128, C64, ))
FORM1(zdouble2float, zfloat, zdouble, CHAIN1(C64, C128, ))
FORM1(setnanzero, float, float, CHAIN1(F32, F32, chain_op3(&f, OP_SELECT, OP1(ISNAN, x), NUMBER(F32, 0.), x)))
FORM1(zsetnanzero, zfloat, zfloat,
        CHAIN1(C64, C64, chain_op3(&f, OP_SELECT, OP1(ISNAN, x), NUMBER(C64, 0.), x)))
FORM_S(softthresh_half, float, float, md_softthresh_half_t(F32, D, dims, s, ostrs, out, astrs, a))
FORM_S(zsoftthresh_half, zfloat, float, md_softthresh_half_t(C64, D, dims, s, ostrs, out, astrs, a))

/* ---- other arguments --------------------------------------------- */

#define DIV_REG(name, T, t)                                                                                  \
	void md_##name##2(int D, const long dims[], const long ostrs[], T *out, const long astrs[],          \
	        const T *a, const long bstrs[], const T *b, T lambda)                                        \
	{                                                                                                    \
		CHAIN2(t, t, OP2(DIV, x, OP2(ADD, y, NUMBER(t, lambda))));                                   \
	}                                                                                                    \
	void md_##name(int D, const long dims[], T *out, const T *a, const T *b, T lambda)                   \
	{                                                                                                    \
		STRIDES(strs, T);                                                                            \
		md_##name##2(D, dims, strs, out, strs, a, strs, b, lambda);                                  \
	}
DIV_REG(div_reg, float, F32)
DIV_REG(zdiv_reg, zfloat, C64)

#define AXPY(name, T, t)                                                                                     \
	void md_##name##2(                                                                                   \
	        int D, const long dims[], const long ostrs[], T *out, T s, const long astrs[], const T *a)   \
	{                                                                                                    \
		md_axpy_t(t, D, dims, ostrs, out, s, astrs, a);                                              \
	}                                                                                                    \
	void md_##name(int D, const long dims[], T *out, T s, const T *a)                                    \
	{                                                                                                    \
		STRIDES(strs, T);                                                                            \
		md_##name##2(D, dims, strs, out, s, strs, a);                                                \
	}
AXPY(axpy, float, F32)
AXPY(zaxpy, zfloat, C64)

/* in double precision: the exponent is the square of what may be large */
void md_pdf_gauss2(int D, const long dims[], const long ostrs[], float *out, const long astrs[],
        const float *a, float mu, float sigma)
{
	double scale = 1. / (sigma * sqrt(2. * M_PI)), inner = -0.5 / ((double)sigma * sigma);

	CHAIN1(F32, F32,
	        chain_scale(&f,
	                OP1(EXP, chain_scale(&f,
	                                 OP1(SQUARE, OP2(SUB, chain_convert(&f, F64, x), NUMBER(F64, mu))),
	                                 inner)),
	                scale));
}

void md_pdf_gauss(int D, const long dims[], float *out, const float *a, float mu, float sigma)
{
	STRIDES(strs, float);
	md_pdf_gauss2(D, dims, strs, out, strs, a, mu, sigma);
}

void md_zgausspdf2(int D, const long dims[], const long ostrs[], zfloat *out, const long astrs[],
        const zfloat *a, zfloat mu, float sigma)
{
	double inner = -1. / ((double)sigma * sigma), scale = -inner / M_PI;

	CHAIN1(C64, C64,
	        chain_scale(&f,
	                OP1(EXP, chain_scale(&f,
	                                 OP1(ABS2, OP2(SUB, chain_convert(&f, C128, x), NUMBER(C128, mu))),
	                                 inner)),
	                scale));
}

void md_zgausspdf(int D, const long dims[], zfloat *out, const zfloat *a, zfloat mu, float sigma)
{
	STRIDES(strs, zfloat);
	md_zgausspdf2(D, dims, strs, out, strs, a, mu, sigma);
}

/* ---- with one more parameter p, of contiguous arrays of the same dims ---- */

#define FORM_P(name, T, P, p, ...)                                                                           \
	void md_##name##2(                                                                                   \
	        int D, const long dims[], P p, const long ostrs[], T *out, const long astrs[], const T *a)   \
	{                                                                                                    \
		__VA_ARGS__;                                                                                 \
	}                                                                                                    \
	void md_##name(int D, const long dims[], P p, T *out, const T *a)                                    \
	{                                                                                                    \
		STRIDES(strs, T);                                                                            \
		md_##name##2(D, dims, p, strs, out, strs, a);                                                \
	}
#define CUMSUM(name, T, t)                                                                                   \
	FORM_P(name, T, unsigned long, flags, md_cumsum_t(t, D, dims, flags, ostrs, out, astrs, a))
CUMSUM(cumsum, float, F32)
CUMSUM(zcumsum, zfloat, C64)

#define DIFF(name, kind)                                                                                     \
	FORM_P(name, float, int, d, md_fdiff_t(kind, F32, D, dims, d, ostrs, out, astrs, a))                 \
	FORM_P(z##name, zfloat, int, d, md_fdiff_t(kind, C64, D, dims, d, ostrs, out, astrs, a))
DIFF(fdiff, DIFF_FORWARD)
DIFF(fdiff_backwards, DIFF_BACKWARD)
DIFF(fdiff0, DIFF_FORWARD0)
DIFF(fdiff_backwards0, DIFF_BACKWARD0)

#define FORM_P2(name, T, P, p, ...)                                                                          \
	void md_##name##2(int D, const long dims[], P p, unsigned long flags, const long ostrs[], T *out,    \
	        const long astrs[], const T *a)                                                              \
	{                                                                                                    \
		__VA_ARGS__;                                                                                 \
	}                                                                                                    \
	void md_##name(int D, const long dims[], P p, unsigned long flags, T *out, const T *a)               \
	{                                                                                                    \
		STRIDES(strs, T);                                                                            \
		md_##name##2(D, dims, p, flags, strs, out, strs, a);                                         \
	}
#define HARD(name)                                                                                           \
	FORM_P2(name, float, long, k, md_##name##_t(F32, D, dims, k, flags, ostrs, out, astrs, a))           \
	FORM_P2(z##name, zfloat, long, k, md_##name##_t(C64, D, dims, k, flags, ostrs, out, astrs, a))
FORM_P2(softthresh, float, float, lambda, md_softthresh_t(F32, D, dims, lambda, flags, ostrs, out, astrs, a))
FORM_P2(zsoftthresh, zfloat, float, lambda,
        md_softthresh_t(C64, D, dims, lambda, flags, ostrs, out, astrs, a))
HARD(hardthresh)
HARD(hardthresh_mask)
HARD(hardthresh_joint)

void md_zfftmod2(int D, const long dims[], unsigned long flags, const long ostrs[], zfloat *out,
        const long astrs[], const zfloat *a, bool inverse)
{
	md_fftmod_t(C64, D, dims, flags, inverse, ostrs, out, astrs, a);
}

void md_zfftmod(int D, const long dims[], unsigned long flags, zfloat *out, const zfloat *a, bool inverse)
{
	STRIDES(strs, zfloat);
	md_zfftmod2(D, dims, flags, strs, out, strs, a, inverse);
}

/* ---- reductions along dims: the output has 1 along them ---------- */

#define OUT_STRIDES(strs, T)                                                                                 \
	long strs[DIMS], odims[DIMS];                                                                        \
                                                                                                             \
	md_select_dims(D, ~flags, odims, dims);                                                              \
	md_calc_strides(D, strs, odims, sizeof(T))

#define FORM_RED(name, T, ...)                                                                               \
	void md_##name##2(int D, const long dims[], unsigned long flags, const long ostrs[], T *out,         \
	        const long astrs[], const T *a)                                                              \
	{                                                                                                    \
		__VA_ARGS__;                                                                                 \
	}                                                                                                    \
	void md_##name(int D, const long dims[], unsigned long flags, T *out, const T *a)                    \
	{                                                                                                    \
		OUT_STRIDES(ostrs, T);                                                                       \
		STRIDES(astrs, T);                                                                           \
		md_##name##2(D, dims, flags, ostrs, out, astrs, a);                                          \
	}
#define REDUCE(name, red)                                                                                    \
	FORM_RED(name, float, md_reduce_t(red, F32, D, dims, flags, ostrs, out, astrs, a))                   \
	FORM_RED(z##name, zfloat, md_reduce_t(red, C64, D, dims, flags, ostrs, out, astrs, a))
#define STATISTIC(name, F, ...)                                                                              \
	FORM_RED(name, float, F(__VA_ARGS__ F32, D, dims, flags, ostrs, out, astrs, a))                      \
	FORM_RED(z##name, zfloat, F(__VA_ARGS__ C64, D, dims, flags, ostrs, out, astrs, a))

REDUCE(sum, RED_SUM)
REDUCE(avg, RED_MEAN)
REDUCE(rss, RED_NORM)
STATISTIC(wavg, md_wavg_t, )
STATISTIC(var, md_var_t, false, )
STATISTIC(std, md_var_t, true, )

/** Of what a chain makes of the elements. */
static void reduce_chain(enum reduction red, enum dtype t, const struct md_chain *f, int D, const long dims[],
        unsigned long flags, const long ostrs[], void *out, const long astrs[], const void *a)
{
	const struct md_reduction r = {.red = red, .type = t, .pre = f};

	md_reduction_t(
	        &r, t, D, dims, flags, ostrs, out, 1, (const long *const[]){astrs}, (const void *const[]){a});
}

#define REDUCE_CHAIN(red, t, ...)                                                                            \
	struct md_chain f = {0};                                                                             \
	int x = chain_operand(&f, t);                                                                        \
	__VA_ARGS__;                                                                                         \
	reduce_chain(red, t, &f, D, dims, flags, ostrs, out, astrs, a)
FORM_RED(ss, float, REDUCE_CHAIN(RED_SUM, F32, OP1(ABS2, chain_convert(&f, F64, x))))
FORM_RED(zss, zfloat, REDUCE_CHAIN(RED_SUM, C64, OP1(ABS2, chain_convert(&f, C128, x))))
FORM_RED(reduce_max, float, md_reduce_t(RED_MAX, F32, D, dims, flags, ostrs, out, astrs, a))
FORM_RED(reduce_min, float, md_reduce_t(RED_MIN, F32, D, dims, flags, ostrs, out, astrs, a))
FORM_RED(reduce_zmax, zfloat, REDUCE_CHAIN(RED_MAX, C64, RE(x)))
FORM_RED(reduce_zmin, zfloat, REDUCE_CHAIN(RED_MIN, C64, RE(x)))

#define COVAR(name, T, t)                                                                                    \
	void md_##name##2(int D, const long dims[], unsigned long flags, const long ostrs[], T *out,         \
	        const long astrs[], const T *a, const long bstrs[], const T *b)                              \
	{                                                                                                    \
		md_covar_t(t, D, dims, flags, ostrs, out, astrs, a, bstrs, b);                               \
	}                                                                                                    \
	void md_##name(int D, const long dims[], unsigned long flags, T *out, const T *a, const T *b)        \
	{                                                                                                    \
		OUT_STRIDES(ostrs, T);                                                                       \
		STRIDES(strs, T);                                                                            \
		md_##name##2(D, dims, flags, ostrs, out, strs, a, strs, b);                                  \
	}
COVAR(covar, float, F32)
COVAR(zcovar, zfloat, C64)

/* ---- reductions to a number -------------------------------------- */

#define TOTAL1(name, R, T, VALUE)                                                                            \
	R md_##name##2(int D, const long dims[], const long astrs[], const T *a)                             \
	{                                                                                                    \
		return VALUE;                                                                                \
	}                                                                                                    \
	R md_##name(int D, const long dims[], const T *a)                                                    \
	{                                                                                                    \
		STRIDES(strs, T);                                                                            \
                                                                                                             \
		return md_##name##2(D, dims, strs, a);                                                       \
	}
#define TOTAL2(name, R, T, VALUE)                                                                            \
	R md_##name##2(                                                                                      \
	        int D, const long dims[], const long astrs[], const T *a, const long bstrs[], const T *b)    \
	{                                                                                                    \
		return VALUE;                                                                                \
	}                                                                                                    \
	R md_##name(int D, const long dims[], const T *a, const T *b)                                        \
	{                                                                                                    \
		STRIDES(strs, T);                                                                            \
                                                                                                             \
		return md_##name##2(D, dims, strs, a, strs, b);                                              \
	}
#define ALL_OF_A sqrt((double)md_calc_size(D, dims))

TOTAL2(scalar, double, float, creal(md_scalar_t(F32, D, dims, astrs, a, bstrs, b)))
TOTAL2(zscalar, zdouble, zfloat, md_scalar_t(C64, D, dims, astrs, a, bstrs, b))
TOTAL2(zscalar_real, double, zfloat, creal(md_scalar_t(C64, D, dims, astrs, a, bstrs, b)))
TOTAL1(norm, double, float, md_norm_t(F32, D, dims, astrs, a))
TOTAL1(znorm, double, zfloat, md_norm_t(C64, D, dims, astrs, a))
TOTAL1(rms, double, float, md_norm2(D, dims, astrs, a) / ALL_OF_A)
TOTAL1(zrms, double, zfloat, md_znorm2(D, dims, astrs, a) / ALL_OF_A)
TOTAL1(asum, double, float, md_asum_t(F32, D, dims, astrs, a))
TOTAL1(z1norm, double, zfloat, md_asum_t(C64, D, dims, astrs, a))
TOTAL1(maxnorm, double, float, md_maxabs_t(F32, D, dims, astrs, a))
TOTAL1(zmaxnorm, double, zfloat, md_maxabs_t(C64, D, dims, astrs, a))
TOTAL2(norme, double, float, md_norme_t(F32, D, dims, astrs, a, bstrs, b))
TOTAL2(znorme, double, zfloat, md_norme_t(C64, D, dims, astrs, a, bstrs, b))
TOTAL2(rmse, double, float, md_rmse_t(F32, D, dims, astrs, a, bstrs, b))
TOTAL2(zrmse, double, zfloat, md_rmse_t(C64, D, dims, astrs, a, bstrs, b))
TOTAL2(rnorme, double, float, md_norme2(D, dims, astrs, a, bstrs, b) / md_norm2(D, dims, astrs, a))
TOTAL2(zrnorme, double, zfloat, md_znorme2(D, dims, astrs, a, bstrs, b) / md_znorm2(D, dims, astrs, a))
TOTAL2(nrmse, double, float, md_rmse2(D, dims, astrs, a, bstrs, b) / md_rms2(D, dims, astrs, a))
TOTAL2(znrmse, double, zfloat, md_zrmse2(D, dims, astrs, a, bstrs, b) / md_zrms2(D, dims, astrs, a))

/** In double precision, so that the parts' sum is not rounded. */
double md_zasum2(int D, const long dims[], const long astrs[], const complex float *a)
{
	static const long none[DIMS];
	struct md_chain f = {0};
	const struct md_reduction r = {.red = RED_SUM, .type = C64, .pre = &f};
	int x = chain_convert(&f, C128, chain_operand(&f, C64));
	double sum;

	OP2(ADD, OP1(ABS, RE(x)), OP1(ABS, IM(x)));
	md_reduction_t(&r, F64, D, dims, ~0ul, none, &sum, 1, (const long *const[]){astrs},
	        (const void *const[]){a});

	return sum;
}

double md_zasum(int D, const long dims[], const complex float *a)
{
	STRIDES(strs, complex float);

	return md_zasum2(D, dims, strs, a);
}
