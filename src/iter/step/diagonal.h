#ifndef ITER_STEP_DIAGONAL_H
#define ITER_STEP_DIAGONAL_H

#include "iter/algorithm/algorithm.h"
#include "num/md/flpmath.h"

/**
 * Step sizes for each ray and each voxel, computed without operator norms [1]. Let w be the curvature of the
 * data term d at each ray. For n subsets, let `C = n max_s A_s'(w A_s 1)`, where the maximum is taken for
 * each voxel. The diagonal matrix of C is an upper bound of A'W A.
 *
 * [1] T. Pock, A. Chambolle, Diagonal preconditioning for first order primal-dual algorithms, ICCV 2011.
 */

/** Returns the real type of the step sizes. A complex element has the same step size for its real and
 * imaginary part. */
extern enum dtype diagonal_type(const struct run *r);

/** Returns the number of real numbers in n elements. */
extern long diagonal_numbers(const struct run *r, long n);

/** Computes dst = f(in[0], in[1], ...) element by element. The number of vectors in[] is at most
 * CHAIN_OPERANDS, and each vector has n elements. */
extern void diagonal_pass(
        const struct run *r, const struct md_chain *f, long n, void *dst, const void *const in[]);

/** Sets all n elements of x to `value`. */
extern void diagonal_fill(const struct run *r, long n, void *x, double value);

/** Returns the mean of a vector x of the domain. */
extern double diagonal_mean(const struct run *r, const void *x);

/** Returns the index of the term whose prox is applied in the step of x. The result is the first term whose
 * prox does not depend on the step size, such as bounds. If there is no such term, the result is the first
 * term that supports a step size per voxel. If no term is suitable, the result is -1. Terms with an operator
 * are excluded. Terms whose gradient is used by the algorithm are also excluded. */
extern int diagonal_primal_term(const struct run *r);

/** Sets w to the curvature of the data term at each ray. The vector w contains the rays of one subset after
 * the other. */
extern void diagonal_weigh(struct run *r, void *w);

/** Computes C and returns its maximum. Elements of C are at least a thousandth of the maximum. If A is 0, C
 * is set to 1 and the result is 0. If the operator of a subset has negative elements, |A_s|^2 max w replaces
 * A_s'(w A_s 1). The vectors `ones` and `tmp` (domain) and `rows` (codomain) are overwritten. */
extern double diagonal_cover(struct run *r, const void *w, void *C, void *ones, void *tmp, void *rows);

/** Computes `step = 0.99 / (kappa C + all)` for each voxel. The number `all` is the same for all voxels.
 * `step` may be C. */
extern void diagonal_voxel_steps(const struct run *r, void *step, const void *C, double kappa, double all);

/** Replaces x = r->x by the prox of g at `x - step z`. Here g is lambda/2 |x|^2 plus the term
 * diagonal_primal_term(). The vector `tmp` of the domain is overwritten. */
extern void diagonal_step_voxels(struct run *r, const void *step, const void *z, double lambda, void *tmp);

/**
 * Computes the change of the dual variable p of a subset:
 *
 *     next = prox(p + steps Ax) - p
 *
 * The prox is that of the convex conjugate of the data term of the subset. The step sizes are
 * `steps = kappa w`. Ax is overwritten.
 */
extern void diagonal_step_rays(const struct run *r, const struct iter_subset *s, double kappa,
        const void *steps, const void *p, void *Ax, void *next);

#endif
