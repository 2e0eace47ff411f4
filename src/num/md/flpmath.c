/* Arithmetic on strided arrays: brings arguments into normal form and calls the table of the device. */

#include <math.h>
#include <string.h>

#include "num/backend/backend.h"
#include "num/device/device.h"
#include "num/md/distributed.h"
#include "num/md/flpmath.h"

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

void md_apply1(enum op op, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a)
{
	struct md_shape s = shape(2, D, dims, (const long *const[]){ostrs, astrs});

	backend_of(out)->apply1(op, type, &s, out, a);
}

void md_apply2(enum op op, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b)
{
	struct md_shape s = shape(3, D, dims, (const long *const[]){ostrs, astrs, bstrs});

	backend_of(out)->apply2(op, type, &s, out, a, b);
}

void md_apply3(enum op op, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b, const long cstrs[],
        const void *c)
{
	struct md_shape s = shape(4, D, dims, (const long *const[]){ostrs, astrs, bstrs, cstrs});

	backend_of(out)->apply3(op, type, &s, out, a, b, c);
}

void md_chain(const struct md_chain *f, enum dtype otype, int D, const long dims[], const long ostrs[],
        void *out, const long *const istrs[], const void *const in[])
{
	const long *strs[MD_OPERANDS] = {ostrs};

	for (int k = 0; k < f->operands; k++)
		strs[1 + k] = istrs[k];

	struct md_shape s = shape(1 + f->operands, D, dims, strs);

	backend_of(out)->chain(f, otype, &s, out, in);
}

void md_fmac_t(enum dtype type, bool conj_b, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b)
{
	struct md_shape s = shape(3, D, dims, (const long *const[]){ostrs, astrs, bstrs});

	backend_of(out)->fmac(type, conj_b, false, &s, out, a, b);
}

void md_fmac_wide_t(enum dtype type, bool conj_b, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b)
{
	struct md_shape s = shape(3, D, dims, (const long *const[]){ostrs, astrs, bstrs});

	backend_of(out)->fmac(type, conj_b, true, &s, out, a, b);
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
        const void *a, complex double x)
{
	struct md_chain f = {0};
	int v = chain_operand(&f, type);

	chain_op2(&f, OP_ADD, v, chain_constant(&f, type, x));
	md_chain(&f, type, D, dims, ostrs, out, (const long *const[]){astrs}, (const void *const[]){a});
}

/** Distributed vectors: *n becomes the number of elements of this rank; returns the place of the first
 * [bytes]. */
static long own(enum dtype t, long *n)
{
	long first, end;

	distributed_part(*n, &first, &end);
	*n = end - first;

	return first * (long)dtype_size(t);
}

void vec_copy(enum dtype t, long n, void *y, const void *x)
{
	const long at = own(t, &n);
	struct md_shape s = line(2, t, n);

	backend_of(y)->copy(dtype_size(t), &s, (char *)y + at, (const char *)x + at);
}

void vec_clear(enum dtype t, long n, void *y)
{
	static const char zero[16];
	const long at = own(t, &n);
	struct md_shape s = line(1, t, n);

	backend_of(y)->fill(dtype_size(t), &s, (char *)y + at, zero);
}

void vec_scale(enum dtype t, long n, void *y, double a)
{
	const long at = own(t, &n);
	struct md_shape s = line(2, t, n);

	backend_of(y)->smul(t, &s, (char *)y + at, (char *)y + at, a);
}

void vec_axpy(enum dtype t, long n, void *y, double a, const void *x)
{
	const long at = own(t, &n);
	struct md_shape s = line(2, t, n);

	backend_of(y)->axpy(t, &s, (char *)y + at, a, (const char *)x + at);
}

void vec_xpay(enum dtype t, long n, void *y, double a, const void *x)
{
	vec_axpby(t, n, y, 1., x, a, y);
}

void vec_axpby(enum dtype t, long n, void *z, double a, const void *x, double b, const void *y)
{
	const long at = own(t, &n);

	backend_of(z)->axpby(t, n, (char *)z + at, a, (const char *)x + at, b, (const char *)y + at);
}

void vec_mul(enum dtype t, long n, void *z, const void *x, const void *y)
{
	const long at = own(t, &n);
	struct md_shape s = line(3, t, n);

	backend_of(z)->apply2(OP_MUL, t, &s, (char *)z + at, (const char *)x + at, (const char *)y + at);
}

void vec_chain(const struct md_chain *f, enum dtype t, long n, void *y, const void *const x[])
{
	const long at = own(t, &n), strs[] = {(long)dtype_size(t)};
	const long *step[MD_OPERANDS];
	const void *in[MD_OPERANDS];

	for (int i = 0; i < f->operands; i++) {
		step[i] = strs;
		in[i] = (const char *)x[i] + at;
	}

	md_chain(f, t, 1, &n, strs, (char *)y + at, step, in);
}

double vec_dot(enum dtype t, long n, const void *x, const void *y)
{
	const long strs[] = {(long)dtype_size(t)};

	return creal(md_scalar_t(t, 1, &n, strs, x, strs, y));
}

double vec_norm(enum dtype t, long n, const void *x)
{
	const long strs[] = {(long)dtype_size(t)};

	return md_norm_t(t, 1, &n, strs, x);
}

/** A sum over the numbers of vectors on a device, complex ones having two each, to *out there. */
static void sum_there(enum reduction red, enum dtype t, long n, double *out, const void *x, const void *y)
{
	const struct md_reduction r = {.red = red, .type = dtype_real(t)};
	const long numbers = dtype_is_complex(t) ? 2 * n : n, strs[] = {(long)dtype_size(r.type)},
	           one[] = {0};

	md_reduction_t(&r, DT_FLOAT64, 1, &numbers, 1, one, out, (NULL == y) ? 1 : 2,
	        (const long *const[]){strs, strs}, (const void *const[]){x, y});
}

void vec_dot_to(enum dtype t, long n, double *out, const void *x, const void *y)
{
	if (device_holds(out))
		sum_there(RED_DOT, t, n, out, x, y);
	else
		*out = vec_dot(t, n, x, y);
}

void vec_norm_to(enum dtype t, long n, double *out, const void *x)
{
	if (device_holds(out))
		sum_there(RED_NORM, t, n, out, x, NULL);
	else
		*out = vec_norm(t, n, x);
}

long vec_count_nonfinite(enum dtype t, long n, const void *x)
{
	struct md_chain f = {0};
	struct md_reduction r = {.red = RED_COUNT, .type = t, .pre = &f};
	const long strs[] = {(long)dtype_size(t)}, one[] = {0};
	double count = 0.;

	chain_op1(&f, OP_NOT, chain_op1(&f, OP_ISFINITE, chain_operand(&f, t)));
	md_reduction_t(&r, DT_FLOAT64, 1, &n, 1, one, &count, 1, (const long *const[]){strs},
	        (const void *const[]){x});

	return (long)count;
}
