/* The CPU back end: primitives on shapes in normal form. */

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/backend_cpu.h"

/** What the primitives need of an element type. [2]: as it is, second factor conjugated. */
struct type_ops {
	md_line_fn *const *op2, *const *op1;
	md_line_fn *fmac[2];
	md_line_fn *smul, *sadd, *axpy;    // ctx: complex double *
	md_line_fn *smul_real, *axpy_real; // the same for a factor without imaginary part
	cpu_reduce_fn *dotc, *sum, *asum, *maxabs, *nonfinite;
	struct cpu_contract_ops contract[2];
};

#include "num/flpmath_loops.inc"

#define FN(x)    x##_f32
#define R        float
#define COMPLEX  0
#define MATH(x)  x##f
#define CMATH(x) x##f
#include "num/flpmath_impl.inc"

#define FN(x)    x##_f64
#define R        double
#define COMPLEX  0
#define MATH(x)  x
#define CMATH(x) x
#include "num/flpmath_impl.inc"

#define FN(x)    x##_c64
#define R        float
#define COMPLEX  1
#define MATH(x)  x##f
#define CMATH(x) x##f
#include "num/flpmath_impl.inc"

#define FN(x)    x##_c128
#define R        double
#define COMPLEX  1
#define MATH(x)  x
#define CMATH(x) x
#include "num/flpmath_impl.inc"

static const struct type_ops *ops_of(enum dtype t)
{
	switch (t) {
	case DT_FLOAT32:
		return &ops_f32;
	case DT_FLOAT64:
		return &ops_f64;
	case DT_COMPLEX64:
		return &ops_c64;
	case DT_COMPLEX128:
		return &ops_c128;
	default:
		error("arithmetic on %s, expected float32, float64, complex64 or complex128", dtype_name(t));
	}
}

/** Runs a line function over a shape in normal form. */
static void run(const struct md_shape *s, void *const ptr[], md_line_fn *fn, void *ctx)
{
	md_nary(s->N, s->D, s->dims, (const long *const[]){s->strs[0], s->strs[1], s->strs[2]}, ptr, fn, ctx,
	        true);
}

static void cpu_apply2(
        enum md_op2 op, enum dtype t, const struct md_shape *s, void *out, const void *a, const void *b)
{
	md_line_fn *fn = ops_of(t)->op2[op];

	if (NULL == fn)
		error("the larger or smaller of two values is not defined for %s", dtype_name(t));

	run(s, (void *const[]){out, (void *)a, (void *)b}, fn, NULL);
}

static void cpu_apply1(enum md_op1 op, enum dtype t, const struct md_shape *s, void *out, const void *a)
{
	run(s, (void *const[]){out, (void *)a}, ops_of(t)->op1[op], NULL);
}

/** Whether the output stands still along some dim. */
static bool accumulates(const struct md_shape *s)
{
	for (int i = 0; i < s->D; i++)
		if (0 == s->strs[0][i])
			return true;

	return false;
}

static void cpu_fmac(
        enum dtype t, bool conj_b, const struct md_shape *s, void *out, const void *a, const void *b)
{
	const struct type_ops *ops = ops_of(t);

	if (accumulates(s))
		cpu_contract(&ops->contract[conj_b], s, out, a, b);
	else
		run(s, (void *const[]){out, (void *)a, (void *)b}, ops->fmac[conj_b], NULL);
}

static void cpu_smul(enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f)
{
	const struct type_ops *ops = ops_of(t);

	run(s, (void *const[]){out, (void *)a}, (0 == cimag(f)) ? ops->smul_real : ops->smul, &f);
}

static void cpu_axpy(enum dtype t, const struct md_shape *s, void *out, complex double f, const void *a)
{
	const struct type_ops *ops = ops_of(t);

	if (!accumulates(s)) {
		run(s, (void *const[]){out, (void *)a}, (0 == cimag(f)) ? ops->axpy_real : ops->axpy, &f);
		return;
	}

	struct md_shape s3 = *s; // the factor as a third operand that stands still
	char factor[sizeof(complex double)] = {0};

	s3.N = 3;
	memset(s3.strs[2], 0, sizeof s3.strs[2]);
	ops->sadd(&f, 1, (const long[]){0, 0}, (char *const[]){factor, factor});
	cpu_contract(&ops->contract[0], &s3, out, a, factor);
}

static void cpu_sadd(enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f)
{
	run(s, (void *const[]){out, (void *)a}, ops_of(t)->sadd, &f);
}

/* Short ones without a parallel region: even one of a single thread costs system calls inside another. */
#define AXPBY(name, R)                                                                                       \
	static void name##_line(long n, R *z, R f, const R *x, R g, const R *y)                              \
	{                                                                                                    \
		SIMD for (long i = 0; i < n; i++) z[i] = f * x[i] + g * y[i];                                \
	}                                                                                                    \
                                                                                                             \
	static void name(long n, R *z, R f, const R *x, R g, const R *y)                                     \
	{                                                                                                    \
		enum { GRAIN = 1 << 16 };                                                                    \
                                                                                                             \
		if (n <= GRAIN) {                                                                            \
			name##_line(n, z, f, x, g, y);                                                       \
			return;                                                                              \
		}                                                                                            \
                                                                                                             \
		_Pragma("omp parallel for schedule(static)") for (long i = 0; i < n; i += GRAIN)             \
		        name##_line((n - i < GRAIN) ? n - i : GRAIN, z + i, f, x + i, g, y + i);             \
	}
AXPBY(axpby_f32, float)
AXPBY(axpby_f64, double)

static void cpu_axpby(enum dtype t, long n, void *out, double f, const void *a, double g, const void *b)
{
	ops_of(t);

	if (dtype_is_complex(t))
		n *= 2;

	if (DT_FLOAT32 == dtype_real(t))
		axpby_f32(n, out, (float)f, a, (float)g, b);
	else
		axpby_f64(n, out, f, a, g, b);
}

/** re + i im, also where im is infinite or NaN (acc[0] + I * acc[1] would spoil re). */
static complex double pair(const double acc[2])
{
	complex double c;

	memcpy(&c, acc, sizeof c);

	return c;
}

static complex double cpu_scalar(enum dtype t, const struct md_shape *s, const void *a, const void *b)
{
	double acc[2] = {0, 0};

	cpu_reduce(s, (void *const[]){(void *)a, (void *)b}, ops_of(t)->dotc, false, acc);

	return pair(acc);
}

static complex double cpu_sum(enum dtype t, const struct md_shape *s, const void *a)
{
	double acc[2] = {0, 0};

	cpu_reduce(s, (void *const[]){(void *)a}, ops_of(t)->sum, false, acc);

	return pair(acc);
}

static double reduce1(cpu_reduce_fn *fn, bool maximum, const struct md_shape *s, const void *a)
{
	double acc[2] = {0, 0};

	cpu_reduce(s, (void *const[]){(void *)a}, fn, maximum, acc);

	return acc[0];
}

static double cpu_asum(enum dtype t, const struct md_shape *s, const void *a)
{
	return reduce1(ops_of(t)->asum, false, s, a);
}

static double cpu_maxabs(enum dtype t, const struct md_shape *s, const void *a)
{
	return reduce1(ops_of(t)->maxabs, true, s, a);
}

static long cpu_nonfinite(enum dtype t, const struct md_shape *s, const void *a)
{
	return (long)reduce1(ops_of(t)->nonfinite, false, s, a);
}

static void *cpu_alloc(size_t bytes)
{
	return mem_alloc(bytes);
}

static void cpu_release(void *p)
{
	free(p);
}

struct backend backend_cpu = {.name = "cpu",
#define X(op, ret, params, args, bytes) .op = cpu_##op,
        BACKEND_PRIMITIVES(X)
#undef X
};
