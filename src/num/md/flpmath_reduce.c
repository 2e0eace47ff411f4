/* Reductions of strided arrays along some dims, or all. */

#include <math.h>
#include <string.h>

#include "misc/mem.h"
#include "num/backend/backend.h"
#include "num/md/flpmath.h"

static enum dtype wide(enum dtype t)
{
	return dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;
}

void md_reduction_t(const struct md_reduction *r, enum dtype otype, int D, const long dims[],
        unsigned long flags, const long ostrs[], void *out, int nin, const long *const istrs[],
        const void *const in[])
{
	struct md_shape s = {.N = 1 + nin};

	md_copy_dims(D, s.dims, dims);

	for (int i = 0; i < D; i++)
		s.strs[0][i] = (flags & 1ul << i) ? 0 : ostrs[i];

	for (int k = 0; k < nin; k++)
		md_copy_dims(D, s.strs[1 + k], istrs[k]);

	s.D = md_simplify(s.N, D, s.dims, s.strs);
	backend_of(in[0])->reduction(r, otype, &s, out, in);
}

void md_reduce_t(enum reduction red, enum dtype type, int D, const long dims[], unsigned long flags,
        const long ostrs[], void *out, const long istrs[], const void *in)
{
	const struct md_reduction r = {.red = red, .type = type};

	md_reduction_t(&r, type, D, dims, flags, ostrs, out, 1, (const long *const[]){istrs},
	        (const void *const[]){in});
}

/** Everything to one number of otype. */
static void total(const struct md_reduction *r, enum dtype otype, int D, const long dims[], void *out,
        int nin, const long *const istrs[], const void *const in[])
{
	static const long none[DIMS];

	md_reduction_t(r, otype, D, dims, ~0ul, none, out, nin, istrs, in);
}

static double total_real(
        const struct md_reduction *r, int D, const long dims[], const long astrs[], const void *a)
{
	double x;

	total(r, DT_FLOAT64, D, dims, &x, 1, (const long *const[]){astrs}, (const void *const[]){a});

	return x;
}

complex double md_scalar_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a,
        const long bstrs[], const void *b)
{
	const struct md_reduction r = {.red = RED_DOT, .type = type};
	complex double x;

	total(&r, DT_COMPLEX128, D, dims, &x, 2, (const long *const[]){astrs, bstrs},
	        (const void *const[]){a, b});

	return x;
}

double md_norm_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a)
{
	return total_real(&(struct md_reduction){.red = RED_NORM, .type = type}, D, dims, astrs, a);
}

complex double md_sum_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a)
{
	const struct md_reduction r = {.red = RED_SUM, .type = type};
	complex double x;

	total(&r, DT_COMPLEX128, D, dims, &x, 1, (const long *const[]){astrs}, (const void *const[]){a});

	return x;
}

double md_asum_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a)
{
	return total_real(&(struct md_reduction){.red = RED_NORM1, .type = type}, D, dims, astrs, a);
}

double md_maxabs_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a)
{
	struct md_chain f = {0};
	const struct md_reduction r = {.red = RED_MAX, .type = type, .pre = &f};

	if (0 == md_calc_size(D, dims)) // no element, no magnitude
		return 0.;

	int x = chain_operand(&f, type);

	chain_op1(&f, OP_ABS, dtype_is_complex(type) ? chain_convert(&f, DT_COMPLEX128, x) : x);

	return total_real(&r, D, dims, astrs, a);
}

double md_norme_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a,
        const long bstrs[], const void *b)
{
	struct md_chain f = {0};
	const struct md_reduction r = {.red = RED_NORM, .type = type, .pre = &f};
	int x = chain_operand(&f, type), y = chain_operand(&f, type);
	double e;

	chain_op2(&f, OP_SUB, chain_convert(&f, wide(type), x), chain_convert(&f, wide(type), y));
	total(&r, DT_FLOAT64, D, dims, &e, 2, (const long *const[]){astrs, bstrs},
	        (const void *const[]){a, b});

	return e;
}

double md_rmse_t(enum dtype type, int D, const long dims[], const long astrs[], const void *a,
        const long bstrs[], const void *b)
{
	return md_norme_t(type, D, dims, astrs, a, bstrs, b) / sqrt((double)md_calc_size(D, dims));
}

/** The number of elements along the dims in flags. */
static long along(int D, const long dims[], unsigned long flags)
{
	long part[DIMS];

	md_select_dims(D, flags, part, dims);

	return md_calc_size(D, part);
}

/** A temporary of the dims that a reduction leaves, contiguous, with steps of 0 along the others. */
static void *left_over(
        enum dtype t, int D, const long dims[], unsigned long flags, long strs[], const void *place)
{
	long odims[DIMS];

	md_select_dims(D, ~flags, odims, dims);
	md_calc_strides(D, strs, odims, dtype_size(t));

	return md_alloc_sameplace(D, odims, dtype_size(t), place);
}

/** The mean in double precision, as a temporary. */
static void *mean_of(enum dtype type, int D, const long dims[], unsigned long flags, long strs[],
        const long astrs[], const void *a)
{
	const struct md_reduction r = {.red = RED_MEAN, .type = type};
	void *mean = left_over(wide(type), D, dims, flags, strs, a);

	md_reduction_t(&r, wide(type), D, dims, flags, strs, mean, 1, (const long *const[]){astrs},
	        (const void *const[]){a});

	return mean;
}

void md_var_t(bool root, enum dtype type, int D, const long dims[], unsigned long flags, const long ostrs[],
        void *out, const long astrs[], const void *a)
{
	struct md_chain pre = {0}, post = {0};
	const struct md_reduction r = {.red = RED_SUM, .type = type, .pre = &pre, .post = &post};
	long mstrs[DIMS];
	void *mean = mean_of(type, D, dims, flags, mstrs, astrs, a);
	int x = chain_operand(&pre, type), m = chain_operand(&pre, wide(type));

	chain_op1(&pre, OP_ABS2, chain_op2(&pre, OP_SUB, x, m));

	int v = chain_operand(&post, DT_FLOAT64);

	v = chain_op2(
	        &post, OP_DIV, v, chain_constant(&post, DT_FLOAT64, (double)(along(D, dims, flags) - 1)));

	if (root)
		chain_op1(&post, OP_SQRT, v);

	md_reduction_t(&r, type, D, dims, flags, ostrs, out, 2, (const long *const[]){astrs, mstrs},
	        (const void *const[]){a, mean});
	md_free(mean);
}

void md_covar_t(enum dtype type, int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long astrs[], const void *a, const long bstrs[], const void *b)
{
	struct md_chain pre = {0}, post = {0};
	const struct md_reduction r = {.red = RED_SUM, .type = type, .pre = &pre, .post = &post};
	long mastrs[DIMS], mbstrs[DIMS];
	void *ma = mean_of(type, D, dims, flags, mastrs, astrs, a);
	void *mb = mean_of(type, D, dims, flags, mbstrs, bstrs, b);
	int x = chain_operand(&pre, type), y = chain_operand(&pre, type);
	int mx = chain_operand(&pre, wide(type)), my = chain_operand(&pre, wide(type));

	x = chain_op2(&pre, OP_SUB, x, mx);
	y = chain_op2(&pre, OP_SUB, y, my);
	chain_op2(&pre, OP_MULC, x, y);
	chain_scale(&post, chain_operand(&post, wide(type)), 1. / (double)(along(D, dims, flags) - 1));
	md_reduction_t(&r, type, D, dims, flags, ostrs, out, 4,
	        (const long *const[]){astrs, bstrs, mastrs, mbstrs}, (const void *const[]){a, b, ma, mb});
	md_free(ma);
	md_free(mb);
}

void md_wavg_t(enum dtype type, int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long astrs[], const void *a)
{
	const struct md_reduction count = {.red = RED_COUNT, .type = type},
	                          sum = {.red = RED_SUM, .type = type};
	enum dtype w = wide(type);
	long nstrs[DIMS], sstrs[DIMS], odims[DIMS];
	void *n = left_over(DT_FLOAT64, D, dims, flags, nstrs, a);
	void *s = left_over(w, D, dims, flags, sstrs, a);
	struct md_chain f = {0};
	int x = chain_operand(&f, w), k = chain_operand(&f, DT_FLOAT64);

	md_reduction_t(&count, DT_FLOAT64, D, dims, flags, nstrs, n, 1, (const long *const[]){astrs},
	        (const void *const[]){a});
	md_reduction_t(
	        &sum, w, D, dims, flags, sstrs, s, 1, (const long *const[]){astrs}, (const void *const[]){a});

	// a sum of no elements is 0, and 0 / 1 is 0
	chain_by_parts(&f, OP_DIV, x, chain_op2(&f, OP_MAX, k, chain_constant(&f, DT_FLOAT64, 1.)));
	md_select_dims(D, ~flags, odims, dims);
	md_chain(&f, type, D, odims, ostrs, out, (const long *const[]){sstrs, nstrs},
	        (const void *const[]){s, n});
	md_free(n);
	md_free(s);
}

/** Running sums along dim d. */
static void cumsum_along(int d, enum dtype type, int D, const long dims[], const long ostrs[], void *out,
        const long astrs[], const void *a)
{
	struct md_shape s = {.N = 2};
	const long steps[2] = {ostrs[d], astrs[d]};

	md_copy_dims(D, s.dims, dims);
	md_copy_dims(D, s.strs[0], ostrs);
	md_copy_dims(D, s.strs[1], astrs);
	s.dims[d] = 1;
	s.D = md_simplify(2, D, s.dims, s.strs);
	backend_of(out)->cumsum(type, dims[d], steps, &s, out, a);
}

void md_cumsum_t(enum dtype type, int D, const long dims[], unsigned long flags, const long ostrs[],
        void *out, const long astrs[], const void *a)
{
	for (int d = 0; d < D; d++) {
		if (!(flags & 1ul << d) || 1 == dims[d])
			continue;

		cumsum_along(d, type, D, dims, ostrs, out, astrs, a);
		astrs = ostrs;
		a = out;
	}

	if (a != out)
		md_copy2(D, dims, ostrs, out, astrs, a, dtype_size(type));
}
