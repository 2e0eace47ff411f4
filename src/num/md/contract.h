#ifndef NUM_MD_CONTRACT_H
#define NUM_MD_CONTRACT_H

#include <complex.h>

#include "num/md/multind.h"

/**
 * Products summed over dims, such as tensor and matrix products. Convolutions are in num/fft/convolve.h. A
 * strided loop `out += a b` computes all products. An operand has step 0 along dims that it lacks. Dims along
 * which the output has step 0 are summed.
 *
 * Sums are computed in float64 and rounded once. Products of large matrices use OpenBLAS, with sums in the
 * type of the elements. For higher precision, use md_fmacD or float64 data. Results are bit-identical for any
 * number of threads.
 *
 * The type t is float32, float64, complex64 or complex128.
 */

/** Kinds of loops that compute `out += a b`. Dims of length 1 are ignored. */
enum contract_form {
	CONTRACT_POINTWISE, // no sum
	CONTRACT_DOT,       // only summed dims
	CONTRACT_AXPY,      // out(i) += a(i) b
	CONTRACT_GER,       // out(i, j) += a(i) b(j)
	CONTRACT_GEMV,      // out(i) += a(i, k) b(k)
	CONTRACT_GEMM,      // out(i, j) += a(i, k) b(k, j)
	CONTRACT_LOOP       // any other loop, for example with an operand that overlaps itself
};
/** Returns the kind of a loop. Sets *batch to the number of products of this kind. The products run along
 * dims that all three operands have. `batch` may be NULL. */
extern enum contract_form contract_form(
        int D, const long dims[], const long ostrs[], const long astrs[], const long bstrs[], long *batch);

/** Computes the dims of the loop of md_tenmul_t(). Along a dim, lengths that are not 1 must be equal; other
 * lengths are an error(). */
extern void md_tenmul_dims(
        int D, long max_dims[], const long odims[], const long adims[], const long bdims[]);

/** Computes out = sum a b over the dims in which out has length 1. With `conj`, b is conjugated. */
extern void md_tenmul_t(enum dtype t, bool conj, int D, const long odims[], const long ostrs[], void *out,
        const long adims[], const long astrs[], const void *a, const long bdims[], const long bstrs[],
        const void *b);

/**
 * These functions compute products of matrices:
 *   out(i, j, ..) = sum over k of a(i, k, ..) b(k, j, ..)
 * Dim 0 has the rows of a matrix, dim 1 the columns. Further dims are a batch of products. Along batch dims,
 * an operand of length 1 is used for all products. With `conj`, b is conjugated. D is at least 2. Dims that
 * do not fit are an error().
 */
extern void md_matmul_dims(int D, long odims[], const long adims[], const long bdims[]);
extern void md_matmul_t(enum dtype t, bool conj, int D, const long odims[], const long ostrs[], void *out,
        const long adims[], const long astrs[], const void *a, const long bdims[], const long bstrs[],
        const void *b);

/** Declares the forms for float32 (no prefix) and complex64 (prefix z). Suffix c means that b is conjugated;
 * suffix 2 means that strides are given. */
#define MD_DECLARE_PRODUCT(name, T)                                                                          \
	extern void md_##name(int D, const long odims[], T *out, const long adims[], const T *a,             \
	        const long bdims[], const T *b);                                                             \
	extern void md_##name##2(int D, const long odims[], const long ostrs[], T *out, const long adims[],  \
	        const long astrs[], const T *a, const long bdims[], const long bstrs[], const T *b)

MD_DECLARE_PRODUCT(tenmul, float);
MD_DECLARE_PRODUCT(ztenmul, complex float);
MD_DECLARE_PRODUCT(ztenmulc, complex float);
MD_DECLARE_PRODUCT(matmul, float);
MD_DECLARE_PRODUCT(zmatmul, complex float);
MD_DECLARE_PRODUCT(zmatmulc, complex float);

#endif
