/* Arithmetic on strided arrays: brings arguments into normal form and calls the table of the device. */

#include <math.h>
#include <string.h>

#include "num/backend.h"
#include "num/flpmath.h"

/** The normal form of a loop over N operands. */
static struct md_shape shape(int N, int D, const long dims[], const long *const strs[])
{
	struct md_shape s = {.N = N};

	md_copy_dims(D, s.dims, dims);

	for (int k = 0; k < N; k++)
		md_copy_dims(D, s.strs[k], strs[k]);

	s.D = md_simplify(N, D, s.dims, s.strs);

	return s;
}

/** n contiguous elements, the same for every operand. */
static struct md_shape line(int N, enum dtype t, long n)
{
	struct md_shape s = {.D = 1, .N = N, .dims = {n}};

	for (int k = 0; k < N; k++)
		s.strs[k][0] = (long)dtype_size(t);

	return s;
}

void md_apply2(enum md_op2 op, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b)
{
	struct md_shape s = shape(3, D, dims, (const long *const[]){ostrs, astrs, bstrs});

	backend_of(out)->apply2(op, type, &s, out, a, b);
}

void md_apply1(enum md_op1 op, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a)
{
	struct md_shape s = shape(2, D, dims, (const long *const[]){ostrs, astrs});

	backend_of(out)->apply1(op, type, &s, out, a);
}

void md_fmac_t(enum dtype type, bool conj_b, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b)
{
	struct md_shape s = shape(3, D, dims, (const long *const[]){ostrs, astrs, bstrs});

	backend_of(out)->fmac(type, conj_b, &s, out, a, b);
}

void md_smul_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out, const long astrs[],
        const void *a, complex double f)
{
	struct md_shape s = shape(2, D, dims, (const long *const[]){ostrs, astrs});

	backend_of(out)->smul(type, &s, out, a, f);
}

void md_axpy_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out, complex double f,
        const long astrs[], const void *a)
{
	struct md_shape s = shape(2, D, dims, (const long *const[]){ostrs, astrs});

	backend_of(out)->axpy(type, &s, out, f, a);
}

void md_sadd_t(enum dtype type, int D, const long dims[], const long ostrs[], void *out, const long astrs[],
        const void *a, complex double f)
{
	struct md_shape s = shape(2, D, dims, (const long *const[]){ostrs, astrs});

	backend_of(out)->sadd(type, &s, out, a, f);
}

complex double md_scalar_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a,
        const long bstrs[], const void *b)
{
	struct md_shape s = shape(2, D, dims, (const long *const[]){astrs, bstrs});

	return backend_of(a)->scalar(type, &s, a, b);
}

double md_norm_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a)
{
	return sqrt(creal(md_scalar_t(type, D, dims, astrs, a, astrs, a)));
}

complex double md_sum_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a)
{
	struct md_shape s = shape(1, D, dims, (const long *const[]){astrs});

	return backend_of(a)->sum(type, &s, a);
}

double md_asum_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a)
{
	struct md_shape s = shape(1, D, dims, (const long *const[]){astrs});

	return backend_of(a)->asum(type, &s, a);
}

double md_maxabs_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a)
{
	struct md_shape s = shape(1, D, dims, (const long *const[]){astrs});

	return backend_of(a)->maxabs(type, &s, a);
}

void vec_copy(enum dtype t, long n, void *y, const void *x)
{
	struct md_shape s = line(2, t, n);

	backend_of(y)->copy(dtype_size(t), &s, y, x);
}

void vec_clear(enum dtype t, long n, void *y)
{
	static const char zero[16];
	struct md_shape s = line(1, t, n);

	backend_of(y)->fill(dtype_size(t), &s, y, zero);
}

void vec_scale(enum dtype t, long n, void *y, double a)
{
	struct md_shape s = line(2, t, n);

	backend_of(y)->smul(t, &s, y, y, a);
}

void vec_axpy(enum dtype t, long n, void *y, double a, const void *x)
{
	struct md_shape s = line(2, t, n);

	backend_of(y)->axpy(t, &s, y, a, x);
}

void vec_xpay(enum dtype t, long n, void *y, double a, const void *x)
{
	backend_of(y)->axpby(t, n, y, 1., x, a, y);
}

void vec_axpby(enum dtype t, long n, void *z, double a, const void *x, double b, const void *y)
{
	backend_of(z)->axpby(t, n, z, a, x, b, y);
}

void vec_mul(enum dtype t, long n, void *z, const void *x, const void *y)
{
	struct md_shape s = line(3, t, n);

	backend_of(z)->apply2(MD_MUL, t, &s, z, x, y);
}

double vec_dot(enum dtype t, long n, const void *x, const void *y)
{
	struct md_shape s = line(2, t, n);

	return creal(backend_of(x)->scalar(t, &s, x, y));
}

double vec_norm(enum dtype t, long n, const void *x)
{
	return sqrt(vec_dot(t, n, x, x));
}

long vec_count_nonfinite(enum dtype t, long n, const void *x)
{
	struct md_shape s = line(1, t, n);

	return backend_of(x)->nonfinite(t, &s, x);
}

/** Named forms: NAME2 with strides, NAME contiguous. */
#define DEFINE2(name, T, CALL)                                                                               \
	void md_##name##2(int D, const long dims[], const long ostrs[], T *out, const long astrs[],          \
	        const T *a, const long bstrs[], const T *b)                                                  \
	{                                                                                                    \
		CALL;                                                                                        \
	}                                                                                                    \
	void md_##name(int D, const long dims[], T *out, const T *a, const T *b)                             \
	{                                                                                                    \
		long strs[DIMS];                                                                             \
                                                                                                             \
		md_calc_strides(D, strs, dims, sizeof(T));                                                   \
		md_##name##2(D, dims, strs, out, strs, a, strs, b);                                          \
	}
#define DEFINE1(name, T, CALL)                                                                               \
	void md_##name##2(                                                                                   \
	        int D, const long dims[], const long ostrs[], T *out, const long astrs[], const T *a)        \
	{                                                                                                    \
		CALL;                                                                                        \
	}                                                                                                    \
	void md_##name(int D, const long dims[], T *out, const T *a)                                         \
	{                                                                                                    \
		long strs[DIMS];                                                                             \
                                                                                                             \
		md_calc_strides(D, strs, dims, sizeof(T));                                                   \
		md_##name##2(D, dims, strs, out, strs, a);                                                   \
	}
#define OP2(op, t)   md_apply2(op, t, D, dims, ostrs, out, astrs, a, bstrs, b)
#define OP1(op, t)   md_apply1(op, t, D, dims, ostrs, out, astrs, a)
#define FMAC(t, con) md_fmac_t(t, con, D, dims, ostrs, out, astrs, a, bstrs, b)

DEFINE2(add, float, OP2(MD_ADD, DT_FLOAT32))
DEFINE2(sub, float, OP2(MD_SUB, DT_FLOAT32))
DEFINE2(mul, float, OP2(MD_MUL, DT_FLOAT32))
DEFINE2(div, float, OP2(MD_DIV, DT_FLOAT32))
DEFINE2(max, float, OP2(MD_MAX, DT_FLOAT32))
DEFINE2(min, float, OP2(MD_MIN, DT_FLOAT32))
DEFINE2(fmac, float, FMAC(DT_FLOAT32, false))
DEFINE2(zadd, complex float, OP2(MD_ADD, DT_COMPLEX64))
DEFINE2(zsub, complex float, OP2(MD_SUB, DT_COMPLEX64))
DEFINE2(zmul, complex float, OP2(MD_MUL, DT_COMPLEX64))
DEFINE2(zmulc, complex float, OP2(MD_MULC, DT_COMPLEX64))
DEFINE2(zdiv, complex float, OP2(MD_DIV, DT_COMPLEX64))
DEFINE2(zfmac, complex float, FMAC(DT_COMPLEX64, false))
DEFINE2(zfmacc, complex float, FMAC(DT_COMPLEX64, true))
DEFINE1(abs, float, OP1(MD_ABS, DT_FLOAT32))
DEFINE1(sqrt, float, OP1(MD_SQRT, DT_FLOAT32))
DEFINE1(exp, float, OP1(MD_EXP, DT_FLOAT32))
DEFINE1(log, float, OP1(MD_LOG, DT_FLOAT32))
DEFINE1(zabs, complex float, OP1(MD_ABS, DT_COMPLEX64))
DEFINE1(zsqrt, complex float, OP1(MD_SQRT, DT_COMPLEX64))
DEFINE1(zexp, complex float, OP1(MD_EXP, DT_COMPLEX64))
DEFINE1(zlog, complex float, OP1(MD_LOG, DT_COMPLEX64))
DEFINE1(zconj, complex float, OP1(MD_CONJ, DT_COMPLEX64))
DEFINE1(zreal, complex float, OP1(MD_REAL, DT_COMPLEX64))

void md_smul(int D, const long dims[], float *out, const float *a, float f)
{
	struct md_shape s = line(2, DT_FLOAT32, md_calc_size(D, dims));

	backend_of(out)->smul(DT_FLOAT32, &s, out, a, f);
}

void md_zsmul(int D, const long dims[], complex float *out, const complex float *a, complex float f)
{
	struct md_shape s = line(2, DT_COMPLEX64, md_calc_size(D, dims));

	backend_of(out)->smul(DT_COMPLEX64, &s, out, a, f);
}

void md_axpy(int D, const long dims[], float *out, float f, const float *a)
{
	struct md_shape s = line(2, DT_FLOAT32, md_calc_size(D, dims));

	backend_of(out)->axpy(DT_FLOAT32, &s, out, f, a);
}

void md_zaxpy(int D, const long dims[], complex float *out, complex float f, const complex float *a)
{
	struct md_shape s = line(2, DT_COMPLEX64, md_calc_size(D, dims));

	backend_of(out)->axpy(DT_COMPLEX64, &s, out, f, a);
}

complex double md_zscalar(int D, const long dims[], const complex float *a, const complex float *b)
{
	struct md_shape s = line(2, DT_COMPLEX64, md_calc_size(D, dims));

	return backend_of(a)->scalar(DT_COMPLEX64, &s, a, b);
}

double md_scalar(int D, const long dims[], const float *a, const float *b)
{
	return vec_dot(DT_FLOAT32, md_calc_size(D, dims), a, b);
}

double md_norm(int D, const long dims[], const float *a)
{
	return vec_norm(DT_FLOAT32, md_calc_size(D, dims), a);
}

double md_znorm(int D, const long dims[], const complex float *a)
{
	return vec_norm(DT_COMPLEX64, md_calc_size(D, dims), a);
}
