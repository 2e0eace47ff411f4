#ifndef ITER_MONITOR_GAP_H
#define ITER_MONITOR_GAP_H

#include "iter/algorithm/algorithm.h"

/**
 * The duality gap of f(x) = sum_s d_s(A_s x) + lambda/2 |x|^2 + sum_i g_i(B_i x), lo <= x <= hi, with duals
 * p_s of the data and q_i of the terms: f(x) minus
 *
 *     - sum_s d_s*(p_s) - sum_i g_i*(q_i) + inf_u <A'p + sum_i B_i'q_i, u> + lambda/2 |u|^2.
 *
 * The subtracted expression is a lower bound of f(u) for all u. Without bounds on u the infimum is usually
 * minus infinity. Therefore u is also limited to x - r .. x + r, or to lo .. x + r if lo is finite. For each
 * element, r is |x| / 5 plus a fiftieth of the largest modulus in x. If the minimiser is within these limits,
 * the gap is at least the excess, f(x) minus the minimum. In measurements the gap was 9 to 50 times the
 * excess after 20 iterations, and twice the excess with strong regularisation.
 */
enum { GAP_OVER = 10 }; // typical ratio of the gap to the excess

/** inf over u near x of <z, u> + lambda/2 |u|^2, for lo <= u <= hi. */
extern double gap_near(const struct run *r, double lo, double hi, const void *x, const void *z);

/** Conjugate of 1/2 |. - y|^2_W at p, n elements, with the weights W times `scale`. p must be 0 where W is 0.
 */
extern double gap_of_squares(
        const struct run *r, long n, const void *p, const void *y, const void *W, double scale);

#endif
