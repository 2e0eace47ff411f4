/* Tensor and matrix products as strided loops, and the classification of strided loops. */

#include "num/md/contract.h"

#include <stdlib.h>

#include "misc/error.h"
#include "num/md/flpmath.h"

/* ---- forms ---- */

enum kind { KIND_ROWS = 1, KIND_COLUMNS = 2, KIND_SUM = 4, KIND_BATCH = 8, KIND_OTHER = 16 };

static enum kind kind_of(long o, long a, long b)
{
	if (0 != o && 0 != a)
		return (0 != b) ? KIND_BATCH : KIND_ROWS;

	if (0 != o && 0 != b)
		return KIND_COLUMNS;

	return (0 == o && 0 != a && 0 != b) ? KIND_SUM : KIND_OTHER;
}

/** Whether two positions may be the same element: a step is smaller than what smaller steps span. */
static bool overlaps_itself(int D, const long dims[], const long strs[])
{
	for (int i = 0; i < D; i++)
		for (int k = 0; k < D; k++) {
			long si = labs(strs[i]), sk = labs(strs[k]);

			if (i == k || 0 == si || 0 == sk || si > sk)
				continue;

			if ((si == sk && i < k) || sk < si * dims[i])
				return true;
		}

	return false;
}

static enum contract_form form_of_kinds(unsigned kinds)
{
	switch (kinds & ~(unsigned)KIND_BATCH) {
	case 0:
		return CONTRACT_POINTWISE;
	case KIND_SUM:
		return CONTRACT_DOT;
	case KIND_ROWS:
	case KIND_COLUMNS:
		return CONTRACT_AXPY;
	case KIND_ROWS | KIND_COLUMNS:
		return CONTRACT_GER;
	case KIND_ROWS | KIND_SUM:
	case KIND_COLUMNS | KIND_SUM:
		return CONTRACT_GEMV;
	case KIND_ROWS | KIND_COLUMNS | KIND_SUM:
		return CONTRACT_GEMM;
	default:
		return CONTRACT_LOOP;
	}
}

enum contract_form contract_form(
        int D, const long dims[], const long ostrs[], const long astrs[], const long bstrs[], long *batch)
{
	unsigned kinds = 0;
	long n = 1, d[DIMS], strs[3][DIMS];

	md_copy_dims(D, d, dims);
	md_copy_strides(D, strs[0], ostrs);
	md_copy_strides(D, strs[1], astrs);
	md_copy_strides(D, strs[2], bstrs);
	D = md_simplify(3, D, d, strs);

	for (int i = 0; i < D; i++) {
		enum kind k = kind_of(strs[0][i], strs[1][i], strs[2][i]);

		kinds |= k;
		n *= (KIND_BATCH == k) ? d[i] : 1;
	}

	enum contract_form form = form_of_kinds(kinds);

	for (int k = 0; k < 3; k++)
		if (overlaps_itself(D, d, strs[k]))
			form = CONTRACT_LOOP;

	if (NULL != batch)
		*batch = (CONTRACT_LOOP == form) ? 1 : n;

	return form;
}

/* ---- products ---- */

void md_tenmul_dims(int D, long max_dims[], const long odims[], const long adims[], const long bdims[])
{
	md_merge_dims(D, max_dims, adims, bdims);
	md_merge_dims(D, max_dims, max_dims, odims);
}

/** Steps for the loop: none where the operand has extent 1. */
static void repeat(int D, long out[], const long dims[], const long strs[])
{
	for (int i = 0; i < D; i++)
		out[i] = (1 == dims[i]) ? 0 : strs[i];
}

void md_tenmul_t(enum dtype t, bool conj, int D, const long odims[], const long ostrs[], void *out,
        const long adims[], const long astrs[], const void *a, const long bdims[], const long bstrs[],
        const void *b)
{
	long dims[DIMS], os[DIMS], as[DIMS], bs[DIMS];

	md_tenmul_dims(D, dims, odims, adims, bdims);
	repeat(D, os, odims, ostrs);
	repeat(D, as, adims, astrs);
	repeat(D, bs, bdims, bstrs);
	md_clear2(D, odims, ostrs, out, dtype_size(t));
	md_fmac_t(t, conj, D, dims, os, out, as, a, bs, b);
}

void md_matmul_dims(int D, long odims[], const long adims[], const long bdims[])
{
	if (adims[1] != bdims[0])
		error("a matrix of %ld columns is multiplied by a matrix of %ld rows, expected equal "
		      "numbers",
		        adims[1], bdims[0]);

	odims[0] = adims[0];
	odims[1] = bdims[1];
	md_merge_dims(D - 2, odims + 2, adims + 2, bdims + 2);
}

void md_matmul_t(enum dtype t, bool conj, int D, const long odims[], const long ostrs[], void *out,
        const long adims[], const long astrs[], const void *a, const long bdims[], const long bstrs[],
        const void *b)
{
	long want[DIMS], dims[DIMS + 1], os[DIMS + 1], as[DIMS + 1], bs[DIMS + 1];

	md_matmul_dims(D, want, adims, bdims);

	if (!md_check_equal_dims(D, want, odims, ~0ul))
		error("a product of matrices has %ld x %ld elements, but the output has %ld x %ld, or the "
		      "batch dimensions differ",
		        want[0], want[1], odims[0], odims[1]);

	repeat(D, os, odims, ostrs);
	repeat(D, as, adims, astrs);
	repeat(D, bs, bdims, bstrs);
	md_copy_dims(D, dims, odims);

	int last = D; // the summed dim goes to the end, or to where there is room

	for (int i = D - 1; i > 1 && DIMS <= last; i--)
		last = (1 == dims[i]) ? i : last;

	if (DIMS <= last)
		error("all %d dimensions of a product of matrices are longer than 1, expected one of "
		      "length 1",
		        D);

	long ak = as[1], bk = bs[0];

	as[1] = 0;
	bs[0] = 0;
	dims[last] = adims[1];
	os[last] = 0;
	as[last] = ak;
	bs[last] = bk;
	md_clear2(D, odims, ostrs, out, dtype_size(t));
	md_fmac_t(t, conj, (last < D) ? D : D + 1, dims, os, out, as, a, bs, b);
}

#define DEFINE_PRODUCT(name, T, t, kind, conj)                                                               \
	void md_##name##2(int D, const long odims[], const long ostrs[], T *out, const long adims[],         \
	        const long astrs[], const T *a, const long bdims[], const long bstrs[], const T *b)          \
	{                                                                                                    \
		md_##kind##_t(t, conj, D, odims, ostrs, out, adims, astrs, a, bdims, bstrs, b);              \
	}                                                                                                    \
	void md_##name(int D, const long odims[], T *out, const long adims[], const T *a,                    \
	        const long bdims[], const T *b)                                                              \
	{                                                                                                    \
		long ostrs[DIMS], astrs[DIMS], bstrs[DIMS];                                                  \
                                                                                                             \
		md_calc_strides(D, ostrs, odims, sizeof(T));                                                 \
		md_calc_strides(D, astrs, adims, sizeof(T));                                                 \
		md_calc_strides(D, bstrs, bdims, sizeof(T));                                                 \
		md_##name##2(D, odims, ostrs, out, adims, astrs, a, bdims, bstrs, b);                        \
	}
DEFINE_PRODUCT(tenmul, float, DT_FLOAT32, tenmul, false)
DEFINE_PRODUCT(ztenmul, complex float, DT_COMPLEX64, tenmul, false)
DEFINE_PRODUCT(ztenmulc, complex float, DT_COMPLEX64, tenmul, true)
DEFINE_PRODUCT(matmul, float, DT_FLOAT32, matmul, false)
DEFINE_PRODUCT(zmatmul, complex float, DT_COMPLEX64, matmul, false)
DEFINE_PRODUCT(zmatmulc, complex float, DT_COMPLEX64, matmul, true)
