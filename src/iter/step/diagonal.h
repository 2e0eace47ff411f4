#ifndef ITER_STEP_DIAGONAL_H
#define ITER_STEP_DIAGONAL_H

#include "iter/algorithm/algorithm.h"
#include "num/md/flpmath.h"

/**
 * Step sizes of each ray and each voxel, computed without norms of A (T. Pock and A. Chambolle, Diagonal
 * preconditioning for first order primal-dual algorithms, ICCV 2011). w is the curvature of d at each ray.
 * For n subsets, the diagonal matrix of C = n max_s A_s'(w A_s 1) is an upper bound of A'W A.
 */

/** Vectors are arrays of real numbers: step sizes are real, and equal for both parts of a complex element. */
extern enum dtype diagonal_type(const struct run *r);
extern long diagonal_numbers(const struct run *r, long n);

/** dst = f(in[0], in[1], ...) for at most CHAIN_OPERANDS vectors of n elements each. */
extern void diagonal_pass(
        const struct run *r, const struct md_chain *f, long n, void *dst, const void *const in[]);
extern void diagonal_fill(const struct run *r, long n, void *x, double value);

/** Mean of a vector of the domain. */
extern double diagonal_mean(const struct run *r, const void *x);

/** Index of the term whose prox is applied in the step of x (with one step size per voxel). This is the first
 * term whose prox does not depend on the step size (such as bounds), else the first that supports a step size
 * per voxel; -1: none. Terms with an operator and terms whose gradient the algorithm uses are excluded. */
extern int diagonal_primal_term(const struct run *r);

/** w = the curvature of d at each ray. w is a vector of the codomain, with one subset after the other. */
extern void diagonal_weigh(struct run *r, void *w);

/** Computes C, with a lower limit of a thousandth of its maximum, and returns the maximum. If A is 0, C is 1
 * and the result 0. For a subset whose operator has negative elements, |A_s|^2 max w replaces A_s'(w A_s 1).
 * The vectors `ones` and `tmp` (domain) and `rows` (codomain) are overwritten. */
extern double diagonal_cover(struct run *r, const void *w, void *C, void *ones, void *tmp, void *rows);

/** step = 0.99 / (kappa C + all), element by element, where `all` is the same number for all voxels; step may
 * be C. */
extern void diagonal_voxel_steps(const struct run *r, void *step, const void *C, double kappa, double all);

/** Sets x to the prox of lambda/2 |x|^2 and of diagonal_primal_term() at x - step z; tmp (domain) is
 * overwritten.
 */
extern void diagonal_step_voxels(struct run *r, const void *step, const void *z, double lambda, void *tmp);

/** next = the change of the dual p of a subset: the prox of the conjugate of d_s at p + steps Ax, minus p;
 * steps = kappa w. Ax is overwritten. */
extern void diagonal_step_rays(const struct run *r, const struct iter_subset *s, double kappa,
        const void *steps, const void *p, void *Ax, void *next);

#endif
