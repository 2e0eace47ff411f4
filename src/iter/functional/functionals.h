#ifndef ITER_FUNCTIONAL_FUNCTIONALS_H
#define ITER_FUNCTIONAL_FUNCTIONALS_H

#include "iter/functional/functional.h"
#include "iter/step/weights.h"

/**
 * These functions create functionals g(x) with a simple proximal operator. See the table in
 * doc/functionals.md. Total variation and similar terms are in iter/functional/regularisers.h.
 *
 * The array x has the given type and dims. For complex x, |x| is the modulus of an element. The arrays y and
 * b have the type and dims of x. If y is NULL, y is 0. If the weights are NULL, the weights are 1. The caller
 * must keep y, b and the weights until the functional is freed. A parameter out of range is an error().
 */

/* Sums over the elements, where r = x - y. */
extern struct functional *functional_zero_create(enum dtype type, int D, const long dims[]); // 0
/** The squared l2 norm: 1/2 sum w |r|^2. */
extern struct functional *functional_l2sq_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w);
/** The l1 norm: sum w |r|. */
extern struct functional *functional_l1_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w);
/** The l0 norm: the sum of w where `r != 0` (not convex). */
extern struct functional *functional_l0_create(
        enum dtype type, int D, const long dims[], const void *y, const struct weights *w);
/**
 * The Huber loss for delta > 0:
 *
 *     sum w h(|r|),    h(t) = t^2/2 for t <= delta,    h(t) = delta (t - delta/2) for t > delta
 */
extern struct functional *functional_huber_create(
        enum dtype type, int D, const long dims[], double delta, const void *y, const struct weights *w);
/** The pseudo-Huber loss: sum w delta^2 (sqrt(1 + |r|^2/delta^2) - 1). */
extern struct functional *functional_pseudo_huber_create(
        enum dtype type, int D, const long dims[], double delta, const void *y, const struct weights *w);

/* Negative log-likelihoods of counts, minus the minimum. The type must be real. */
/**
 * For emission counts y >= 0, the Kullback-Leibler divergence of y from x + b:
 *
 *     sum x + b - y + y log(y / (x + b))
 *
 * The array b >= 0 is a known background. If b is NULL, the background is the number `background`. The value
 * is INFINITY if an element of x + b is negative.
 */
extern struct functional *functional_kl_create(
        enum dtype type, int D, const long dims[], const void *y, const void *b, double background);
/**
 * The negative log-likelihood of transmission counts y >= 0 for line integrals x and expected counts m:
 *
 *     sum m - y + y log(y / m),    m = i0 blank exp(-x) + background
 *
 * If `blank` is NULL, blank is 1. The prox exists only if the background is 0. For other backgrounds the sum
 * is not convex. The curvature for x >= 0 is that of [1]. The Lipschitz constant is valid for x >= 0.
 *
 * [1] H. Erdogan, J. A. Fessler, Ordered subsets algorithms for transmission tomography, Physics in Medicine
 * and Biology 44, 1999.
 */
extern struct functional *functional_transmission_create(enum dtype type, int D, const long dims[],
        const void *y, const struct weights *blank, double i0, double background);

/* Indicator functions of sets: 0 inside the set, INFINITY outside. The prox is the projection onto the set.
 */
/** The set lo <= x <= hi. The type must be real. An infinite bound has no effect. */
extern struct functional *functional_box_create(
        enum dtype type, int D, const long dims[], double lo, double hi);
/** The set x >= 0. The type must be real. */
extern struct functional *functional_nonneg_create(enum dtype type, int D, const long dims[]);
/** The set M x = b. The matrix M is stored row by row. A row has as many elements as x. The vector b has
 * `rows` elements. M and b are copied. Linearly dependent rows are an error(). */
extern struct functional *functional_affine_create(
        enum dtype type, int D, const long dims[], long rows, const void *M, const void *b);
/** The set sum |x| <= radius. */
extern struct functional *functional_l1_ball_create(enum dtype type, int D, const long dims[], double radius);
/** The set sqrt(sum |x|^2) <= radius. */
extern struct functional *functional_l2_ball_create(enum dtype type, int D, const long dims[], double radius);
/** The set of all x for which every group of elements has a Euclidean norm <= radius. Groups are defined as
 * in functional_l21_create(). For flags = 0 the set is max |x| <= radius. */
extern struct functional *functional_group_ball_create(
        enum dtype type, int D, const long dims[], unsigned long flags, double radius);

/* Norms. */
extern struct functional *functional_l2_create(enum dtype type, int D, const long dims[]); // sqrt(sum |x|^2)
extern struct functional *functional_linf_create(enum dtype type, int D, const long dims[]); // max |x|
/** The sum of the Euclidean norms of groups of elements. The elements of a group differ only in the index
 * along the dims in flags. */
extern struct functional *functional_l21_create(
        enum dtype type, int D, const long dims[], unsigned long flags);
/** The sum of the nuclear norms of matrices. There is one matrix for each position along the dims in `batch`.
 * The row index of a matrix is the position along the dims in flags. The column index is the position along
 * all other dims. In each thread, a call needs memory for two to five complex128 copies of a matrix. */
extern struct functional *functional_nuclear_create(
        enum dtype type, int D, const long dims[], unsigned long flags, unsigned long batch);

/* Functionals made from other functionals. The caller must still free g, and must keep t, y and u until the
 * result is freed. */
extern struct functional *functional_scale_create(double a, const struct functional *g); // a g(x), a >= 0
/** g(a x), a != 0 */
extern struct functional *functional_dilate_create(double a, const struct functional *g);
/** g(x - t) */
extern struct functional *functional_translate_create(const struct functional *g, const void *t);
/** g(x) + a/2 |x - y|^2, a >= 0 */
extern struct functional *functional_quadratic_create(const struct functional *g, double a, const void *y);
/** g(x) + Re <u, x> */
extern struct functional *functional_tilt_create(const struct functional *g, const void *u);
/** sum g_i(x_i), where x is the concatenation of all x_i. All g_i must have the same type. */
extern struct functional *functional_stack_create(int n, const struct functional *const g[]);

#endif
