#ifndef NUM_SHAPE_ORDER_H
#define NUM_SHAPE_ORDER_H

#include "num/md/multind.h"

/**
 * Order statistics without sorting: exact quantiles along dims. Short lines are copied to a buffer and
 * partially sorted there (selection). For long lines the elements are counted in a few passes, each by 16
 * bits of an order-preserving integer key. So an array of any size needs a few MiB of private memory. Results
 * are bit-identical for any number of threads.
 *
 * The quantile q of n values x[0] <= .. <= x[n-1] is x[h] with h = q (n - 1), with linear interpolation
 * between neighbours (NumPy's default); NaN if any value is NaN or n is 0. If both neighbours are equal, this
 * value is returned, even if infinite.
 */

/** Type of the quantiles of elements of type t: float32 for bool, float16, float32 and integers up to 16
 * bits, else float64. error() for complex types. */
extern enum dtype quantile_type(enum dtype t);

/**
 * Quantiles q[nq] (each in [0, 1], else error()) along the dims in `flags` of an array of any real type.
 * out, of quantile_type(t), has the steps ostrs[D] along the other dims and qstr from one quantile to the
 * next (all in bytes); its steps along the dims in flags are ignored.
 */
extern void md_quantile2(enum dtype t, int D, const long dims[], unsigned long flags, int nq,
        const double q[], const long ostrs[], long qstr, void *out, const long istrs[], const void *in);

/** Like md_quantile2() for contiguous arrays. out has the dims of `in`, with length 1 along the dims in
 * flags, followed by a dim of length nq. */
extern void md_quantile(enum dtype t, int D, const long dims[], unsigned long flags, int nq, const double q[],
        void *out, const void *in);

/** Quantiles of all elements, of which each rank (misc/ranks/ranks.h) counts a part; all ranks get out[nq].
 */
extern void md_quantile_shared(
        enum dtype t, int D, const long dims[], int nq, const double q[], void *out, const void *in);

/** The quantile 1/2; for an even number of values, the mean of the two middle values. */
extern void md_median2(enum dtype t, int D, const long dims[], unsigned long flags, const long ostrs[],
        void *out, const long istrs[], const void *in);
extern void md_median(enum dtype t, int D, const long dims[], unsigned long flags, void *out, const void *in);

#endif
