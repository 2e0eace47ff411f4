/* Soft and hard thresholds of strided arrays. */

#include "misc/error.h"
#include "num/backend/backend.h"
#include "num/md/flpmath.h"

/** The root of the sum of squares along the dims in flags, of the real type: a temporary. */
static void *joint_norm(enum dtype type, int D, const long dims[], unsigned long flags, long strs[],
        const long astrs[], const void *a)
{
	const struct md_reduction r = {.red = RED_NORM, .type = type};
	enum dtype real = dtype_real(type);
	long ndims[DIMS];

	md_select_dims(D, ~flags, ndims, dims);
	md_calc_strides(D, strs, ndims, dtype_size(real));

	void *norm = md_alloc_sameplace(D, ndims, dtype_size(real), a);

	md_reduction_t(&r, real, D, dims, flags, strs, norm, 1, (const long *const[]){astrs},
	        (const void *const[]){a});

	return norm;
}

/** Appends max(1 - lambda / n, 0); NaN stays, and 0 gives 0. */
static int shrinkage(struct md_chain *f, int n, double lambda)
{
	enum dtype t = f->value[n].type;
	int l = chain_constant(f, t, lambda), zero = chain_constant(f, t, 0.);
	int factor = chain_op2(f, OP_DIV, chain_op2(f, OP_SUB, n, l), n);

	return chain_op3(f, OP_SELECT, chain_op2(f, OP_LE, n, l), zero, factor);
}

static void check_lambda(double lambda)
{
	if (!(lambda >= 0.))
		error("the soft threshold is %g, expected at least 0", lambda);
}

void md_softthresh_half_t(enum dtype type, int D, const long dims[], double lambda, const long ostrs[],
        void *out, const long astrs[], const void *a)
{
	struct md_chain f = {0};

	check_lambda(lambda);
	shrinkage(&f, chain_op1(&f, OP_ABS, chain_operand(&f, type)), lambda);
	md_chain(&f, type, D, dims, ostrs, out, (const long *const[]){astrs}, (const void *const[]){a});
}

void md_softthresh_t(enum dtype type, int D, const long dims[], double lambda, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a)
{
	struct md_chain f = {0};
	int x = chain_operand(&f, type);

	check_lambda(lambda);

	if (0 == flags) {
		chain_op2(&f, OP_SOFT, x, chain_constant(&f, dtype_real(type), lambda));
		md_chain(&f, type, D, dims, ostrs, out, (const long *const[]){astrs},
		        (const void *const[]){a});
		return;
	}

	long nstrs[DIMS];
	void *norm = joint_norm(type, D, dims, flags, nstrs, astrs, a);
	int n = chain_operand(&f, dtype_real(type));

	chain_by_parts(&f, OP_MUL, x, shrinkage(&f, n, lambda));
	md_chain(&f, type, D, dims, ostrs, out, (const long *const[]){astrs, nstrs},
	        (const void *const[]){a, norm});
	md_free(norm);
}

/** The k-th largest magnitude; infinity when k is 0, 0 when all are kept. */
static double threshold(enum dtype type, int D, const long dims[], long k, const long strs[], const void *a)
{
	struct md_shape s = {.N = 1};

	if (0 > k)
		error("the %ld largest elements are requested, expected at least 0", k);

	if (k >= md_calc_size(D, dims))
		return 0.;

	md_copy_dims(D, s.dims, dims);
	md_copy_dims(D, s.strs[0], strs);
	s.D = md_simplify(1, D, s.dims, s.strs);

	return backend_of(a)->largest(type, k, &s, a);
}

/** What a hard threshold writes: elements or 1 where the level n is at least t, else 0. k = 0 keeps nothing.
 */
static void keep(struct md_chain *f, enum dtype type, int x, int n, long k, double t, bool mask)
{
	int zero = chain_constant(f, type, 0.), kept = mask ? chain_constant(f, type, 1.) : x;
	int below = (0 == k) ? chain_constant(f, DT_BOOL, 1.)
	                     : chain_op2(f, OP_LT, n, chain_constant(f, dtype_real(type), t));

	chain_op3(f, OP_SELECT, below, zero, kept);
}

/** Each slice along the dims in flags by itself. */
static void hard(bool mask, enum dtype type, int D, const long dims[], long k, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a)
{
	long part[DIMS], pos[DIMS] = {0};

	md_select_dims(D, flags, part, dims);

	if (0 == md_calc_size(D, dims))
		return;

	do {
		const char *in = (const char *)a + md_calc_offset(D, astrs, pos);
		double t = (0 == k) ? 0. : threshold(type, D, part, k, astrs, in);
		struct md_chain f = {0};
		int x = chain_operand(&f, type);

		keep(&f, type, x, chain_op1(&f, OP_ABS, x), k, t, mask);
		md_chain(&f, type, D, part, ostrs, (char *)out + md_calc_offset(D, ostrs, pos),
		        (const long *const[]){astrs}, (const void *const[]){in});
	} while (md_next(D, dims, ~flags, pos));
}

void md_hardthresh_t(enum dtype type, int D, const long dims[], long k, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a)
{
	hard(false, type, D, dims, k, flags, ostrs, out, astrs, a);
}

void md_hardthresh_mask_t(enum dtype type, int D, const long dims[], long k, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a)
{
	hard(true, type, D, dims, k, flags, ostrs, out, astrs, a);
}

void md_hardthresh_joint_t(enum dtype type, int D, const long dims[], long k, unsigned long flags,
        const long ostrs[], void *out, const long astrs[], const void *a)
{
	long nstrs[DIMS], ndims[DIMS];
	enum dtype real = dtype_real(type);

	if (0 == md_calc_size(D, dims))
		return;

	void *norm = joint_norm(type, D, dims, flags, nstrs, astrs, a);

	md_select_dims(D, ~flags, ndims, dims);

	double t = (0 == k) ? 0. : threshold(real, D, ndims, k, nstrs, norm);
	struct md_chain f = {0};
	int x = chain_operand(&f, type), n = chain_operand(&f, real);

	keep(&f, type, x, n, k, t, false);
	md_chain(&f, type, D, dims, ostrs, out, (const long *const[]){astrs, nstrs},
	        (const void *const[]){a, norm});
	md_free(norm);
}
