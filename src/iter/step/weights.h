#ifndef ITER_STEP_WEIGHTS_H
#define ITER_STEP_WEIGHTS_H

#include "misc/dtype.h"

/** The weights W of the norm |r|^2_W = sum_i w_i |r_i|^2. The weights are either an array or a function of
 * the projections. Weights are never expanded in memory. */
struct weights;

/** Creates weights of shape `dims` from an array w of shape `wdims` and any real type. Along dims of length
 * 1, w is repeated. A length other than 1 that differs from `dims` is an error(). `w` is not copied and must
 * outlive the weights. */
extern struct weights *weights_create_array(
        const long dims[DIMS], const long wdims[DIMS], enum dtype wtype, const void *w);

/** Creates the weights w_i = exp(ymin - y_i). If ymin is the smallest y_i, the weights are the transmission
 * scaled to maximum 1. `y` has the real type of the weighted vectors, float32 or float64. `y` is not copied
 * and must outlive the weights. */
extern struct weights *weights_create_exp(enum dtype ytype, const void *y, double ymin);

/** Frees the weights, but not the array from which they were created. */
extern void weights_free(struct weights *w);

/** Computes dst = W src for n elements. `type` is float32, float64, complex64 or complex128. `dst` may be
 * src. `w` may be NULL, which means the identity. */
extern void weights_apply(const struct weights *w, enum dtype type, long n, void *dst, const void *src);

/** Computes y = W x + beta y. `y` is not read if beta is 0. */
extern void weights_xpay(
        const struct weights *w, enum dtype type, long n, void *y, double beta, const void *x);

/** Writes the weights of elements [first, first + n) to `out`, as float32 or float64. `n` is at most
 * FOLD_BLOCK (iter/step/fold.h). */
extern void weights_block(const struct weights *w, enum dtype real, long first, long n, void *out);

/** Returns sum_i w_i |x_i|^2, computed in float64. The order of summation is fixed. */
extern double weights_norm2(const struct weights *w, enum dtype type, long n, const void *x);

/** Writes the result of weights_norm2() to *out. `out` is on the device of x. No data are copied to the
 * host. */
extern void weights_norm2_to(const struct weights *w, enum dtype type, long n, double *out, const void *x);

#endif
