#ifndef ITER_STEP_WEIGHTS_H
#define ITER_STEP_WEIGHTS_H

#include "misc/dtype.h"

/**
 * The diagonal W of |r|^2_W = sum_i w_i |r_i|^2. W is never expanded in memory: an array is read in place,
 * block by block, in its type and shape; other weights are computed from the data.
 */
struct weights;

/** Weights of dims `dims` from an array w of any real type and of dims `wdims`. Along dims of length 1, w is
 * repeated. w is not copied: the caller keeps it. */
extern struct weights *weights_create_array(
        const long dims[DIMS], const long wdims[DIMS], enum dtype wtype, const void *w);

/** w_i = exp(ymin - y_i), the transmission scaled to maximum 1; ymin is the smallest y. y has the real type
 * of the weighted vectors, float32 or float64. y is not copied: the caller keeps it. */
extern struct weights *weights_create_exp(enum dtype ytype, const void *y, double ymin);

extern void weights_free(struct weights *w);

/** dst = W src over n elements of float32, float64 or complex; dst may be src. W NULL: the identity. */
extern void weights_apply(const struct weights *w, enum dtype type, long n, void *dst, const void *src);

/** y = W x + beta y; y is not read when beta is 0. */
extern void weights_xpay(
        const struct weights *w, enum dtype type, long n, void *y, double beta, const void *x);

/** Weights [first, first + n), n <= FOLD_BLOCK (iter/step/fold.h), as float32 or float64. */
extern void weights_block(const struct weights *w, enum dtype real, long first, long n, void *out);

/** sum w |x|^2 in float64, fixed order. */
extern double weights_norm2(const struct weights *w, enum dtype type, long n, const void *x);

/** Writes the sum of weights_norm2() to *out, on the device of x, without a transfer. */
extern void weights_norm2_to(const struct weights *w, enum dtype type, long n, double *out, const void *x);

#endif
