#ifndef NUM_MD_CONTRACT_H
#define NUM_MD_CONTRACT_H

#include <complex.h>

#include "num/md/multind.h"

/**
 * Products summed over dims: tensor and matrix products (and convolutions: num/fft/convolve.h). All of these
 * products are one strided loop, out += a b (md_fmac), in which an operand is repeated (step 0) along dims
 * that it does not have. Dims along which the output has step 0 are summed. contract_form() derives the kind
 * of loop from the steps alone: dot, axpy, outer product, matrix times vector or matrix, also batched or with
 * transposed operands.
 *
 * Sums are computed in float64 and rounded once. As an exception, products of large matrices use OpenBLAS,
 * which sums in the type of the elements. If this precision is too low, use md_fmacD or float64 data.
 * Partitions depend on the shape alone, so results are bit-identical for any number of threads. Without
 * OpenBLAS (libopenblas.so.0, opened on first use), kernels of Gantry are used.
 *
 * Types t: float32, float64, complex64, complex128.
 */

/** The kind of a loop out += a b over steps [bytes]; unit dims are ignored. */
enum contract_form {
	CONTRACT_POINTWISE, // no sum
	CONTRACT_DOT,       // sum alone
	CONTRACT_AXPY,      // out moves with one operand, the other stands still
	CONTRACT_GER,       // out(i, j) += a(i) b(j)
	CONTRACT_GEMV,      // out(i) += a(i, k) b(k)
	CONTRACT_GEMM,      // out(i, j) += a(i, k) b(k, j)
	CONTRACT_LOOP       // the rest: operands overlap themselves, repeat, or are summed alone
};
/** Returns the kind of a loop. *batch (batch may be NULL): number of products of this kind, along dims that
 * all three operands have. */
extern enum contract_form contract_form(
        int D, const long dims[], const long ostrs[], const long astrs[], const long bstrs[], long *batch);

/** The dims of the loop for operands with these dims; error() unless the lengths are equal or 1 along every
 * dim. */
extern void md_tenmul_dims(
        int D, long max_dims[], const long odims[], const long adims[], const long bdims[]);

/** out = sum a b over the dims in which out is 1; `conj`: sum a conj(b). */
extern void md_tenmul_t(enum dtype t, bool conj, int D, const long odims[], const long ostrs[], void *out,
        const long adims[], const long astrs[], const void *a, const long bdims[], const long bstrs[],
        const void *b);

/**
 * Matrix products out(i, j, ..) = sum over k of a(i, k, ..) b(k, j, ..), or with conj(b). Matrices are in
 * dims 0 (rows) and 1 (columns). Further dims are a batch: their lengths are equal, or 1 in one operand,
 * which is then used for all products. error() if the dims do not fit; D >= 2.
 */
extern void md_matmul_dims(int D, long odims[], const long adims[], const long bdims[]);
extern void md_matmul_t(enum dtype t, bool conj, int D, const long odims[], const long ostrs[], void *out,
        const long adims[], const long astrs[], const void *a, const long bdims[], const long bstrs[],
        const void *b);

/** Named forms for float32 (no prefix) and complex64 (prefix z). Suffix c: b is conjugated; suffix 2: any
 * strides. */
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
