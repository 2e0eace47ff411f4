#include <math.h>
#include <stdint.h>

#include "num/flpmath.h"
#include "num/saxpy.h"
#include "num/slabs.h"

struct saxpy {
	enum dtype work;
	complex double s;
	bool sum; // there is a y
};

/** Whether s is a real integer that 64 bits hold. */
static bool is_integral(complex double s)
{
	return 0 == cimag(s) && creal(s) == rint(creal(s)) && fabs(creal(s)) < 0x1p63;
}

enum dtype saxpy_type(enum dtype t, complex double s)
{
	if (dtype_is_integer(t)) {
		if (is_integral(s))
			return t;

		t = (dtype_size(t) <= 2) ? DT_FLOAT32 : DT_FLOAT64;
	}

	if (0 == cimag(s) || dtype_is_complex(t))
		return t;

	return (DT_FLOAT16 == t) ? DT_COMPLEX32 : (DT_FLOAT32 == t) ? DT_COMPLEX64 : DT_COMPLEX128;
}

/** Type of the arithmetic: 64-bit integers, or the float types of num/flpmath.h. */
static enum dtype work_type(enum dtype t, enum dtype out, complex double s)
{
	enum dtype r = saxpy_type(t, s);

	if (dtype_is_integer(r) && (dtype_is_integer(out) || DT_FLOAT64 == out || DT_COMPLEX128 == out))
		return (DT_UINT64 == r) ? DT_UINT64 : DT_INT64;

	if (!dtype_is_integer(out))
		r = dtype_promote(r, out);

	return dtype_compute(r);
}

static void block_float(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct saxpy *p = ctx;
	const long strs[1] = {(long)dtype_size(p->work)};

	(void)first;

	if (!p->sum) {
		md_smul_t(p->work, 1, &n, strs, out, strs, in[0], p->s);
	} else if (0 == cimag(p->s)) {
		vec_axpby(p->work, n, out, creal(p->s), in[0], 1., in[1]);
	} else {
		vec_copy(p->work, n, out, in[1]);
		md_axpy_t(p->work, 1, &n, strs, out, p->s, strs, in[0]);
	}
}

#define BLOCK_INTEGER(name, T, LO, HI)                                                                       \
	static void name(void *ctx, long first, long n, void *out, const void *const in[])                   \
	{                                                                                                    \
		const struct saxpy *p = ctx;                                                                 \
		const int64_t s = (int64_t)creal(p->s);                                                      \
		const T *x = in[0], *y = p->sum ? in[1] : NULL;                                              \
		T *z = out;                                                                                  \
                                                                                                             \
		(void)first;                                                                                 \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			__int128 v = (__int128)s * x[i] + ((NULL != y) ? y[i] : 0);                          \
                                                                                                             \
			z[i] = (v < (LO)) ? (T)(LO) : (v > (HI)) ? (T)(HI) : (T)v;                           \
		}                                                                                            \
	}
BLOCK_INTEGER(block_int64, int64_t, INT64_MIN, INT64_MAX)
BLOCK_INTEGER(block_uint64, uint64_t, 0, UINT64_MAX)

void saxpy_run(struct cfl *out, complex double s, struct cfl *x, struct cfl *y)
{
	enum dtype t = (NULL == y) ? x->hdr.type : dtype_promote(x->hdr.type, y->hdr.type);
	struct saxpy p = {work_type(t, out->hdr.type, s), s, NULL != y};
	slab_fn *fn = (DT_INT64 == p.work) ? block_int64 : (DT_UINT64 == p.work) ? block_uint64 : block_float;

	slabs_run(out, p.work, (NULL == y) ? 1 : 2, (struct cfl *const[]){x, y},
	        (const enum dtype[]){p.work, p.work}, fn, &p, (NULL == y) ? "scale" : "saxpy");
}
