#ifndef ITER_FUNCTIONAL_FUNCTIONALS_H
#define ITER_FUNCTIONAL_FUNCTIONALS_H

#include "iter/functional/functional.h"
#include "iter/step/weights.h"

/**
 * Functionals with a proximal operator in closed form, or nearly so (doc/functionals.md has a table). x has
 * the given type and dims; g depends on the moduli of complex elements. The caller keeps the arrays y, b and
 * weights as long as the functional is used; y and b have the type and dims of x. NULL means y = 0 and
 * weights 1. error() if a parameter is out of range. iter/functional/regularisers.h has total variation and
 * similar terms.
 */

/* Sums over elements, r = x - y. */
extern struct functional *functional_zero_create(enum dtype type, int D, const long dims[]); // 0
/** 1/2 sum w |r|^2 */
extern struct functional *functional_l2sq_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w);
/** sum w |r| */
extern struct functional *functional_l1_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w);
/** sum w [r != 0], not convex */
extern struct functional *functional_l0_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w);
/** Huber loss: sum w h(|r|), h(t) = t^2/2 up to delta and delta (t - delta/2) beyond; delta > 0
 */
extern struct functional *functional_huber_create(
        enum dtype type, int D, const long dims[], double delta, const void *y, const struct weights *w);
/** sum w delta^2 (sqrt(1 + |r|^2/delta^2) - 1) */
extern struct functional *functional_pseudo_huber_create(
        enum dtype type, int D, const long dims[], double delta, const void *y, const struct weights *w);

/* Negative log-likelihoods of counts, minus their minimum; real types. */
/** Emission: sum x + b - y + y log(y / (x + b)), the Kullback-Leibler divergence of y from x + b; INFINITY
 * where x + b < 0. y >= 0. b >= 0 is a known background; b NULL: `background` for all elements. */
extern struct functional *functional_kl_create(
        enum dtype type, int D, const long dims[], const void *y, const void *b, double background);
/**
 * Transmission: sum m - y + y log(y / m) for counts y >= 0 with mean m = I0 exp(-x) + background, where x are
 * line integrals. I0 is i0 times blank (NULL: 1); blank is repeated along its dims of length 1. The prox
 * exists only for background 0, since otherwise the sum is not convex. The curvature (for x >= 0) is that of
 * [1]; lipschitz() is its maximum over x >= 0.
 *
 * [1] H. Erdogan, J. A. Fessler, Ordered subsets algorithms for transmission tomography, Physics in Medicine
 * and Biology 44, 1999.
 */
extern struct functional *functional_transmission_create(enum dtype type, int D, const long dims[],
        const void *y, const struct weights *blank, double i0, double background);

/* Indicators: 0 inside, INFINITY outside; the prox is the projection. */
/** lo <= x <= hi, real types; -INFINITY and INFINITY mean no bound. */
extern struct functional *functional_box_create(
        enum dtype type, int D, const long dims[], double lo, double hi);
extern struct functional *functional_nonneg_create(enum dtype type, int D, const long dims[]);
/** {x: M x = b}: M has `rows` rows, one after the other, each of as many elements as x; b has `rows`
 * elements. M and b are copied. error() if rows are linearly dependent. rows = 1: a hyperplane. */
extern struct functional *functional_affine_create(
        enum dtype type, int D, const long dims[], long rows, const void *M, const void *b);
/** l1: sum |x| <= radius; l2: sqrt(sum |x|^2) <= radius */
extern struct functional *functional_l1_ball_create(enum dtype type, int D, const long dims[], double radius);
extern struct functional *functional_l2_ball_create(enum dtype type, int D, const long dims[], double radius);
/** The largest norm of a group is <= radius; groups as in functional_l21_create(). flags = 0: max |x| <=
 * radius. */
extern struct functional *functional_group_ball_create(
        enum dtype type, int D, const long dims[], unsigned long flags, double radius);

/* Norms. */
extern struct functional *functional_l2_create(enum dtype type, int D, const long dims[]);   // |x|
extern struct functional *functional_linf_create(enum dtype type, int D, const long dims[]); // max |x|
/** Sum of the Euclidean norms of groups: elements of a group differ only in their index along the dims in
 * flags. */
extern struct functional *functional_l21_create(
        enum dtype type, int D, const long dims[], unsigned long flags);
/** Sum of the singular values of matrices, one for each position along the dims in `batch`. The rows of a
 * matrix are the positions along the dims in flags, the columns are the positions along all other dims.
 * Memory during a call: two complex128 copies of a matrix. */
extern struct functional *functional_nuclear_create(
        enum dtype type, int D, const long dims[], unsigned long flags, unsigned long batch);

/* Algebra; arguments are referenced, not consumed. */
extern struct functional *functional_scale_create(double a, const struct functional *g); // a g(x), a >= 0
/** g(a x), a != 0 */
extern struct functional *functional_dilate_create(double a, const struct functional *g);
/** g(x - t) */
extern struct functional *functional_translate_create(const struct functional *g, const void *t);
/** g(x) + a/2 |x - y|^2, a >= 0 */
extern struct functional *functional_quadratic_create(const struct functional *g, double a, const void *y);
/** g(x) + Re <u, x> */
extern struct functional *functional_tilt_create(const struct functional *g, const void *u);
/** sum g_i(x_i), where x is the concatenation of the x_i; all of one type. */
extern struct functional *functional_stack_create(int n, const struct functional *const g[]);

#endif
