#ifndef NUM_SHAPE_ORDER_H
#define NUM_SHAPE_ORDER_H

#include "num/md/multind.h"

/**
 * These functions compute exact quantiles along dims. Private memory is a few MiB, for arrays of any size.
 * Results are bit-identical for any number of threads.
 *
 * For sorted values x[0], .., x[n-1], the quantile q is x[h] with h = q (n-1). If h is not an integer, the
 * neighbours are interpolated linearly, as by default in NumPy. Equal neighbours give their own value, even
 * if infinite. If any value is NaN or n is 0, the quantile is NaN.
 */

/** Returns the type of quantiles of elements of type t. The result is float32 for float32 and for types up to
 * 16 bits, else float64. Complex types are an error(). */
extern enum dtype quantile_type(enum dtype t);

/** Computes quantiles q[nq] of a real array along the dims in `flags`. A q outside [0, 1] is an error().
 * Results have the type quantile_type(t). Along the other dims, `out` has the steps ostrs[D] in bytes.
 * Successive quantiles are qstr bytes apart. */
extern void md_quantile2(enum dtype t, int D, const long dims[], unsigned long flags, int nq,
        const double q[], const long ostrs[], long qstr, void *out, const long istrs[], const void *in);

/** Works like md_quantile2() for contiguous arrays. The dims of `out` are those of `in`, with length 1 along
 * `flags`, and a last dim nq. */
extern void md_quantile(enum dtype t, int D, const long dims[], unsigned long flags, int nq, const double q[],
        void *out, const void *in);

/** Computes quantiles of all elements, with the work divided among ranks (misc/ranks/ranks.h). Every rank
 * gets out[nq]. */
extern void md_quantile_shared(
        enum dtype t, int D, const long dims[], int nq, const double q[], void *out, const void *in);

/** These functions compute the median, which is the quantile 1/2. */
extern void md_median2(enum dtype t, int D, const long dims[], unsigned long flags, const long ostrs[],
        void *out, const long istrs[], const void *in);
extern void md_median(enum dtype t, int D, const long dims[], unsigned long flags, void *out, const void *in);

#endif
