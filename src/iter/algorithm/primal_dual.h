#ifndef ITER_ALGORITHM_PRIMAL_DUAL_H
#define ITER_ALGORITHM_PRIMAL_DUAL_H

#include "iter/algorithm/algorithm.h"

/**
 * What primal-dual methods share. A term without an operator is taken by the step of x itself, terms with a
 * gradient by that of the data where the algorithm has one; every other term has a dual vector q_i. Operators
 * count as if all had norm 1: the step of a dual is sigma / |B_i|^2 (T. Pock and A. Chambolle, Diagonal
 * preconditioning for first order primal-dual algorithms, ICCV 2011).
 *
 * Steps of x are the same for all voxels, PD_TAU, or diagonal (iter/step/diagonal.h): 0.99 / (kappa C + sigma
 * blocks), of as many blocks as there are duals of terms.
 */
// 2 x - last x; what the duals give; last x; C and steps of voxels where they are diagonal
enum { PD_BAR, PD_SUM, PD_LAST, PD_TMP, PD_COVER, PD_STEP, PD_VOLUMES };
enum { PD_AX, PD_WORK, PD_PROJECTIONS };
enum { PD_DUAL, PD_NEXT, PD_TERMS }; // vectors of terms
// steps, of x that where C is its mean; this mean; squared norms of A and from PD_NORMS + 1 on of the terms'
enum { PD_TAU, PD_SIGMA, PD_KAPPA, PD_MEAN, PD_NORMS };

/** Whether steps are diagonal: unless others are asked for, or --step says one, or a denoiser stands for the
 * prox of x, whose strength depends on its step. */
extern bool pd_is_diagonal(const struct run *r);

/** C of the least squares or data of the run into v[PD_COVER], its mean into s[PD_MEAN], of w (codomain) at
 * each ray, plus `more`: 0 where it is 0. w[PD_WORK], v[PD_BAR] and v[PD_TMP] are used. */
extern double pd_cover(struct run *r, const void *w, double more);

/** v[PD_STEP], s[PD_TAU] from s[PD_KAPPA] and s[PD_SIGMA]. */
extern void pd_choose_steps(struct run *r);

/** The term that the step of x takes; -1: none. */
extern int pd_primal_term(const struct run *r);
extern bool pd_is_dual(const struct run *r, int i);

/** How many terms have duals; the squared norms of their operators into s[PD_NORMS + 1 + i]. */
extern int pd_blocks(const struct run *r);
extern void pd_term_norms(struct run *r);

/** |a - b|^2, in a; asked for (iter/algorithm/algorithm.h). */
extern int pd_ask_moved(struct run *r, long n, void *a, const void *b);
extern void pd_swap(void **a, void **b);

/** Vector PD_DUAL or PD_NEXT of term i. */
extern void **pd_of_term(const struct run *r, int vector, int i);

/** q_i after a step along B_i v[PD_BAR], the last one being in PD_NEXT afterwards, less q_i; asks for how far
 * it moved, and tells that, squared, in units of its step. */
extern int pd_ask_term_step(struct run *r, int i, double sigma);
extern double pd_told_term_step(const struct run *r, int i, int place);

/** That of all terms. */
extern int pd_ask_term_steps(struct run *r);
extern double pd_told_term_steps(const struct run *r, int place);

/** v[PD_SUM] += B_i' q_i of the terms. */
extern void pd_add_terms(struct run *r);

/** x = prox of lambda/2 |x|^2 + the term of x after a step along -v[PD_SUM], v[PD_BAR] = 2 x - last x; asks
 * for how far x moved, squared, and with diagonal steps for the same weighted by C. */
extern int pd_ask_primal_step(struct run *r, double lambda);

/** How much d is curved, on the whole: its Lipschitz constant; where it has none, of counts of emission, what
 * it is between p = A_j x and 1.01 p. m elements, all three are used. */
extern double pd_data_curvature(
        const struct run *r, const struct functional *data, long m, void *p, void *slope, void *more);

/** r->objective and r->residual of x, A x being in w[PD_AX]; w[PD_WORK] is used. */
struct pd_asked {
	struct run_asked smooth;
	int terms, size;
};
extern struct pd_asked pd_ask_evaluate(struct run *r);
extern void pd_told_evaluate(struct run *r, const struct pd_asked *a);
extern void pd_evaluate(struct run *r); // both

/** r->step, r->gradient and r->minimum from the distances moved, squared. */
extern void pd_settle(struct run *r, double primal, double dual);

/** The same with diagonal steps: how far the iterate is from a fixed point in their metric. primal: as asked
 * for; rays, terms: how far the duals moved, squared, in units of their steps; rays 0 of methods without a
 * dual of the data. */
extern void pd_settle_each(struct run *r, int primal, double rays, double terms);

/** Balances diagonal steps: kappa and sigma grow where the duals move more than x does, by less and less (T.
 * Goldstein, M. Li, X. Yuan, Adaptive primal-dual splitting methods for statistical learning and image
 * processing, NIPS 2015); rays NAN: kappa stays. Returns what kappa was multiplied with. */
extern double pd_balance(struct run *r, int primal, double rays, double terms);

/** The settling of methods without a dual of the data, steps of either kind: primal, dual as asked for. */
extern void pd_settle_gradient(struct run *r, int primal, int dual);

/** Steps of the methods that take gradients: L = the largest curvature, 0 where --step stands for it. */
extern double pd_curvature(struct run *r);

/** Diagonal steps of these: C is a bound of the curvature, voxel by voxel, `part` of which is the kappa that
 * convergence asks for. w[PD_WORK] and w[PD_AX] are used. */
extern void pd_choose_by_gradient(struct run *r, double part);

#endif
