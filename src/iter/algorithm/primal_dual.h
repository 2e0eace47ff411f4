#ifndef ITER_ALGORITHM_PRIMAL_DUAL_H
#define ITER_ALGORITHM_PRIMAL_DUAL_H

#include "iter/algorithm/algorithm.h"

/**
 * Shared by primal-dual methods. One term without an operator is handled by the step of x. Terms with a
 * gradient are part of the gradient step of the data, if the algorithm makes one. Every other term has a dual
 * vector q_i. Operators are normalised to norm 1: the step of a dual is sigma / |B_i|^2 (T. Pock and A.
 * Chambolle, Diagonal preconditioning for first order primal-dual algorithms, ICCV 2011).
 *
 * Steps of x are PD_TAU for all voxels, or diagonal (iter/step/diagonal.h): 0.99 / (kappa C + sigma blocks),
 * where blocks is the number of terms with a dual.
 */
// 2 x - last x; sum of the adjoints of the duals; last x; C and the steps of voxels if diagonal
enum { PD_BAR, PD_SUM, PD_LAST, PD_TMP, PD_COVER, PD_STEP, PD_VOLUMES };
enum { PD_AX, PD_WORK, PD_PROJECTIONS };
enum { PD_DUAL, PD_NEXT, PD_TERMS }; // vectors of terms
// steps (diagonal PD_TAU: the step for C = its mean); mean of C; squared norms of A and, from PD_NORMS + 1
// on, of the operators of terms
enum { PD_TAU, PD_SIGMA, PD_KAPPA, PD_MEAN, PD_NORMS };

/** Whether steps are diagonal. Steps are not diagonal if plain steps are requested, if --step is given, or if
 * a denoiser replaces a prox, because the strength of the denoiser depends on the step. */
extern bool pd_is_diagonal(const struct run *r);

/** Computes C (iter/step/diagonal.h) plus `more` into v[PD_COVER], and the mean of this sum into s[PD_MEAN].
 * w, a vector of the codomain, is the curvature of the data term at each ray. Returns the maximum of C plus
 * `more`; if A is 0, only `more`. w[PD_WORK], v[PD_BAR] and v[PD_TMP] are overwritten.
 */
extern double pd_cover(struct run *r, const void *w, double more);

/** Computes v[PD_STEP] and s[PD_TAU] from s[PD_KAPPA] and s[PD_SIGMA]. */
extern void pd_choose_steps(struct run *r);

/** The term handled by the step of x; -1: none. */
extern int pd_primal_term(const struct run *r);
extern bool pd_is_dual(const struct run *r, int i);

/** pd_blocks(): the number of terms with duals. pd_term_norms(): writes the squared norms of the operators of
 * all terms to s[PD_NORMS + 1 + i]. */
extern int pd_blocks(const struct run *r);
extern void pd_term_norms(struct run *r);

/** a -= b; requests |a|^2 (iter/algorithm/algorithm.h). */
extern int pd_ask_moved(struct run *r, long n, void *a, const void *b);
extern void pd_swap(void **a, void **b);

/** Vector PD_DUAL or PD_NEXT of term i. */
extern void **pd_of_term(const struct run *r, int vector, int i);

/** Makes a step of q_i along B_i v[PD_BAR]; afterwards PD_NEXT contains the old q_i minus the new one.
 * Requests the squared distance that q_i moved. pd_told_term_step() returns this number times |B_i|^2. */
extern int pd_ask_term_step(struct run *r, int i, double sigma);
extern double pd_told_term_step(const struct run *r, int i, int place);

/** pd_ask_term_steps() calls pd_ask_term_step() for all terms with duals. pd_told_term_steps() returns the
 * sum of the results of pd_told_term_step(). */
extern int pd_ask_term_steps(struct run *r);
extern double pd_told_term_steps(const struct run *r, int place);

/** v[PD_SUM] += B_i' q_i for every term i with a dual. */
extern void pd_add_terms(struct run *r);

/** Makes a step of x along -v[PD_SUM], followed by the prox of lambda/2 |x|^2 and of the term of x; v[PD_BAR]
 * = 2 x - last x. Requests the squared distance that x moved; with diagonal steps, also this distance
 * weighted by C.
 */
extern int pd_ask_primal_step(struct run *r, double lambda);

/** A typical curvature of the data functional: the Lipschitz constant of the gradient, if there is one.
 * Otherwise, as for emission counts, the curvature is computed from the gradients at p = A_j x and at 1.01 p.
 * p, slope and more have m elements and are overwritten. */
extern double pd_data_curvature(
        const struct run *r, const struct functional *data, long m, void *p, void *slope, void *more);

/** r->objective and r->residual of x, with A x in w[PD_AX]; w[PD_WORK] is overwritten. */
struct pd_asked {
	struct run_asked smooth;
	int terms, size;
};
extern struct pd_asked pd_ask_evaluate(struct run *r);
extern void pd_told_evaluate(struct run *r, const struct pd_asked *a);
extern void pd_evaluate(struct run *r); // both

/** Sets r->step, r->gradient and r->minimum from the squared distances that x (primal) and the duals (dual)
 * moved. */
extern void pd_settle(struct run *r, double primal, double dual);

/** pd_settle() for diagonal steps: r->gradient is the distance of the iterate from a fixed point, in the
 * metric of the steps. primal: position of the number requested by pd_ask_primal_step(). rays, terms: squared
 * distances that the duals of the data and of the terms moved, divided by the steps of the duals. rays is 0
 * for methods without a dual of the data. */
extern void pd_settle_each(struct run *r, int primal, double rays, double terms);

/** Balances diagonal steps (T. Goldstein, M. Li, X. Yuan, Adaptive primal-dual splitting methods for
 * statistical learning and image processing, NIPS 2015). kappa and sigma grow if the duals move more than x,
 * and shrink otherwise. The factors of these changes tend to 1 during the run. If rays is NAN, kappa is kept.
 * Returns the factor by which kappa changed. */
extern double pd_balance(struct run *r, int primal, double rays, double terms);

/** For methods without a dual of the data: calls pd_settle(), or with diagonal steps pd_settle_each() and
 * pd_balance(). primal, dual: positions of the numbers requested by pd_ask_primal_step() and
 * pd_ask_term_steps(). */
extern void pd_settle_gradient(struct run *r, int primal, int dual);

/** The largest curvature, which determines the steps of methods that use gradients. If the curvature is not
 * finite, returns 0 with --step, and calls error() without --step. */
extern double pd_curvature(struct run *r);

/** Sets the diagonal steps of methods that use gradients. C is an upper bound of the curvature of each voxel.
 * `part` is kappa, the least multiple of C with which the method converges. w[PD_WORK] and w[PD_AX] are
 * overwritten. */
extern void pd_choose_by_gradient(struct run *r, double part);

#endif
