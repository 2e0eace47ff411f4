#ifndef ITER_ALGORITHM_PRIMAL_DUAL_H
#define ITER_ALGORITHM_PRIMAL_DUAL_H

#include "iter/algorithm/algorithm.h"

/**
 * Functions shared by primal-dual methods. There are three kinds of terms g_i(B_i x):
 *
 * - The primal term is one term without an operator. The step of x applies the prox of the primal term.
 * - Differentiable terms are part of the gradient of the data term, if the algorithm uses gradients.
 * - Every other term has a dual vector q_i. The step size of q_i is sigma / |B_i|^2 [1].
 *
 * The step size of x is either the number PD_TAU for all voxels, or the following vector:
 *
 *     0.99 / (kappa C + sigma blocks)
 *
 * Here C is the vector of iter/step/diagonal.h, and `blocks` is the number of terms with a dual vector.
 *
 * [1] T. Pock, A. Chambolle, Diagonal preconditioning for first order primal-dual algorithms, ICCV 2011.
 */
// vectors of the domain: 2 x - last x; sum of B_i' q_i; last x; work space; C; step sizes of the voxels
enum { PD_BAR, PD_SUM, PD_LAST, PD_TMP, PD_COVER, PD_STEP, PD_VOLUMES };
// vectors of the codomain: A x; work space
enum { PD_AX, PD_WORK, PD_PROJECTIONS };
// vectors of the size of B_i x: q_i; q_i after the next step
enum { PD_DUAL, PD_NEXT, PD_TERMS };
// numbers: step size of x, or a typical one if voxels have different step sizes; sigma; kappa; mean of C;
// squared norm of A, followed by the squared norms of all B_i
enum { PD_TAU, PD_SIGMA, PD_KAPPA, PD_MEAN, PD_NORMS };

/** Returns whether every voxel has its own step size. Returns false if conf->steps is STEPS_PLAIN or
 * conf->step is given. Also returns false if a term is a denoiser. The strength of a denoiser depends on the
 * step size. */
extern bool pd_is_diagonal(const struct run *r);

/** Writes `C + more` to v[PD_COVER] and the mean of `C + more` to s[PD_MEAN]. The vector w of the codomain is
 * the curvature of the data term at each ray. Returns the maximum of `C + more`, or `more` if A is 0.
 * Overwrites w[PD_WORK], v[PD_BAR] and v[PD_TMP]. */
extern double pd_cover(struct run *r, const void *w, double more);

/** Computes the step sizes v[PD_STEP] and s[PD_TAU] from s[PD_KAPPA] and s[PD_SIGMA]. */
extern void pd_choose_steps(struct run *r);

/** Returns the index of the primal term, or -1 if there is none. */
extern int pd_primal_term(const struct run *r);

/** Returns whether term i has a dual vector. */
extern bool pd_is_dual(const struct run *r, int i);

/** Returns the number of terms with a dual vector. */
extern int pd_blocks(const struct run *r);

/** Returns the vectors of these methods that are not written: PD_COVER and PD_STEP if all voxels have the
 * same step size, and those of terms without a dual vector. */
extern struct unwritten pd_unwritten(const struct run *r);

/** Writes |B_i|^2 of every term i to s[PD_NORMS + 1 + i]. If |B_i| is 0, writes 1. */
extern void pd_term_norms(struct run *r);

/** Subtracts b from a, and requests |a|^2 by run_ask_dot(). */
extern int pd_ask_moved(struct run *r, long n, void *a, const void *b);

/** Exchanges two pointers. */
extern void pd_swap(void **a, void **b);

/** Returns the address of vector PD_DUAL or PD_NEXT of term i. */
extern void **pd_of_term(const struct run *r, int vector, int i);

/**
 * These functions make a step of the dual vector q_i along B_i v[PD_BAR].
 *
 * - pd_ask_term_step(): makes the step and requests |old q_i - new q_i|^2. PD_NEXT becomes old q_i - new q_i.
 * - pd_told_term_step(): returns |B_i|^2 |old q_i - new q_i|^2.
 */
extern int pd_ask_term_step(struct run *r, int i, double sigma);
extern double pd_told_term_step(const struct run *r, int i, int place);

/**
 * These functions make a step of all dual vectors.
 *
 * - pd_ask_term_steps(): calls pd_ask_term_step() for every term with a dual vector.
 * - pd_told_term_steps(): returns the sum of the results of pd_told_term_step().
 */
extern int pd_ask_term_steps(struct run *r);
extern double pd_told_term_steps(const struct run *r, int place);

/** Adds B_i' q_i to v[PD_SUM] for every term i with a dual vector. */
extern void pd_add_terms(struct run *r);

/** Makes a step of x along -v[PD_SUM]. The step ends with the prox of lambda/2 |x|^2 plus the primal term.
 * Writes `2 new x - old x` to v[PD_BAR]. Requests `|old x - new x|^2`. If every voxel has its own step size,
 * also requests the sum of `C_i (old x_i - new x_i)^2`. */
extern int pd_ask_primal_step(struct run *r, double lambda);

/** Returns the Lipschitz constant of the gradient of the data functional, if the constant is finite.
 * Otherwise estimates the curvature from the gradients at p and 1.01 p. Returns 1 if `data` is NULL or not
 * differentiable. The vectors p, slope and more have m elements. Overwrites slope and more. */
extern double pd_data_curvature(
        const struct run *r, const struct functional *data, long m, void *p, void *slope, void *more);

/** Positions of the numbers that pd_ask_evaluate() requests. */
struct pd_asked {
	struct run_asked smooth;
	int terms, size;
};

/**
 * These functions compute r->objective and r->residual for x. The vector w[PD_AX] must contain A x.
 * Overwrites w[PD_WORK].
 *
 * - pd_ask_evaluate(): requests the numbers.
 * - pd_told_evaluate(): sets the objective and the residual after run_fetch().
 * - pd_evaluate(): calls pd_ask_evaluate(), run_fetch() and pd_told_evaluate().
 */
extern struct pd_asked pd_ask_evaluate(struct run *r);
extern void pd_told_evaluate(struct run *r, const struct pd_asked *a);
extern void pd_evaluate(struct run *r);

/** Sets r->step, r->gradient and r->minimum after a step. The argument `primal` is the squared distance that
 * x moved. The argument `dual` is the squared distance that the dual vectors moved. */
extern void pd_settle(struct run *r, double primal, double dual);

/** Sets the same members as pd_settle(), for runs in which every voxel has its own step size. The argument
 * `primal` is the result of pd_ask_primal_step(). The arguments `rays` and `terms` are squared distances
 * divided by step sizes. The argument `rays` belongs to the dual vector of the data, and is 0 if there is
 * none. The argument `terms` belongs to the dual vectors of the terms. */
extern void pd_settle_each(struct run *r, int primal, double rays, double terms);

/** Balances the step sizes of x and of the dual vectors [2]. Every voxel must have its own step size. The
 * numbers kappa and sigma grow if the dual vectors move more than x, otherwise kappa and sigma shrink. The
 * changes become smaller with every iteration. If `rays` is NAN, kappa does not change. Returns the factor by
 * which kappa changed. The arguments are those of pd_settle_each().
 *
 * [2] T. Goldstein, M. Li, X. Yuan, Adaptive primal-dual splitting methods for statistical learning and image
 * processing, NIPS 2015.
 */
extern double pd_balance(struct run *r, int primal, double rays, double terms);

/** Calls pd_settle() for a method without a dual vector of the data. If every voxel has its own step size,
 * calls pd_settle_each() and pd_balance() instead. The arguments `primal` and `dual` are the results of
 * pd_ask_primal_step() and pd_ask_term_steps(). */
extern void pd_settle_gradient(struct run *r, int primal, int dual);

/** Returns the result of run_lipschitz(), which determines the step sizes of methods that use gradients. An
 * infinite result is an error() if conf->step is 0. Otherwise an infinite result is replaced by 0. */
extern double pd_curvature(struct run *r);

/** Sets the step sizes of the voxels, for methods that use gradients. C is an upper bound of the curvature
 * for each voxel. Sets kappa to `part`, the smallest kappa for which the method converges. Overwrites
 * w[PD_WORK] and w[PD_AX]. */
extern void pd_choose_by_gradient(struct run *r, double part);

#endif
