#include <math.h>
#include <stdint.h>

#include "misc/ranks/ranks.h"
#include "num/array/overflow.h"
#include "num/device/device_integer.h"
#include "num/kern/kern.h"
#include "num/md/flpmath.h"
#include "num/md/saxpy.h"
#include "num/shape/slabs.h"

struct saxpy {
	enum dtype work;
	complex double s;
	bool sum;             // there is a y
	struct overflow over; // of integers
};

/** Whether s is a real integer of at most 64 bits. */
static bool is_integral(complex double s)
{
	return 0 == cimag(s) && creal(s) == rint(creal(s)) && fabs(creal(s)) < 0x1p63;
}

enum dtype saxpy_type(enum dtype t, complex double s)
{
	if (dtype_is_integer(t)) {
		if (is_integral(s))
			return (DT_BOOL == t) ? DT_INT8 : t;

		t = (dtype_size(t) <= 2) ? DT_FLOAT32 : DT_FLOAT64;
	}

	if (0 == cimag(s) || dtype_is_complex(t))
		return t;

	return (DT_FLOAT16 == t) ? DT_COMPLEX32 : (DT_FLOAT32 == t) ? DT_COMPLEX64 : DT_COMPLEX128;
}

/** Type of the arithmetic: 64-bit integers, or the float types of num/md/flpmath.h. */
static enum dtype work_type(enum dtype t, enum dtype out, complex double s)
{
	enum dtype r = saxpy_type(t, s);

	if (dtype_is_integer(r) && (dtype_is_integer(out) || DT_FLOAT64 == out || DT_COMPLEX128 == out))
		return (DT_UINT64 == r) ? DT_UINT64 : DT_INT64;

	if (!dtype_is_integer(out))
		r = dtype_promote(r, out);

	return dtype_compute(r);
}

/** A real factor is one of both parts of complex elements. */
static void block_real(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct saxpy *p = ctx;
	enum dtype t = dtype_real(p->work);
	const double d = creal(p->s);
	const float f = (float)d;
	const void *s = (DT_FLOAT32 == t) ? (const void *)&f : &d;

	(void)first;

	if (dtype_is_complex(p->work))
		n *= 2;

	if (p->sum)
		kern_op(OP_MULADD, t)(n, out, s, in[0], in[1], 1);
	else
		kern_op(OP_MUL, t)(n, out, s, in[0], NULL, 1);
}

static void block_complex(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct saxpy *p = ctx;
	const complex double d = p->s;
	const complex float f = (complex float)d;
	const void *s = (DT_COMPLEX64 == p->work) ? (const void *)&f : &d;

	(void)first;

	if (p->sum)
		kern_op(OP_MULADD, p->work)(n, out, s, in[0], in[1], 1);
	else
		kern_op(OP_MUL, p->work)(n, out, s, in[0], NULL, 1);
}

/* lost: what is clipped here, if the conversion to the output's type does not see it. */
#define BLOCK_INTEGER(name, T, LO, HI)                                                                       \
	static void name(void *ctx, long first, long n, void *out, const void *const in[])                   \
	{                                                                                                    \
		struct saxpy *p = ctx;                                                                       \
		const bool *counts = p->over.counts;                                                         \
		const int64_t s = (int64_t)creal(p->s);                                                      \
		const T *x = in[0], *y = p->sum ? in[1] : NULL;                                              \
		T *z = out;                                                                                  \
		long lost = 0;                                                                               \
                                                                                                             \
		(void)first;                                                                                 \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			__int128 v = (__int128)s * x[i] + ((NULL != y) ? y[i] : 0);                          \
                                                                                                             \
			z[i] = (v < (LO)) ? (T)(LO) : (v > (HI)) ? (T)(HI) : (T)v;                           \
			lost += (v < (LO)) ? counts[0] : (v > (HI)) & counts[1];                             \
		}                                                                                            \
		overflow_add(&p->over, lost);                                                                \
	}
BLOCK_INTEGER(block_int64, int64_t, INT64_MIN, INT64_MAX)
BLOCK_INTEGER(block_uint64, uint64_t, 0, UINT64_MAX)

/** Floats on the GPU. */
static void block_on_device(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct saxpy *p = ctx;
	const bool parts = 0 == cimag(p->s) && dtype_is_complex(p->work);
	const enum dtype t = parts ? dtype_real(p->work) : p->work;
	const long m = parts ? 2 * n : n, strs[1] = {(long)dtype_size(t)};
	struct md_chain f = {0};
	int x = chain_operand(&f, t), y = p->sum ? chain_operand(&f, t) : -1, s = chain_constant(&f, t, p->s);

	(void)first;

	if (p->sum)
		chain_op3(&f, OP_MULADD, s, x, y);
	else
		chain_op2(&f, OP_MUL, s, x);

	md_chain(&f, t, 1, &m, strs, out, (const long *const[]){strs, strs}, in);
}

static void integers_on_device(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct saxpy *p = ctx;

	(void)first;
	overflow_add(&p->over, device_axpy_integer(p->work, n, out, (long)creal(p->s), in[0],
	                               p->sum ? in[1] : NULL, p->over.counts));
}

void saxpy_run(struct cfl *out, complex double s, struct cfl *x, struct cfl *y)
{
	enum dtype t = (NULL == y) ? x->hdr.type : dtype_promote(x->hdr.type, y->hdr.type);
	struct saxpy p = {work_type(t, out->hdr.type, s), s, NULL != y, {0}};
	slab_fn *fn = (DT_INT64 == p.work)    ? block_int64
	              : (DT_UINT64 == p.work) ? block_uint64
	              : (0 == cimag(s))       ? block_real
	                                      : block_complex;

	overflow_start(&p.over, p.work, out->hdr.type);
	slabs_run_anywhere(out, p.work, (NULL == y) ? 1 : 2, (struct cfl *const[]){x, y},
	        (const enum dtype[]){p.work, p.work}, fn,
	        dtype_is_integer(p.work) ? integers_on_device : block_on_device, &p,
	        (NULL == y) ? "scale" : "saxpy");
	ranks_sum(&p.over.lost, 1);
	overflow_report(&p.over, out);
}
